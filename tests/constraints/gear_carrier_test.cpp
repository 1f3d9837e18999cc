// Gears between two joints of a moving carrier: chains and branches, hinges and sliders, over ratios and steps.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support.h"

namespace rigor::test {
namespace {

constexpr double kGravity = 9.81;

enum class Kind { hinges, crossed_hinges, hinge_and_slider, slider_and_hinge, crossed_sliders };
constexpr Kind kKinds[] = {Kind::hinges, Kind::crossed_hinges, Kind::hinge_and_slider, Kind::slider_and_hinge,
                           Kind::crossed_sliders};

/// A carrier on a hinge or afloat, with two bodies: in a row, or both on the carrier.
struct Mechanism {
  World world = empty_world();
  BodyId bodies[3];  // the middle one is the carrier
  JointId first, second;

  Mechanism(Kind kind, double ratio, bool in_a_row, bool held) {
    world.set_gravity(held ? Vec3{0, -kGravity, 0} : Vec3{});
    const Vec3 centers[] = {{0, 0, 0}, {in_a_row ? 1.0 : -0.8, -0.2, 0.1}, {in_a_row ? 2.0 : 0.9, 0.1, -0.1}};
    const double masses[] = {1.5, 1, 0.7};
    for (int k = 0; k < 3; ++k) {
      BodyDef def = body_with_inertia("body" + std::to_string(k), masses[k], {0.05, 0.06, 0.07});
      def.position = centers[k];
      def.can_collide = false;
      bodies[k] = world.add_body(def);
    }
    const auto is_slider = [&](int which) {
      if (kind == Kind::crossed_sliders) return true;
      return (kind == Kind::hinge_and_slider && which == 1) || (kind == Kind::slider_and_hinge && which == 0);
    };
    const Vec3 axes[] = {
        {0, 0, 1},
        kind == Kind::crossed_hinges || kind == Kind::crossed_sliders ? normalized(Vec3{1, 0.3, 0.4}) : Vec3{0, 0, 1}};
    const BodyId carrier = bodies[in_a_row ? 1 : 0], before = bodies[in_a_row ? 0 : 1];
    const Vec3 anchors[] = {{in_a_row ? 0.5 : -0.4, 0.1, 0}, {in_a_row ? 1.5 : 0.5, 0, 0}};
    const auto add = [&](int which, BodyId a, BodyId b) {
      const Vec3& axis = is_slider(which) ? Vec3{0.6, 0.8, 0} : axes[which];
      return world.add_joint(
          is_slider(which) ? slider_joint(world, a, b, anchors[which], which == 0 ? axis : normalized(axis + axes[1]))
                           : hinge_joint(world, a, b, anchors[which], axis));
    };
    first = in_a_row ? add(0, before, carrier) : add(0, carrier, before);
    second = add(1, carrier, bodies[2]);
    if (held) world.add_joint(hinge_joint(world, world.world_body(), bodies[0], {0, 0.7, 0}, {0, 0, 1}));
    world.add_joint(gear_joint(world, second, first, -ratio));
  }

  double error(const World& now, double ratio) const {
    const auto axis = [&](JointId id) {
      const auto& axes = std::get<AxesJoint>(now.joint(id).kind).axes;
      for (int k = 0; k < 6; ++k)
        if (axes[static_cast<std::size_t>(k)].motion != AxisMotion::locked) return k;
      return 0;
    };
    const double rest = now.joint_velocity(second, axis(second)) - ratio * now.joint_velocity(first, axis(first));
    return std::abs(rest) / std::hypot(1, ratio);
  }
};

const double kRatios[] = {-10, -2, -1, -0.4, 0.1, 0.5, 1, 2, 10};

// Nothing drives the mechanism: what it gains came from nowhere. A motor that follows one way made 1e11 J within a second.
TEST(GearsOnAMovingCarrier, KeepTheEnergyOfAPendulum) {
  for (const char* method : {"soft-step", "featherstone"})
    for (const Kind kind : kKinds)
      for (const bool in_a_row : {true, false})
        for (const double ratio : kRatios)
          for (const double h : {1.0 / 60, 1.0 / 240}) {
            const Mechanism m(kind, ratio, in_a_row, true);
            TimeSettings time;
            time.step = h;
            Simulation simulation(m.world, preset(method), time);
            const double start = simulation.energy().total();
            double most = 0, least = 0, fastest = 0, error = 0;
            for (int i = 0; i < static_cast<int>(1 / h); ++i) {
              simulation.step();
              const double change = simulation.energy().total() - start;
              most = std::max(most, change);
              least = std::min(least, change);
              fastest = std::max(fastest, simulation.world().kinetic_energy());
              error = std::max(error, m.error(simulation.world(), ratio));
            }
            SCOPED_TRACE(std::string(method) + ", mechanism " + std::to_string(static_cast<int>(kind)) +
                         (in_a_row ? " in a row" : " of branches") + ", ratio " + std::to_string(ratio) + ", step " +
                         std::to_string(h));
            // Both methods have errors of first order at least in the energy that gravity stores within a step.
            // Chosen: 2 % of the largest kinetic energy at 1/60 s, which is below 1 % for the swinging chain without a gear.
            const double bound = 0.02 * 60 * h * fastest;
            EXPECT_LT(most, bound);
            EXPECT_GT(least, -bound);
            EXPECT_LT(error, 0.005 * 60 * h);  // m/s or rad/s; speeds are some m/s
          }
}

// Afloat: the wrench acts on one body and, opposite, on the other.
TEST(GearsOnAMovingCarrier, KeepTheMomentumOfAFreeMechanism) {
  for (const char* method : {"soft-step", "garstenauer", "featherstone"})
    for (const Kind kind : kKinds)
      for (const bool in_a_row : {true, false})
        for (const double ratio : {-3.0, 0.2, 2.0}) {
          Mechanism m(kind, ratio, in_a_row, false);
          m.world.set_velocity(m.bodies[2], {0.3, -0.2, 0.5}, {1, -2, 3});
          TimeSettings time;
          time.step = 1.0 / 120;
          Simulation simulation(m.world, preset(method), time);
          simulation.step();  // its bodies start to move along the joints
          const Vec3 p = simulation.world().momentum(), l = simulation.world().angular_momentum();
          const double energy = simulation.energy().total();
          for (int i = 0; i < 120; ++i) simulation.step();
          const Vec3 dp = simulation.world().momentum() - p, dl = simulation.world().angular_momentum() - l;
          SCOPED_TRACE(std::string(method) + ", mechanism " + std::to_string(static_cast<int>(kind)) +
                       (in_a_row ? " in a row" : " of branches") + ", ratio " + std::to_string(ratio));
          // Rows conserve momentum to rounding; featherstone closes loops by Newton's method, to 1e-9 and better.
          const double rounding = std::string(method) == "featherstone" ? 1e-7 : 1e-12;
          EXPECT_LT(length(dp), rounding * length(p));
          EXPECT_LT(length(dl), rounding * length(l));
          // Chosen: first order methods lose or gain below a hundredth of the energy at a tenth of a radian a step.
          EXPECT_NEAR(simulation.energy().total(), energy, 1e-2 * energy);
          EXPECT_LT(m.error(simulation.world(), ratio), 1e-3);
        }
}

}  // namespace
}  // namespace rigor::test
