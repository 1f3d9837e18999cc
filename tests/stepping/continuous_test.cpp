// Bodies that are not round and hit with a corner first do not get through in the step after.
#include <gtest/gtest.h>

#include "conformance/solver_cases.h"
#include "support.h"

namespace rigor::test {
namespace {

double farthest_behind(const ShapePtr& wall, double speed, const std::string& method) {
  World world = empty_world();
  BodyDef plate;
  plate.name = "wall", plate.shape = wall, plate.fixed = true;
  world.add_body(plate);
  BodyDef def;
  def.name = "box", def.shape = box({0.1, 0.1, 0.1}), def.position = {-0.83, 0, 0};
  def.velocity = {speed, 0, 0}, def.angular_velocity = {0, 20, 6};
  const BodyId id = world.add_body(def);
  Simulation sim(world, preset(method));
  double farthest = -1;
  for (int i = 0; i < 30; ++i) {
    sim.step(1.0 / 60);
    farthest = std::max(farthest, sim.world().position(id).x);
  }
  return farthest;
}

TEST(Continuous, ATumblingBoxStaysBeforeAWall) {
  for (const char* method : {"garstenauer", "soft-step"})
    for (const double speed : {50.0, 500.0})
      EXPECT_LT(farthest_behind(box({0.1, 10, 10}), speed, method), 0.0) << method << " at " << speed << " m/s";
}

TEST(Continuous, ATumblingBoxStaysBeforeACard) {
  const ShapePtr card = transformed(rectangle(10, 10), {{}, quaternion_between({0, 1, 0}, {1, 0, 0})});
  for (const char* method : {"garstenauer", "soft-step"})
    for (const double speed : {50.0, 500.0})
      EXPECT_LT(farthest_behind(card, speed, method), 0.0) << method << " at " << speed << " m/s";
}

}  // namespace
}  // namespace rigor::test
