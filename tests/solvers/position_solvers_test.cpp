// Corrections that move bodies and leave velocities alone.
#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

constexpr double kTolerance = 1e-6;  // m, the solvers' own by default

struct PositionCase {
  std::string name;
  Choice correction;
};
std::ostream& operator<<(std::ostream& out, const PositionCase& c) { return out << c.name; }

class EveryPositionSolver : public testing::TestWithParam<PositionCase> {
 protected:
  Method method(const Settings& more = {}) const {
    Method m;
    m.integrator.name = "semi-implicit-euler";
    m.collision_solver = m.contact_solver = m.joint_solver = {"sequential-impulse", {}};
    m.correction = GetParam().correction;
    for (const auto& [key, value] : more) m.correction.settings[key] = value;
    return m;
  }
  /// m, what may be left of the boxes' 0.3 m: solving point after point turns them on the way by a hundredth of a radian, whose
  /// square times the depth the rows, with their fixed normal, do not see.
  double leftover() const { return GetParam().name == "sequential" ? 0.3 * 1e-4 : 2 * kTolerance; }
};
INSTANTIATE_TEST_SUITE_P(Solvers, EveryPositionSolver,
                         testing::Values(PositionCase{"sequential",
                                                      {"sequential-position", {{"iterations", std::int64_t{200}}}}},
                                         PositionCase{"pgs", {"simultaneous-position", {}}},
                                         PositionCase{"dantzig", {"simultaneous-position", {{"lcp", "dantzig"}}}}),
                         [](const auto& p) { return p.param.name; });

BodyDef unit_box(const std::string& name, const Vec3& position, double mass) {
  BodyDef def;
  def.name = name, def.shape = box({1, 1, 1}), def.position = position, def.mass = mass;
  return def;
}

World two_boxes_in_each_other(const Vec3& aside = {}) {
  World world = empty_world();
  world.add_body(unit_box("a", {0, 0, 0}, 1));
  world.add_body(unit_box("b", Vec3{0, 0.7, 0} + aside, 3));
  return world;
}

Vec3 center_of_mass(const World& w) {
  Vec3 sum;
  double mass = 0;
  for (std::uint32_t i = 0; i < w.state().awake(); ++i) {
    sum += w.state().position[i] / w.state().inverse_mass[i];
    mass += 1 / w.state().inverse_mass[i];
  }
  return sum / mass;
}

double deepest(Simulation& sim) {
  sim.find_contacts();
  double depth = 0;
  for (const Contact& c : sim.contacts())
    for (int k = 0; k < c.count; ++k) depth = std::max(depth, -c.points[static_cast<std::size_t>(k)].separation);
  return depth;
}

TEST_P(EveryPositionSolver, DeepBoxesAreApartAfterOneStep) {
  Simulation sim(two_boxes_in_each_other(), method());
  ASSERT_GT(deepest(sim), 0.29);
  const Vec3 center = center_of_mass(sim.world());
  sim.step(1.0 / 60);
  EXPECT_LT(deepest(sim), leftover());
  EXPECT_EQ(sim.world().kinetic_energy(), 0);
  EXPECT_LT(distance(center_of_mass(sim.world()), center), 1e-14);
  for (const Quat& q : sim.world().state().orientation) EXPECT_NEAR(dot(q, q), 1, 1e-14);
}

TEST_P(EveryPositionSolver, BoxesThatTurnOnTheirWayOutLeaveAnErrorOfSecondOrder) {
  Simulation sim(two_boxes_in_each_other({0.1, 0, 0.05}), method());
  const double before = deepest(sim);
  const Vec3 center = center_of_mass(sim.world());
  sim.step(1.0 / 60);
  EXPECT_LT(deepest(sim), before * before * 0.1);  // depth times the turn, about a tenth of the depth
  for (int i = 0; i < 3; ++i) sim.step(1.0 / 60);
  EXPECT_LT(deepest(sim), kTolerance * 2);
  EXPECT_EQ(sim.world().kinetic_energy(), 0);
  EXPECT_LT(distance(center_of_mass(sim.world()), center), 1e-14);
}

TEST(Baumgarte, ThrowsDeepBoxesApart) {
  Method m;
  m.integrator.name = "semi-implicit-euler";
  m.collision_solver = m.contact_solver = m.joint_solver = {"sequential-impulse", {}};
  m.correction = {"baumgarte", {{"erp", 1.0}, {"max_speed", 1e6}, {"slop", 1e-3}, {"split", false}}};
  Simulation sim(two_boxes_in_each_other(), m);
  sim.step(1.0 / 60);
  EXPECT_LT(deepest(sim), 2e-3);  // its slop is a millimetre
  const World& w = sim.world();
  const double speed = length(w.velocity(w.find_body("a")) - w.velocity(w.find_body("b")));
  EXPECT_GT(speed, 0.29 * 60);  // the way out in one step, and it keeps it
}

TEST_P(EveryPositionSolver, LeavesVelocitiesAndMomentumAlone) {
  World world = two_boxes_in_each_other();
  world.set_velocity(world.find_body("a"), {0, -1, 0.5}, {0, 0.3, 0});  // they separate: no impulse acts
  world.set_velocity(world.find_body("b"), {0, 2, 0}, {0, -0.2, 0});
  const Vec3 p = world.momentum();
  const double energy = world.kinetic_energy();
  Simulation sim(world, method());
  sim.step(1.0 / 60);
  EXPECT_LT(deepest(sim), leftover());
  EXPECT_EQ(sim.world().velocity(sim.world().find_body("a")), (Vec3{0, -1, 0.5}));
  EXPECT_LT(distance(sim.world().momentum(), p), 1e-14 * length(p));
  EXPECT_NEAR(sim.world().kinetic_energy(), energy, 1e-12 * energy);
}

TEST_P(EveryPositionSolver, JointsPulledApartComeTogether) {
  World world = empty_world();
  const BodyId a = world.add_body(unit_box("a", {-1, 0, 0}, 1)), b = world.add_body(unit_box("b", {1.3, 0.4, 0.2}, 2));
  JointDef joint;  // a hinge about z whose sides stand apart and tilted
  joint.a = a, joint.b = b;
  joint.frame_a.translation = {1, 0, 0}, joint.frame_b.translation = {-1, 0, 0};
  joint.frame_b.rotation = quaternion_from_rotation_vector({0.2, -0.3, 0.1});
  AxesJoint kind;
  kind.axes[5].motion = AxisMotion::free;
  joint.kind = kind;
  world.add_joint(joint);
  const Vec3 center = center_of_mass(world);
  Simulation sim(world, method());
  sim.step(1.0 / 60);
  const World& w = sim.world();
  EXPECT_LT(distance(w.to_world(a, {1, 0, 0}), w.to_world(b, {-1, 0, 0})), 2 * kTolerance);
  const Vec3 z_a = rotate(w.orientation(a), {0, 0, 1});
  const Vec3 z_b = rotate(w.orientation(b), rotate(quaternion_from_rotation_vector({0.2, -0.3, 0.1}), {0, 0, 1}));
  EXPECT_LT(distance(z_a, z_b), 4 * kTolerance);
  EXPECT_LT(distance(center_of_mass(w), center), 1e-14);
  EXPECT_EQ(w.kinetic_energy(), 0);
}

TEST_P(EveryPositionSolver, LimitsAreRepairedFromTheForbiddenSideOnly) {
  for (const double angle : {0.9, 0.2}) {
    World world = empty_world();
    BodyDef def = unit_box("a", {0, 0, 0}, 1);
    def.orientation = quaternion_from_rotation_vector({angle, 0, 0});
    const BodyId id = world.add_body(def);
    JointDef joint;
    joint.a = world.world_body(), joint.b = id;
    AxesJoint kind;
    kind.axes[3] = {AxisMotion::limited, -0.5, 0.5, {}, {}, 0};
    joint.kind = kind;
    const JointId hinge = world.add_joint(joint);
    Simulation sim(world, method());
    sim.step(1.0 / 60);
    EXPECT_NEAR(sim.world().joint_position(hinge, 3), std::min(angle, 0.5), 2 * kTolerance);
  }
}

TEST_P(EveryPositionSolver, AtMostTheGivenCorrection) {
  Simulation sim(two_boxes_in_each_other(), method({{"max_correction", 0.05}}));
  const double before = deepest(sim);
  sim.step(1.0 / 60);
  EXPECT_NEAR(deepest(sim), before - 0.05, 1e-3);  // the deepest point is another one by a little when boxes turn
  for (int i = 0; i < 10; ++i) sim.step(1.0 / 60);
  EXPECT_LT(deepest(sim), kTolerance * 2);
}

TEST_P(EveryPositionSolver, SlopStays) {
  Simulation sim(two_boxes_in_each_other(), method({{"slop", 0.01}}));
  sim.step(1.0 / 60);
  EXPECT_NEAR(deepest(sim), 0.01, leftover());
}

TEST_P(EveryPositionSolver, BoxJammedBetweenWallsStaysFinite) {
  World world = empty_world();
  for (const double x : {-0.9, 0.9}) {
    BodyDef wall = unit_box(x < 0 ? "left" : "right", {x, 0, 0}, 1);
    wall.fixed = true;
    world.add_body(wall);
  }
  const BodyId id = world.add_body(unit_box("box", {0.02, 0, 0}, 1));
  Simulation sim(world, method());
  for (int i = 0; i < 30; ++i) sim.step(1.0 / 60);
  EXPECT_LT(length(sim.world().position(id)), 1);  // there is no right place; it is not thrown far from the walls
  EXPECT_TRUE(sim.take_reports().empty());
}

TEST_P(EveryPositionSolver, StackOfOverlappingBoxesRises) {
  World world;
  world.set_gravity({});
  std::vector<BodyId> ids;
  for (int i = 0; i < 4; ++i)
    ids.push_back(world.add_body(unit_box("b" + std::to_string(i), {0, 0.4 + 0.9 * i, 0}, 1)));
  Simulation sim(world, method({{"iterations", std::int64_t{500}}}));
  sim.step(1.0 / 60);
  EXPECT_LT(deepest(sim), 2 * kTolerance);
  EXPECT_NEAR(sim.world().position(ids[3]).y, 3.5, 1e-2);
  EXPECT_EQ(sim.world().kinetic_energy(), 0);
}

TEST_P(EveryPositionSolver, SoftJointsAreNotTouched) {
  World world = empty_world();
  const BodyId id = world.add_body(unit_box("a", {0.5, 0, 0}, 1));
  JointDef joint;
  joint.a = world.world_body(), joint.b = id;
  AxesJoint kind;
  kind.stiffness = 1e-9;
  joint.kind = kind;
  world.add_joint(joint);
  Simulation sim(world, method());
  sim.step(1.0 / 60);
  EXPECT_NEAR(sim.world().position(id).x, 0.5, 1e-9);
}

}  // namespace
}  // namespace rigor::test
