#include "rigor/queries.h"

#include <gtest/gtest.h>

#include <random>

#include "support.h"

namespace rigor::test {
namespace {

World three_balls() {
  World world;
  for (int i = 0; i < 3; ++i) {
    BodyDef def;
    def.name = "ball" + std::to_string(i);
    def.shape = sphere(0.5);
    def.position = {2.0 * i, 1, 0};
    world.add_body(def);
  }
  return world;
}

TEST(Queries, ARayFindsTheNearestAndAll) {
  const World world = three_balls();
  const Queries q(world);
  const auto hit = q.ray_cast({-5, 1, 0}, {20, 0, 0});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, world.find_body("ball0"));
  EXPECT_NEAR(hit->fraction, 4.5 / 20, 1e-15);
  EXPECT_LT(distance(hit->point, {-0.5, 1, 0}), 1e-14);
  EXPECT_LT(distance(hit->normal, {-1, 0, 0}), 1e-14);
  const auto all = q.ray_cast_all({-5, 1, 0}, {20, 0, 0});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[2].body, world.find_body("ball2"));
  EXPECT_FALSE(q.ray_cast({-5, 3, 0}, {20, 0, 0}));
  EXPECT_EQ(q.ray_cast({1, 5, 0}, {0, -10, 0})->body, world.ground());
}

TEST(Queries, FiltersChooseBodies) {
  World world = three_balls();
  world.set_groups(world.find_body("ball0"), 2, 0xffffffffu);
  world.set_active(world.find_body("ball1"), false);
  const Queries q(world);
  QueryFilter filter;
  filter.groups = 1;
  EXPECT_EQ(q.ray_cast({-5, 1, 0}, {20, 0, 0}, filter)->body, world.find_body("ball2"));
  filter.groups = 3;
  filter.accept = [&](BodyId id) { return id == world.find_body("ball2"); };
  EXPECT_EQ(q.ray_cast({-5, 1, 0}, {20, 0, 0}, filter)->body, world.find_body("ball2"));
}

TEST(Queries, AShapeIsCastUntilItTouches) {
  const World world = three_balls();
  const Queries q(world);
  const auto hit = q.shape_cast(*box(1, 1, 1), {{-5, 1, 0}, {}}, {20, 0, 0});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, world.find_body("ball0"));
  EXPECT_NEAR(hit->fraction, 4.0 / 20, 1e-9);
  EXPECT_LT(distance(hit->normal, {-1, 0, 0}), 1e-6);
  EXPECT_EQ(q.shape_cast(*sphere(0.25), {{1, 5, 0}, {}}, {0, -10, 0})->body, world.ground());
  EXPECT_THROW(q.shape_cast(*plane(), {}, {1, 0, 0}), Error);
}

TEST(Queries, OverlapsDistancesAndTimes) {
  World world = three_balls();
  const BodyId a = world.find_body("ball0"), b = world.find_body("ball1");
  world.set_velocity(a, {3, 0, 0}, {0, 1, 0});
  world.set_velocity(b, {1, 0, 0}, {});
  const Queries q(world);
  EXPECT_EQ(q.overlap(*box(4, 0.2, 0.2), {{0, 1, 0}, {}}), (std::vector<BodyId>{a, b}));
  EXPECT_EQ(q.overlap(Aabb{{-1, 0.6, -1}, {1, 2, 1}}), std::vector<BodyId>{a});
  const ClosestPoints p = q.closest_points(a, b);
  EXPECT_NEAR(p.distance, 1, 1e-14);
  EXPECT_LT(distance(p.on_a, {0.5, 1, 0}), 1e-14);
  EXPECT_LT(distance(p.on_b, {1.5, 1, 0}), 1e-14);
  const auto contact = q.first_contact(a, b, 10, 1e-6);
  ASSERT_TRUE(contact);
  EXPECT_NEAR(contact->time, 0.5, 1e-5);
  EXPECT_FALSE(q.first_contact(a, b, 0.4));
  EXPECT_NEAR(q.closest_points(world.ground(), a).distance, 0.5, 1e-14);
}

TEST(Queries, AgreeWithAskingEveryBody) {
  World world;
  std::mt19937_64 random(7);
  const auto uniform = [&random](double x, double y) {
    return x + (y - x) * static_cast<double>(random() >> 11) * 0x1.0p-53;
  };
  const std::vector<ShapePtr> shapes = {sphere(0.4), box(0.8, 0.5, 0.3), capsule(0.2, 0.5), cylinder(0.3, 0.6)};
  for (int i = 0; i < 200; ++i) {
    BodyDef def;
    def.shape = shapes[static_cast<std::size_t>(i) % shapes.size()];
    def.position = {uniform(-5, 5), uniform(0.5, 5), uniform(-5, 5)};
    def.orientation = normalized(Quat{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)});
    world.add_body(def);
  }
  const Queries all(world);
  for (int i = 0; i < 200; ++i) {
    const Vec3 from{uniform(-6, 6), uniform(0.1, 6), uniform(-6, 6)};
    const Vec3 way{uniform(-9, 9), uniform(-9, 9), uniform(-9, 9)};
    std::optional<CastHit> best;
    for (const BodyId id : world.bodies()) {
      QueryFilter only;
      only.accept = [id](BodyId other) { return other == id; };
      const auto hit = all.ray_cast(from, way, only);
      if (hit && (!best || hit->fraction < best->fraction)) best = hit;
    }
    const auto hit = all.ray_cast(from, way);
    ASSERT_EQ(hit.has_value(), best.has_value());
    if (hit) {
      EXPECT_EQ(hit->fraction, best->fraction);
    }
  }
}

TEST(Queries, RefuseNonsense) {
  const World world = three_balls();
  const Queries q(world);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(q.ray_cast({inf, 0, 0}, {1, 0, 0}), Error);
  EXPECT_THROW(q.ray_cast({0, 0, 0}, {std::nan(""), 0, 0}), Error);
  EXPECT_THROW(q.overlap(*sphere(1), {{}, {0, 0, 0, 0}}), Error);
  EXPECT_THROW(q.closest_points(BodyId{}, world.ground()), Error);
  EXPECT_THROW(q.first_contact(world.ground(), world.find_body("ball0"), -1), Error);
  EXPECT_FALSE(q.ray_cast({0, 5, 0}, {0, 0, 0}));
  EXPECT_THROW(q.overlap(Aabb{{std::nan(""), 0, 0}, {1, 1, 1}}), Error);
  EXPECT_THROW(q.overlap(Aabb{{0, 0, 0}, {1, -1, 1}}), Error);
  EXPECT_EQ(q.overlap(Aabb{{-inf, -inf, -inf}, {inf, inf, inf}}).size(), 4u);
  try {
    q.closest_points(world.world_body(), world.ground());
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("the world body has no shape"), std::string::npos) << e.what();
  }
}

TEST(Queries, MovedAndCompositeShapesAreCastAsWell) {
  const World world = three_balls();
  const Queries q(world);
  const ShapePtr moved = transformed(box(1, 1, 1), {{2, 0, 0}, {}});
  const auto hit = q.shape_cast(*moved, {{-5, 1, 0}, {}}, {20, 0, 0});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, world.find_body("ball0"));
  EXPECT_NEAR(hit->fraction, 2.0 / 20, 1e-9);
  const ShapePtr dumbbell = composite({{sphere(0.1), {{0, 0, 3}, {}}, {}}, {sphere(0.25), {{0, 0, -3}, {}}, {}}});
  const auto lower = q.shape_cast(*dumbbell, {{2, 4, 3}, {}}, {0, -10, 0});
  ASSERT_TRUE(lower);
  EXPECT_EQ(lower->body, world.find_body("ball1"));
  EXPECT_NEAR(lower->fraction, (4 - 1.75) / 10, 1e-9);
  EXPECT_THROW(q.shape_cast(*composite({{sphere(1), {}, {}}, {plane(), {}, {}}}), {}, {1, 0, 0}), Error);
}

JointDef glue(BodyId a, BodyId b, const Vec3& at_a, const Vec3& at_b, const std::string& name) {
  JointDef joint;
  joint.name = name, joint.a = a, joint.b = b, joint.kind = AxesJoint{};  // all axes locked
  joint.frame_a.translation = at_a, joint.frame_b.translation = at_b;
  return joint;
}

TEST(ContradictingJoints, AreThoseThatOthersHoldOpen) {
  World world = three_balls();
  const BodyId a = world.find_body("ball0"), b = world.find_body("ball1"), c = world.find_body("ball2");
  world.add_joint(glue(a, b, {1, 0, 0}, {-1, 0, 0}, "first"));
  world.add_joint(glue(b, c, {1, 0, 0}, {-1, 0, 0}, "second"));
  world.add_joint(glue(a, c, {2, 0, 0}, {-2, 0, 0}, "fits"));  // a loop that closes
  EXPECT_TRUE(contradicting_joints(world).empty());
  const JointId bad = world.add_joint(glue(a, c, {0, 0, 0}, {0, 0, 0}, "bad"));
  ASSERT_EQ(contradicting_joints(world).size(), 1u);
  EXPECT_EQ(contradicting_joints(world)[0],
            "joint 'bad' cannot be closed: fixed joints or immovable bodies hold 'ball0' and 'ball2' so that "
            "its error is 4 m");
  world.set_joint_active(bad, false);
  EXPECT_TRUE(contradicting_joints(world).empty());
}

TEST(FarAnchors, AreThoseThatRoundingMovesByMoreThanTheBody) {
  World world = three_balls();
  const BodyId a = world.find_body("ball0"), b = world.find_body("ball1");
  world.add_joint(glue(a, b, {1, 0, 0}, {-1, 0, 0}, "near"));
  EXPECT_TRUE(far_anchors(world).empty());
  const double radius = world.body_def(b).shape->bounding_radius();
  world.add_joint(glue(world.world_body(), b, {1e9, 0, 0}, {2000 * radius, 0, 0}, "far"));
  ASSERT_EQ(far_anchors(world).size(), 1u);  // the world cannot move: its lever does not count
  EXPECT_EQ(far_anchors(world)[0],
            "joint 'far' holds 'ball1' at a point 2000 times its radius away: no method holds that well");
}

TEST(ContradictingJoints, TurnsCountAndSoDoBodiesThatCannotMove) {
  World world = three_balls();
  const BodyId a = world.find_body("ball0"), b = world.find_body("ball1"), c = world.find_body("ball2");
  world.add_joint(glue(a, b, {1, 0, 0}, {-1, 0, 0}, "first"));
  JointDef turned = glue(a, b, {1, 0, 0}, {-1, 0, 0}, "turned");
  turned.frame_b.rotation = quaternion_from_rotation_vector({0, 0.5, 0});
  world.add_joint(turned);
  ASSERT_EQ(contradicting_joints(world).size(), 1u);
  EXPECT_NE(contradicting_joints(world)[0].find("'turned' cannot be closed"), std::string::npos);
  EXPECT_NE(contradicting_joints(world)[0].find("0.5 rad"), std::string::npos);
  // A rod of a metre between two bodies that cannot move and are four metres apart.
  world.set_fixed(a, true), world.set_fixed(c, true);
  JointDef rod;
  rod.name = "rod", rod.a = a, rod.b = c, rod.kind = DistanceJoint{1, 1};
  world.add_joint(rod);
  EXPECT_EQ(contradicting_joints(world).size(), 2u);
}

}  // namespace
}  // namespace rigor::test
