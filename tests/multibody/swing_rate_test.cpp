// How fast bodies under tension swing within their joints, against pendulums that are known.
#include "multibody/swing_rate.h"

#include <gtest/gtest.h>

#include "constraints/write_rows.h"
#include "multibody/joint_residuals.h"
#include "rigor/joint_types.h"
#include "solvers/geometric_stiffness.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kStep = 0.01, kGravity = 9.81;  // s, m/s²

/// Rods of 1 m and 1 kg below each other, the last one carries a ball; every joint bears the weight below it.
struct LoadedChain {
  World world;
  ContactList contacts;
  ConstraintList list;
  Rows rows;
  StepBodies bodies;
  JointProblem problem;
  std::unique_ptr<JointImpulses> joints = impulses_at_once(LoopMethod::together);

  LoadedChain(int rods, double load) {
    world.remove_body(world.ground());
    BodyId above = world.world_body();
    const auto hang = [&](const ShapePtr& shape, double mass, double center, double top) {
      BodyDef def;
      def.shape = shape;
      def.mass = mass;
      def.position = {0, -center, 0};
      const BodyId body = world.add_body(def);
      world.add_joint(ball_joint(world, above, body, {0, -top, 0}));
      above = body;
    };
    for (int i = 0; i < rods; ++i) hang(box({0.1, 1, 0.1}), 1, i + 0.5, i);
    hang(sphere(0.05), load, rods, rods);
    double weight = load * kGravity;
    std::vector<double> pulls;
    for (int i = 0; i < rods; ++i) pulls.push_back(weight += kGravity);
    pulls.insert(pulls.begin(), load * kGravity);
    world.for_each_joint([&](JointId, const JointDef&, JointState& s) {
      s.force = {0, pulls.back(), 0}, pulls.pop_back();
    });
    list.collect(world, contacts);
    bodies.capture(world.state());
    write_rows(list, world.state(), bodies, {}, rows);
    problem.resize(static_cast<std::size_t>(rows.size()));
    begin_joint_correction(rows, kStep, problem);
    joints->prepare(rows, static_cast<int>(rows.blocks.size()), bodies, world.state(), problem, RowsAre::unknown);
  }

  double swing(double enough = 0) { return SwingRate().find(list, world.state(), kStep, enough, *joints).value_or(-1); }
};

// ω² = (M + m/2) g l / ((M + m/3) l² + the rest of the rod's own inertia, 1/12 m d²). The same about both axes, so that nothing is
// left after the first step of Lanczos.
TEST(SwingRate, OfAPendulumIsThatOfItsFormula) {
  const double load = 100, rate = (load + 0.5) * kGravity / (load + 1.0 / 3 + 0.01 / 12);
  EXPECT_NEAR(LoadedChain(1, load).swing(), kStep * kStep * rate, 1e-9 * kStep * kStep * rate);
}

// Alone a rod between great forces swings hundreds of times as fast; only with others beside it that do the same it nearly does.
TEST(SwingRate, IsBelowThatOfBodiesAlone) {
  LoadedChain one(1, 1000), many(20, 1000);
  GeometricStiffness alone;
  alone.collect(one.list, one.world.state(), kStep);
  EXPECT_LT(100 * one.swing(), 0.5 * alone.largest_ratio());
  alone.collect(many.list, many.world.state(), kStep);
  const double zigzag = 0.5 * alone.largest_ratio();  // links turn to and fro, their centers rest: (F l) / (m l² / 12)
  EXPECT_GT(many.swing(), 0.7 * zigzag);              // found from below, and 1.3 times that
  EXPECT_LT(many.swing(), 1.3 * zigzag);
}

TEST(SwingRate, IsNotLookedAtMoreCloselyThanAskedFor) {
  LoadedChain chain(20, 1000);
  const double exact = chain.swing();
  EXPECT_LE(chain.swing(10 * exact), 10 * exact);
  EXPECT_GE(chain.swing(10 * exact), 0.7 * exact);
}

TEST(SwingRate, JointsOneByOneCannotTell) {
  LoadedChain chain(2, 1);
  EXPECT_FALSE(SwingRate().find(chain.list, chain.world.state(), kStep, 0, *impulses_one_by_one(true)));
}

}  // namespace
}  // namespace rigor::test
