// Every stepping method reports its impulses, and the figures of truth say how well they explain the motion.
#include <gtest/gtest.h>

#include <cmath>

#include "lab/reference/reference.h"
#include "lab/truth_cases.h"

namespace rigor::test {
namespace {

/// Presets and each stepping method with sequential impulses, as `rigor reference` names them.
std::vector<reference::NamedMethod> methods_with_contacts() {
  std::vector<reference::NamedMethod> list;
  for (const reference::NamedMethod& m : reference::all_methods())
    if (!m.name.starts_with("solver/") && reference::empty_slot({.contact = true}, m.method).empty()) list.push_back(m);
  return list;
}

class TruthOf : public ::testing::TestWithParam<reference::NamedMethod> {};

/// The load of a box at rest is m g h in each step. A method that reports nothing would leave all of it unexplained.
TEST_P(TruthOf, ReportedImpulsesCarryABoxAtRest) {
  const TruthCase& problem = find_truth_case("box-at-rest");
  for (const TruthFigure& f : measure_truth(problem, GetParam().method).figures) {
    EXPECT_TRUE(std::isfinite(f.figure.max)) << f.name;
    if (f.name == std::string_view("natural_map")) {
      EXPECT_GT(f.figure.count, 0);
    }
    if (f.name != std::string_view("momentum")) continue;
    const double load = 1000 * 9.81 / 60;  // N s: a cubic metre of the default density
    EXPECT_LT(f.figure.rms, 0.1 * load) << "the impulses of " << GetParam().name << " do not explain the motion";
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, TruthOf, ::testing::ValuesIn(methods_with_contacts()), [](const auto& method) {
  std::string name = method.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace rigor::test
