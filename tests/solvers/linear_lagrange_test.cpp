// Lagrange multipliers along the joint graph agree with those of a dense factorisation.
#include <gtest/gtest.h>

#include "lab/joint_bench.h"
#include "lab/reference/reference.h"
#include "solvers/force_helpers.h"

namespace rigor::test {
namespace {

TEST(LinearLagrange, AgreesWithLagrangeOnTrees) {
  const World world = bender_world(JointBenchShape::tree, 4);
  Simulation along(world, force_method("none", "linear-lagrange", "rk4"));
  Simulation dense(world, force_method("none", "lagrange", "rk4"));
  for (int i = 0; i < 100; ++i) along.step(1e-3), dense.step(1e-3);
  // Rounding of forces of some 1e5 N on lengths of 30 m, integrated twice over 0.1 s; measured 1e-13.
  for (const BodyId id : world.bodies())
    EXPECT_LT(distance(along.world().position(id), dense.world().position(id)), 1e-11);
  for (const JointId id : world.joints()) {
    const Vec3 f = dense.world().joint_state(id).force;
    EXPECT_LT(distance(along.world().joint_state(id).force, f), 1e-9 * length(f));
  }
}

double first_error(const char* problem, const char* solver) {
  const reference::Result result =
      reference::measure(reference::find_case(problem), force_method("none", solver, "rk4"), 4e-3);
  EXPECT_EQ(result.outcome, reference::Outcome::measured) << problem << ": " << result.reason;
  return result.quantities.empty() ? 1e300 : result.quantities.front().error;
}

TEST(LinearLagrange, LoopsAreClosedByAuxiliaryConstraints) {
  // The same motion as by a dense factorisation: errors against the exact solution differ by rounding only.
  EXPECT_NEAR(first_error("slider-crank", "linear-lagrange"), first_error("slider-crank", "lagrange"), 1e-9);
  // A redundant loop; 1e-3 m is what the reference calls good at the end of ten times as long.
  EXPECT_LT(first_error("iftomm-a04", "linear-lagrange"), 1e-3);
}

}  // namespace
}  // namespace rigor::test
