#include "rigor/world.h"

#include <gtest/gtest.h>

#include <random>

#include "support.h"

namespace rigor::test {
namespace {

BodyDef ball(const std::string& name = {}) {
  BodyDef def;
  def.name = name;
  def.shape = sphere(0.5);
  return def;
}

/// Every slot belongs to the set that the body's flags ask for, and ids and slots agree.
void expect_consistent(const World& world) {
  const BodyState& s = world.state();
  for (int set = 0; set + 1 < kBodySetCount; ++set)
    ASSERT_LE(s.set_end[static_cast<std::size_t>(set)], s.set_end[static_cast<std::size_t>(set) + 1]);
  ASSERT_EQ(s.set_end[kBodySetCount - 1], s.size());
  for (std::uint32_t i = 0; i < s.size(); ++i) {
    const BodyId id = world.id_at(i);
    ASSERT_TRUE(world.contains(id));
    ASSERT_EQ(world.slot(id), i);
    ASSERT_EQ(world.find_body(world.name(id)), id);
    const bool still = world.velocity(id) == Vec3{} && world.angular_velocity(id) == Vec3{};
    const BodySet expected = !world.is_active(id)  ? BodySet::inactive
                             : !world.is_fixed(id) ? BodySet::awake
                             : still               ? BodySet::still
                                                   : BodySet::kinematic;
    ASSERT_GE(i, s.begin(expected));
    ASSERT_LT(i, s.end(expected));
    ASSERT_EQ(s.inverse_mass[i] == 0, world.is_fixed(id));
  }
}

TEST(World, HoldsTheDefaultObjectsAfterReset) {
  World world;
  world.add_body(ball("extra"));
  world.reset();
  EXPECT_EQ(world.body_count(), 2u);
  EXPECT_EQ(world.name(world.world_body()), "world");
  EXPECT_FALSE(world.body_def(world.world_body()).can_collide);
  EXPECT_EQ(world.body_def(world.ground()).shape->type(), "plane");
  EXPECT_TRUE(world.is_fixed(world.ground()));
  const auto& gravity = dynamic_cast<const Gravity&>(*world.force(world.gravity()).effect);
  EXPECT_EQ(gravity.acceleration, (Vec3{0, -9.81, 0}));
  const auto& drag = dynamic_cast<const Drag&>(*world.force(world.drag()).effect);
  EXPECT_EQ(drag.linear, 0);
  EXPECT_EQ(drag.quadratic, 0);
  EXPECT_EQ(drag.angular, 0);
  EXPECT_EQ(drag.angular_quadratic, 0);
  expect_consistent(world);
}

TEST(World, IdsAreGenerational) {
  World world;
  const BodyId a = world.add_body(ball());
  world.remove_body(a);
  const BodyId b = world.add_body(ball());
  EXPECT_EQ(a.index, b.index);
  EXPECT_NE(a, b);
  EXPECT_FALSE(world.contains(a));
  EXPECT_TRUE(world.contains(b));
  EXPECT_THROW(world.position(a), Error);
  EXPECT_THROW(world.remove_body(a), Error);
  EXPECT_FALSE(world.contains(BodyId{}));
}

TEST(World, OldIdsStayUnknownAfterReset) {
  World world;
  const BodyId id = world.add_body(ball());
  const ForceId force = world.add_force(PointForce{});
  world.reset();
  world.add_body(ball());
  world.add_force(PointForce{});
  EXPECT_FALSE(world.contains(id));
  EXPECT_FALSE(world.contains(force));
}

TEST(World, TheWorldBodyStaysAsItIs) {
  World world;
  const std::uint64_t before = world.hash();
  EXPECT_THROW(world.set_fixed(world.world_body(), false), Error);
  EXPECT_THROW(world.set_active(world.world_body(), false), Error);
  EXPECT_THROW(world.set_pose(world.world_body(), {1, 0, 0}, {}), Error);
  EXPECT_THROW(world.set_velocity(world.world_body(), {1, 0, 0}, {}), Error);
  EXPECT_EQ(world.hash(), before);
}

TEST(World, AChangeOfMaterialKeepsTheMotion) {
  World world;
  Material heavy;
  heavy.density = 5000;
  BodyDef def;
  def.shape = composite({{box(1, 1, 1), {{-0.5, 0, 0}, {}}, {}}, {box(1, 1, 1), {{0.5, 0, 0}, {}}, heavy}});
  def.angular_velocity = {0, 0, 2};
  const BodyId id = world.add_body(def);
  const auto velocity_of_origin = [&] {
    return world.velocity(id) + cross(world.angular_velocity(id), world.position(id) - world.center_of_mass(id));
  };
  const Vec3 before = velocity_of_origin();
  world.set_material(id, heavy);
  EXPECT_LT(distance(velocity_of_origin(), before), 1e-14);
  EXPECT_LT(distance(world.center_of_mass(id), world.position(id)), 1e-14);
  EXPECT_NEAR(world.mass_properties(id).mass, 10000, 1e-9);
}

TEST(World, NamesAreUnique) {
  World world;
  world.add_body(ball("a"));
  EXPECT_NE(error_of([&] { world.add_body(ball("a")); }).find("'a'"), std::string::npos);
  EXPECT_EQ(world.body_count(), 3u);
  const BodyId unnamed = world.add_body(ball());
  EXPECT_FALSE(world.name(unnamed).empty());
  world.remove_body(world.find_body("a"));
  EXPECT_FALSE(world.find_body("a"));
  world.add_body(ball("a"));
}

TEST(World, SetsArePlacesThroughAnySequenceOfChanges) {
  World world;
  std::mt19937 random(1);
  std::vector<BodyId> ids;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t pick = ids.empty() ? 0 : random() % ids.size();
    switch (random() % 6) {
      case 0:
      case 1: {
        BodyDef def = ball();
        def.fixed = random() % 3 == 0;
        def.active = random() % 4 != 0;
        def.position = {double(i), 0, 0};
        if (random() % 2) def.velocity = {1, 0, 0};
        ids.push_back(world.add_body(def));
        break;
      }
      case 2:
        if (!ids.empty()) world.remove_body(ids[pick]), ids.erase(ids.begin() + static_cast<long>(pick));
        break;
      case 3:
        if (!ids.empty()) world.set_active(ids[pick], random() % 2);
        break;
      case 4:
        if (!ids.empty()) world.set_fixed(ids[pick], random() % 2);
        break;
      case 5:
        if (!ids.empty()) world.set_velocity(ids[pick], random() % 2 ? Vec3{1, 2, 3} : Vec3{}, {});
        break;
    }
    if (i % 50 == 0) expect_consistent(world);
  }
  expect_consistent(world);
}

TEST(World, PoseIsThatOfTheBodyFrameWhereverTheCenterOfMassIs) {
  World world;
  BodyDef def;
  def.shape = transformed(box(1, 2, 3), {{0.5, 0.25, -1}, quaternion_from_axis_angle({0, 0, 1}, 0.4)});
  def.position = {1, 2, 3};
  def.orientation = normalized(Quat{0.9, 0.1, -0.3, 0.2});
  const BodyId id = world.add_body(def);
  EXPECT_LT(distance(world.position(id), def.position), 1e-15 * 4);
  EXPECT_LT(angle_between(world.orientation(id), def.orientation), 1e-15);
  EXPECT_LT(distance(world.center_of_mass(id), def.position + rotate(def.orientation, {0.5, 0.25, -1})), 1e-14);
  EXPECT_LT(distance(world.to_world(id, {0.5, 0.25, -1}), world.center_of_mass(id)), 1e-14);
  EXPECT_LT(distance(world.to_body(id, world.to_world(id, {3, 2, 1})), {3, 2, 1}), 1e-14);
  // The state's frame has the principal moments of the box, whatever frame the body has.
  const Vec3 I = world.state().inertia[world.slot(id)];
  const double m = 6000;
  std::array<double, 3> moments{I.x, I.y, I.z};
  std::sort(moments.begin(), moments.end());
  EXPECT_NEAR(moments[0], m / 12 * (1 + 4), 1e-9);
  EXPECT_NEAR(moments[1], m / 12 * (1 + 9), 1e-9);
  EXPECT_NEAR(moments[2], m / 12 * (4 + 9), 1e-9);
}

TEST(World, ExplicitMassAndInertiaWin) {
  World world;
  BodyDef def = ball();
  def.mass = 5;
  EXPECT_NEAR(world.mass_properties(world.add_body(def)).inertia(0, 0), 0.4 * 5 * 0.25, 1e-15);
  def.inertia = Mat3::diagonal({1, 2, 2.5});
  def.center_of_mass = Vec3{0, -0.3, 0};
  const MassProperties& p = world.mass_properties(world.add_body(def));
  EXPECT_EQ(p.mass, 5);
  EXPECT_EQ(p.inertia, Mat3::diagonal({1, 2, 2.5}));
  EXPECT_EQ(p.center_of_mass, (Vec3{0, -0.3, 0}));
}

TEST(World, RefusesImpossibleBodiesWithAReason) {
  World world;
  const auto refused = [&world](auto change) {
    BodyDef def = ball("x");
    change(def);
    const std::uint32_t count = world.body_count();
    const std::string sentence = error_of([&] { world.add_body(def); });
    EXPECT_EQ(world.body_count(), count);
    EXPECT_FALSE(world.find_body("x"));
    return sentence;
  };
  const double nan = std::nan("");
  EXPECT_NE(refused([](BodyDef& d) { d.shape = nullptr; }).find("shape"), std::string::npos);
  EXPECT_NE(refused([](BodyDef& d) { d.shape = plane(); }).find("fixed"), std::string::npos);
  EXPECT_NE(refused([](BodyDef& d) { d.collision_shape = plane(); }).find("fixed"), std::string::npos);
  EXPECT_NE(refused([&](BodyDef& d) { d.position.y = nan; }).find("position"), std::string::npos);
  EXPECT_NE(refused([&](BodyDef& d) { d.velocity.x = nan; }).find("velocity"), std::string::npos);
  EXPECT_NE(refused([](BodyDef& d) { d.orientation = {0, 0, 0, 0}; }).find("orientation"), std::string::npos);
  EXPECT_NE(refused([](BodyDef& d) { d.mass = 0; }).find("mass"), std::string::npos);
  EXPECT_NE(refused([](BodyDef& d) { d.mass = -1; }).find("mass"), std::string::npos);
  EXPECT_NE(refused([](BodyDef& d) { d.mass = 1e-320; }).find("mass"), std::string::npos);
  EXPECT_NE(refused([](BodyDef& d) { d.inertia = Mat3::diagonal({1, 1, 3}); }).find("inertia"), std::string::npos);
  EXPECT_NE(refused([](BodyDef& d) { d.inertia = Mat3::diagonal({1, 1, -1}); }).find("inertia"), std::string::npos);
  EXPECT_NE(refused([](BodyDef& d) { d.material.density = 0; }).find("density"), std::string::npos);
  EXPECT_NE(refused([](BodyDef& d) { d.material.friction = -1; }).find("friction"), std::string::npos);
}

TEST(World, SettersRefuseWhatIsNotFinite) {
  World world;
  const BodyId id = world.add_body(ball());
  const std::uint64_t before = world.hash();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(world.set_pose(id, {inf, 0, 0}, {}), Error);
  EXPECT_THROW(world.set_pose(id, {}, {0, 0, 0, 0}), Error);
  EXPECT_THROW(world.set_velocity(id, {0, 0, inf}, {}), Error);
  EXPECT_THROW(world.set_velocity(id, {}, {inf, 0, 0}), Error);
  EXPECT_THROW(world.set_user_force(id, {inf, 0, 0}), Error);
  EXPECT_THROW(world.apply_impulse(id, {inf, 0, 0}, {}), Error);
  EXPECT_THROW(world.set_gravity({0, inf, 0}), Error);
  EXPECT_THROW(world.remove_body(world.world_body()), Error);
  EXPECT_THROW(world.set_fixed(world.ground(), false), Error);
  EXPECT_EQ(world.hash(), before);
}

TEST(World, CopiesAreIndependent) {
  World a;
  const BodyId id = a.add_body(ball("x"));
  World b = a;
  EXPECT_EQ(a.hash(), b.hash());
  b.set_pose(id, {0, 1, 0}, {});
  EXPECT_NE(a.hash(), b.hash());
  b.remove_body(id);
  EXPECT_TRUE(a.contains(id));
}

TEST(World, ImpulseChangesMomentumByItself) {
  World world;
  BodyDef def;
  def.shape = box(1, 2, 3);
  const BodyId id = world.add_body(def);
  world.apply_impulse(id, {10, 20, 30}, {0.1, 0.2, 0.3});
  EXPECT_LT(distance(world.momentum(id), {10, 20, 30}), 1e-12);
  EXPECT_LT(distance(world.angular_momentum(id), cross(Vec3{0.1, 0.2, 0.3}, Vec3{10, 20, 30})), 1e-12);
}

// ---- forces of a world ----------------------------------------------------------------------------------------------

TEST(WorldForces, ActOnAllButSomeOnAListOrOnAPair) {
  World world = empty_world();
  std::vector<BodyId> ids;
  for (int i = 0; i < 4; ++i) ids.push_back(world.add_body(ball()));
  PointForce push;
  push.force = {1, 0, 0};
  world.add_force(push, Affected::all_except({ids[0]}));
  push.force = {0, 1, 0};
  world.add_force(push, Affected::list({ids[1], ids[2]}));
  world.evaluate_forces(0);
  const auto force = [&](int i) { return world.state().force[world.slot(ids[static_cast<std::size_t>(i)])]; };
  EXPECT_EQ(force(0), (Vec3{0, 0, 0}));
  EXPECT_EQ(force(1), (Vec3{1, 1, 0}));
  EXPECT_EQ(force(2), (Vec3{1, 1, 0}));
  EXPECT_EQ(force(3), (Vec3{1, 0, 0}));
  world.set_active(ids[2], false);
  world.set_user_force(ids[3], {0, 0, 5}, {0, 1, 0});
  world.evaluate_forces(0);
  EXPECT_EQ(force(3), (Vec3{1, 0, 5}));
  EXPECT_EQ(world.state().torque[world.slot(ids[3])], (Vec3{0, 1, 0}));
}

TEST(WorldForces, EndAndRemoveThemselves) {
  World world = empty_world();
  const BodyId id = world.add_body(ball());
  PointForce push;
  push.force = {1, 0, 0};
  const auto add = [&](const char* name, bool remove) {
    ForceDef def;
    def.name = name;
    def.effect = std::make_shared<const PointForce>(push);
    def.end_time = 0.5;
    def.remove_automatically = remove;
    return world.add_force(def);
  };
  const ForceId gone = add("gone", true), kept = add("kept", false);
  Simulation sim(world, method_with("semi-implicit-euler"));
  const double mass = world.mass_properties(id).mass;
  for (int i = 0; i < 100; ++i) sim.step(0.01);
  EXPECT_FALSE(sim.world().contains(gone));
  EXPECT_TRUE(sim.world().contains(kept));
  EXPECT_NEAR(sim.world().velocity(id).x * mass, 2 * 0.5, 2 * 0.0101);  // one step more or less by rounding of the time
}

TEST(WorldForces, OfAPairGoWithEitherBody) {
  World world;
  const BodyId a = world.add_body(ball()), b = world.add_body(ball());
  const ForceId spring = world.add_force(Spring{}, Affected::pair(a, b));
  const ForceId list = world.add_force(PointForce{}, Affected::list({a, b}));
  world.remove_body(b);
  EXPECT_FALSE(world.contains(spring));
  ASSERT_TRUE(world.contains(list));
  EXPECT_EQ(world.force(list).affected.bodies, std::vector<BodyId>{a});
  EXPECT_THROW(world.add_force(Spring{}, Affected::pair(a, b)), Error);
  EXPECT_NE(error_of([&] { world.add_force(Spring{}); }).find("pair"), std::string::npos);
}

TEST(WorldForces, InactiveOnesDoNothing) {
  World world;
  const BodyId id = world.add_body(ball());
  world.set_force_active(world.gravity(), false);
  world.evaluate_forces(0);
  EXPECT_EQ(world.state().force[world.slot(id)], Vec3{});
}

}  // namespace
}  // namespace rigor::test
