// Every preset on every feature that it claims (rigor/queries.h), each against a motion that is known by formula.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "constraints/joint_survey.h"
#include "rigor/rigor.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kG = 9.81;
constexpr double kStep = 1.0 / 200;  // s

/// What a preset makes of a motion, and what it should be.
struct Outcome {
  double measured, expected;
  double tolerance;  // of `measured`
};

void run(Simulation& sim, double seconds) {
  const int steps = static_cast<int>(std::lround(seconds / kStep));
  for (int i = 0; i < steps; ++i) sim.step(kStep);
}

BodyId add_ball(World& world, const Material& material) {
  world.set_gravity({0, -kG, 0});
  Material ground = material;
  ground.name = "ground";
  world.set_material(world.ground(), ground);
  BodyDef def;
  def.shape = sphere(0.5), def.mass = 1, def.position = {0, 0.5, 0}, def.material = material;
  return world.add_body(def);
}

/// A ball of radius r with the lever arm ρ against rolling: (1 + 2/5) m a = −m g ρ / r.
Outcome rolls(const Method& method) {
  constexpr double kArm = 0.02;
  World world;
  Material m;
  m.rolling_friction = kArm;
  const BodyId id = add_ball(world, m);
  world.set_velocity(id, {2, 0, 0}, {0, 0, -4});
  Simulation sim(world, method);
  run(sim, 2);
  const double lost = 2 * kG * kArm / 0.5 / 1.4;
  return {2 - sim.world().velocity(id).x, lost, 0.05 * lost};
}

/// The same for spinning: 2/5 m r² α = −m g ρ.
Outcome spins(const Method& method) {
  constexpr double kArm = 0.01;
  World world;
  Material m;
  m.spinning_friction = kArm;
  const BodyId id = add_ball(world, m);
  world.set_velocity(id, {}, {0, 10, 0});
  Simulation sim(world, method);
  run(sim, 2);
  const double lost = 2 * kG * kArm / (0.4 * 0.25);
  return {10 - sim.world().angular_velocity(id).y, lost, 0.05 * lost};
}

/// Five times the friction across the grain: how much less a box has lost that slid along it.
Outcome slides_along_a_grain(const Method& method) {
  double lost[2];
  for (const int across : {0, 1}) {
    World world;
    world.set_gravity({0, -kG, 0});
    Material ice, skate;
    ice.name = "ice", ice.friction = 0;
    world.set_material(world.ground(), ice);
    skate.friction = 0.1, skate.grain = {1, 0, 0}, skate.friction_across = 5;
    BodyDef def;
    def.shape = box({1, 0.2, 1}), def.mass = 1, def.position = {0, 0.1, 0}, def.material = skate;
    const BodyId id = world.add_body(def);
    Simulation sim(world, method);
    run(sim, 0.2);  // at rest on whatever holds it
    sim.world().set_velocity(id, across ? Vec3{0, 0, 3} : Vec3{3, 0, 0}, {});
    run(sim, 0.4);
    lost[across] = 3 - length(sim.world().velocity(id));
  }
  return {lost[1] - lost[0], 0.4 * 0.4 * kG, 0.05 * 0.4 * 0.4 * kG};
}

/// A wheel of 1 kg m² on a hinge.
struct Wheel {
  World world;
  BodyId id;

  explicit Wheel(const Settings& parameters) {
    world.set_gravity({});
    BodyDef def;
    def.shape = box({1, 1, 1}), def.mass = 6, def.position = {0, 5, 0}, def.can_collide = false;  // m a² / 6
    id = world.add_body(def);
    world.add_joint(hinge_joint(world, world.world_body(), id, {0, 5, 0}, {0, 0, 1}, parameters));
  }
  double angle(const World& at) const { return rotation_vector(at.orientation(id)).z; }
};

/// A limit stops a wheel that turns: it stays within.
Outcome stops_at_a_limit(const Method& method) {
  Wheel wheel({{"lower", -1.0}, {"upper", 1.0}});
  wheel.world.set_velocity(wheel.id, {}, {0, 0, 2});
  Simulation sim(wheel.world, method);
  double most = 0;
  for (int i = 0; i < 200; ++i) {
    sim.step(kStep);
    most = std::max(most, wheel.angle(sim.world()));
  }
  return {most, 1, 0.02};
}

/// A motor of 3 N m reaches 2 rad/s after 2/3 s, and not before.
Outcome is_driven(const Method& method) {
  Wheel wheel({{"motor", "velocity"}, {"motor_target", 2.0}, {"motor_force", 3.0}});
  Simulation sim(wheel.world, method);
  run(sim, 0.5);
  const double under_way = sim.world().angular_velocity(wheel.id).z;
  run(sim, 1);
  return {under_way + sim.world().angular_velocity(wheel.id).z, 1.5 + 2, 0.05};
}

/// Dry friction of 3 N m takes 1.5 rad/s in half a second, and holds afterwards.
Outcome is_braked(const Method& method) {
  Wheel wheel({{"friction", 3.0}});
  wheel.world.set_velocity(wheel.id, {}, {0, 0, 2});
  Simulation sim(wheel.world, method);
  run(sim, 0.5);
  const double under_way = sim.world().angular_velocity(wheel.id).z;
  run(sim, 1);
  return {under_way + std::abs(sim.world().angular_velocity(wheel.id).z), 0.5, 0.05};
}

/// A spring of 10 N m/rad, a period of 1.99 s: the angle after one of them. Implicit Euler takes e^(−ω² h t / 2) of it.
Outcome swings_on_a_spring(const Method& method) {
  Wheel wheel({{"spring_stiffness", 10.0}});
  wheel.world.set_velocity(wheel.id, {}, {0, 0, 2});
  Simulation sim(wheel.world, method);
  const double omega = std::sqrt(10.0);
  double most = 0;
  for (int i = 0; i < 420; ++i) {
    sim.step(kStep);
    if (i > 200) most = std::max(most, std::abs(wheel.angle(sim.world())));
  }
  return {most, 2 / omega, 0.06 * 2 / omega};
}

/// A parallelogram swings like a point mass on a thread of the length of its cranks, in which the coupler does not turn.
Outcome loop_stays_closed(const Method& method) {
  World world;
  world.set_gravity({0, -kG, 0});
  const auto rod = [&](const Vec3& size, const Vec3& at) {
    BodyDef def;
    def.shape = box(size), def.mass = 1, def.position = at, def.can_collide = false;
    return world.add_body(def);
  };
  const BodyId left = rod({1, 0.1, 0.1}, {0.5, 5, 0}), right = rod({1, 0.1, 0.1}, {2.5, 5, 0}),
               coupler = rod({2, 0.1, 0.1}, {2, 5, 0});
  const Vec3 z{0, 0, 1};
  world.add_joint(hinge_joint(world, world.world_body(), left, {0, 5, 0}, z));
  world.add_joint(hinge_joint(world, world.world_body(), right, {2, 5, 0}, z));
  world.add_joint(hinge_joint(world, left, coupler, {1, 5, 0}, z));
  world.add_joint(hinge_joint(world, right, coupler, {3, 5, 0}, z));
  Simulation sim(world, method);
  double worst = 0;
  for (int i = 0; i < 200; ++i) {
    sim.step(kStep);
    worst = std::max(worst, joint_errors(sim.world()).linear);
  }
  return {worst, 0, 0.02};
}

/// Two wheels at a ratio of 2: the second one, which nothing else drives, turns half as fast the other way.
Outcome meshes(const Method& method) {
  Wheel wheel({{"motor", "velocity"}, {"motor_target", 2.0}, {"motor_force", 100.0}});
  World& world = wheel.world;
  BodyDef def;
  def.shape = box({1, 1, 1}), def.mass = 6, def.position = {3, 5, 0}, def.can_collide = false;
  const BodyId second = world.add_body(def);
  const JointId axle = world.add_joint(hinge_joint(world, world.world_body(), second, {3, 5, 0}, {0, 0, 1}));
  world.add_joint(gear_joint(world, world.joints().front(), axle, 2));
  Simulation sim(world, method);
  run(sim, 1);
  return {sim.world().angular_velocity(second).z, -1, 0.02};
}

/// The gap after four steps of a joint that is open by 1 cm and has this error reduction of its own.
double gap_after_four_steps(const Method& method, std::optional<double> erp) {
  World world;
  world.set_gravity({});
  BodyId ids[2];
  for (BodyId& id : ids) {
    BodyDef def;
    def.shape = sphere(0.5), def.mass = 1, def.position = {0, 5, 0}, def.can_collide = false;
    id = world.add_body(def);
  }
  JointDef joint = ball_joint(world, ids[0], ids[1], {0, 5, 0});
  joint.erp = erp;
  world.add_joint(joint);
  world.set_pose(ids[1], {0.01, 5, 0}, {});
  Simulation sim(world, method);
  for (int i = 0; i < 4; ++i) sim.step(1.0 / 300);
  return length(sim.world().position(ids[1]) - sim.world().position(ids[0]));
}

/// A joint with erp 1/4 loses that part of its error in each step, as all joints do if the method has that number: there are methods that
/// take several steps in place of one, or whose positions follow the velocities later.
Outcome removes_its_part(const Method& method) {
  Method all = method;
  const bool has_erp = method.correction.name == "baumgarte";
  if (has_erp) all.correction.settings["erp"] = 0.25;
  const double expected = has_erp ? gap_after_four_steps(all, std::nullopt) : 0.01 * std::pow(0.75, 4);
  return {gap_after_four_steps(method, 0.25), expected, has_erp ? 1e-9 : 2e-4};
}

/// How far the upper one of two boxes of 1 m has sunk after a second.
double sinks(const Method& method, double lower_mass, double upper_mass) {
  World world;
  world.set_gravity({0, -kG, 0});
  BodyDef def;
  def.shape = box({1, 1, 1});
  def.mass = lower_mass;
  def.position = {0, 0.5, 0};
  world.add_body(def);
  def.mass = upper_mass;
  def.position = {0, 1.5, 0};
  const BodyId upper = world.add_body(def);
  Simulation sim(world, method);
  run(sim, 1);
  return 1.5 - sim.world().position(upper).y;
}

Outcome carries_a_heavy_box(const Method& method) { return {sinks(method, 1, 2e5), 0, 0.01}; }

Outcome carries_an_extreme_box(const Method& method) {
  return {std::max(sinks(method, 1e25, 1e25), sinks(method, 1e-26, 1e-26)), 0, 0.01};
}

struct Case {
  const char* feature;
  Outcome (*run)(const Method& method);
};
constexpr Case kCases[] = {{"rolling-friction", rolls},
                           {"spinning-friction", spins},
                           {"grain", slides_along_a_grain},
                           {"limits", stops_at_a_limit},
                           {"motors", is_driven},
                           {"joint-friction", is_braked},
                           {"springs", swings_on_a_spring},
                           {"loops", loop_stays_closed},
                           {"gears", meshes},
                           {"error-reduction", removes_its_part},
                           {"mass-ratios", carries_a_heavy_box},
                           {"extreme-bodies", carries_an_extreme_box}};

class FeatureConformance : public testing::TestWithParam<Case> {};

TEST_P(FeatureConformance, EveryPresetThatClaimsIt) {
  const Case& c = GetParam();
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::preset) continue;
    const Method method = preset(info.name);
    if (!honours(method, c.feature)) continue;
    const Outcome outcome = c.run(method);
    // Springs in place of constraints give way by what stops the wheel: 26 mrad at the limit.
    const double give = method.joint_solver.name == "penalty" ? 2 : 1;
    EXPECT_NEAR(outcome.measured, outcome.expected, give * outcome.tolerance) << info.name;
  }
}

INSTANTIATE_TEST_SUITE_P(, FeatureConformance, testing::ValuesIn(kCases), [](const auto& test) {
  std::string name = test.param.feature;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace rigor::test
