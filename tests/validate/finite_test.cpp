// The validator that takes out what is not finite.
#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

TEST(Finite, TakesOutSeveralAtOnceAndLeavesTheRestAlone) {
  World world = empty_world();
  std::vector<BodyId> ids;
  for (int i = 0; i < 10; ++i) {
    BodyDef def;
    def.shape = sphere(0.5);
    def.position = {2.0 * i, 0, 0};
    def.velocity = {0, 1, 0};
    def.fixed = i == 9;  // moves by itself
    ids.push_back(world.add_body(def));
  }
  const auto is_bad = [](std::size_t i) { return i == 0 || i == 3 || i == 4 || i == 8 || i == 9; };
  Simulation sim(world, method_with("rk4"));
  BodyState& s = sim.world().state();
  s.position[sim.world().slot(ids[0])].x = std::nan("");
  s.velocity[sim.world().slot(ids[3])].y = std::numeric_limits<double>::infinity();
  s.orientation[sim.world().slot(ids[4])] = {0, 0, 0, 0};
  s.angular_velocity[sim.world().slot(ids[8])].z = 1e200;
  s.velocity[sim.world().slot(ids[9])].x = std::nan("");
  sim.step(0.1);
  EXPECT_EQ(sim.take_reports().size(), 5u);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(sim.world().is_active(ids[i]), !is_bad(i)) << i;
    EXPECT_TRUE(is_finite(sim.world().position(ids[i])));
    EXPECT_TRUE(is_finite(sim.world().orientation(ids[i])));
    EXPECT_TRUE(is_finite(sim.world().velocity(ids[i])));
    if (!is_bad(i)) {
      EXPECT_NEAR(sim.world().position(ids[i]).y, 0.1, 1e-15);
    }
  }
}

}  // namespace
}  // namespace rigor::test
