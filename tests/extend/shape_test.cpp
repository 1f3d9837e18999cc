// A shape of an extension: an ellipsoid by its support function.
#include <cmath>

#include "extend/extend.h"
#include "rigor/queries.h"
#include "rigor/snapshot_file.h"

namespace rigor::test {

namespace {

ShapePtr ellipsoid(double x, double y, double z) { return shape_of_type("ellipsoid", {{"x", x}, {"y", y}, {"z", z}}); }

/// Drops a body on the ground and returns it at rest.
Vec3 rest(const ShapePtr& shape, const ShapePtr& ground, const std::string& method) {
  World world;
  if (ground) {
    world.remove_body(world.ground());
    BodyDef floor;
    floor.shape = ground, floor.fixed = true;
    world.add_body(floor);
  }
  BodyDef def;
  def.shape = shape, def.position = {0, 1.5, 0}, def.material.rolling_friction = 0.01;
  const BodyId id = world.add_body(def);
  Simulation sim(world, preset(method));
  for (int i = 0; i < 600; ++i) sim.step(1.0 / 120);
  return sim.world().position(id);
}

}  // namespace

TEST(Ellipsoid, HasItsMassAndBounds) {
  use_plugin("shape");
  const ShapePtr shape = ellipsoid(0.5, 1, 2);
  EXPECT_EQ(shape->type(), "ellipsoid");
  const MassProperties mass = mass_properties(*shape, 1000);
  EXPECT_NEAR(mass.mass, 1000 * 4 * kPi / 3, 1e-9 * mass.mass);
  EXPECT_NEAR(mass.inertia(0, 0), mass.mass / 5 * 5, 1e-9 * mass.mass);
  const Aabb turned = world_bounds(*shape, {{1, 0, 0}, quaternion_from_axis_angle({0, 0, 1}, 0.5 * kPi)});
  EXPECT_LT(distance(turned.lower, {0, -0.5, -2}), 1e-12);
  EXPECT_LT(distance(turned.upper, {2, 0.5, 2}), 1e-12);
  EXPECT_GE(shape->bounding_radius(), 2);
}

TEST(Ellipsoid, RestsWhereItShould) {
  use_plugin("shape");
  const ShapePtr field = height_field(9, 9, 1, 1, std::vector<double>(81, 0.0));
  const ShapePtr triangles = mesh({{-5, 0, -5}, {-5, 0, 5}, {5, 0, 5}, {5, 0, -5}}, {{0, 1, 2}, {0, 2, 3}});
  for (const char* method : {"soft-step", "garstenauer-sequential"}) {
    EXPECT_NEAR(rest(ellipsoid(0.6, 0.3, 0.5), nullptr, method).y, 0.3, 0.01) << method;
    EXPECT_NEAR(rest(ellipsoid(0.6, 0.3, 0.5), box(20, 1, 20), method).y, 0.8, 0.01) << method;
    EXPECT_NEAR(rest(ellipsoid(0.6, 0.3, 0.5), field, method).y, 0.3, 0.01) << method;
    EXPECT_NEAR(rest(ellipsoid(0.6, 0.3, 0.5), triangles, method).y, 0.3, 0.01) << method;
  }
}

/// With equal axes it is a ball: same contacts as the built-in one, in whatever direction.
TEST(Ellipsoid, WithEqualAxesItIsABall) {
  use_plugin("shape");
  const ShapePtr mine = ellipsoid(0.5, 0.5, 0.5), ball = sphere(0.5);
  const ShapePtr others[] = {sphere(0.4), box(1, 1, 1), capsule(0.3, 1), cylinder(0.5, 1), cone(0.5, 1)};
  for (const ShapePtr& other : others)
    for (int k = 0; k < 12; ++k) {
      const Vec3 d = normalized(Vec3{std::sin(2.0 * k), std::cos(3.0 * k), std::sin(5.0 * k + 1)});
      const auto contact = [&](const ShapePtr& shape) {
        World world = empty_world();
        BodyDef def;
        def.name = "a", def.shape = other;
        world.add_body(def);
        def.name = "b", def.shape = shape, def.position = 0.85 * d;
        world.add_body(def);
        Simulation sim(world, preset("garstenauer-sequential"));
        sim.find_contacts();
        double deepest = 1;
        for (const Contact& c : sim.contacts())
          for (int i = 0; i < c.count; ++i)
            deepest = std::min(deepest, c.points[static_cast<std::size_t>(i)].separation);
        return deepest;
      };
      EXPECT_NEAR(contact(mine), contact(ball), 1e-4) << other->type() << " " << k;
    }
}

TEST(Ellipsoid, RaysMeetItsSurface) {
  use_plugin("shape");
  World world = empty_world();
  BodyDef def;
  def.shape = ellipsoid(0.5, 1, 2);
  const BodyId id = world.add_body(def);
  Simulation sim(world, preset("soft-step"));
  for (int k = 0; k < 20; ++k) {
    const Vec3 from = 4.0 * normalized(Vec3{std::sin(2.0 * k), std::cos(3.0 * k), std::sin(5.0 * k + 1)});
    const auto hit = Queries(sim.world()).ray_cast(from, -2.0 * from);
    ASSERT_TRUE(hit.has_value()) << k;
    EXPECT_EQ(hit->body, id);
    const Vec3 p = hit->point;
    EXPECT_NEAR(p.x * p.x / 0.25 + p.y * p.y + p.z * p.z / 4, 1, 1e-6);
  }
  EXPECT_FALSE(Queries(sim.world()).ray_cast({3, 3, 0}, {0, 0, 5}).has_value());
}

TEST(Ellipsoid, SceneFilesAndSnapshotsHoldIt) {
  use_plugin("shape");
  const Scene scene = parse_scene(R"({"rigor": 1, "name": "egg", "world": {"bodies": [
    {"name": "egg", "shape": {"ellipsoid": {"y": 1.5}}, "position": [0, 2, 0]},
    {"name": "two", "shape": {"composite": [{"shape": {"ellipsoid": {"x": 0.5}}, "position": [1, 0, 0]},
                                             {"shape": {"box": [1, 1, 1]}}]}, "position": [5, 2, 0]}]},
    "method": "soft-step"})");
  const std::string text = write_scene(scene);
  EXPECT_EQ(write_scene(parse_scene(text)), text);
  Simulation sim(scene.world, scene.method);
  for (int i = 0; i < 50; ++i) sim.step(0.01);
  Simulation other(World{}, default_method());
  other.restore(read_snapshot(write_snapshot({sim.save(), "egg", "", 1})).snapshot);
  for (int i = 0; i < 100; ++i) sim.step(0.01), other.step(0.01);
  EXPECT_EQ(sim.hash(), other.hash());
  EXPECT_NE(
      error_of([] {
        parse_scene(
            R"({"rigor": 1, "name": "x", "world": {"bodies": [{"name": "x", "shape": {"ellipsoid": {"w": 1}}}]}})");
      }).find("world.bodies[0 'x'].shape.ellipsoid"),
      std::string::npos);
  EXPECT_NE(
      error_of([] {
        parse_scene(
            R"({"rigor": 1, "name": "x", "world": {"bodies": [{"name": "x", "shape": {"ellipsoid": {"x": -1}}}]}})");
      }).find("a number above 0"),
      std::string::npos);
  EXPECT_NE(scene_schema().find("\"ellipsoid\""), std::string::npos);
}

}  // namespace rigor::test
