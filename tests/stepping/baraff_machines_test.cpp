// Jointed machines under the preset `baraff` at 1/30 s: they stay finite, or the run ends with a sentence that names the integrator.
#include <gtest/gtest.h>

#include "rigor/error.h"
#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

TEST(Baraff, JointedMachinesAt30HzStayFiniteOrEndWithATrueSentence) {
  for (const char* name : {"walking-machine", "bridge"}) {
    const Scene scene = open_scene(name);
    Simulation sim(scene.world, preset("baraff"));
    try {
      for (int i = 0; i < 15; ++i) sim.step(1.0 / 30);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("inner steps cover"), std::string::npos) << name << ": " << error.what();
    }
    for (const BodyId id : sim.world().bodies())
      EXPECT_TRUE(is_finite(sim.world().position(id))) << name << ": " << sim.world().name(id);
  }
}

}  // namespace
}  // namespace rigor::test
