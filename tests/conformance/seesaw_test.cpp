// The seesaw of chapter 8.2 under every stepping method with every solver that is declared compatible: ten seconds without a
// number that is not finite. Hinge, impact, flight and a pyramid of resting boxes are in it. The default tier takes one solver
// per stepping method, over the impact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "conformance/solver_cases.h"
#include "long_tests.h"
#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

bool solves_itself(const std::string& stepping) {
  return has_capability(*find_method(Kind::stepping, stepping), "solves-constraints");
}

bool is_allowed(const Method& method) {
  try {
    check(method);
    return true;
  } catch (const Error&) {
    return false;
  }
}

struct Combination {
  std::string name;
  Method method;
};

void PrintTo(const Combination& c, std::ostream* out) { *out << c.name; }

/// With the settings that a user gets who names the solver and says nothing else.
std::vector<Combination> combinations() {
  std::vector<Combination> all;
  for (const std::string& stepping : names_of(Kind::stepping)) {
    if (solves_itself(stepping)) {
      Method m = preset("garstenauer");
      m.stepping = {stepping, {}};
      m.collision_solver = m.contact_solver = m.joint_solver = m.correction = {"none", {}};
      all.push_back({stepping + "_alone", m});
      continue;
    }
    for (const SolverCase& c : solver_cases({})) {
      if (c.method.stepping.name != "explicit") continue;  // a step that is judged like a solver
      Method m = c.method;
      m.stepping = {stepping, {}};
      for (Choice* solver : {&m.collision_solver, &m.contact_solver, &m.joint_solver, &m.correction})
        solver->settings.clear();
      if (is_allowed(m)) all.push_back({stepping + "_with_" + c.name, m});
    }
  }
  for (Combination& c : all) std::replace(c.name.begin(), c.name.end(), '-', '_');
  return all;
}

/// In the default tier each stepping method with another solver.
std::vector<Combination> chosen() {
  const std::vector<Combination> all = combinations();
  if (long_tests()) return all;
  std::vector<Combination> sample;
  for (std::size_t begin = 0, turn = 0; begin < all.size(); ++turn) {
    std::size_t end = begin;
    while (end < all.size() && all[end].method.stepping == all[begin].method.stepping) ++end;
    // A step of the pyramid takes force-lcp a tenth of a second: the long tier has it.
    const std::size_t pick = begin + turn % (end - begin);
    sample.push_back(all[all[pick].method.contact_solver.name == "force-lcp" ? begin : pick]);
    begin = end;
  }
  return sample;
}

class SeesawMatrix : public testing::TestWithParam<Combination> {};
INSTANTIATE_TEST_SUITE_P(Steppings, SeesawMatrix, testing::ValuesIn(chosen()),
                         [](const testing::TestParamInfo<Combination>& tested) { return tested.param.name; });

TEST_P(SeesawMatrix, StaysFinite) {
  const Scene scene = open_scene("seesaw");
  Simulation sim(scene.world, GetParam().method);
  run(sim, long_tests() ? 10 : 2.5, scene.time.step);  // the heavy box arrives after 1.8 s
  double farthest = 0, fastest = 0;
  for (const BodyId id : sim.world().bodies()) {
    const Vec3 x = sim.world().position(id), v = sim.world().velocity(id);
    EXPECT_TRUE(std::isfinite(length(x)) && std::isfinite(length(v))) << sim.world().name(id);
    EXPECT_TRUE(std::isfinite(length(sim.world().angular_velocity(id)))) << sim.world().name(id);
    farthest = std::max(farthest, length(x)), fastest = std::max(fastest, length(v));
  }
  for (const std::string& report : sim.take_reports())
    EXPECT_EQ(report.find("not finite"), std::string::npos) << report;
  RecordProperty("farthest_mm", std::to_string(1000 * farthest));
  RecordProperty("fastest_mm_per_s", std::to_string(1000 * fastest));
}

}  // namespace
}  // namespace rigor::test
