// Jointed machines under the preset `baraff` at 1/30 s: bodies that it loses are set inactive and reported by name, or the run
// ends with a sentence that names the integrator.
#include <gtest/gtest.h>

#include <algorithm>

#include "rigor/error.h"
#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

TEST(Baraff, JointedMachinesAt30HzLoseNoBodyWithoutAReport) {
  for (const char* name : {"walking-machine", "bridge"}) {
    const Scene scene = open_scene(name);
    Simulation sim(scene.world, preset("baraff"));
    try {
      for (int i = 0; i < 15; ++i) sim.step(1.0 / 30);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("inner steps cover"), std::string::npos) << name << ": " << error.what();
    }
    const std::vector<std::string> reports = sim.take_reports();
    for (const BodyId id : sim.world().bodies()) {
      const std::string body = sim.world().name(id);
      EXPECT_TRUE(is_finite(sim.world().position(id))) << name << ": " << body;
      const bool is_reported = std::any_of(reports.begin(), reports.end(), [&](const std::string& report) {
        return report.find(body) != std::string::npos;
      });
      EXPECT_TRUE(sim.world().is_active(id) || is_reported) << name << " lost " << body << " without a report";
    }
  }
}

}  // namespace
}  // namespace rigor::test
