// Combinations of solvers: refusals name what to change, and the page in the docs is that of the registry.
#include "registry/combinations.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support.h"
#include "test_paths.h"

namespace rigor::test {
namespace {

Method with(const char* collision, const char* contact, const char* joint, const char* correction) {
  Method m;
  m.collision_solver.name = collision, m.contact_solver.name = contact;
  m.joint_solver.name = joint, m.correction.name = correction;
  return m;
}

TEST(Combinations, ForceLevelSolversStopNoImpacts) {
  const std::string refused = error_of([] { check(with("force-lcp", "none", "none", "none")); });
  EXPECT_NE(refused.find("solver.collision"), std::string::npos);
  EXPECT_NE(refused.find("sequential-impulse"), std::string::npos);
}

TEST(Combinations, ContactForcesNeedImpulsesForImpacts) {
  EXPECT_NE(error_of([] { check(with("none", "force-lcp", "none", "none")); }).find("solver.collision"),
            std::string::npos);
  check(with("sequential-impulse", "force-lcp", "lagrange", "none"));
  check(with("none", "penalty", "penalty", "none"));
}

TEST(Combinations, LagrangeHasNoContacts) {
  EXPECT_NE(error_of([] { check(with("none", "lagrange", "none", "none")); }).find("solver.contact"),
            std::string::npos);
}

TEST(Combinations, BaumgarteNeedsAVelocityLevelSolver) {
  EXPECT_NE(error_of([] { check(with("none", "penalty", "lagrange", "baumgarte")); }).find("solver.correction"),
            std::string::npos);
  check(with("sequential-impulse", "penalty", "lagrange", "baumgarte"));
}

TEST(Combinations, BaumgarteNeedsASolverThatReadsIt) {
  EXPECT_NE(error_of([] {
              check(with("regularised", "regularised", "regularised", "baumgarte"));
            }).find("solver.correction: 'regularised' corrects errors by itself"),
            std::string::npos);
  check(with("sequential-impulse", "sequential-impulse", "regularised", "baumgarte"));
  check(with("regularised", "regularised", "regularised", "sequential-position"));
}

TEST(Combinations, PageInTheDocsIsThatOfTheRegistry) {
  std::ifstream in(std::string(RIGOR_SOURCE_DIR) + "/docs/methods/combinations.md");
  std::stringstream page;
  page << in.rdbuf();
  EXPECT_EQ(page.str(), combinations_page()) << "rigor methods --combinations > docs/methods/combinations.md";
}

}  // namespace
}  // namespace rigor::test
