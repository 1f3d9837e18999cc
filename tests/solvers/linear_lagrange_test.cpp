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

TEST(LinearLagrange, LoopsAreClosedByAuxiliaryConstraints) {
  for (const char* name : {"slider-crank", "iftomm-a04"}) {
    const reference::Case& problem = reference::find_case(name);
    double error[2];
    for (const bool linear : {false, true}) {
      const Method m = force_method("none", linear ? "linear-lagrange" : "lagrange", "rk4");
      const reference::Result result = reference::measure(problem, m, 4e-3);
      ASSERT_EQ(result.outcome, reference::Outcome::measured) << name << ": " << result.reason;
      error[linear] = result.quantities.front().error;
    }
    // The same motion: the errors against the exact solution differ by rounding only.
    EXPECT_NEAR(error[0], error[1], 1e-9) << name;
  }
}

}  // namespace
}  // namespace rigor::test
