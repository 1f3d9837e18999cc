// Painlevé's rod at other angles, frictions, speeds and steps than that of the reference case: impulses where no force exists gain no energy.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/rigor.h"
#include "support.h"

namespace rigor::test {
namespace {

TEST(PainleveRods, GainNoEnergyUnderBaraff) {
  for (const double angle : {0.7, 0.9, 1.1, 1.25})
    for (const double friction : {1.4, 1.6, 2.0, 3.0})
      for (const double speed : {0.3, 1.0, 4.0})
        for (const double h : {1.0 / 240, 1.0 / 60}) {
          constexpr double kTip = 1e-3;  // m
          World world;
          Material material;
          material.friction = friction;
          world.set_material(world.ground(), material);
          BodyDef def;
          def.shape = transformed(sphere(kTip), {{1, 0, 0}, {}});
          def.mass = 1, def.inertia = Mat3::diagonal({1.0 / 300, 1.0 / 3, 1.0 / 3}), def.center_of_mass = Vec3{};
          def.position = {-std::cos(angle), std::sin(angle) + kTip, 0};
          def.orientation = quaternion_from_axis_angle({0, 0, 1}, -angle);
          def.velocity = {speed, 0, 0}, def.material = material;
          world.add_body(def);
          Simulation sim(world, preset("baraff"));
          const double start = sim.energy().total();
          for (int i = 0; i < 30; ++i) {
            sim.step(h);
            ASSERT_LE(sim.energy().total(), start + 1e-9) << angle << ' ' << friction << ' ' << speed << ' ' << h;
          }
        }
}

}  // namespace
}  // namespace rigor::test
