#include "conformance/solver_cases.h"

#include <algorithm>
#include <cmath>

#include "support.h"

namespace rigor::test {

namespace {

std::string level_of(const MethodInfo& info) {
  for (const std::string& c : info.capabilities)
    if (c.starts_with("level:")) return c.substr(6);
  return "";
}

/// Iterative solvers are given enough rounds to be judged by the physics and not by their speed.
Settings patient_settings(const MethodInfo& info) {
  Settings settings;
  for (const Parameter& p : info.parameters)
    if (p.name == "iterations" || p.name == "lcp.iterations") settings[p.name] = std::int64_t{200};
  return settings;
}

SolverCase make_case(const MethodInfo& info) {
  const auto claims = [&](const char* task) { return has_capability(info, task); };
  SolverCase c{info.name, level_of(info), {}, 1.0 / 240, true, true, true};
  Method& m = c.method;
  m.integrator.name = "semi-implicit-euler";
  const Choice reference{"sequential-impulse", {{"iterations", std::int64_t{200}}}};
  const Choice own{info.name, patient_settings(info)};
  m.collision_solver = m.contact_solver = m.joint_solver = reference;
  m.correction.name = c.level == "velocity" && !claims("corrects-errors") ? "baumgarte" : "none";
  if (claims("correction")) {
    m.correction = own;
    return c;
  }
  if (claims("collision")) m.collision_solver = own;
  if (claims("contact")) m.contact_solver = own;
  if (claims("joint")) m.joint_solver = own;
  c.solves_collisions = claims("collision"), c.solves_contacts = claims("contact"), c.solves_joints = claims("joint");
  if (c.level == "force") c.dt = 1.0 / 1000;  // explicit forces: stiff springs want small steps
  return c;
}

/// Corrections that may be displacements of bodies instead of velocities move them without their momentum.
SolverCase split_case(const MethodInfo& info) {
  SolverCase c = make_case(info);
  c.name += "-split", c.level = "position";
  c.method.correction.settings["split"] = true;
  return c;
}

bool has_parameter(const MethodInfo& info, const char* name) {
  return std::any_of(info.parameters.begin(), info.parameters.end(),
                     [&](const Parameter& p) { return p.name == name; });
}

/// A step that solves joints itself, contacts by the reference solver.
SolverCase joint_step_case(const std::string& stepping) {
  SolverCase c = make_case(*find_method(Kind::solver, "sequential-impulse"));
  c.name = stepping;
  c.method.stepping.name = stepping;
  return c;
}

/// A step that solves constraints itself is judged like a solver.
Method self_solving_method(const std::string& stepping) {
  Method m;
  m.stepping.name = stepping;
  std::int64_t sub_steps = 1;  // 200 rounds in the whole step, and 20 in each part of it
  for (const Parameter& p : find_method(Kind::stepping, stepping)->parameters) {
    if (p.name == "count") sub_steps = std::get<std::int64_t>(p.default_value);
    if (p.name == "iterations") m.stepping.settings[p.name] = std::max<std::int64_t>(200 / sub_steps, 20);
  }
  m.integrator.name = "semi-implicit-euler";
  return m;
}

}  // namespace

std::vector<SolverCase> solver_cases(const std::vector<std::string>& tasks) {
  std::vector<SolverCase> cases;
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::solver || level_of(info) == "off") continue;
    const bool fits =
        has_capability(info, "correction") ||
        std::all_of(tasks.begin(), tasks.end(), [&](const std::string& task) { return has_capability(info, task); });
    if (fits) cases.push_back(make_case(info));
    if (fits && has_capability(info, "correction") && has_parameter(info, "split")) cases.push_back(split_case(info));
  }
  for (const MethodInfo& info : methods())
    if (info.kind == Kind::stepping && has_capability(info, "solves-constraints")) {
      const std::string level = level_of(info).empty() ? "velocity" : level_of(info);
      cases.push_back({info.name, level, self_solving_method(info.name), 1.0 / 240, true, true, true});
    }
  // The default, preset as it is, at the step that applications take and at the usual one. Only sleep is off: contacts of bodies that are
  // asleep have no forces.
  Method awake = preset("soft-step");
  awake.sleep = {"never", {}};
  cases.push_back({"default-at-60-hz", "velocity", awake, 1.0 / 60, true, true, true});
  cases.push_back({"default-at-240-hz", "velocity", awake, 1.0 / 240, true, true, true});
  for (const MethodInfo& info : methods())
    if (info.kind == Kind::stepping && has_capability(info, "solves-joints"))
      cases.push_back(joint_step_case(info.name));
  return cases;
}

std::string case_name(const testing::TestParamInfo<SolverCase>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

BodyId add_body_on_slope(World& world, double angle, const ShapePtr& shape, double height, const Material& material) {
  world.set_gravity({9.81 * std::sin(angle), -9.81 * std::cos(angle), 0});
  world.set_material(world.ground(), material);
  BodyDef def;
  def.name = "body";
  def.shape = shape;
  def.position = {0, height, 0};
  def.material = material;
  return world.add_body(def);
}

BodyId add_pendulum(World& world) {
  world.remove_body(world.ground());
  BodyDef def;
  def.shape = sphere(0.1), def.position = {1, 0, 0};
  const BodyId id = world.add_body(def);
  JointDef joint;
  joint.a = world.world_body(), joint.b = id;
  joint.frame_b.translation = {-1, 0, 0};
  AxesJoint kind;
  for (std::size_t i = 3; i < 6; ++i) kind.axes[i].motion = AxisMotion::free;
  joint.kind = kind;
  world.add_joint(joint);
  return id;
}

void run(Simulation& sim, double seconds, double dt) {
  const auto steps = static_cast<int>(std::lround(seconds / dt));
  for (int i = 0; i < steps; ++i) sim.step(dt);
}

}  // namespace rigor::test
