// Newton's law of impact at every phase of the step: balls, and boxes that land flat, dropped from a hundred heights under every
// preset that claims restitution and under every step with Guendelman's collision solver.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/rigor.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kG = 9.81, kHalf = 0.1;

Material bouncy(double restitution) {
  Material m;
  m.friction = 0.5, m.restitution = restitution;
  return m;
}

/// √(apex / height) of the first rebound.
double restitution_of_drop(const Method& method, const ShapePtr& shape, double height, double e, double h) {
  World world;
  world.set_material(world.ground(), bouncy(e));
  BodyDef def;
  def.shape = shape, def.material = bouncy(e);
  def.position = {0, kHalf + height, 0};
  const BodyId id = world.add_body(def);
  Simulation sim(world, method);
  const double fall = std::sqrt(2 * height / kG);
  double apex = 0;
  bool rises = false;
  for (int i = 0; i * h < (1 + e) * fall + 0.1; ++i) {
    sim.step(h);
    rises = rises || (i * h > 0.9 * fall && sim.world().velocity(id).y > 0);
    if (rises) apex = std::max(apex, sim.world().position(id).y - kHalf);
  }
  return std::sqrt(apex / height);
}

/// The largest error of a hundred phases, as a part of e.
double worst_error(const Method& method, const ShapePtr& shape, double e, double h) {
  double worst = 0;
  for (int k = 0; k < 100; ++k)
    worst = std::max(worst, std::abs(restitution_of_drop(method, shape, 1 + 0.01 * k, e, h) - e) / e);
  return worst;
}

TEST(Restitution, EveryPresetThatClaimsItKeepsItInEveryPhase) {
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::preset) continue;
    const Method method = preset(info.name);
    if (!honours(method, "restitution")) continue;
    EXPECT_LT(worst_error(method, sphere(kHalf), 0.8, 0.01), 0.01) << info.name << ", balls";
    EXPECT_LT(worst_error(method, box({0.2, 0.2, 0.2}), 0.5, 0.01), 0.01) << info.name << ", boxes";
  }
}

TEST(Restitution, PresetsKeepItInLargeAndSmallSteps) {
  for (const char* name : {"guendelman", "tgs", "garstenauer", "xpbd", "avbd"})
    for (const double h : {0.02, 0.003}) {
      EXPECT_LT(worst_error(preset(name), sphere(kHalf), 0.8, h), 0.01) << name << " at " << h << " s";
      EXPECT_LT(worst_error(preset(name), box({0.2, 0.2, 0.2}), 0.8, h), 0.01) << name << ", boxes at " << h << " s";
    }
}

TEST(Restitution, GuendelmansCollisionsKeepItUnderEveryStep) {
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::stepping || has_capability(info, "solves-constraints")) continue;
    Method method = preset("guendelman");
    method.stepping = {info.name, {}};
    try {
      check(method);
    } catch (const Error&) {
      continue;  // refused, and says so
    }
    EXPECT_LT(worst_error(method, sphere(kHalf), 0.8, 0.01), 0.01) << info.name;
  }
}

}  // namespace
}  // namespace rigor::test
