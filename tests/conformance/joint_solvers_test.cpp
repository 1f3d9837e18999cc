// Joints under every registered solver: they hold, keep momentum, stay finite where they are redundant.
#include <gtest/gtest.h>

#include "conformance/solver_cases.h"
#include "support.h"

namespace rigor::test {
namespace {

class EveryJointSolver : public testing::TestWithParam<SolverCase> {};
INSTANTIATE_TEST_SUITE_P(Solvers, EveryJointSolver, testing::ValuesIn(solver_cases({"joint"})), case_name);

AxesJoint with_free(std::initializer_list<int> axes) {
  AxesJoint joint;
  for (const int i : axes) joint.axes[static_cast<std::size_t>(i)].motion = AxisMotion::free;
  return joint;
}

/// All joints that two frames and six axes can make: every set of free axes.
std::vector<AxesJoint> all_axes_joints() {
  std::vector<AxesJoint> joints;
  for (unsigned mask = 0; mask < 63; ++mask) {
    AxesJoint joint;
    for (unsigned i = 0; i < 6; ++i)
      if (mask & (1u << i)) joint.axes[i].motion = AxisMotion::free;
    joints.push_back(joint);
  }
  return joints;
}

JointId connect(World& world, BodyId a, BodyId b, const Transform& frame, JointKind kind) {
  JointDef def;
  def.a = a, def.b = b;
  def.frame_a = world.frame_in_body(a, frame), def.frame_b = world.frame_in_body(b, frame);
  def.kind = std::move(kind);
  return world.add_joint(def);
}

TEST_P(EveryJointSolver, JointsKeepMomentum) {
  const SolverCase& c = GetParam();
  for (const AxesJoint& kind : all_axes_joints()) {
    World world = empty_world();
    BodyDef a = body_with_inertia("a", 2, {1, 0.7, 0.5});
    a.position = {-1, 0, 0}, a.velocity = {0.3, -0.2, 0.5}, a.angular_velocity = {0.5, 0.3, -0.4};
    a.can_collide = false;
    BodyDef b = a;
    b.name = "b", b.mass = 3, b.position = {1, 0.2, 0}, b.velocity = {-0.1, 0.4, 0},
    b.angular_velocity = {-0.2, 0, 0.7};
    const BodyId ia = world.add_body(a), ib = world.add_body(b);
    connect(world, ia, ib, {{0.1, 0, 0.2}, quaternion_from_rotation_vector({0.2, 0.5, -0.3})}, kind);
    Simulation sim(world, c.method);
    const Vec3 p = world.momentum(), L = world.angular_momentum();
    run(sim, 0.1, c.dt);
    EXPECT_LT(distance(sim.world().momentum(), p), 1e-12 * length(p));
    // Symplectic Euler keeps x × m v under forces along one line to rounding; corrections move bodies without momentum.
    EXPECT_LT(distance(sim.world().angular_momentum(), L), (c.is_position_level() ? 1e-2 : 1e-10) * length(L));
  }
}

TEST_P(EveryJointSolver, JointsHold) {
  const SolverCase& c = GetParam();
  World world;
  world.remove_body(world.ground());
  BodyId last = world.world_body();
  std::vector<BodyId> links;
  for (int i = 0; i < 4; ++i) {
    BodyDef def;
    def.shape = box({0.5, 0.1, 0.1});
    def.position = {0.25 + 0.5 * i, 0, 0};
    const BodyId id = world.add_body(def);
    connect(world, last, id, {{0.5 * i, 0, 0}, {}}, with_free({3, 4, 5}));
    links.push_back(last = id);
  }
  Simulation sim(world, c.method);
  double worst = 0;
  for (int k = 0; k < static_cast<int>(2 / c.dt); ++k) {
    sim.step(c.dt);
    BodyId previous = world.world_body();
    for (int i = 0; i < 4; ++i) {
      const BodyId id = links[static_cast<std::size_t>(i)];
      const Vec3 end = i == 0 ? Vec3{} : sim.world().to_world(previous, {0.25, 0, 0});
      worst = std::max(worst, distance(end, sim.world().to_world(id, {-0.25, 0, 0})));
      previous = id;
    }
  }
  // 5 cm of 2 m: what the softest by default (penalty springs) shows; the exact ones stay below a millimetre.
  EXPECT_LT(worst, 0.05);
}

TEST_P(EveryJointSolver, RedundantJointsStayFinite) {
  const SolverCase& c = GetParam();
  World world;
  world.remove_body(world.ground());
  BodyDef door;
  door.name = "door", door.shape = box({1, 2, 0.05}), door.position = {0.5, 0, 0};
  door.angular_velocity = {0, 1, 0}, door.velocity = {0, 0, -0.5};
  const BodyId id = world.add_body(door);
  const Quat upright = quaternion_between({1, 0, 0}, {0, 1, 0});  // the free axis x along y
  for (const double y : {-0.8, 0.0, 0.8}) connect(world, world.world_body(), id, {{0, y, 0}, upright}, with_free({3}));
  BodyDef table = door;
  table.name = "table", table.shape = box({1, 0.1, 1}), table.position = {5, 0, 0},
  table.angular_velocity = table.velocity = {};
  const BodyId top = world.add_body(table);
  for (const double x : {4.5, 5.5})
    for (const double z : {-0.5, 0.5}) connect(world, world.world_body(), top, {{x, 0, z}, {}}, with_free({}));
  Simulation sim(world, c.method);
  run(sim, 1, c.dt);
  const World& w = sim.world();
  EXPECT_TRUE(sim.take_reports().empty());
  EXPECT_NEAR(w.center_of_mass(id).y, 0, 0.02);
  EXPECT_NEAR(w.angular_velocity(id).y, 1, 0.05);  // nothing brakes the door
  EXPECT_NEAR(w.center_of_mass(top).y, 0, 0.02);
}

}  // namespace
}  // namespace rigor::test
