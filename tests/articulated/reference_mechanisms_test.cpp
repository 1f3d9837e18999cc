// Mechanisms with known solutions (src/lab/reference) in reduced coordinates: trees and loops at the order of the integrator.
#include <gtest/gtest.h>

#include "lab/reference/reference.h"
#include "support.h"

namespace rigor::test {
namespace {

double error_in(const std::string& problem, const std::string& quantity, const std::string& integrator, double dt) {
  Method method = preset("featherstone");
  method.integrator.name = integrator;
  const reference::Result result = reference::measure(reference::find_case(problem), method, dt);
  for (const reference::Quantity& q : result.quantities)
    if (q.name == quantity) return q.error;
  ADD_FAILURE() << problem << " has no " << quantity << ": " << result.reason;
  return 0;
}

TEST(ReducedReference, OpenChainsAreExactTo1e8) {
  EXPECT_LT(error_in("double-pendulum", "angles from 1.5 s to 3 s", "rk4", 1e-3), 1e-8);
  EXPECT_LT(error_in("chain-of-rods", "angles from 1.5 s to 3 s", "rk4", 1e-3), 1e-8);
}

/// Bounds measured at the step given, so that a loss of accuracy is noticed.
TEST(ReducedReference, LoopsAreKeptAtEveryStage) {
  EXPECT_LT(error_in("slider-crank", "slider in 2 s", "rk4", 2e-3), 2e-9);
  EXPECT_LT(error_in("iftomm-a01", "position in 10 s", "rk4", 4e-3), 1e-7);
  EXPECT_LT(error_in("iftomm-a04", "corner in 10 s", "rk4", 8e-3), 2e-8);
  EXPECT_LT(error_in("iftomm-a02", "distance from the solution in 20 s", "rk4", 8e-3), 5e-6);
}

struct Order {
  const char *problem, *quantity, *integrator;
  double dt;
  int order;
};

/// Half the step, 2^order times less error; the next term of the error moves it a little.
TEST(ReducedReference, OrderOfTheIntegratorStays) {
  for (const Order& o : {Order{"double-pendulum", "angles in 1 s", "rk4", 8e-3, 4},
                         {"chain-of-rods", "angles in 1 s", "rk4", 4e-3, 4},
                         {"slider-crank", "slider in 2 s", "rk4", 8e-3, 4},
                         {"double-pendulum", "angles in 1 s", "dormand-prince", 8e-3, 5},
                         {"slider-crank", "slider in 2 s", "dormand-prince", 16e-3, 5},
                         {"double-pendulum", "angles in 1 s", "midpoint", 2e-3, 2},
                         {"slider-crank", "slider in 2 s", "midpoint", 2e-3, 2},
                         {"double-pendulum", "angles in 1 s", "semi-implicit-euler", 2e-3, 1},
                         {"slider-crank", "slider in 2 s", "semi-implicit-euler", 1e-3, 1}}) {
    const double coarse = error_in(o.problem, o.quantity, o.integrator, o.dt),
                 fine = error_in(o.problem, o.quantity, o.integrator, 0.5 * o.dt);
    EXPECT_NEAR(std::log2(coarse / fine), o.order, 0.4) << o.problem << " by " << o.integrator;
  }
}

}  // namespace
}  // namespace rigor::test
