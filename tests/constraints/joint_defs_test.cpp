// Typed joint definitions make the same joints as the makers by name.
#include "rigor/joint_defs.h"

#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

struct TwoBodies {
  World world;
  BodyId a, b;
  TwoBodies() {
    BodyDef def;
    def.shape = box(1, 1, 1);
    def.position = {0, 2, 0};
    a = world.add_body(def);
    def.position = {2, 2, 0};
    b = world.add_body(def);
  }
};

void expect_same(const JointDef& x, const JointDef& y) {
  EXPECT_EQ(x.type, y.type);
  EXPECT_EQ(x.kind, y.kind);
  EXPECT_EQ(x.frame_a, y.frame_a);
  EXPECT_EQ(x.frame_b, y.frame_b);
  EXPECT_EQ(x.a, y.a);
  EXPECT_EQ(x.b, y.b);
}

TEST(JointDefs, AreTheJointsOfTheMakers) {
  const TwoBodies t;
  const Vec3 anchor{1, 2, 0}, axis{0, 1, 0}, axis2{0, 0, 1};
  expect_same(
      make_joint(t.world, BallDef{.a = t.a, .b = t.b, .anchor = anchor, .axis = axis, .max_swing = 0.5, .friction = 2}),
      ball_joint(t.world, t.a, t.b, anchor, axis, {{"max_swing", 0.5}, {"friction", 2.0}}));
  const AxisMotor motor{.kind = AxisMotor::Kind::velocity, .target = 3, .max_force = 10};
  expect_same(make_joint(t.world, HingeDef{.a = t.a,
                                           .b = t.b,
                                           .anchor = anchor,
                                           .axis = axis,
                                           .drive = {.lower = -1, .upper = 1.5, .motor = motor, .friction = 0.1}}),
              hinge_joint(t.world, t.a, t.b, anchor, axis,
                          {{"lower", -1.0},
                           {"upper", 1.5},
                           {"motor", "velocity"},
                           {"motor_target", 3.0},
                           {"motor_force", 10.0},
                           {"friction", 0.1}}));
  expect_same(
      make_joint(t.world, SliderDef{.a = t.a,
                                    .b = t.b,
                                    .anchor = anchor,
                                    .axis = axis,
                                    .drive = {.spring = {.stiffness = 5, .damping = 1}},
                                    .softness = {.stiffness = 1e5, .damping = 10}}),
      slider_joint(t.world, t.a, t.b, anchor, axis,
                   {{"spring_stiffness", 5.0}, {"spring_damping", 1.0}, {"stiffness", 1e5}, {"damping", 10.0}}));
  expect_same(
      make_joint(t.world, CylindricalDef{.a = t.a, .b = t.b, .anchor = anchor, .axis = axis, .slide = {.upper = 2}}),
      cylindrical_joint(t.world, t.a, t.b, anchor, axis, {{"slide_upper", 2.0}}));
  expect_same(
      make_joint(
          t.world,
          UniversalDef{.a = t.a, .b = t.b, .anchor = anchor, .axis = axis, .axis2 = axis2, .turn2 = {.lower = -1}}),
      universal_joint(t.world, t.a, t.b, anchor, axis, axis2, {{"axis2_lower", -1.0}}));
  expect_same(make_joint(t.world, FixedDef{.a = t.a, .b = t.b}), fixed_joint(t.world, t.a, t.b));
  expect_same(make_joint(t.world, DistanceDef{.a = t.a, .b = t.b, .anchor_a = {0, 2, 0}, .anchor_b = {2, 2, 0}}),
              distance_joint(t.world, t.a, t.b, {0, 2, 0}, {2, 2, 0}));
  expect_same(
      make_joint(t.world,
                 DistanceDef{.a = t.a, .b = t.b, .anchor_a = {0, 2, 0}, .anchor_b = {2, 2, 0}, .lower = 0, .upper = 3}),
      rope_joint(t.world, t.a, t.b, {0, 2, 0}, {2, 2, 0}, {{"upper", 3.0}}));
}

TEST(JointDefs, AreAddedWithTheirOptions) {
  TwoBodies t;
  const JointId id = add_joint(t.world, HingeDef{.a = t.a,
                                                 .b = t.b,
                                                 .anchor = {1, 2, 0},
                                                 .axis = {0, 0, 1},
                                                 .drive = {.lower = -1, .upper = 1},
                                                 .options = {.name = "door", .break_force = 500, .user_data = 4}});
  EXPECT_EQ(t.world.find_joint("door"), id);
  EXPECT_EQ(t.world.joint(id).break_force, 500);
  EXPECT_EQ(t.world.user_data(id), 4U);
  EXPECT_EQ(t.world.joint_position(id, joint_axis::about_x), 0);
  t.world.set_velocity(t.b, {0, 2, 0}, {0, 0, 2});
  EXPECT_NEAR(t.world.joint_velocity(id, joint_axis::about_x), 2, 1e-12);
  t.world.set_name(id, "gate");
  EXPECT_EQ(t.world.name(id), "gate");
}

TEST(JointDefs, CoupleJoints) {
  World world;
  const auto wheel = [&](double x) {
    BodyDef def;
    def.shape = cylinder(0.4, 0.1);
    def.position = {x, 2, 0};
    return world.add_body(def);
  };
  const BodyId a = wheel(0), b = wheel(1);
  const JointId first =
                    add_joint(world, HingeDef{.a = world.world_body(), .b = a, .anchor = {0, 2, 0}, .axis = {0, 0, 1}}),
                second =
                    add_joint(world, HingeDef{.a = world.world_body(), .b = b, .anchor = {1, 2, 0}, .axis = {0, 0, 1}});
  add_joint(world, GearDef{.first = first, .second = second, .ratio = 2});
  world.set_velocity(a, {}, {0, 0, 4});
  Simulation sim(world);
  for (int i = 0; i < 60; ++i) sim.step();
  EXPECT_NEAR(sim.world().joint_velocity(first, joint_axis::about_x),
              -2 * sim.world().joint_velocity(second, joint_axis::about_x), 1e-3);
}

TEST(JointDefs, RefuseWhatTheMakersRefuse) {
  TwoBodies t;
  EXPECT_NE(error_of([&] { add_joint(t.world, HingeDef{.a = t.a, .b = t.b, .anchor = {}, .axis = {}}); }), "");
  EXPECT_NE(error_of([&] {
              add_joint(
                  t.world,
                  HingeDef{.a = t.a, .b = t.b, .anchor = {}, .axis = {1, 0, 0}, .drive = {.lower = 2, .upper = 1}});
            }),
            "");
  EXPECT_NE(error_of([&] { add_joint(t.world, FixedDef{.a = t.a, .b = BodyId{}}); }), "");
}

}  // namespace
}  // namespace rigor::test
