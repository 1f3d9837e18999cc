// Joint-space functions on random trees: against each other, against the energy of the world and against differences in time.
#include <gtest/gtest.h>

#include <random>

#include "rigor/joint_space.h"
#include "support.h"

namespace rigor {
namespace {

class RandomTree {
 public:
  explicit RandomTree(unsigned seed) : random_(seed) {
    world.remove_body(world.ground());
    world.set_gravity({0.3, -9.81, 0.7});
    const int links = 3 + static_cast<int>(seed % 6);
    std::vector<BodyId> bodies;
    for (int i = 0; i < links; ++i) {
      BodyDef def;
      def.shape = box(0.2 + uniform(0, 0.3), 0.2 + uniform(0, 0.3), 0.2 + uniform(0, 0.3));
      def.position = any(2);
      def.orientation = quaternion_from_rotation_vector(any(2));
      def.mass = uniform(0.5, 3);
      def.inertia = Mat3::diagonal({uniform(0.02, 0.03), uniform(0.02, 0.03), uniform(0.02, 0.03)});
      def.center_of_mass = any(0.1);
      def.can_collide = false;
      bodies.push_back(world.add_body(def));
      const bool hangs = i > 0 || seed % 2 == 0;
      if (!hangs) continue;
      const BodyId parent = i == 0 ? world.world_body() : bodies[random_() % static_cast<unsigned>(i)];
      static const char* kTypes[] = {"hinge", "slider", "universal", "cylindrical", "ball", "planar", "fixed"};
      const char* type = kTypes[random_() % 7];
      const Vec3 axis = normalized(any(1) + Vec3{2, 0, 0}), other = cross(axis, {0, 0, 1});
      const bool turned = random_() % 3 == 0;  // the link may be either end of its joint
      world.add_joint(make_joint(world, type, turned ? bodies.back() : parent, turned ? parent : bodies.back(),
                                 {any(1.5), axis, other}));
    }
  }

  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }
  Vec3 any(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  std::vector<double> numbers(std::size_t n, double size) {
    std::vector<double> v(n);
    for (double& x : v) x = uniform(-size, size);
    return v;
  }

  World world;

 private:
  std::mt19937 random_;
};

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Positions after t seconds of constant rates.
std::vector<double> moved(const JointSpace& space, std::vector<double> q, const std::vector<double>& v, double t) {
  const auto& c = space.coordinates();
  for (std::size_t i = 0; i < q.size(); ++i) {
    const bool three = c[i].axis == 3 && i + 2 < q.size() && c[i + 1].body == c[i].body && c[i + 1].axis == 4 &&
                       c[i + 2].body == c[i].body && c[i + 2].axis == 5;
    if (three) {
      const Quat turn = quaternion_from_rotation_vector(t * Vec3{v[i], v[i + 1], v[i + 2]});
      const Vec3 r = rotation_vector(turn * quaternion_from_rotation_vector({q[i], q[i + 1], q[i + 2]}));
      for (int k = 0; k < 3; ++k) q[i + static_cast<std::size_t>(k)] = r[k];
      i += 2;
    } else {
      q[i] += t * v[i];
    }
  }
  return q;
}

/// d/dt by central differences of order eight.
template <class F> Vec3 rate_of(F f, double h) {
  return (4.0 / 5 * (f(h) - f(-h)) - 1.0 / 5 * (f(2 * h) - f(-2 * h)) + 4.0 / 105 * (f(3 * h) - f(-3 * h)) -
          1.0 / 280 * (f(4 * h) - f(-4 * h))) /
         h;
}

class JointSpaceTrees : public testing::TestWithParam<unsigned> {};

TEST_P(JointSpaceTrees, EnergyIsHalfOfVMV) {
  RandomTree tree(GetParam());
  JointSpace space(tree.world);
  const std::size_t n = space.size();
  space.set_positions(moved(space, space.positions(), tree.numbers(n, 0.8), 1));
  const std::vector<double> v = tree.numbers(n, 2), M = space.mass_matrix();
  space.set_velocities(v);
  double energy = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) energy += 0.5 * v[i] * M[i * n + k] * v[k];
  EXPECT_NEAR(energy, space.world().kinetic_energy(), 1e-12 * (1 + energy));
  EXPECT_LT(largest_difference(space.velocities(), v), 1e-15);
}

TEST_P(JointSpaceTrees, ForwardUndoesInverse) {
  RandomTree tree(GetParam());
  JointSpace space(tree.world);
  const std::size_t n = space.size();
  space.set_velocities(tree.numbers(n, 2));
  const std::vector<double> a = tree.numbers(n, 5), tau = space.inverse_dynamics(a);
  EXPECT_LT(largest_difference(space.forward_dynamics(tau), a), 1e-9);
  // τ = M q̈ + b
  const std::vector<double> M = space.mass_matrix(), b = space.bias_forces();
  std::vector<double> sum = b;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) sum[i] += M[i * n + k] * a[k];
  EXPECT_LT(largest_difference(sum, tau), 1e-9);
}

TEST_P(JointSpaceTrees, JacobianIsTheRateOfAPoint) {
  RandomTree tree(GetParam());
  JointSpace space(tree.world);
  const std::size_t n = space.size();
  const std::vector<double> q = space.positions(), v = tree.numbers(n, 1);
  const BodyId body = tree.world.bodies().back();
  const Vec3 local{0.3, -0.2, 0.1};
  const Vec3 point = space.world().to_world(body, local);
  const std::vector<double> J = space.jacobian(body, point);
  Vec3 velocity, turning;
  for (std::size_t k = 0; k < n; ++k)
    for (int c = 0; c < 3; ++c) {
      velocity[c] += J[static_cast<std::size_t>(c) * n + k] * v[k];
      turning[c] += J[static_cast<std::size_t>(c + 3) * n + k] * v[k];
    }
  const Vec3 rate = rate_of(
      [&](double t) {
        space.set_positions(moved(space, q, v, t));
        return space.world().to_world(body, local);
      },
      0.01);
  EXPECT_LT(length(rate - velocity), 1e-9);
  space.set_positions(q);
  space.set_velocities(v);
  EXPECT_LT(length(space.world().angular_velocity(body) - turning), 1e-12);
}

TEST_P(JointSpaceTrees, BiasIsWhatDifferencesInTimeSay) {
  RandomTree tree(GetParam());
  JointSpace space(tree.world);
  const std::size_t n = space.size();
  const std::vector<double> q = space.positions(), v = tree.numbers(n, 1);
  space.set_velocities(v);
  const std::vector<double> bias = space.bias_forces();
  // Newton and Euler for every body, projected: Σ Jᵀ (m a − f, dL/dt).
  std::vector<double> expected(n);
  for (const BodyId body : space.world().bodies()) {
    if (space.world().is_fixed(body)) continue;
    const auto along = [&](auto what) {
      return rate_of(
          [&](double t) {
            space.set_positions(moved(space, q, v, t));
            return what(space.world());
          },
          0.01);
    };
    const double mass = space.world().mass_properties(body).mass;
    const Vec3 force = along([&](const World& w) { return w.momentum(body); }) - mass * Vec3{0.3, -9.81, 0.7};
    const Vec3 torque = along([&](const World& w) { return w.angular_momentum(body); });
    space.set_positions(q);
    const std::vector<double> J = space.jacobian(body, space.world().center_of_mass(body));
    for (std::size_t k = 0; k < n; ++k)
      for (int c = 0; c < 3; ++c)
        expected[k] +=
            J[static_cast<std::size_t>(c) * n + k] * force[c] + J[static_cast<std::size_t>(c + 3) * n + k] * torque[c];
  }
  double size = 1;
  for (const double b : bias) size = std::max(size, std::abs(b));
  EXPECT_LT(largest_difference(bias, expected), 1e-9 * size);
}

TEST_P(JointSpaceTrees, GravityCompensationHolds) {
  RandomTree tree(GetParam());
  JointSpace space(tree.world);
  space.set_velocities(tree.numbers(space.size(), 1));
  const std::vector<double> hold = space.gravity_compensation();
  space.set_velocities(std::vector<double>(space.size()));
  for (const double a : space.forward_dynamics(hold)) EXPECT_NEAR(a, 0, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Random, JointSpaceTrees, testing::Range(0u, 20u));

TEST(JointSpace, APendulumByHand) {
  World world;
  world.remove_body(world.ground());
  BodyDef def;
  def.shape = sphere(0.1);
  def.mass = 2;
  def.inertia = Mat3::diagonal({0.1, 0.1, 0.1});
  def.position = {1, 0, 0};
  const BodyId body = world.add_body(def);
  const JointId hinge = world.add_joint(hinge_joint(world, world.world_body(), body, {0, 0, 0}, {0, 0, 1}));
  JointSpace space(world);
  ASSERT_EQ(space.size(), 1u);
  EXPECT_EQ(space.index_of(hinge, 3), 0);
  EXPECT_NEAR(space.mass_matrix()[0], 2 + 0.1, 1e-12);
  EXPECT_NEAR(space.gravity_compensation()[0], 2 * 9.81, 1e-12);
  space.set_positions(std::vector<double>{kPi / 2});
  EXPECT_NEAR(space.world().position(body).y, 1, 1e-12);
  EXPECT_NEAR(space.gravity_compensation()[0], 0, 1e-12);
  EXPECT_THROW(space.set_positions(std::vector<double>{1, 2}), Error);
}

}  // namespace
}  // namespace rigor
