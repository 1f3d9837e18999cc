// Limits of angles in lanes: gaps and directions against those of the joints' coordinates, and the same bits for every width.
#include "soft_step/limit_lanes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "constraints/joint_limits.h"
#include "constraints/row_math.h"
#include "rigor/world.h"

namespace rigor::test {
namespace {

constexpr double kReachTime = 0.01;                                         // s
constexpr double kSwing = 0.9, kLower = -0.5, kUpper = 0.7, kMiddle = 0.4;  // rad; the last one of every second lane

/// Four joints of eight bodies, b turned against a by a swing and a twist near their bounds.
struct Joints {
  World world;
  LimitBlock block;
  std::mt19937 random;

  double number() { return std::uniform_real_distribution<double>(-1, 1)(random); }
  Vec3 vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  Quat turn() { return quaternion_from_rotation_vector(3 * vector()); }

  Joints(unsigned seed, double spread, double speed) : random(seed) {
    for (std::size_t lane = 0; lane < kTreeLanes; ++lane) add(lane, spread, speed);
    block.has = {0xf, 0xf, 0xf};
  }

  void add(std::size_t lane, double spread, double speed) {
    const double middle = lane % 2 ? kMiddle : 0, way = 3 * number();
    const double swing = kSwing + spread * number(), twist = middle + (lane < 2 ? kLower : kUpper) + spread * number();
    const Quat q = quaternion_from_rotation_vector(swing * Vec3{0, std::cos(way), std::sin(way)}) *
                   quaternion_from_rotation_vector({twist, 0, 0});
    const Quat frame_a = turn(), frame_b = turn(), q_a = turn();
    BodyDef def;
    def.shape = box({1, 2, 3}), def.orientation = q_a, def.angular_velocity = speed * vector();
    block.slot_a[lane] = world.slot(world.add_body(def));
    def.orientation = q_a * frame_a * q * conjugate(frame_b), def.angular_velocity = speed * vector();
    block.slot_b[lane] = world.slot(world.add_body(def));
    const BodyState& s = world.state();
    // Bodies stand in the state by their principal frames.
    const Quat to_a = conjugate(s.orientation[block.slot_a[lane]]) * q_a * frame_a;
    block.frame_a.set(lane, to_a);
    block.frame_b.set(lane, conjugate(s.orientation[block.slot_b[lane]]) * def.orientation * frame_b);
    block.inverse_a.set(lane, s.inverse_inertia[block.slot_a[lane]]);
    block.inverse_b.set(lane, s.inverse_inertia[block.slot_b[lane]]);
    const auto half = [lane](double angle, LaneNumber& cosine, LaneNumber& sine) {
      cosine[lane] = std::cos(0.5 * angle), sine[lane] = std::sin(0.5 * angle);
    };
    half(2 * kSwing, block.swing_cosine, block.swing_sine), half(middle, block.middle_cosine, block.middle_sine);
    half(kLower, block.lower_cosine, block.lower_sine), half(kUpper, block.upper_cosine, block.upper_sine);
  }

  JointPose pose(std::size_t lane) const {
    const BodyState& s = world.state();
    JointPose p;
    p.q_a = s.orientation[block.slot_a[lane]] * block.frame_a.get(lane);
    p.q_b = s.orientation[block.slot_b[lane]] * block.frame_b.get(lane);
    const Mat3 a = rotation_matrix(p.q_a), b = rotation_matrix(p.q_b);
    for (int i = 0; i < 3; ++i) p.axis_a[i] = a.column(i), p.axis_b[i] = b.column(i);
    return p;
  }
};

/// One side, as the joints' own coordinates have it.
void expect_side(const Joints& joints, std::size_t lane, LimitSide which, const JointCoordinate& angle, double gap,
                 double sign) {
  const LimitBlock& block = joints.block;
  const BodyState& s = joints.world.state();
  const auto side = static_cast<std::size_t>(which);
  const Vec3 n = sign * part(angle.J, 9),
             w = s.angular_velocity[block.slot_b[lane]] - s.angular_velocity[block.slot_a[lane]];
  const bool is_near = gap <= std::max(kTreeReach, kAngularReach + kReachTime * std::max(-dot(n, w), 0.0));
  ASSERT_EQ(block.near[side] >> lane & 1, is_near ? 1 : 0) << gap;
  if (!is_near) return;
  const LimitDirection& way = which == LimitSide::swing ? block.swing : block.twist;
  const double turned = which == LimitSide::upper_twist ? -1 : 1;
  EXPECT_NEAR(block.gap[side][lane], gap, 1e-12);  // rounding, and the series' 1e-13
  EXPECT_LT(length(turned * way.n.get(lane) - n), 1e-12);
  const Mat3 Ia = inverse_inertia_world(s, block.slot_a[lane]), Ib = inverse_inertia_world(s, block.slot_b[lane]);
  EXPECT_LT(length(turned * way.change_a.get(lane) - Ia * n), 1e-12 * length(Ia * n) + 1e-15);
  EXPECT_LT(length(turned * way.change_b.get(lane) - Ib * n), 1e-12 * length(Ib * n) + 1e-15);
  EXPECT_NEAR(way.inverse_mass[lane], dot(n, Ia * n) + dot(n, Ib * n), 1e-12 * dot(n, Ia * n));
}

TEST(LimitLanes, AreThoseOfTheCoordinates) {
  int decided = 0;
  for (unsigned round = 0; round < 50; ++round) {
    Joints joints(round, 0.15, 2);
    find_near_limits({&joints.block, 1}, joints.world.state(), kReachTime, LaneWidth::machine);
    for (std::size_t lane = 0; lane < kTreeLanes; ++lane) {
      if (joints.block.undecided >> lane & 1) continue;
      ++decided;
      const JointPose pose = joints.pose(lane);
      const JointCoordinate swing = swing_angle(pose), twist = twist_angle(pose);
      const double middle = lane % 2 ? kMiddle : 0;
      expect_side(joints, lane, LimitSide::swing, swing, kSwing - swing.value, -1);
      expect_side(joints, lane, LimitSide::lower_twist, twist, twist.value - (middle + kLower), 1);
      expect_side(joints, lane, LimitSide::upper_twist, twist, middle + kUpper - twist.value, -1);
    }
  }
  EXPECT_GT(decided, 150);  // most: few angles are 0.2 beyond a bound
}

/// Far beyond a bound, or too fast for the step: the fallback has to check the limit.
TEST(LimitLanes, LeaveTheRestUndecided) {
  Joints fast(3, 0.15, 200);
  find_near_limits({&fast.block, 1}, fast.world.state(), kReachTime, LaneWidth::machine);
  EXPECT_NE(fast.block.undecided, 0);
  Joints joints(4, 0, 0);
  for (std::size_t lane = 0; lane < kTreeLanes; ++lane) {
    joints.block.swing_cosine[lane] = std::cos(kSwing - 0.3), joints.block.swing_sine[lane] = std::sin(kSwing - 0.3);
  }
  find_near_limits({&joints.block, 1}, joints.world.state(), kReachTime, LaneWidth::machine);
  EXPECT_EQ(joints.block.undecided, 0xf);
}

TEST(LimitLanes, DoNotDependOnTheWidth) {
  for (unsigned round = 0; round < 10; ++round) {
    Joints wide(round, 0.15, 5), single(round, 0.15, 5);
    find_near_limits({&wide.block, 1}, wide.world.state(), kReachTime, LaneWidth::machine);
    find_near_limits({&single.block, 1}, single.world.state(), kReachTime, LaneWidth::one);
    EXPECT_EQ(wide.block.near, single.block.near);
    EXPECT_EQ(wide.block.undecided, single.block.undecided);
    for (std::size_t side = 0; side < kLimitSides; ++side) EXPECT_EQ(wide.block.gap[side], single.block.gap[side]);
    for (std::size_t lane = 0; lane < kTreeLanes; ++lane) {
      if (!(wide.block.near[0] >> lane & 1)) continue;  // directions are for those that are near
      EXPECT_EQ(wide.block.swing.n.get(lane), single.block.swing.n.get(lane));
      EXPECT_EQ(wide.block.swing.change_b.get(lane), single.block.swing.change_b.get(lane));
      EXPECT_EQ(wide.block.swing.inverse_mass[lane], single.block.swing.inverse_mass[lane]);
    }
  }
}

}  // namespace
}  // namespace rigor::test
