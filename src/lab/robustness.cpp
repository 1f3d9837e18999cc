#include "lab/robustness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/metrics.h"
#include "rigor/error.h"
#include "rigor/joint_types.h"
#include "rigor/simulation.h"

namespace rigor {

namespace {

BodyDef box_body(const std::string& name, double size, const Vec3& position) {
  BodyDef def;
  def.name = name, def.shape = box({size, size, size}), def.position = position;
  return def;
}

World overlapping_spawns() {
  World world;
  for (int i = 0; i < 20; ++i)
    world.add_body(box_body("box" + std::to_string(i), 1, {0.1 * (i % 3), 0.6 + 0.05 * i, 0.1 * (i % 4)}));
  return world;
}

World mass_ratio() {
  World world;
  BodyDef light = box_body("light", 1, {0, 0.5, 0}), heavy = box_body("heavy", 1, {0, 1.5, 0});
  light.mass = 1, heavy.mass = 1000;
  world.add_body(light), world.add_body(heavy);
  return world;
}

World sizes() {
  World world;
  world.add_body(box_body("small", 0.001, {0, 0.0005, 0}));
  world.add_body(box_body("big", 100, {50.001, 50, 0}));
  world.add_body(box_body("on top", 0.001, {50, 100.0005, 0}));
  return world;
}

World far_anchors() {
  World world;
  const BodyId a = world.add_body(box_body("left", 1, {-50, 0.5, 0}));
  const BodyId b = world.add_body(box_body("right", 1, {50, 0.5, 0}));
  AxesJoint ball;
  for (std::size_t i = 3; i < 6; ++i) ball.axes[i].motion = AxisMotion::free;
  JointDef joint;
  joint.a = a, joint.b = b, joint.kind = ball;
  joint.frame_a.translation = {0.5, 0, 0}, joint.frame_b.translation = {-0.5, 0, 0};
  world.add_joint(joint);
  return world;
}

constexpr int kLinks = 10;
constexpr double kLink = 0.3;  // m

/// Let go at 45° to the vertical.
World swinging_chain() {
  World world;
  world.remove_body(world.ground());
  world.remove_force(world.drag());
  const Vec3 down = normalized(Vec3{1, -1, 0});
  BodyId last = world.world_body();
  for (int i = 0; i <= kLinks; ++i) {
    const bool is_load = i == kLinks;
    BodyDef def;
    def.name = is_load ? "load" : "link" + std::to_string(i);
    def.shape = is_load ? box({kLink, kLink, kLink}) : box({kLink, 0.05, 0.05});
    def.mass = is_load ? 1000 : 1, def.can_collide = false;
    def.position = (kLink * (i + 0.5)) * down;
    def.orientation = quaternion_between({1, 0, 0}, down);
    const BodyId id = world.add_body(def);
    world.add_joint(ball_joint(world, last, id, (kLink * i) * down));
    last = id;
  }
  return world;
}

double chain_stretch(const World& world) {
  const BodyId load = world.find_body("load");
  const Vec3 top = world.position(load) + rotate(world.orientation(load), Vec3{-0.5 * kLink, 0, 0});
  return std::max(length(top) / (kLink * kLinks) - 1, 0.0);
}

double fastest(const World& world) {
  const BodyState& s = world.state();
  double speed = 0;
  for (std::uint32_t i = 0; i < s.awake(); ++i) speed = std::max(speed, length(s.velocity[i]));
  return speed;
}

}  // namespace

const std::vector<RobustnessScenario>& robustness_scenarios() {
  static const std::vector<RobustnessScenario> all = {
      {"overlapping-spawns", "twenty boxes of a metre made almost at one place", overlapping_spawns, 10},
      {"mass-ratio", "1000 kg on 1 kg", mass_ratio, 10},
      {"sizes", "a box of 1 mm beside and another one on top of a box of 100 m", sizes, 5},
      {"swinging-chain", "ten links of 1 kg carry 1000 kg, let go at 45°", swinging_chain, 10, chain_stretch},
      {"far-anchors", "a ball joint whose anchors are 99 m apart, bodies on rough ground", far_anchors, 60},
  };
  return all;
}

int steps_of(const RobustnessScenario& scenario, double step) {
  if (!(step > 0 && step <= scenario.seconds))
    throw Error("step", fmt::format("{:g} s is longer than the scenario '{}', which lasts {:g} s", step, scenario.name,
                                    scenario.seconds));
  return static_cast<int>(std::lround(scenario.seconds / step));
}

/// Sleep is off: a sleeping body has no contacts and no speed, which would hide errors.
RobustnessResult run_robustness(const RobustnessScenario& scenario, const Method& method, double step) {
  Method awake = method;
  awake.sleep = {"never", {}};
  Simulation sim(scenario.make(), awake);
  RobustnessResult result;
  const int steps = steps_of(scenario, step);
  for (int i = 0; i < steps; ++i) {
    sim.step(step);
    result.end_speed = fastest(sim.world());
    result.top_speed = std::max(result.top_speed, result.end_speed);
    if (scenario.stretch) result.stretch = std::max(result.stretch, scenario.stretch(sim.world()));
    if (i > steps - steps / 10 || i == steps - 1)
      result.penetration = std::max(result.penetration, summarize(sim.contacts()).max_depth);
  }
  for (const std::string& report : sim.take_reports())
    result.quarantined += report.find("not finite") != std::string::npos;
  return result;
}

}  // namespace rigor
