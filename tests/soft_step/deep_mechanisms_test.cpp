// Jointed bodies that lie too deep in something come out of it together with what their joints hold, and the joints stay closed.
#include "soft_step/deep_mechanisms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support.h"

namespace rigor::test {
namespace {

double deepest(Simulation& sim) {
  sim.find_contacts();
  double depth = 0;
  for (const Contact& c : sim.contacts())
    for (int i = 0; i < c.count; ++i) depth = std::max(depth, -c.points[static_cast<std::size_t>(i)].separation);
  return depth;
}

/// m: the widest gap between the anchors of a joint.
double widest(const World& world) {
  double gap = 0;
  for (const JointId id : world.joints()) {
    const JointDef& joint = world.joint(id);
    const auto anchor = [&](BodyId body, const Vec3& local) {
      return world.position(body) + rotate(world.orientation(body), local);
    };
    gap =
        std::max(gap, length(anchor(joint.a, joint.frame_a.translation) - anchor(joint.b, joint.frame_b.translation)));
  }
  return gap;
}

BodyId add(World& world, const ShapePtr& shape, double mass, const Vec3& position, double turn = 0) {
  BodyDef def;
  def.shape = shape, def.mass = mass, def.position = position;
  def.orientation = quaternion_from_axis_angle({0, 0, 1}, turn);
  return world.add_body(def);
}

/// Links of 0.4 m on hinges along x, the first one `tilt` off the ground, two of them `depth` below it, under a loose box.
Simulation sunk_chain(double tilt, double depth, double load) {
  World world;
  const double y = 0.05 - depth;
  const BodyId first = add(world, box(0.4, 0.1, 0.2), 1, {-0.2 * std::cos(tilt), y + 0.2 * std::sin(tilt), 0}, -tilt);
  const BodyId second = add(world, box(0.4, 0.1, 0.2), 2, {0.2, y, 0.01});
  const BodyId third = add(world, box(0.4, 0.1, 0.2), 0.5, {0.6, y, 0});
  world.add_joint(hinge_joint(world, first, second, {0, y, 0}, {0, 0, 1}));
  world.add_joint(hinge_joint(world, second, third, {0.4, y, 0}, {0, 0, 1}));
  add(world, box(0.3, 0.2, 0.3), load, {0.35, y + 0.15, 0.02});
  return Simulation(std::move(world), preset("soft-step"));
}

TEST(DeepMechanisms, ChainsUnderALoadComeOutOfTheGround) {
  for (const double step : {1.0 / 120, 1.0 / 60, 1.0 / 33})
    for (const double load : {0.1, 3.0, 40.0})
      for (const double tilt : {0.0, 0.3}) {
        Simulation sim = sunk_chain(tilt, 0.03, load);
        while (sim.time() < 1) sim.step(step);
        EXPECT_LT(deepest(sim), 4e-3) << step << " " << load << " " << tilt;
        EXPECT_LT(widest(sim.world()), 1e-3) << step << " " << load << " " << tilt;
      }
}

/// Coming out lifts bodies; it leaves them no velocity.
TEST(DeepMechanisms, NothingJumps) {
  for (const double step : {1.0 / 120, 1.0 / 60, 1.0 / 33}) {
    Simulation sim = sunk_chain(0, 0.03, 3);
    double highest = 0;
    while (sim.time() < 2) {
      sim.step(step);
      for (const BodyId id : sim.world().bodies())
        if (!sim.world().is_fixed(id)) highest = std::max(highest, sim.world().position(id).y);
    }
    EXPECT_LT(highest, 0.2 + 0.03 + 0.02) << step;
  }
}

/// A shift in mid-air would change the angular momentum of what moves.
TEST(DeepMechanisms, MechanismsThatRestOnNothingKeepTheirMomentum) {
  World world;
  world.set_gravity({}), world.remove_body(world.ground());
  const BodyId first = add(world, box(0.4, 0.1, 0.2), 1, {-0.2, 0, 0}),
               second = add(world, box(0.4, 0.1, 0.2), 2, {0.2, 0, 0});
  world.add_joint(hinge_joint(world, first, second, {0, 0, 0}, {0, 0, 1}));
  const BodyId third = add(world, box(0.3, 0.2, 0.3), 4, {0.35, 0.11, 0.02}, 0.1);
  world.set_velocity(first, {0.3, 1, -0.2}, {0, 0, 0.5});
  Simulation sim(std::move(world), preset("soft-step"));
  const auto spin = [&] {
    Vec3 sum;
    const World& w = sim.world();
    for (const BodyId id : {first, second, third})
      sum += w.mass_properties(id).mass * cross(w.center_of_mass(id), w.velocity(id)) + w.angular_momentum(id);
    return sum;
  };
  const Vec3 before = spin();
  for (int k = 0; k < 120; ++k) sim.step(1.0 / 60);
  EXPECT_LT(length(spin() - before), 1e-10);
}

}  // namespace
}  // namespace rigor::test
