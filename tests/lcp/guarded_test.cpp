#include "lcp/guarded.h"

#include <gtest/gtest.h>

#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

/// Fails with an answer that would add energy.
class Liar final : public LcpSolver {
 public:
  void fields(FieldVisitor&) override {}
  LcpResult solve(const LcpProblem&, std::span<double> x) override {
    std::fill(x.begin(), x.end(), 1e6);
    return {1, 1, false, LcpStatus::no_path};
  }
};

/// Stops early with an answer that is on its way.
class Sweeper final : public LcpSolver {
 public:
  void fields(FieldVisitor&) override {}
  LcpResult solve(const LcpProblem&, std::span<double> x) override {
    x[0] = 0.5, x[1] = 0;
    return {1, 0.5, false, LcpStatus::iteration_limit};
  }
};

const std::vector<double> kA = {2, 1, 1, 2}, kB = {-2, 1}, kLo = {0, 0}, kHi = {kUnbounded, kUnbounded};

TEST(LcpGuard, AFailedResultIsReplacedByGaussSeidel) {
  Liar liar;
  LcpGuard guard;
  std::vector<double> x(2, 0.0);
  const GuardedResult result = guard.solve(liar, true, LcpProblem{kA, kB, {kLo, kHi, {}, {}}}, x);
  EXPECT_TRUE(result.fell_back);
  EXPECT_FALSE(result.solver.converged);
  EXPECT_NEAR(x[0], 1, 1e-9);  // w = (0, 2)
  EXPECT_EQ(x[1], 0);
  EXPECT_LT(result.residual, 1e-8);
}

TEST(LcpGuard, AnIterationThatAddsNoEnergyIsKeptAndItsWorstRowNamed) {
  Sweeper sweeper;
  LcpGuard guard;
  std::vector<double> x(2, 0.0);
  const GuardedResult result = guard.solve(sweeper, false, LcpProblem{kA, kB, {kLo, kHi, {}, {}}}, x);
  EXPECT_FALSE(result.fell_back);
  EXPECT_EQ(x[0], 0.5);
  EXPECT_EQ(result.worst_row, 0);
  EXPECT_NEAR(result.worst_error, 1, 1e-12);
}

/// Their own motors and belts give the doll and the conveyor less than this in a step.
TEST(LcpGuard, NoLcpThatFailedGivesEnergyToRagdollAndConveyorBelt) {
  for (const char* method : {"cline-pai", "stewart-trinkle"})
    for (const char* name : {"ragdoll", "conveyor-belt"}) {
      const Scene scene = open_scene(name);
      Simulation sim(scene.world, preset(method), scene.time);
      double energy = sim.world().kinetic_energy() + sim.world().potential_energy(sim.time());
      for (int i = 0; i < 200; ++i) {
        sim.step(0.01);
        const double now = sim.world().kinetic_energy() + sim.world().potential_energy(sim.time());
        EXPECT_LT(now - energy, 50) << name << " under " << method << ", step " << i;
        energy = now;
      }
    }
}

}  // namespace
}  // namespace rigor::test
