// Contacts of bodies that turn far in a step follow them: their points are found again within the step.
#include "soft_step/turning_contacts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "support.h"

namespace rigor::test {
namespace {

/// m: the largest depth at the end of a step between `from` and `until`, s.
double deepest(Simulation& sim, double step, double from, double until) {
  double depth = 0;
  while (sim.time() < until) {
    sim.step(step);
    if (sim.time() < from) continue;
    sim.find_contacts();
    for (const Contact& c : sim.contacts())
      for (int i = 0; i < c.count; ++i) depth = std::max(depth, -c.points[static_cast<std::size_t>(i)].separation);
  }
  return depth;
}

/// A body that touches the ground with its lowest point.
Simulation on_the_ground(const ShapePtr& shape, const Quat& orientation, const Vec3& spin, double friction) {
  World world;
  BodyDef def;
  def.shape = shape, def.mass = 1, def.orientation = orientation;
  def.position = {0, -world_bounds(*shape, {{}, orientation}).lower.y, 0};
  def.angular_velocity = spin;
  def.material.friction = friction;
  world.add_body(def);
  return Simulation(std::move(world), preset("soft-step"));
}

/// The lowest point of a disc that whirls moves along its rim: what was the lowest point rises by ½ r (ω h)² sin α within a step
/// and the next one sinks in by as much, 8 to 30 mm here. What remains is what contacts may sag by, 3.3 mm.
TEST(TurningContacts, ADiscThatWhirlsOnItsRimDoesNotSinkIn) {
  for (const double step : {1.0 / 60, 1.0 / 30})
    for (const double lean : {0.5, 1.0})
      for (const double spin : {25.0, 40.0}) {
        const Quat turn = quaternion_from_axis_angle({1, 0, 0}, lean);
        Simulation sim = on_the_ground(cylinder(0.2, 0.04), turn, {0, spin, 0}, 0.5);
        EXPECT_LT(deepest(sim, step, 0.1, 2), 3.5e-3) << step << " " << lean << " " << spin;
      }
}

/// The ball at the end of a dumbbell is round, but not about the center of mass.
TEST(TurningContacts, ADumbbellThatRollsDoesNotSinkIn) {
  const ShapePtr dumbbell = composite({{capsule(0.03, 0.4), {{}, {}}, std::nullopt},
                                       {sphere(0.1), {{0, -0.2, 0}, {}}, std::nullopt},
                                       {sphere(0.12), {{0, 0.2, 0}, {}}, std::nullopt}});
  for (const double step : {1.0 / 60, 1.0 / 30})
    for (const double lean : {0.3, 1.2}) {
      Simulation sim = on_the_ground(dumbbell, quaternion_from_axis_angle({0, 0, 1}, lean), {0, 30, 0}, 0.5);
      EXPECT_LT(deepest(sim, step, 0.2, 2), 2e-3) << step << " " << lean;
    }
}

/// The same on a fixed body that moves, or whose surface does.
TEST(TurningContacts, ADiscThatWhirlsOnALiftATurntableOrABeltDoesNotSinkIn) {
  const auto lift = [](BodyDef& floor) { floor.velocity = {0, 0.05, 0}; };
  const auto turntable = [](BodyDef& floor) { floor.angular_velocity = {0, 2, 0}; };
  const auto belt = [](BodyDef& floor) { floor.material.surface_velocity = {0.5, 0, 0.2}; };
  const std::pair<const char*, void (*)(BodyDef&)> kinds[] = {{"lift", lift}, {"turntable", turntable}, {"belt", belt}};
  for (const auto& [name, make] : kinds)
    for (const double step : {1.0 / 60, 1.0 / 30})
      for (const double lean : {0.5, 1.0}) {
        World world;
        BodyDef floor;
        floor.shape = box(20, 0.2, 20), floor.fixed = true, floor.position = {0, 0.9, 0};
        make(floor);
        world.add_body(floor);
        BodyDef disc;
        disc.shape = cylinder(0.2, 0.04), disc.mass = 1, disc.angular_velocity = {0, 30, 0};
        disc.orientation = quaternion_from_axis_angle({1, 0, 0}, lean), disc.material.friction = 0.5;
        disc.position = {0.1, 1 - world_bounds(*disc.shape, {{}, disc.orientation}).lower.y, 0};
        world.add_body(disc);
        Simulation sim(std::move(world), preset("soft-step"));
        EXPECT_LT(deepest(sim, step, 0.1, 2), 3.5e-3) << name << " " << step << " " << lean;
      }
}

}  // namespace
}  // namespace rigor::test
