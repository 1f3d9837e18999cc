// Nets of plain ball joints, which the default step solves as vectors: the same motion as by their rows, and the laws of motion.
#include "soft_step/soft_balls.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rigor/joint_types.h"
#include "rigor/simulation.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr int kSide = 10;  // smaller nets are solved at once (joint_islands.h)

/// Bricks of unlike moments on ball joints, held along one side or, without gravity, by nothing. Limits that nothing reaches make rows of the joints.
World net(bool is_held, bool has_rows = false, ShapePtr shape = nullptr) {
  World world;
  if (!is_held) world.set_gravity({});
  std::vector<BodyId> ids;
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      BodyDef def;
      def.shape = box({0.2, 0.1 + 0.01 * i, 0.15}), def.position = {0.5 * i, 5, 0.5 * j};
      def.velocity = {0.3 * j, 0.1 * i * j, -0.2 * i}, def.angular_velocity = {0.4 * i, -0.3 * j, 0.5};
      if (shape) def.shape = shape;
      def.can_collide = false;
      ids.push_back(world.add_body(def));
    }
  const auto join = [&](BodyId a, BodyId b, const Vec3& at) {
    JointDef def = make_joint(world, "ball", a, b, {at, Vec3{0, 0, 1}, {}});
    if (has_rows) std::get<AxesJoint>(def.kind).max_swing = 3;
    world.add_joint(def);
  };
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      const BodyId own = ids[static_cast<std::size_t>(kSide * i + j)];
      if (j + 1 < kSide) join(own, ids[static_cast<std::size_t>(kSide * i + j + 1)], {0.5 * i, 5, 0.5 * j + 0.25});
      if (i + 1 < kSide) join(own, ids[static_cast<std::size_t>(kSide * (i + 1) + j)], {0.5 * i + 0.25, 5, 0.5 * j});
      if (i == 0 && is_held) join(world.world_body(), own, {-0.25, 5, 0.5 * j});
    }
  return world;
}

Method soft_step() {
  Method method = preset("soft-step");
  method.sleep.name = "never";
  return method;
}

TEST(SoftBalls, MoveAsTheirRowsWould) {
  Simulation balls(net(/*is_held=*/true), soft_step()), rows(net(/*is_held=*/true, /*has_rows=*/true), soft_step());
  for (int k = 0; k < 20; ++k) balls.step(1.0 / 60), rows.step(1.0 / 60);
  const std::vector<BodyId> a = balls.world().bodies(), b = rows.world().bodies();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_LT(length(balls.world().position(a[i]) - rows.world().position(b[i])), 1e-9);
  const std::vector<JointId> joints = balls.world().joints(), others = rows.world().joints();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Vec3 force = balls.world().joint_state(joints[i]).force;
    EXPECT_LT(length(force - rows.world().joint_state(others[i]).force), 1e-6 * (1 + length(force)));
  }
}

/// Across an arm of five radii K = J M⁻¹ Jᵀ is sixty times as large as along it: with factors of poses from before the bodies turned
/// the sweeps would diverge.
TEST(SoftBalls, NetThatTurnsFastGainsNoEnergy) {
  for (const double speed : {10.0, 30.0, 100.0, 300.0}) {
    World world = net(/*is_held=*/false, /*has_rows=*/false, sphere(0.05));
    int k = 0;
    for (const BodyId id : world.bodies()) {
      if (id == world.world_body()) continue;
      ++k;
      world.set_velocity(id, speed * Vec3{std::sin(1.0 * k), std::sin(2.0 * k), std::cos(3.0 * k)}, {});
    }
    Simulation sim(std::move(world), soft_step());
    sim.step(1.0 / 60);  // the joints take what they do not allow
    const double before = sim.world().kinetic_energy();
    for (int i = 0; i < 60; ++i) {
      sim.step(1.0 / 60);
      ASSERT_LT(sim.world().kinetic_energy(), 1.01 * before) << speed << " m/s, step " << i;
    }
  }
}

TEST(SoftBalls, FreeNetKeepsMomentumAndAngularMomentum) {
  Simulation sim(net(/*is_held=*/false), soft_step());
  const Vec3 P = sim.world().momentum(), L = sim.world().angular_momentum();
  for (int k = 0; k < 120; ++k) sim.step(1.0 / 60);
  EXPECT_LT(length(sim.world().momentum() - P), 1e-11 * length(P));
  EXPECT_LT(length(sim.world().angular_momentum() - L), 1e-11 * length(L));
}

/// Velocities were limited at the end of a sub-step, but not those that bodies moved by, nor the impulses that the next one began
/// with: with arms that the gaps had lengthened, these tore the net apart until nothing was finite.
TEST(SoftBalls, ALargeNetThatIsHitIsNotTornApart) {
  World world;
  constexpr int kKnots = 12;
  constexpr double kMesh = 0.15;
  std::vector<BodyId> ids;
  for (int i = 0; i < kKnots; ++i)
    for (int j = 0; j < kKnots; ++j) {
      BodyDef def;
      def.shape = sphere(0.15 * kMesh), def.position = {kMesh * i, 1, kMesh * j}, def.material.density = 1000;
      ids.push_back(world.add_body(def));
      const auto join = [&](int other, const Vec3& at) {
        world.add_joint(
            make_joint(world, "ball", ids[static_cast<std::size_t>(other)], ids.back(), {at, Vec3{0, 0, 1}, {}}));
      };
      if (j > 0) join(kKnots * i + j - 1, {kMesh * i, 1, kMesh * (j - 0.5)});
      if (i > 0) join(kKnots * (i - 1) + j, {kMesh * (i - 0.5), 1, kMesh * j});
    }
  BodyDef ground;
  ground.shape = plane(), ground.fixed = true;
  world.add_body(ground);
  BodyDef load;
  load.shape = box({0.4, 0.4, 0.4}), load.position = {0.8, 1.4, 0.7}, load.velocity = {0, -8, 0};
  load.material.density = 2000;
  world.add_body(load);
  Simulation sim(world, soft_step());
  const std::uint32_t bodies = sim.world().state().awake();
  double fastest = 0;
  for (int k = 0; k < 60; ++k) {
    sim.step(1.0 / 30);
    for (const BodyId id : ids) fastest = std::max(fastest, length(sim.world().velocity(id)));
  }
  EXPECT_EQ(sim.world().state().awake(), bodies);  // a body that is not finite is set inactive
  EXPECT_LT(fastest, 100);                         // m/s; the load has 8
}

}  // namespace
}  // namespace rigor::test
