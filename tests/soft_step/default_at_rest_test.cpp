// The default, preset as it is: bodies at rest, and a pendulum in three pieces.
#include <cmath>

#include "lab/reference/parts.h"
#include "support.h"

namespace rigor::test {
namespace {

struct Block {
  const char* name;
  Vec3 size;
};

/// The deepest that a block at rest on the ground sinks, m.
double deepest(const Vec3& size, double h, double seconds) {
  World world;
  world.remove_force(world.drag());
  BodyDef def;
  def.shape = box(size);
  def.material.density = 1000;
  def.position = {0, size.y / 2, 0};
  const BodyId body = world.add_body(def);
  Simulation sim(world, preset("soft-step"));
  double depth = 0;
  for (int i = 0; i < static_cast<int>(std::lround(seconds / h)); ++i) {
    sim.step(h);
    depth = std::max(depth, size.y / 2 - sim.world().position(body).y);
  }
  return depth;
}

// A contact at rest gives way by g/ω², which is reached within some ten steps: at small steps two seconds tell as much as ten.
TEST(DefaultAtRest, BoxesAndPlatesSinkLessThanATenthOfAMillimetre) {
  for (const Block& b : {Block{"box", {0.5, 0.5, 0.5}},
                         {"small box", {0.05, 0.05, 0.05}},
                         {"plate", {1, 0.02, 1}},
                         {"large plate", {3, 0.01, 2}},
                         {"card", {0.09, 0.001, 0.06}}}) {
    for (const double h : {1.0 / 60, 1.0 / 240, 1e-3}) EXPECT_LT(deepest(b.size, h, 10), 1e-4) << b.name << ' ' << h;
    for (const double h : {2.5e-4, 5e-5}) EXPECT_LT(deepest(b.size, h, 1), 1e-6) << b.name << ' ' << h;
  }
}

// Three rods in a line, held together by fixed joints, on a hinge. The energy above the lowest position is compared after ten seconds.
TEST(DefaultPendulum, InThreePiecesLosesLessThanAPercentPerSwing) {
  using namespace reference;
  for (const double length : {0.3, 1.0, 3.0})
    for (const double angle : {0.3, 0.6, 1.0, 1.3, kPi / 2}) {
      World world = space(true);
      const Vec3 along{std::sin(angle), -std::cos(angle), 0};
      BodyId last = world.world_body();
      for (int i = 0; i < 3; ++i) {
        const Vec3 a = along * (length / 3 * i), b = along * (length / 3 * (i + 1));
        const BodyId rod = add_rod(world, a, b, 1);
        if (i == 0)
          add_hinge(world, last, rod, a);
        else
          add_joint(world, last, rod, {a, {}}, AxesJoint{});
        last = rod;
      }
      Simulation sim(world, preset("soft-step"));
      const double lowest = -1.5 * kG * length, start = sim.energy().total() - lowest;
      for (int i = 0; i < 600; ++i) sim.step(1.0 / 60);
      const double swings = 10 / (2 * kPi * std::sqrt(length / 1.5 / kG) * (1 + angle * angle / 16));
      EXPECT_LT(std::abs(sim.energy().total() - lowest - start) / start / swings, 0.01)
          << length << " m, " << angle << " rad";
    }
}

}  // namespace
}  // namespace rigor::test
