// A mass on a damped spring, x¨ = -(k x + c ẋ)/m, released at 1 m: as a force, as a spring along the axis of a slider, as a soft
// distance joint. x(t) = e^(-ζωt) (cos ω_d t + ζω/ω_d sin ω_d t).
#include "lab/reference/all_cases.h"
#include "lab/reference/parts.h"

namespace rigor::reference {

namespace {

constexpr double kMass = 2, kStiffness = 50, kDamping = 1;  // kg, N/m, N s/m
constexpr double kAnchor = -10;                             // m, where springs that act between points are fixed

double exact(double t) {
  const double omega = std::sqrt(kStiffness / kMass), decay = kDamping / (2 * kMass);
  const double omega_d = std::sqrt(omega * omega - decay * decay);
  return std::exp(-decay * t) * (std::cos(omega_d * t) + decay / omega_d * std::sin(omega_d * t));
}

enum class Model { force, axis, distance };

void add_spring(World& world, BodyId mass, Model model) {
  if (model == Model::force) {
    Spring spring;
    spring.stiffness = kStiffness, spring.damping = kDamping, spring.rest_length = -kAnchor;
    spring.point_a = {kAnchor, 0, 0};
    world.add_force(spring, Affected::pair(world.world_body(), mass));
    return;
  }
  if (model == Model::axis) {
    AxesJoint slider;
    slider.axes[0].motion = AxisMotion::free;
    slider.axes[0].spring = {.stiffness = kStiffness, .damping = kDamping};
    JointDef def;
    def.a = world.world_body(), def.b = mass, def.kind = slider;
    world.add_joint(def);
    return;
  }
  JointDef def;
  def.a = world.world_body(), def.b = mass;
  def.frame_a.translation = {kAnchor, 0, 0};
  def.kind = DistanceJoint{.lower = -kAnchor, .upper = -kAnchor, .stiffness = kStiffness, .damping = kDamping};
  world.add_joint(def);
}

struct Setup {
  World world = space(false);
  BodyId mass;

  explicit Setup(Model model) {
    BodyDef def;
    def.shape = sphere(0.1);
    def.mass = kMass;
    def.position = {1, 0, 0};
    def.can_collide = false;
    mass = world.add_body(def);
    add_spring(world, mass, model);
  }
};

double largest_error(Model model, const Method& method, double dt) {
  const Setup setup(model);
  Run run(setup.world, method, dt);
  double worst = 0;
  for (int i = 1; i <= 20; ++i) {
    run.to(0.25 * i);
    raise(worst, std::abs(run.world().position(setup.mass).x - exact(0.25 * i)));
  }
  return worst;
}

/// The relative gain of energy of mass and spring in forty steps.
double energy_gained(Model model, const Method& method, double dt) {
  const Setup setup(model);
  Run run(setup.world, method, dt);
  const double start = 0.5 * kStiffness;
  double most = 0;
  for (int i = 0; i < 40; ++i) {
    run.step();
    const double x = run.world().position(setup.mass).x, v = run.world().velocity(setup.mass).x;
    raise(most, (0.5 * kMass * v * v + 0.5 * kStiffness * x * x) / start - 1);
  }
  return most;
}

Quantities measure_spring(const Method& method, double dt) {
  Quantities q{{"as a force, 5 s", "m", largest_error(Model::force, method, dt)},
               {"as a slider's spring, 5 s", "m", largest_error(Model::axis, method, dt)},
               {"as a soft distance, 5 s", "m", largest_error(Model::distance, method, dt)}};
  // A spring of 5 rad/s in steps of half a second: only implicit methods are stable there. 1e-9: rounding.
  if (!uses_joint_forces(method)) {
    q.push_back({"energy gained at 0.5 s, slider", "1", energy_gained(Model::axis, method, 500 * dt), 1e-9});
    q.push_back({"energy gained at 0.5 s, distance", "1", energy_gained(Model::distance, method, 500 * dt), 1e-9});
  }
  return q;
}

}  // namespace

Case spring_damper() {
  return {"spring-damper",
          "a mass on a damped spring, as a force and as two joints",
          "converges with the order of the method; an implicit spring never gains energy, whatever the step",
          1e-3,
          {.joint = true},
          measure_spring};
}

}  // namespace rigor::reference
