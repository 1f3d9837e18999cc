// Lagrange multipliers: order of the integrator, reaction forces, redundant joints, what is not honoured.
#include <gtest/gtest.h>

#include "analytic/reference.h"
#include "solvers/force_helpers.h"

namespace rigor::test {
namespace {

Method lagrange() { return force_method("none", "lagrange", "rk4"); }

struct Pendulum {
  World world;
  BodyId rod;
  JointId hinge;
};

/// The rod of compound_pendulum: released horizontally, hinged at the origin about z.
Pendulum compound_pendulum() {
  Pendulum p;
  p.world.remove_body(p.world.ground());
  p.world.set_gravity({0, -kG, 0});
  p.rod = p.world.add_body(thin_rod("rod", {0.5, 0, 0}));
  p.hinge = connect(p.world, p.world.world_body(), p.rod, {}, joint_free_about({5}));
  return p;
}

/// From the downward vertical.
double angle_of(const World& w, BodyId rod) {
  const Vec3 along = rotate(w.orientation(rod), {1, 0, 0});
  return std::atan2(along.x, -along.y);
}

double pendulum_error(double h) {
  const auto expected = reference("force_level.json", "compound_pendulum")["expected"]["theta_thetadot_release_90deg"];
  Pendulum p = compound_pendulum();
  Simulation sim(p.world, lagrange());
  double worst = 0;
  for (std::size_t i = 1; i <= 5; ++i) {
    run(sim, 0.2, h);
    worst = std::max(worst, std::abs(angle_of(sim.world(), p.rod) - expected[i][1].get<double>()));
    worst = std::max(worst, std::abs(sim.world().angular_velocity(p.rod).z - expected[i][2].get<double>()));
  }
  return worst;
}

TEST(Lagrange, HasTheOrderOfTheIntegrator) {
  const double coarse = pendulum_error(0.02), fine = pendulum_error(0.01), finest = pendulum_error(0.005);
  EXPECT_LT(finest, 1e-6);
  // Order four: halving the step divides the error by 16; 12 leaves room for the terms of order five.
  EXPECT_GT(coarse / fine, 12);
  EXPECT_GT(fine / finest, 12);
}

TEST(Lagrange, ReactionIsThatOfTheReference) {
  const auto expected = reference("force_level.json", "compound_pendulum")["expected"]["reaction_release_90deg"];
  Pendulum p = compound_pendulum();
  Simulation sim(p.world, lagrange());
  const double h = 1e-3;
  run(sim, 0.4, h);
  const double theta = angle_of(sim.world(), p.rod);
  const Vec3 f = sim.world().joint_state(p.hinge).force;
  const Vec3 toward_pivot{-std::sin(theta), std::cos(theta), 0}, across{std::cos(theta), std::sin(theta), 0};
  // The last evaluation of rk4 is at the end of the step but for an error of order h² of that stage's state.
  EXPECT_NEAR(dot(f, toward_pivot), expected[2][1].get<double>(), 1e-3);
  EXPECT_NEAR(dot(f, across), expected[2][2].get<double>(), 1e-3);
}

TEST(Lagrange, DoublePendulumFollowsTheReference) {
  const auto expected = reference("force_level.json", "double_pendulum_rods")["expected"];
  World world;
  world.remove_body(world.ground());
  world.set_gravity({0, -kG, 0});
  const BodyId first = world.add_body(thin_rod("first", {0.5, 0, 0}));
  const BodyId second = world.add_body(thin_rod("second", {1.5, 0, 0}));
  connect(world, world.world_body(), first, {}, joint_free_about({5}));
  connect(world, first, second, {{1, 0, 0}, {}}, joint_free_about({5}));
  Simulation sim(world, lagrange());
  for (std::size_t i = 1; i <= 10; ++i) {
    run(sim, 0.1, 1e-3);
    // Order four at h = 1e-3 with rates up to 10/s: (10 h)⁴ = 1e-8 per unit of time; chosen a hundred times that.
    EXPECT_NEAR(angle_of(sim.world(), first), expected[i][1].get<double>(), 1e-6);
    EXPECT_NEAR(angle_of(sim.world(), second), expected[i][2].get<double>(), 1e-6);
  }
}

TEST(Lagrange, EveryKindOfJointKeepsEnergyWithoutStabilisation) {
  // Without α and β errors only come from c and the integrator: a wrong c = J̇ u would show at once.
  Method m = lagrange();
  m.joint_solver.settings = {{"alpha", 0.0}, {"beta", 0.0}};
  const Transform frame{{1, 0, 0}, quaternion_from_rotation_vector({0.3, 0.4, -0.2})};
  const std::vector<JointKind> kinds = {joint_free_about({3, 4, 5}), joint_free_about({0}),
                                        joint_free_about({0, 3}),    joint_free_about({3, 5}),
                                        joint_free_about({0, 1, 5}), DistanceJoint{1, 1}};
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    World world = empty_world();
    BodyDef def = body_with_inertia("a", 2, {1, 0.7, 0.5});
    def.can_collide = false;
    const BodyId a = world.add_body(def);
    def.name = "b", def.position = {2, 0, 0};
    const BodyId b = world.add_body(def);
    // One rigid motion for both, so that every joint is kept at the start.
    const Vec3 w{0.7, 1.1, -0.9};
    world.set_velocity(a, {}, w), world.set_velocity(b, cross(w, {2, 0, 0}), w);
    JointDef joint;
    joint.a = a, joint.b = b, joint.kind = kinds[k];
    if (std::holds_alternative<DistanceJoint>(kinds[k])) {
      joint.frame_a = world.frame_in_body(a, {{0.5, 0, 0}, {}}),
      joint.frame_b = world.frame_in_body(b, {{1.5, 0, 0}, {}});
    } else {
      joint.frame_a = world.frame_in_body(a, frame), joint.frame_b = world.frame_in_body(b, frame);
    }
    world.add_joint(joint);
    Simulation sim(world, m);
    const double energy = world.kinetic_energy();
    run(sim, 2, 5e-3);
    // (ω h)⁴ ≈ 1e-9 over some radians of motion; chosen ten times that.
    EXPECT_NEAR(sim.world().kinetic_energy(), energy, 1e-8 * energy) << "joint " << k;
  }
}

TEST(Lagrange, RedundantAndContradictingJointsStayFinite) {
  World world;
  world.remove_body(world.ground());
  BodyDef def = thin_rod("plank", {0.5, 0, 0});
  const BodyId id = world.add_body(def);
  for (const double x : {0.0, 0.5, 1.0}) connect(world, world.world_body(), id, {{x, 0, 0}, {}}, joint_free_about({}));
  // A fourth one that wants the plank elsewhere.
  JointDef wrong;
  wrong.a = world.world_body(), wrong.b = id, wrong.frame_a = {{0.5, 0.1, 0}, {}}, wrong.kind = joint_free_about({});
  world.add_joint(wrong);
  for (const char* lcp : {"ldlt", "sparse-ldlt", "dantzig", "cg"}) {
    Method m = lagrange();
    m.joint_solver.settings = {{"lcp", std::string(lcp)}};
    Simulation sim(world, m);
    run(sim, 1, 0.01);
    EXPECT_FALSE(sim.take_reports().empty()) << lcp;  // and it is said
    EXPECT_TRUE(is_finite(sim.world().position(id))) << lcp;
    EXPECT_LT(length(sim.world().position(id)), 10) << lcp;
  }
}

TEST(Lagrange, SaysThatItHasNoLimits) {
  World world;
  world.remove_body(world.ground());
  const BodyId id = world.add_body(thin_rod("rod", {0.5, 0, 0}));
  AxesJoint hinge = joint_free_about({});
  hinge.axes[5].motion = AxisMotion::limited, hinge.axes[5].lower = -0.01, hinge.axes[5].upper = 0.01;
  connect(world, world.world_body(), id, {}, hinge);
  Simulation sim(world, lagrange());
  run(sim, 0.1, 0.01);
  const std::vector<std::string> reports = sim.take_reports();
  ASSERT_EQ(reports.size(), 2u);  // when it is configured, and once in the steps
  EXPECT_NE(reports[1].find("limits"), std::string::npos);
  EXPECT_NE(reports[0].find("limits"), std::string::npos);
}

TEST(Lagrange, KinematicBodiesCarryJoints) {
  // A crank turned by a fixed body with a velocity of its own: the rod's pin goes round with it.
  World world = empty_world();
  BodyDef crank;
  crank.name = "crank", crank.shape = sphere(0.1), crank.fixed = true, crank.can_collide = false;
  crank.angular_velocity = {0, 0, 2};
  const BodyId a = world.add_body(crank);
  const BodyId b = world.add_body(thin_rod("rod", {1, 0, 0}));
  world.set_velocity(b, {0, 2, 0}, {0, 0, 2});
  connect(world, a, b, {{0.5, 0, 0}, {}}, joint_free_about({3, 4, 5}));
  Simulation sim(world, lagrange());
  run(sim, 1, 1e-3);
  const Vec3 pin = sim.world().to_world(b, {-0.5, 0, 0}), wanted{0.5 * std::cos(2.0), 0.5 * std::sin(2.0), 0};
  EXPECT_LT(distance(pin, wanted), 1e-9);
}

}  // namespace
}  // namespace rigor::test
