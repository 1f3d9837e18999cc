// Laws that joint trees keep in the default step: momentum to rounding, energy to its order, errors that vanish with the step, nothing
// from nowhere in random trees, and no bit that depends on other trees.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "constraints/joint_survey.h"
#include "rigor/joint_types.h"
#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kGravity = 9.81;

Method soft_step() {
  Method m = preset("soft-step");
  m.sleep.name = "never";
  return m;
}

/// Rods along x from a point on, the first one held by the world or by nothing.
std::vector<BodyId> add_chain(World& world, int links, bool held, const char* first, const char* others,
                              const Vec3& from = {}, double rod = 0.5) {
  std::vector<BodyId> ids;
  for (int i = 0; i < links; ++i) {
    BodyDef def;
    def.shape = box({rod, 0.1, 0.1}), def.position = from + Vec3{rod * (i + 0.5), 0, 0}, def.can_collide = false;
    const BodyId id = world.add_body(def);
    const JointPlacement at{from + Vec3{rod * i, 0, 0}, Vec3{0, 0, 1}, {}};
    const BodyId before = i > 0 ? ids.back() : world.world_body();
    if (i > 0 || held) world.add_joint(make_joint(world, i > 0 ? others : first, before, id, at));
    ids.push_back(id);
  }
  return ids;
}

/// Forces push at the start of a step: velocities are behind by half of one. This is the energy with the other half of the push, which a
/// symplectic step keeps to second order.
double energy(const Simulation& sim, double h, bool has_gravity = true) {
  const World& world = sim.world();
  const double e = world.kinetic_energy() + world.potential_energy(sim.time());
  if (!has_gravity) return e;
  double mass = 0;
  for (const BodyId id : world.bodies()) mass += world.mass_properties(id).mass;
  return e - 0.5 * h * kGravity * world.momentum().y + 0.125 * mass * h * h * kGravity * kGravity;
}

struct Flight {
  const char* joints;
  double step;
};
class FreeTrees : public testing::TestWithParam<Flight> {};

TEST_P(FreeTrees, KeepMomentumAndAngularMomentum) {
  World world;
  world.set_gravity({});
  const std::vector<BodyId> ids = add_chain(world, 5, false, "ball", GetParam().joints);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto k = static_cast<double>(i);
    world.set_velocity(ids[i], {0.3 * k, 1, 0.5 * k}, {1, 2 * k, 0.5 * k - 1});
  }
  Simulation sim(world, soft_step());
  const Vec3 P = sim.world().momentum(), L = sim.world().angular_momentum();
  for (int i = 0; i < std::lround(10 / GetParam().step); ++i) sim.step(GetParam().step);
  EXPECT_LT(distance(sim.world().momentum(), P), 1e-12 * length(P));
  EXPECT_LT(distance(sim.world().angular_momentum(), L), 1e-12 * length(L));
}

INSTANTIATE_TEST_SUITE_P(Steps, FreeTrees,
                         testing::Values(Flight{"ball", 1.0 / 20}, Flight{"ball", 1.0 / 60}, Flight{"hinge", 1.0 / 20},
                                         Flight{"hinge", 1.0 / 60}, Flight{"fixed", 1.0 / 60}));

/// A thin chain of unequal links that spins so fast that its modes are damped: angular momentum stays all the same.
TEST(TreeLaws, DampedFreeTreesKeepAngularMomentum) {
  World world;
  world.set_gravity({});
  const std::vector<BodyId> ids = add_chain(world, 40, false, "ball", "ball");
  for (const BodyId id : ids) world.set_velocity(id, 6 * Vec3{0, world.position(id).x - 10, 0.1}, {0.5, 0, 6});
  Simulation sim(world, soft_step());
  const Vec3 L = sim.world().angular_momentum();
  const double before = energy(sim, 0, false);
  for (int i = 0; i < 120; ++i) sim.step(1.0 / 30);
  EXPECT_LT(distance(sim.world().angular_momentum(), L), 1e-11 * length(L));
  EXPECT_LT(energy(sim, 0, false), 1.01 * before);
}

/// What a pendulum loses in ten half swings, relative to what it swings with.
double loss_of_pendulum(int pieces) {
  constexpr double kStep = 1.0 / 60;
  World world;
  const std::vector<BodyId> ids = add_chain(world, pieces, true, "hinge", "fixed", {}, 1.0 / pieces);
  Simulation sim(world, soft_step());
  const double mass = pieces * world.mass_properties(ids[0]).mass, before = energy(sim, kStep);
  double worst = 0;
  for (int i = 0; i < 600; ++i) sim.step(kStep), worst = std::max(worst, std::abs(energy(sim, kStep) - before));
  return worst / (mass * kGravity * 0.5);
}

TEST(TreeLaws, APendulumInPiecesKeepsItsEnergy) {
  for (const int pieces : {1, 3, 6}) EXPECT_LT(loss_of_pendulum(pieces), 0.01) << pieces;
}

TEST(TreeLaws, ChainsKeepTheirEnergyToAFewPercent) {
  for (const int links : {2, 10}) {
    constexpr double kStep = 1.0 / 60;
    World world;
    const std::vector<BodyId> ids = add_chain(world, links, true, "ball", "ball");
    Simulation sim(world, soft_step());
    double scale = 0, worst = 0;
    for (const BodyId id : ids) scale += world.mass_properties(id).mass * kGravity * world.position(id).x;
    const double before = energy(sim, kStep);
    for (int i = 0; i < 600; ++i) sim.step(kStep), worst = std::max(worst, std::abs(energy(sim, kStep) - before));
    EXPECT_LT(worst / scale, 0.08) << links;  // a chain of ten is chaotic: 2 to 7 % were seen
  }
}

/// Where the last link is after a second.
Vec3 end_of_swing(int links, const char* joints, double step) {
  World world;
  const std::vector<BodyId> ids = add_chain(world, links, true, joints, joints);
  world.set_velocity(ids[0], {}, {});
  Simulation sim(world, soft_step());
  for (int i = 0; i < std::lround(1 / step); ++i) sim.step(step);
  return sim.world().position(ids.back());
}

/// First order: forces push at the start of a step. A tolerance that did not vanish would show as a floor.
TEST(TreeLaws, ErrorsVanishWithTheStep) {
  for (const int links : {1, 2, 5}) {
    const Vec3 exact = 2 * end_of_swing(links, "ball", 1.0 / 16000) - end_of_swing(links, "ball", 1.0 / 8000);
    double last = 0;
    for (const double step : {1.0 / 250, 1.0 / 1000, 1.0 / 4000}) {
      const double error = distance(end_of_swing(links, "ball", step), exact);
      if (last > 0) {
        EXPECT_LT(error, 0.3 * last) << links << " links, steps of " << step;  // a quarter, and some
      }
      last = error;
    }
  }
}

/// Bodies of unlike sizes, masses and spins in trees of unlike joints.
struct RandomTree {
  std::mt19937 random;
  World world;
  std::vector<BodyId> ids;
  double step = 0, size = 0;
  bool has_gravity = false;

  double number(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random); }
  Vec3 direction() {
    const double x = number(-1, 1), y = number(-1, 1), z = number(-1, 1);
    return normalized(Vec3{x, y, z + 1e-3});
  }
  const char* joint() {
    constexpr const char* kTypes[] = {"ball", "ball", "hinge", "fixed"};
    return kTypes[static_cast<std::size_t>(number(0, 4))];
  }

  explicit RandomTree(unsigned seed) : random(seed) {
    constexpr double kSteps[] = {1.0 / 20, 1.0 / 30, 1.0 / 60, 1.0 / 120, 1.0 / 240};
    step = kSteps[static_cast<std::size_t>(number(0, 5))];
    has_gravity = number(0, 1) < 0.7;
    if (!has_gravity) world.set_gravity({});
    const int bodies = 2 + static_cast<int>(number(0, 12));
    const bool held = number(0, 1) < 0.5;
    const double spin = std::pow(10, number(-1, 1.7)), decades = number(0, 4), middle = std::pow(10, number(-1, 0.5));
    for (int i = 0; i < bodies; ++i) add(i, held, spin, decades, middle);
  }

  void add(int i, bool held, double spin, double decades, double middle) {
    BodyDef def;
    const double length = middle * std::pow(10, number(-0.7, 0.7));
    def.shape = box({length, length * std::pow(10, number(-1.3, 0)), length * std::pow(10, number(-1.3, 0))});
    def.mass = std::pow(10, decades * number(-0.5, 0.5)), def.can_collide = false;
    def.orientation = quaternion_from_rotation_vector(3 * direction());
    def.angular_velocity = spin * direction();
    Vec3 anchor;
    BodyId before = world.world_body();
    if (i > 0) {
      before = ids[static_cast<std::size_t>(number(0, i))];
      const Vec3 arm = middle * number(0, 1) * direction(), x = world.position(before);
      anchor = x + arm, def.velocity = world.velocity(before) + cross(world.angular_velocity(before), arm);
    }
    const Vec3 to_center = length * number(0.1, 0.7) * direction();
    def.position = anchor + to_center, def.velocity += cross(def.angular_velocity, to_center);
    ids.push_back(world.add_body(def));
    if (i > 0 || held) world.add_joint(make_joint(world, joint(), before, ids.back(), {anchor, direction(), {}}));
    size = std::max(size, length);
  }
};

TEST(TreeLaws, RandomTreesHoldTogetherAndGainNothing) {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    RandomTree tree(seed);
    Simulation sim(tree.world, soft_step());
    sim.step(1e-5);  // hinges and fixed joints make the velocities fit
    const double before = energy(sim, tree.step, tree.has_gravity);
    double most = sim.world().kinetic_energy(), gain = 0, gap = 0;
    for (int i = 0; i < 2 / tree.step; ++i) {
      sim.step(tree.step);
      gain = std::max(gain, energy(sim, tree.step, tree.has_gravity) - before);
      most = std::max(most, sim.world().kinetic_energy());
      const JointErrors errors = joint_errors(sim.world());
      gap = std::max({gap, errors.linear / tree.size, errors.angular});
    }
    EXPECT_TRUE(std::isfinite(most)) << "seed " << seed;
    EXPECT_LT(gain, 0.08 * most) << "seed " << seed;
    EXPECT_LT(gap, 1e-3) << "seed " << seed;
  }
}

/// Trees of other sizes and kinds share lanes with the ones that are looked at, and need more iterations.
TEST(TreeLaws, OtherTreesChangeNoBit) {
  const auto run = [](bool with_others) {
    World world;
    std::vector<BodyId> ids = add_chain(world, 7, true, "ball", "ball");
    for (const char* type : {"ball", "hinge"})
      for (const BodyId id : add_chain(world, 4, false, type, type, {0, 20, 0})) ids.push_back(id);
    const BodyId stem = ids[2];
    for (int i = 0; i < 3; ++i) {
      BodyDef def;
      def.shape = box({0.1, 0.4, 0.1}), def.position = {1.5, -0.2, 0.2 * i}, def.can_collide = false;
      ids.push_back(world.add_body(def));
      world.add_joint(
          make_joint(world, i % 2 ? "ball" : "hinge", stem, ids.back(), {{1.5, 0, 0.2 * i}, Vec3{0, 0, 1}, {}}));
    }
    for (int k = 0; with_others && k < 5; ++k) {
      const Vec3 from{0, 0, 100.0 * (k + 1)};
      const std::vector<BodyId> other =
          add_chain(world, 3 + 2 * k, k % 2 == 0, "ball", k == 3 ? "fixed" : "ball", from);
      world.set_velocity(other.back(), {0, 5.0 * k, 3}, {20, 0, 5.0 * k});
    }
    Simulation sim(world, soft_step());
    for (int i = 0; i < 120; ++i) sim.step(1.0 / 60);
    std::vector<Vec3> places;
    for (const BodyId id : ids) places.push_back(sim.world().position(id));
    return places;
  };
  const std::vector<Vec3> alone = run(false), among = run(true);
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone[i], among[i]) << i;
}

/// A limit that holds is a large number in the matrix of its tree; what one body gets the other one gives, to rounding.
TEST(TreeLaws, LimitsThatHoldKeepAngularMomentum) {
  for (int i = 0; i < 12; ++i) {
    World world;
    world.set_gravity({});
    const Vec3 spin = {0.3 * i, 5 - 0.7 * i, 4 + 0.5 * i};
    std::vector<BodyId> ids;
    for (int k = 0; k < 3; ++k) {
      BodyDef def;
      def.shape = box({0.6, 0.09, 0.07}), def.position = {0.6 * k, 10, 0}, def.can_collide = false;
      def.angular_velocity = spin;
      if (k == 2) def.angular_velocity += Vec3{3.0, -1.0 * i, 2};  // the last joint turns to its limits
      def.velocity = cross(spin, def.position - Vec3{0.6, 10, 0});
      ids.push_back(world.add_body(def));
    }
    world.add_joint(hinge_joint(world, ids[0], ids[1], {0.3, 10, 0}, {0, 0, 1}));
    world.add_joint(ball_joint(world, ids[1], ids[2], {0.9, 10, 0},
                               Settings{{"max_swing", 0.4}, {"min_twist", -0.2}, {"max_twist", 0.2}}));
    Simulation sim(world, soft_step());
    const Vec3 L = world.angular_momentum();
    double worst = 0;
    for (int k = 0; k < 120; ++k) {
      sim.step(1.0 / 50);
      worst = std::max(worst, length(sim.world().angular_momentum() - L) / length(L));
    }
    EXPECT_LT(worst, 1e-11) << i;
  }
}

/// Friction turns both bodies of a joint in their present poses.
TEST(TreeLaws, FrictionKeepsAngularMomentum) {
  for (int i = 0; i < 6; ++i) {
    World world;
    world.set_gravity({});
    std::vector<BodyId> ids;
    for (int k = 0; k < 3; ++k) {
      BodyDef def;
      def.shape = box({0.6, 0.3, 0.07}), def.position = {0.6 * k, 10, 0}, def.can_collide = false;
      def.angular_velocity = {1.0 + i, 7.0 * (k - 1), 2.0 * k};
      ids.push_back(world.add_body(def));
    }
    const Settings rough{{"friction", 0.5 + i}};
    world.add_joint(hinge_joint(world, ids[0], ids[1], {0.3, 10, 0}, {0, 1, 0}, rough));
    world.add_joint(hinge_joint(world, ids[1], ids[2], {0.9, 10, 0}, {0, 1, 0.2}, rough));
    Simulation sim(world, soft_step());
    sim.step(1.0 / 50);  // closes the velocities
    const Vec3 L = sim.world().angular_momentum();
    for (int k = 0; k < 60; ++k) sim.step(1.0 / 50);
    EXPECT_LT(length(sim.world().angular_momentum() - L), 1e-11 * length(L)) << i;
  }
}

}  // namespace
}  // namespace rigor::test
