// Baraff's contact forces: rest, sliding, rolling, spinning, statics, Painlevé's rod, limits and motors of joints.
#include <gtest/gtest.h>

#include "analytic/reference.h"
#include "solvers/force_helpers.h"

namespace rigor::test {
namespace {

Method baraff() { return force_method("force-lcp", "force-lcp", "rk4"); }

BodyId add_on_floor(World& world, const ShapePtr& shape, double height, double mu, double slope = 0) {
  world.set_gravity({kG * std::sin(slope), -kG * std::cos(slope), 0});
  world.set_material(world.ground(), material_of(mu));
  BodyDef def;
  def.shape = shape;
  def.mass = 2;
  def.position = {0, height, 0};
  def.material = material_of(mu);
  return world.add_body(def);
}

/// Total of the normal forces of all contacts with b as the second body, N.
double normal_force(const Simulation& sim, BodyId a, BodyId b, double h) {
  double sum = 0;
  for (const Contact& c : sim.contacts())
    for (int k = 0; k < c.count; ++k)
      if ((c.a == a && c.b == b) || (c.a == b && c.b == a)) sum += c.points[static_cast<std::size_t>(k)].normal_impulse;
  return sum / h;
}

TEST(ForceLcp, BoxRestsExactly) {
  World world;
  const BodyId id = add_on_floor(world, box({1, 1, 1}), 0.5, 0.5);
  Simulation sim(world, baraff());
  run(sim, 1, 0.01);
  EXPECT_LT(distance(sim.world().position(id), {0, 0.5, 0}), 1e-9);
  EXPECT_LT(length(sim.world().velocity(id)), 1e-9);
  EXPECT_NEAR(normal_force(sim, sim.world().ground(), id, 0.01), 2 * kG, 1e-6);
}

TEST(ForceLcp, BoxLandsAndStays) {
  World world;
  const BodyId id = add_on_floor(world, box({1, 1, 1}), 1.0, 0.5);
  Simulation sim(world, baraff());
  run(sim, 2, 0.01);
  // It meets the floor within a step of free fall: up to g h²/2 deep.
  EXPECT_NEAR(sim.world().position(id).y, 0.5, 0.5 * kG * 1e-4);
  EXPECT_LT(length(sim.world().velocity(id)), 1e-3);
}

TEST(ForceLcp, BoxSlidesExactly) {
  const double slope = kPi / 6, mu = 0.3;
  World world;
  const BodyId id = add_on_floor(world, box({1, 0.2, 1}), 0.1, mu, slope);
  world.set_velocity(id, {0.01, 0, 0}, {});
  Simulation sim(world, baraff());
  run(sim, 1, 0.01);
  // Constant acceleration, which rk4 integrates without error.
  EXPECT_NEAR(sim.world().velocity(id).x, 0.01 + kG * (std::sin(slope) - mu * std::cos(slope)), 1e-8);
}

TEST(ForceLcp, BoxSticksBelowTheFrictionAngle) {
  World world;
  const BodyId id = add_on_floor(world, box({1, 0.2, 1}), 0.1, 0.5, 0.99 * std::atan(0.5));
  Simulation sim(world, baraff());
  run(sim, 1, 0.01);
  EXPECT_LT(distance(sim.world().position(id), {0, 0.1, 0}), 1e-9);
}

/// Dantzig's algorithm alone, as in Baraff 1994, holds a box below the friction angle and lets it slide with the acceleration of theory.
TEST(ForceLcp, DantzigAloneComputesFrictionForces) {
  Method m = baraff();
  m.contact_solver.settings = m.joint_solver.settings = {{"nearby", false}, {"lcp", std::string("dantzig")}};
  World resting;
  const BodyId held = add_on_floor(resting, box({1, 0.2, 1}), 0.1, 0.5, 0.99 * std::atan(0.5));
  Simulation at_rest(resting, m);
  run(at_rest, 1, 0.01);
  EXPECT_LT(distance(at_rest.world().position(held), {0, 0.1, 0}), 1e-9);
  EXPECT_TRUE(at_rest.take_reports().empty());

  const double slope = kPi / 6, mu = 0.3;
  World sloping;
  const BodyId id = add_on_floor(sloping, box({1, 0.2, 1}), 0.1, mu, slope);
  sloping.set_velocity(id, {0.01, 0, 0}, {});
  Simulation sliding(sloping, m);
  run(sliding, 1, 0.01);
  EXPECT_NEAR(sliding.world().velocity(id).x, 0.01 + kG * (std::sin(slope) - mu * std::cos(slope)), 1e-8);
  EXPECT_TRUE(sliding.take_reports().empty());
}

TEST(ForceLcp, SlidingBlockStops) {
  const auto ref = reference("force_level.json", "statics_contact_forces")["expected"]["sliding_stop"];
  World world;
  const BodyId id = add_on_floor(world, box({1, 0.2, 1}), 0.1, ref["mu"].get<double>());
  world.set_velocity(id, {ref["v0"].get<double>(), 0, 0}, {});
  Simulation sim(world, baraff());
  const double h = 0.005;
  run(sim, 2, h);
  // The last step before it stops may be off by its length: v h with v < μ g h.
  EXPECT_NEAR(sim.world().position(id).x, ref["d"].get<double>(), 0.4 * kG * h * h);
  EXPECT_LT(length(sim.world().velocity(id)), 1e-4);
}

TEST(ForceLcp, RollingSphereHasNoCentripetalTerm) {
  // Fast rolling on a level floor: any ω² r in c would press it down or lift it off.
  World world;
  const BodyId id = add_on_floor(world, sphere(0.5), 0.5, 0.5);
  world.set_velocity(id, {5, 0, 0}, {0, 0, -10});
  Simulation sim(world, baraff());
  const double h = 0.01;
  for (int i = 0; i < 100; ++i) {
    sim.step(h);
    ASSERT_NEAR(normal_force(sim, sim.world().ground(), id, h), 2 * kG, 1e-6) << "step " << i;
  }
  EXPECT_NEAR(sim.world().position(id).y, 0.5, 1e-9);
  EXPECT_NEAR(sim.world().velocity(id).x, 5, 1e-8);
  EXPECT_NEAR(sim.world().angular_velocity(id).z, -10, 1e-8);
}

TEST(ForceLcp, SphereRollsDownAtFiveSeventh) {
  World world;
  const double slope = kPi / 9;
  const BodyId id = add_on_floor(world, sphere(0.5), 0.5, 0.5, slope);
  Simulation sim(world, baraff());
  run(sim, 1, 0.01);
  EXPECT_NEAR(sim.world().velocity(id).x, 5.0 / 7 * kG * std::sin(slope), 1e-6);
}

TEST(ForceLcp, CylinderRollsDownAtTwoThirds) {
  World world;
  const double slope = kPi / 9;
  world.set_gravity({kG * std::sin(slope), -kG * std::cos(slope), 0});
  world.set_material(world.ground(), material_of(0.5));
  BodyDef def;
  def.shape = cylinder(0.5, 1);
  def.position = {0, 0.5, 0};
  def.orientation = quaternion_between({0, 1, 0}, {0, 0, 1});
  def.material = material_of(0.5);
  const BodyId id = world.add_body(def);
  Simulation sim(world, baraff());
  run(sim, 1, 0.01);
  EXPECT_NEAR(sim.world().velocity(id).x, 2.0 / 3 * kG * std::sin(slope), 1e-5);
}

TEST(ForceLcp, SpinningBoxStaysDown) {
  // About the vertical the accelerations of its corners are horizontal: nothing lifts it, and without friction nothing brakes.
  World world;
  const BodyId id = add_on_floor(world, box({1, 0.5, 1}), 0.25, 0);
  world.set_velocity(id, {}, {0, 6, 0});
  Simulation sim(world, baraff());
  const double h = 0.01;
  run(sim, 1, h);
  EXPECT_NEAR(sim.world().position(id).y, 0.25, 1e-9);
  EXPECT_NEAR(sim.world().angular_velocity(id).y, 6, 1e-8);
  EXPECT_NEAR(normal_force(sim, sim.world().ground(), id, h), 2 * kG, 1e-6);
}

TEST(ForceLcp, TippingBoxFeelsItsCorners) {
  // A thin plate turning about its lower edge on a frictionless floor: C̈ of the edge has the centripetal ω² r. The center of
  // mass falls straight down; the energy shows whether c is right.
  World world;
  world.set_gravity({0, -kG, 0});
  world.set_material(world.ground(), material_of(0));
  BodyDef def;
  def.shape = box({0.1, 1, 1});
  def.mass = 2;
  def.material = material_of(0);
  const double tilt = 0.5;
  def.orientation = quaternion_from_rotation_vector({0, 0, tilt});
  def.position = {0, 0.5 * std::cos(tilt) + 0.05 * std::sin(tilt), 0};
  const BodyId id = world.add_body(def);
  Simulation sim(world, baraff());
  const double energy = sim.energy().kinetic + sim.energy().potential;
  run(sim, 0.3, 0.001);
  EXPECT_GT(length(sim.world().angular_velocity(id)), 1);
  // Energy is kept but for (ω h)⁴ and for α, β, which find nothing to correct.
  EXPECT_NEAR(sim.energy().kinetic + sim.energy().potential, energy, 1e-6 * 2 * kG);
}

TEST(ForceLcp, StackForcesAreTheWeightsAbove) {
  const auto ref = reference("force_level.json", "statics_contact_forces")["expected"]["stack"];
  World world;
  world.set_gravity({0, -kG, 0});
  std::vector<BodyId> ids = {world.ground()};
  for (int i = 0; i < 4; ++i) {
    BodyDef def;
    def.shape = box({1, 1, 1});
    def.mass = 1;
    def.position = {0, 0.5 + i, 0};
    ids.push_back(world.add_body(def));
  }
  Simulation sim(world, baraff());
  run(sim, 0.1, 0.01);
  for (std::size_t i = 0; i < 4; ++i)  // the top four of the reference's ten
    EXPECT_NEAR(normal_force(sim, ids[i], ids[i + 1], 0.01), ref["contact_force_below_box_i"][6 + i].get<double>(),
                1e-6);
}

TEST(ForceLcp, PlankOnTwoSupports) {
  const auto ref = reference("force_level.json", "statics_contact_forces")["expected"]["two_support_beam"];
  World world;
  world.remove_body(world.ground());
  world.set_gravity({0, -kG, 0});
  std::vector<BodyId> supports;
  for (const double x : {-1.0, 3.0}) {
    BodyDef def;
    def.shape = sphere(0.5);
    def.fixed = true;
    def.position = {x, -0.5, 0};
    supports.push_back(world.add_body(def));
  }
  BodyDef plank;
  plank.shape = box({8, 0.2, 1});
  plank.mass = 2;
  plank.position = {0, 0.1, 0};
  const BodyId id = world.add_body(plank);
  Simulation sim(world, baraff());
  run(sim, 0.1, 0.01);
  EXPECT_NEAR(normal_force(sim, supports[0], id, 0.01), ref["N_a"].get<double>(), 1e-6);
  EXPECT_NEAR(normal_force(sim, supports[1], id, 0.01), ref["N_b"].get<double>(), 1e-6);
}

TEST(ForceLcp, BlockOnMovableWedge) {
  const auto ref = reference("force_level.json", "statics_contact_forces")["expected"]["wedge"];
  const double alpha = ref["alpha_deg"].get<double>() * kPi / 180;
  World world;
  world.set_gravity({0, -kG, 0});
  world.set_material(world.ground(), material_of(0));
  BodyDef wedge;
  wedge.name = "wedge";
  const double top = 4 * std::tan(alpha);
  std::vector<Vec3> points;
  for (const double z : {-1.0, 1.0})
    for (const Vec3& p : {Vec3{0, 0, z}, Vec3{4, 0, z}, Vec3{0, top, z}}) points.push_back(p);
  wedge.shape = convex_hull(points);
  wedge.mass = ref["M"].get<double>();
  wedge.material = material_of(0);
  const BodyId w = world.add_body(wedge);
  BodyDef block;
  block.shape = box({0.4, 0.2, 0.4});
  block.mass = ref["m"].get<double>();
  block.material = material_of(0);
  block.orientation = quaternion_from_rotation_vector({0, 0, -alpha});
  block.position = Vec3{1, top - std::tan(alpha), 0} + 0.1 * Vec3{std::sin(alpha), std::cos(alpha), 0};
  const BodyId b = world.add_body(block);
  Simulation sim(world, baraff());
  const double h = 0.005, t = 0.2;
  run(sim, t, h);
  EXPECT_NEAR(std::abs(sim.world().velocity(w).x) / t, ref["wedge_accel"].get<double>(), 1e-5);
  EXPECT_NEAR(length(sim.world().velocity(b) - sim.world().velocity(w)) / t, ref["block_rel_accel"].get<double>(),
              1e-5);
  EXPECT_NEAR(normal_force(sim, w, b, h), ref["normal_force"].get<double>(), 1e-4);
}

/// The rod of painleve_rod, its lower tip at the origin, sliding along +x with friction that turns it into the floor.
struct Rod {
  World world;
  BodyId id;
};
Rod painleve_rod() {
  const auto ref = reference("force_level.json", "painleve_rod")["parameters"];
  const double theta = ref["theta"].get<double>(), half = 0.5 * ref["length"].get<double>();
  Rod rod;
  rod.world.set_gravity({0, -kG, 0});
  rod.world.set_material(rod.world.ground(), material_of(ref["mu"].get<double>()));
  BodyDef def;
  const double radius = 1e-4;  // of the tip: far below the lengths of the reference
  def.shape = capsule(radius, 2 * half);
  def.mass = ref["m"].get<double>();
  const double I = half * half / 3 * *def.mass;
  def.inertia = Mat3::diagonal({I, 1e-6, I});
  def.material = material_of(ref["mu"].get<double>());
  def.orientation = quaternion_between({0, -1, 0}, {std::cos(theta), -std::sin(theta), 0});
  def.position = {-half * std::cos(theta), half * std::sin(theta) + radius, 0};
  def.velocity = {ref["v_tip"].get<double>(), 0, 0};
  rod.id = rod.world.add_body(def);
  return rod;
}

Vec3 tip_velocity(const World& w, BodyId id) {
  const Vec3 r = rotate(w.orientation(id), {0, -1, 0});
  return w.velocity(id) + cross(w.angular_velocity(id), r);
}

TEST(ForceLcp, PainlevesRodIsReportedAndGoesOnByAnImpulse) {
  Rod rod = painleve_rod();
  const double energy = rod.world.kinetic_energy() + rod.world.potential_energy(0);
  for (const char* impulses : {"sequential-impulse", "simultaneous-impulse"}) {
    Method m = baraff();
    m.collision_solver = {impulses, {}};
    if (m.collision_solver.name == "simultaneous-impulse")
      m.collision_solver.settings = {{"lcp", std::string("lemke")}};
    else
      m.collision_solver.settings = {{"iterations", std::int64_t{2000}}};
    Simulation sim(rod.world, m);
    const double h = 1e-4;
    for (int i = 0; i < 2; ++i) sim.step(h);
    const std::vector<std::string> reports = sim.take_reports();
    ASSERT_EQ(reports.size(), 1u) << impulses;
    EXPECT_NE(reports[0].find("impulses"), std::string::npos);
    // An impact without collision: the tip stops within one or two steps (tolerance of the reference), but for g h.
    EXPECT_LT(length(tip_velocity(sim.world(), rod.id)), 0.01) << impulses;
    EXPECT_LT(sim.energy().kinetic + sim.energy().potential, energy) << impulses;
    run(sim, 0.2, 1e-3);
    EXPECT_TRUE(is_finite(sim.world().position(rod.id)));
    EXPECT_LT(sim.energy().kinetic + sim.energy().potential, energy * (1 + 1e-6)) << impulses;
  }
}

TEST(ForceLcp, PainlevesRodStopsAlsoWhereConstraintsAreSolvedAtEveryEvaluation) {
  for (const char* evaluation : {"moderate", "eager"}) {
    Rod rod = painleve_rod();
    Method m = baraff();
    m.integrator.name = "rk4";  // four evaluations: the impulses of the first must not be forgotten by the others
    m.stepping.settings["evaluation"] = std::string(evaluation);
    m.collision_solver = {"sequential-impulse", {{"iterations", std::int64_t{2000}}}};
    Simulation sim(rod.world, m);
    // Every evaluation stops the tip from where it is then; the mean of the four leaves a third to the next step.
    for (int i = 0; i < 12; ++i) sim.step(1e-4);
    EXPECT_EQ(sim.take_reports().size(), 1u) << evaluation;
    EXPECT_LT(length(tip_velocity(sim.world(), rod.id)), 0.01) << evaluation;  // as above
  }
}

TEST(ForceLcp, VelocityLevelSolversJustSolvePainlevesRod) {
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::solver || !has_capability(info, "level:velocity") || !has_capability(info, "contact") ||
        !has_capability(info, "collision"))
      continue;
    Rod rod = painleve_rod();
    Method m;
    m.integrator.name = "semi-implicit-euler";
    Settings settings;
    for (const Parameter& p : info.parameters)
      if (p.name == "iterations" || p.name == "lcp.iterations") settings[p.name] = std::int64_t{2000};
    m.collision_solver = m.contact_solver = m.joint_solver = {info.name, settings};
    Simulation sim(rod.world, m);
    for (int i = 0; i < 2; ++i) sim.step(1e-4);
    EXPECT_TRUE(sim.take_reports().empty()) << info.name;
    EXPECT_LT(length(tip_velocity(sim.world(), rod.id)), 0.01) << info.name;
  }
}

TEST(ForceLcp, JointLimitsStopAndHold) {
  World world;
  world.remove_body(world.ground());
  world.set_gravity({0, -kG, 0});
  const BodyId id = world.add_body(thin_rod("rod", {0.5, 0, 0}));
  AxesJoint hinge = joint_free_about({});
  hinge.axes[5].motion = AxisMotion::limited, hinge.axes[5].lower = -0.3, hinge.axes[5].upper = 0.3;
  connect(world, world.world_body(), id, {}, hinge);
  Simulation sim(world, baraff());
  run(sim, 3, 0.005);
  const Vec3 along = rotate(sim.world().orientation(id), {1, 0, 0});
  // Met within a step of the fall: up to ω̇ h²/2 beyond, and pulled back by β.
  EXPECT_NEAR(std::atan2(along.y, along.x), -0.3, 0.5 * 1.5 * kG * 0.005 * 0.005 + 1e-6);
  EXPECT_LT(length(sim.world().angular_velocity(id)), 1e-3);
}

TEST(ForceLcp, MotorReachesItsSpeedWithItsBound) {
  World world = empty_world();
  const BodyId id = world.add_body(thin_rod("rod", {0, 0, 0}));
  AxesJoint hinge = joint_free_about({5});
  hinge.axes[5].motor.kind = AxisMotor::Kind::velocity;
  hinge.axes[5].motor.target = 3, hinge.axes[5].motor.max_force = 0.5;
  connect(world, world.world_body(), id, {}, hinge);
  Simulation sim(world, baraff());
  run(sim, 0.25, 0.01);
  EXPECT_NEAR(sim.world().angular_velocity(id).z, 0.25 * 0.5 * 12, 1e-6);  // ω̇ = 0.5 N m / (1/12 kg m²)
  run(sim, 0.5, 0.01);
  EXPECT_NEAR(sim.world().angular_velocity(id).z, 3, 1e-3);
}

TEST(ForceLcp, PendulumBobHitsTheFloorWithItsJointKept) {
  World world;
  world.set_gravity({0, -kG, 0});
  BodyDef bob;
  bob.shape = sphere(0.1);
  bob.mass = 1;
  bob.position = {1, 0.5, 0};
  const BodyId id = world.add_body(bob);
  connect(world, world.world_body(), id, {{0, 0.5, 0}, {}}, joint_free_about({3, 4, 5}));
  Simulation sim(world, baraff());
  for (int i = 0; i < 400; ++i) {
    sim.step(0.005);
    ASSERT_NEAR(distance(sim.world().to_world(id, {-1, 0, 0}), {0, 0.5, 0}), 0, 1e-3) << "step " << i;
  }
  EXPECT_NEAR(sim.world().position(id).y, 0.1, 1e-3);
}

}  // namespace
}  // namespace rigor::test
