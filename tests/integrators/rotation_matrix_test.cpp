// The drift of rotation matrices under Runge–Kutta, against its exact value.
#include "integrators/rotation_matrix.h"

#include <cmath>

#include "registry/entry.h"
#include "support.h"

namespace rigor::test {
namespace {

/// matrix_drift() after n steps of h of a ball that turns at ω.
double drift(double omega, double h, int n, const Settings& settings = {}) {
  World world = empty_world();
  BodyDef def = body_with_inertia("ball", 1, {1, 1, 1});
  def.angular_velocity = omega * normalized(Vec3{1, 2, 2});
  world.add_body(def);
  IntegratorMemory memory;
  Dynamics dynamics(world, true, memory);
  const auto integrator = create<Integrator>(Kind::integrator, {"rotation-matrix", settings}, "integrator");
  for (int i = 0; i < n; ++i) integrator->integrate(dynamics, i * h, h);
  return matrix_drift(memory);
}

/// The plane across the axis shrinks by 1 − z⁶/72 + z⁸/576 in squares. ω is R I⁻¹ Rᵀ L: L is along the axis, which R leaves alone.
TEST(RotationMatrix, DriftsAsTheoryTells) {
  for (const double omega : {1.0, 2.0, 5.0, 10.0}) {
    const double z = omega * 0.1, square = 1 - std::pow(z, 6) / 72 + std::pow(z, 8) / 576;
    // RᵀR − 1 = (s − 1)(1 − n nᵀ) with the axis n = (1, 2, 2) / 3: its largest entry is 8/9 of s − 1.
    EXPECT_NEAR(drift(omega, 0.1, 100), 8.0 / 9 * (1 - std::pow(square, 100)), 1e-12) << omega;
  }
}

TEST(RotationMatrix, OrthonormalisedItDoesNotDrift) {
  EXPECT_LT(drift(10, 0.1, 1000, {{"orthonormalise", true}}), 1e-14);
}

/// The matrix goes on from where it was, and is replaced if the user turns the body.
TEST(RotationMatrix, SnapshotsKeepItAndUsersReplaceIt) {
  World world = empty_world();
  BodyDef def = body_with_inertia("top", 1, {1, 2, 3});
  def.angular_velocity = {5, 1, 2};
  const BodyId id = world.add_body(def);
  Simulation sim(world, method_with("rotation-matrix"));
  for (int i = 0; i < 50; ++i) sim.step(0.05);
  Simulation other(sim.save());
  for (int i = 0; i < 50; ++i) sim.step(0.05), other.step(0.05);
  EXPECT_EQ(sim.hash(), other.hash());
  const Quat q = quaternion_from_axis_angle({0, 0, 1}, 0.5);
  sim.world().set_pose(id, {}, q);
  sim.world().set_velocity(id, {}, {});
  sim.step(0.05);
  EXPECT_LT(angle_between(sim.world().orientation(id), q), 1e-15);
}

}  // namespace
}  // namespace rigor::test
