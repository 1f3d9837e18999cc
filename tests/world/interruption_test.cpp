// A step that takes too long can be ended, and was then never made.
#include "rigor/interruption.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support.h"

namespace rigor::test {
namespace {

using Clock = std::chrono::steady_clock;

World falling_box() {
  World world;
  BodyDef def;
  def.name = "box", def.shape = box({1, 1, 1}), def.position = {0, 0.52, 0}, def.velocity = {0, -3, 0};
  world.add_body(def);
  return world;
}

/// In each other: a complementarity problem of a thousand unknowns for an exact solver.
World heap() {
  World world;
  for (int i = 0; i < 10; ++i) {
    BodyDef def;
    def.shape = box({1, 1, 1}), def.position = {0.1 * (i % 3), 0.6 + 0.05 * i, 0.1 * (i % 4)};
    world.add_body(def);
  }
  return world;
}

TEST(Interruption, IsDueOnRequestAndByTheClock) {
  Interruption interruption;
  EXPECT_FALSE(interruption.is_due());
  interruption.request();
  EXPECT_TRUE(interruption.is_due());
  interruption.clear();
  interruption.request_at(Clock::now() + std::chrono::hours(1));
  EXPECT_FALSE(interruption.is_due());
  interruption.request_at(Clock::now());
  EXPECT_TRUE(interruption.is_due());
  interruption.clear();
  EXPECT_FALSE(interruption.is_due());
}

TEST(Interruption, OuterOnesHoldWithinInnerOnes) {
  Interruption outer, inner;
  const InterruptibleThread out(&outer);
  {
    const InterruptibleThread in(&inner);
    outer.request();
    EXPECT_THROW(throw_if_interrupted(), Interrupted);
  }
  outer.clear();
  inner.request();
  EXPECT_NO_THROW(throw_if_interrupted());  // the inner one is over
}

TEST(Interruption, AnotherThreadGoesOn) {
  Interruption interruption;
  interruption.request();
  const InterruptibleThread here(&interruption);
  std::thread([] { EXPECT_NO_THROW(Simulation(falling_box()).step()); }).join();
}

class InterruptedStep : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, InterruptedStep, testing::ValuesIn(names_of(Kind::stepping)), method_test_name);

TEST_P(InterruptedStep, WasNeverMadeOnceTheSnapshotIsBack) {
  Method method;
  method.stepping.name = GetParam();
  method.integrator.name = "kick-drift";  // which goes with every step
  if (!has_capability(*find_method(Kind::stepping, GetParam()), "solves-constraints"))
    method.collision_solver = method.contact_solver = method.joint_solver = {"sequential-impulse", {}};
  Simulation sim(falling_box(), method), undisturbed(falling_box(), method);
  for (int i = 0; i < 3; ++i) sim.step(), undisturbed.step();
  const Snapshot before = sim.save();
  {
    Interruption interruption;
    interruption.request();
    const InterruptibleThread here(&interruption);
    EXPECT_THROW(sim.step(), Interrupted);
  }
  EXPECT_THROW(sim.step(), Error);  // half a step is no state to go on from
  sim.restore(before);
  for (int i = 0; i < 5; ++i) sim.step(), undisturbed.step();
  EXPECT_EQ(sim.hash(), undisturbed.hash());
  EXPECT_EQ(sim.steps(), undisturbed.steps());
}

TEST(Interruption, EndsAStepOfAnExactSolverOnAHeap) {
  for (const char* name : {"stewart-trinkle", "cline-pai", "baraff"}) {
    Method method = preset(name);
    if (method.stepping.name == "bisection") method.stepping.name = "explicit";  // one long solve, not many short ones
    Simulation sim(heap(), method);
    Interruption interruption;
    const InterruptibleThread here(&interruption);
    const Clock::time_point begin = Clock::now();
    interruption.request_at(begin + std::chrono::milliseconds(200));
    EXPECT_THROW(for (int i = 0; i < 1000; ++i) sim.step(), Interrupted) << name;
    // Chosen: a pivot takes milliseconds, the rest is for busy machines. Without a look at the clock it would be minutes.
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), 10) << name;
  }
}

}  // namespace
}  // namespace rigor::test
