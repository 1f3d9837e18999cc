// Every preset that solves constraints does so: a box comes to rest, a pendulum holds.
#include <gtest/gtest.h>

#include "conformance/solver_cases.h"
#include "support.h"

namespace rigor::test {
namespace {

std::vector<std::string> presets_with_solvers() {
  std::vector<std::string> names;
  for (const std::string& name : names_of(Kind::preset))
    if (preset(name).contact_solver.name != "none" ||
        has_capability(*find_method(Kind::stepping, preset(name).stepping.name), "solves-constraints"))
      names.push_back(name);
  return names;
}

class EveryPreset : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Presets, EveryPreset, testing::ValuesIn(presets_with_solvers()), method_test_name);

/// Springs are as stiff as the step lets them be: forces at every evaluation want small steps.
double step_for(const std::string& preset_name) {
  const MethodInfo& solver = *find_method(Kind::solver, preset(preset_name).contact_solver.name);
  return has_capability(solver, "level:force") ? 1.0 / 2400 : 1.0 / 120;
}

TEST_P(EveryPreset, BoxFallsAndRests) {
  World world;
  BodyDef def;
  def.shape = box({1, 0.5, 1}), def.position = {0, 0.35, 0};
  const BodyId id = world.add_body(def);
  Simulation sim(world, preset(GetParam()));
  run(sim, 2, step_for(GetParam()));
  EXPECT_NEAR(sim.world().position(id).y, 0.25,
              5.1e-3);  // the springs of soft-step and moore-wilhelms; a slop is a millimetre
  EXPECT_LT(length(sim.world().velocity(id)), 1e-2);
  EXPECT_TRUE(sim.take_reports().empty());
}

TEST_P(EveryPreset, PendulumHolds) {
  World world;
  const BodyId id = add_pendulum(world);
  Simulation sim(world, preset(GetParam()));
  const double step = step_for(GetParam());
  for (int i = 0; i < static_cast<int>(2 / step); ++i) {
    sim.step(step);
    EXPECT_NEAR(length(sim.world().position(id)), 1, 0.02) << "step " << i;
  }
}

}  // namespace
}  // namespace rigor::test
