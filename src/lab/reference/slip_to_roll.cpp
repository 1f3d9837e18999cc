// A ball thrown along a floor with 5 m/s and a spin: it slides with v = v₀ - μ g t until it rolls with (5 v₀ + 2 r ω₀)/7.
#include "lab/reference/all_cases.h"
#include "lab/reference/parts.h"

namespace rigor::reference {

namespace {

constexpr double kSpeed = 5, kMu = 0.2, kRadius = 0.1;

struct Throw {
  const char* name;
  double spin;  // rad/s, positive: forwards
};
constexpr Throw kThrows[] = {{"no spin", 0}, {"back spin", -50}, {"returns", -150}, {"top spin", 100}};

struct Outcome {
  double speed = 0;  // relative error when it rolls
  double steps = 0;  // error of the time when it begins to roll, in steps
};

Outcome run_throw(const Throw& t, const Method& method, double dt) {
  World world;
  world.set_material(world.ground(), surface(kMu));
  BodyDef def;
  def.shape = sphere(kRadius);
  def.material = surface(kMu);
  def.position = {0, kRadius, 0};
  def.velocity = {kSpeed, 0, 0};
  def.angular_velocity = {0, 0, -t.spin};
  const BodyId ball = world.add_body(def);
  const double v_roll = (5 * kSpeed + 2 * kRadius * t.spin) / 7;
  const double t_roll = std::abs(kSpeed - kRadius * t.spin) / (3.5 * kMu * kG);
  Run run(world, method, dt);
  double rolls_at = 0;
  while (run.time() < t_roll + 0.25) {
    run.step();
    const double slip = run.world().velocity(ball).x + kRadius * run.world().angular_velocity(ball).z;
    // Slip falls by 3.5 μ g h in a step as long as there is any.
    if (std::abs(slip) > 0.01 * 3.5 * kMu * kG * dt) rolls_at = run.time() + dt;
  }
  return {relative(run.world().velocity(ball).x, v_roll), std::abs(rolls_at - t_roll) / dt};
}

Quantities measure_throws(const Method& method, double dt) {
  Quantities q;
  for (const Throw& t : kThrows) {
    const Outcome out = run_throw(t, method, dt);
    q.push_back({std::string("rolling speed, ") + t.name, "1", out.speed, 1e-3});
    q.push_back({std::string("begin of rolling, ") + t.name, "steps", out.steps, 1});
  }
  return q;
}

}  // namespace

Case slip_to_roll() {
  return {"slip-to-roll",
          "a ball that slides, then rolls",
          "rolling speed 0.1 %, its begin within one step",
          1.0 / 240,
          {.contact = true},
          measure_throws};
}

}  // namespace rigor::reference
