// The validator that reports pairs which stay deep in each other.
#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

/// Two boxes of 0.2 m that nothing moves apart, `depth` deep in each other.
World overlapping(double depth) {
  World world = empty_world();
  for (const auto& [name, x] : {std::pair("left", 0.0), std::pair("right", 0.2 - depth)}) {
    BodyDef def;
    def.name = name, def.shape = box(0.2, 0.2, 0.2), def.position = {x, 0, 0};
    world.add_body(def);
  }
  return world;
}

std::vector<std::string> reports_of(World world, int steps, const Vec3& velocity = {}) {
  world.set_velocity(world.find_body("right"), velocity, {});
  Method m = method_with("semi-implicit-euler");
  m.broadphase.name = "brute-force";
  m.validators = {{"lasting-penetration", {}}};
  Simulation sim(world, m);
  for (int i = 0; i < steps; ++i) sim.step(0.01);
  std::vector<std::string> found;
  for (const std::string& report : sim.take_reports())
    if (report.find("deep in each other") != std::string::npos) found.push_back(report);
  return found;
}

/// A tenth of the thickness is tolerated: 20 mm.
TEST(LastingPenetration, IsReportedOnceWithThePairAndTheDepth) {
  const std::vector<std::string> reports = reports_of(overlapping(0.03), 200);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].find("'left' and 'right'"), std::string::npos) << reports[0];
  EXPECT_NE(reports[0].find("0.03 m"), std::string::npos) << reports[0];
  EXPECT_NE(reports[0].find("0.02 m are tolerated"), std::string::npos) << reports[0];
}

TEST(LastingPenetration, IsNotReportedOfShallowOrShortOverlaps) {
  EXPECT_TRUE(reports_of(overlapping(0.015), 200).empty());
  EXPECT_TRUE(reports_of(overlapping(0.03), 45).empty());
  EXPECT_TRUE(reports_of(overlapping(0.03), 200, {0.1, 0, 0}).empty()) << "deeper than 20 mm for 0.1 s only";
}

TEST(LastingPenetration, IsReportedAgainWhenTwiceAsDeep) {
  EXPECT_EQ(reports_of(overlapping(0.03), 200, {-0.03, 0, 0}).size(), 2u);
}

/// Every published preset that handles contacts has it.
TEST(LastingPenetration, BelongsToThePublishedPresets) {
  for (const char* name : {"garstenauer", "guendelman", "bender-schmitt", "xpbd", "avbd", "tgs", "featherstone"}) {
    const Method m = preset(name);
    EXPECT_TRUE(std::any_of(m.validators.begin(), m.validators.end(), [](const Choice& c) {
      return c.name == "lasting-penetration";
    })) << name;
  }
}

}  // namespace
}  // namespace rigor::test
