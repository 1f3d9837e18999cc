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

/// How far a box gets in a second under the given part of what static friction holds, m.
double way(const Method& method, Load load, double part, double h) {
  World world;
  Material m;
  m.friction = kKinetic, m.static_friction = kStatic;
  world.set_material(world.ground(), m);
  BodyDef def;
  def.shape = box({1, 0.4, 1}), def.position = {0, 0.2, 0}, def.material = m, def.mass = 1;
  const BodyId id = world.add_body(def);
  Simulation sim(world, method);
  const double angle = std::atan(kStatic * part);
  const auto tilt = [&](double a) { sim.world().set_gravity({kG * std::sin(a), -kG * std::cos(a), 0}); };
  const int second = static_cast<int>(std::lround(1 / h));
  for (int i = 0; i < second; ++i) {
    if (load == Load::raised_slowly) tilt(angle * i / second);
    sim.step(h);
  }
  if (load == Load::pulled)
    sim.world().set_user_force(id, {kStatic * part * kG, 0, 0});
  else
    tilt(angle);
  const double start = sim.world().position(id).x;
  for (int i = 0; i < second; ++i) sim.step(h);
  return sim.world().position(id).x - start;
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
    World world;
    Material belt;
    belt.surface_velocity = {2, 0, 0};
    world.set_material(world.ground(), belt);
    BodyDef def;
    def.shape = sphere(0.5), def.position = {0, 0.5, 0};
    const BodyId id = world.add_body(def);
    Simulation sim(world, method);
    for (int i = 0; i < 200; ++i) sim.step(0.01);
    EXPECT_NEAR(sim.world().velocity(id).x, 4.0 / 7, 0.005) << info.name;
  }
}

}  // namespace
}  // namespace rigor::test
