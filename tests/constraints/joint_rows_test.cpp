// The rows of every registered joint type: derivatives, momentum, counts, evaluation at a changed state.
#include <gtest/gtest.h>

#include <map>

#include "constraints/joint_samples.h"

namespace rigor::test {
namespace {

/// Poses that differ from the assembled one: everywhere a little, so that every error is a number and no row is at zero.
constexpr double kTorn = 0.2;  // s at unit velocities
constexpr int kRounds = 40;

TEST(JointRows, JacobiansAreTheDerivativesOfTheErrors) {
  // Central differences of C over 2 h: error h²/6 |C'''| + ε |C| / h. With |C'''| below 1e3 (velocities of order 1, lever arms
  // of some metres, the curvature of angles) and |C| below 10, h = 1e-5 gives 2e-8 + 2e-10.
  constexpr double h = 1e-5, kTolerance = 5e-8;
  for (const std::string& type : pair_joint_types()) {
    Random random(7);
    for (int round = 0; round < kRounds; ++round) {
      JointPair pair(random);
      JointDef def = sample_joint(pair, type, random, true);
      pair.world.add_joint(def);
      pair.set_velocities(random);
      if (type != "path") pair.drift(kTorn);  // a path's directions are those of the curve, which only on it are exact
      pair.set_velocities(random);
      const std::vector<Row> now = pair.rows();
      pair.drift(h);
      const std::vector<Row> later = pair.rows();
      pair.drift(-2 * h);
      const std::vector<Row> before = pair.rows();
      ASSERT_EQ(now.size(), later.size());
      ASSERT_EQ(now.size(), before.size());
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (now[i].kind == RowKind::friction) continue;  // has no C
        if (is_non_holonomic(type) && now[i].kind != RowKind::locked) continue;
        EXPECT_NEAR((later[i].C - before[i].C) / (2 * h), pair.rate(now[i]), kTolerance)
            << type << ", row " << i << " of key " << int{now[i].key} << ", round " << round;
      }
    }
  }
}

TEST(JointRows, KeepLinearAndAngularMomentum) {
  for (const std::string& type : pair_joint_types()) {
    Random random(8);
    for (int round = 0; round < kRounds; ++round) {
      JointPair pair(random);
      pair.world.add_joint(sample_joint(pair, type, random, true));
      pair.set_velocities(random);
      pair.drift(kTorn);
      const BodyState& s = pair.world.state();
      const Vec3 x_a = s.position[pair.world.slot(pair.a)], x_b = s.position[pair.world.slot(pair.b)];
      for (const Row& row : pair.rows()) {
        const Vec3 f_a = part(row.J, 0), f_b = part(row.J, 6);
        const Vec3 moment = cross(x_a, f_a) + part(row.J, 3) + cross(x_b, f_b) + part(row.J, 9);
        EXPECT_EQ(length(f_a + f_b), 0) << type;
        // Some roundings of positions and arms of up to 5 m; near the singular attitudes |J| is larger than 1.
        EXPECT_LT(length(moment), 1e-14 * (1 + length(part(row.J, 9)))) << type;
      }
    }
  }
}

TEST(JointRows, LockedRowsOfEachType) {
  const std::map<std::string, std::size_t> removed = {
      {"ball", 3},   {"hinge", 5},          {"slider", 5},      {"cylindrical", 4},       {"universal", 4},
      {"fixed", 6},  {"distance", 1},       {"rope", 0},        {"point-on-line", 2},     {"point-on-plane", 1},
      {"planar", 3}, {"fixed-rotation", 3}, {"orientation", 2}, {"two-axis-rotation", 1}, {"car-wheel", 4},
      {"path", 2},   {"six-dof", 6},        {"knife-edge", 0},  {"rolling-ball", 1}};
  for (const std::string& type : pair_joint_types()) {
    ASSERT_TRUE(removed.contains(type)) << type << " is new: say how many degrees of freedom it removes";
    Random random(9);
    JointPair pair(random);
    const JointId id = pair.world.add_joint(sample_joint(pair, type, random, false));
    std::size_t locked = 0;
    for (const Row& row : pair.rows(false)) {
      locked += row.kind == RowKind::locked;
      // Assembled: rounding of positions of up to 5 m, of angles by the square root of rounding where acos is involved.
      if (row.kind == RowKind::locked) {
        EXPECT_LT(std::abs(row.C), 1e-14) << type;
      }
    }
    EXPECT_EQ(locked, removed.at(type)) << type;
    EXPECT_EQ(pair.world.joint(id).type, type);
  }
}

/// Motion within the free axes leaves every locked row as it is.
TEST(JointRows, FreeAxesAreFree) {
  struct Case {
    const char* type;
    Vec3 v, w;  // velocity of b's anchor and angular velocity of b, a resting, in the frame x = axis, z = axis2
  };
  const Case cases[] = {{"ball", {}, {1, 2, 3}},
                        {"hinge", {}, {1, 0, 0}},
                        {"slider", {1, 0, 0}, {}},
                        {"cylindrical", {1, 0, 0}, {2, 0, 0}},
                        {"universal", {}, {1, 0, 2}},
                        {"point-on-line", {1, 0, 0}, {1, 2, 3}},
                        {"planar", {0, 1, 2}, {1, 0, 0}},
                        {"point-on-plane", {0, 1, 2}, {1, 2, 3}},
                        {"car-wheel", {1, 0, 0}, {0, 0, 2}},
                        {"fixed-rotation", {1, 2, 3}, {}},
                        {"orientation", {1, 2, 3}, {4, 0, 0}}};
  for (const Case& c : cases) {
    Random random(10);
    JointPair pair(random);
    const Vec3 anchor = random.vector(2), axis = normalized(random.vector(1));
    const Vec3 axis2 = normalized(cross(axis, random.vector(1)));
    const Vec3 y = cross(axis2, axis);
    const auto to_world = [&](const Vec3& v) { return v.x * axis + v.y * y + v.z * axis2; };
    pair.world.add_joint(make_joint(pair.world, c.type, pair.a, pair.b, {anchor, axis, axis2}));
    const Vec3 w = to_world(c.w);
    pair.world.set_velocity(pair.b, to_world(c.v) + cross(w, pair.world.center_of_mass(pair.b) - anchor), w);
    for (const Row& row : pair.rows())
      if (row.kind == RowKind::locked) {
        EXPECT_LT(std::abs(pair.rate(row)), 1e-14 * 10) << c.type;
      }
  }
}

TEST(JointRows, RewritingABlockGivesTheSameRows) {
  for (const std::string& type : pair_joint_types()) {
    Random random(11);
    JointPair pair(random);
    pair.world.add_joint(sample_joint(pair, type, random, true));
    pair.set_velocities(random);
    ConstraintList list;
    list.collect(pair.world, pair.contacts);
    StepBodies bodies;
    bodies.capture(pair.world.state());
    RowSettings settings;
    settings.h = 0.01;
    Rows rows;
    write_rows(list, pair.world.state(), bodies, settings, rows);
    // Bodies elsewhere, then back where they were.
    const Rows before = rows;
    const BodyState start = pair.world.state();
    pair.drift(0.1);
    for (int b = 0; b < static_cast<int>(rows.blocks.size()); ++b)
      rewrite_block(list, pair.world.state(), settings, b, rows);
    if (type != "rope" && type != "two-axis-rotation" && type != "knife-edge") {
      EXPECT_NE(rows.C, before.C) << type;
    }
    EXPECT_EQ(rows.lo, before.lo);
    pair.world.state() = start;
    for (int b = 0; b < static_cast<int>(rows.blocks.size()); ++b)
      rewrite_block(list, pair.world.state(), settings, b, rows);
    EXPECT_EQ(rows.C, before.C) << type;
    EXPECT_EQ(rows.J, before.J) << type;
    EXPECT_EQ(rows.bias, before.bias) << type;
    EXPECT_EQ(rows.key, before.key) << type;
  }
}

TEST(JointRows, KeysAreUniqueWithinAJoint) {
  for (const std::string& type : pair_joint_types()) {
    Random random(12);
    JointPair pair(random);
    pair.world.add_joint(sample_joint(pair, type, random, true));
    std::map<int, int> seen;
    for (const Row& row : pair.rows()) {
      EXPECT_EQ(++seen[row.key], 1) << type << " key " << int{row.key};
      EXPECT_LT(int{row.key}, JointState::kKeys);
    }
  }
}

// ---- single rows ------------------------------------------------------------------------------------

/// The rows of a joint at its assembled pose, of one kind.
std::vector<Row> rows_of_kind(const std::string& type, const Settings& parameters, RowKind kind, double turned = 0) {
  World world = empty_world();
  const BodyId b = world.add_body(body_with_inertia("b", 1, {1, 1, 1}));
  world.add_joint(make_joint(world, type, world.world_body(), b, {{}, Vec3{1, 0, 0}, Vec3{0, 0, 1}}, parameters));
  world.set_pose(b, {turned, 0, 0}, quaternion_from_axis_angle({1, 0, 0}, turned));
  ConstraintList list;
  ContactList contacts;
  list.collect(world, contacts);
  std::vector<Row> rows;
  write_joint(list.joints[0], {world.state(), list, 0.01, false}, rows);
  std::erase_if(rows, [&](const Row& row) { return row.kind != kind; });
  return rows;
}

TEST(JointRows, LimitsAppearWithinReachOnly) {
  const Settings limits = {{"lower", -0.5}, {"upper", 1.0}};
  EXPECT_TRUE(rows_of_kind("hinge", limits, RowKind::limit, 0.2).empty());
  const std::vector<Row> upper = rows_of_kind("hinge", limits, RowKind::limit, 1.1);
  ASSERT_EQ(upper.size(), 1u);
  EXPECT_NEAR(upper[0].C, -0.1, 1e-15);
  EXPECT_NEAR(upper[0].J[9], -1, 1e-15);
  EXPECT_EQ(upper[0].lo, 0);
  const std::vector<Row> lower = rows_of_kind("slider", limits, RowKind::limit, -0.6);
  ASSERT_EQ(lower.size(), 1u);
  EXPECT_NEAR(lower[0].C, -0.1, 1e-15);
  EXPECT_EQ(lower[0].J[6], 1);
}

TEST(JointRows, ALimitMayHaveOneSide) {
  EXPECT_EQ(rows_of_kind("hinge", {{"upper", 1.0}}, RowKind::limit, 1.1).size(), 1u);
  EXPECT_TRUE(rows_of_kind("hinge", {{"upper", 1.0}}, RowKind::limit, -2).empty());
  EXPECT_EQ(rows_of_kind("slider", {{"lower", 0.0}}, RowKind::limit, -1).size(), 1u);
}

TEST(JointRows, EqualLimitsAreOneEquation) {
  const Settings equal = {{"lower", 0.4}, {"upper", 0.4}};
  EXPECT_TRUE(rows_of_kind("hinge", equal, RowKind::limit, 0.5).empty());
  const std::vector<Row> locked = rows_of_kind("hinge", equal, RowKind::locked, 0.5);
  ASSERT_EQ(locked.size(), 6u);
  EXPECT_NEAR(locked[5].C, 0.1, 1e-15);
}

TEST(JointRows, MotorsServosSpringsAndFriction) {
  const std::vector<Row> motor = rows_of_kind(
      "slider", {{"motor", std::string("velocity")}, {"motor_target", 3.0}, {"motor_force", 7.0}}, RowKind::motor);
  ASSERT_EQ(motor.size(), 1u);
  EXPECT_EQ(motor[0].bias, 3);
  EXPECT_EQ(motor[0].lo, -7);
  EXPECT_EQ(motor[0].hi, 7);
  EXPECT_FALSE(std::isfinite(motor[0].stiffness));

  const std::vector<Row> servo = rows_of_kind(
      "slider",
      {{"motor", std::string("servo")}, {"motor_target", 3.0}, {"motor_proportional", 20.0}, {"motor_derivative", 5.0}},
      RowKind::motor, 0.5);
  ASSERT_EQ(servo.size(), 1u);
  EXPECT_EQ(servo[0].C, -2.5);
  EXPECT_EQ(servo[0].stiffness, 20);
  EXPECT_EQ(servo[0].damping, 5);

  const std::vector<Row> spring = rows_of_kind(
      "hinge", {{"spring_stiffness", 4.0}, {"spring_damping", 2.0}, {"spring_rest", 0.25}}, RowKind::spring, 0.5);
  ASSERT_EQ(spring.size(), 1u);
  EXPECT_NEAR(spring[0].C, 0.25, 1e-15);
  EXPECT_EQ(spring[0].stiffness, 4);
  EXPECT_EQ(spring[0].damping, 2);

  const std::vector<Row> friction = rows_of_kind("hinge", {{"friction", 6.0}}, RowKind::friction);
  ASSERT_EQ(friction.size(), 1u);
  EXPECT_EQ(friction[0].lo, -6);
  EXPECT_EQ(friction[0].hi, 6);
  EXPECT_EQ(rows_of_kind("ball", {{"friction", 6.0}}, RowKind::friction).size(), 3u);
}

TEST(JointRows, AHingeCountsAngleAllTheWayRound) {
  World world = empty_world();
  const BodyId b = world.add_body(body_with_inertia("b", 1, {1, 1, 1}));
  const JointId id = world.add_joint(hinge_joint(world, world.world_body(), b, {}, {0, 1, 0}));
  for (const double degrees : {-179.0, -135.0, -90.0, -1.0, 0.0, 45.0, 90.0, 91.0, 170.0, 180.0}) {
    const double angle = degrees * kPi / 180;
    world.set_pose(b, {}, quaternion_from_axis_angle({0, 1, 0}, angle));
    EXPECT_NEAR(std::remainder(world.joint_position(id, 3) - angle, 2 * kPi), 0, 1e-14) << degrees;
  }
  world.set_velocity(b, {}, {0, 2.5, 0});
  EXPECT_NEAR(world.joint_velocity(id, 3), 2.5, 1e-14);
}

TEST(JointRows, AUniversalJointHasTwoAngles) {
  World world = empty_world();
  const BodyId b = world.add_body(body_with_inertia("b", 1, {1, 1, 1}));
  const JointId id = world.add_joint(universal_joint(world, world.world_body(), b, {}, {1, 0, 0}, {0, 0, 1}));
  const double first = 0.7, second = -2.1;
  world.set_pose(b, {}, quaternion_from_axis_angle({1, 0, 0}, first) * quaternion_from_axis_angle({0, 0, 1}, second));
  EXPECT_NEAR(world.joint_position(id, 3), first, 1e-14);
  EXPECT_NEAR(world.joint_position(id, 4), 0, 1e-14);
  EXPECT_NEAR(world.joint_position(id, 5), second, 1e-14);
}

}  // namespace
}  // namespace rigor::test
