// Which features of a world a method simulates. A part of a method that does not simulate a feature declares the capability
// "lacks:<feature>". The stepping part declares it for the constraints that it solves itself, the solvers for the
// others.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "math/disjoint_sets.h"
#include "registry/entry.h"
#include "rigor/error.h"
#include "rigor/queries.h"
#include "rigor/world.h"
#include "world/body_checks.h"

namespace rigor {

namespace {

enum class Task { impacts, contacts, joints, errors };

struct KnownFeature {
  Feature feature;
  Task task;
  std::string (*find)(const World& world);  // describes where the world has the feature; "" if nowhere
};

std::string body_text(const World& world, BodyId id) { return "of " + quoted(world.name(id)); }

template <class Test> std::string find_material(const World& world, const Test& test) {
  for (const BodyId id : world.bodies())
    if (world.body_def(id).can_collide && test(world.body_def(id).material)) return body_text(world, id);
  return "";
}

template <class Test> std::string find_axis(const World& world, const Test& test) {
  for (const JointId id : world.joints()) {
    const JointDef& def = world.joint(id);
    const auto* axes = std::get_if<AxesJoint>(&def.kind);
    if (axes && std::any_of(axes->axes.begin(), axes->axes.end(), test)) return "of joint " + quoted(def.name);
  }
  return "";
}

/// By the default rule the smaller restitution of a pair counts, so a single body with restitution does not bounce.
std::string find_restitution(const World& world) {
  const MaterialRules& rules = world.material_rules();
  for (const auto& [names, pair] : rules.pairs)
    if (pair.restitution > 0) return "of the pair " + quoted(names.first) + ", " + quoted(names.second);
  const bool both = rules.restitution == Combine::minimum || rules.restitution == Combine::product;
  int count = 0;
  BodyId last;
  for (const BodyId id : world.bodies())
    if (world.body_def(id).can_collide && world.body_def(id).material.restitution > 0) {
      ++count;
      last = id;
    }
  return count >= (both ? 2 : 1) ? body_text(world, last) : "";
}

std::string find_static_friction(const World& world) {
  for (const auto& [names, pair] : world.material_rules().pairs)
    if (pair.static_friction > std::max(pair.friction, 0.0))
      return "of the pair " + quoted(names.first) + ", " + quoted(names.second);
  return find_material(world, [](const Material& m) { return m.static_friction > m.friction; });
}

/// A joint between two bodies that other joints connect already.
std::string find_loop(const World& world) {
  std::map<BodyId, BodyId> parent;
  const std::function<BodyId(BodyId)> root = [&](BodyId id) {
    BodyId r = id;
    while (parent.contains(r) && parent[r] != r) r = parent[r];
    return r;
  };
  const auto end = [&](BodyId id) { return world.contains(id) && world.body_def(id).fixed ? world.world_body() : id; };
  for (const JointId id : world.joints()) {
    const JointDef& def = world.joint(id);
    if (std::holds_alternative<GearJoint>(def.kind)) continue;
    const BodyId a = root(end(def.a)), b = root(end(def.b));
    if (a == b) return "closed by joint " + quoted(def.name);
    parent[a] = b;
  }
  return "";
}

bool moves_and_collides(const World& world, BodyId id) {
  const BodyDef& def = world.body_def(id);
  return id != world.world_body() && def.can_collide && !def.fixed;
}

/// Limits of contacts in single precision (contact_blocks.h): effective masses, inertias m r² and squares of impulses are
/// within 1e±38 for bodies that move by up to ten times their size in a second. Found by stacks of boxes and balls.
std::string find_extreme_body(const World& world) {
  for (const BodyId id : world.bodies()) {
    if (!moves_and_collides(world, id)) continue;
    const double m = world.mass_properties(id).mass, r = world.body_def(id).shape->bounding_radius();
    if (m < 1e-24 || m > 1e24 || r < 1e-8 || r > 1e7) return body_text(world, id);
  }
  return "";
}

/// The sets of bodies that joints connect; all fixed bodies are one set, that of the world body.
DisjointSets joined_bodies(const World& world) {
  DisjointSets sets(world.id_capacity());
  const auto end = [&](BodyId id) { return world.body_def(id).fixed ? world.world_body().index : id.index; };
  for (const JointId id : world.joints()) {
    const JointDef& def = world.joint(id);
    const bool connects = def.active && !std::holds_alternative<GearJoint>(def.kind);
    if (connects && world.contains(def.a) && world.contains(def.b)) sets.unite(end(def.a), end(def.b));
  }
  return sets;
}

/// A light body is squeezed between a heavy one and what supports it: a fixed body, or another one that joints hold in the world, as an anvil
/// under a ram. Where there is no support, as among planets, any other body can be it, and the second heaviest one decides.
std::string find_mass_ratio(const World& world) {
  double least = std::numeric_limits<double>::infinity();
  std::pair<double, BodyId> heaviest{}, second{};
  bool has_fixed = false;
  DisjointSets joined = joined_bodies(world);
  std::vector<BodyId> held;  // by joints
  for (const BodyId id : world.bodies()) {
    const BodyDef& def = world.body_def(id);
    has_fixed = has_fixed || (def.fixed && def.can_collide && id != world.world_body());
    if (!moves_and_collides(world, id)) continue;
    if (joined.root(id.index) == joined.root(world.world_body().index)) held.push_back(id);
    const double m = world.mass_properties(id).mass;
    least = std::min(least, m);
    if (m > heaviest.first)
      second = std::exchange(heaviest, {m, id});
    else if (m > second.first)
      second = {m, id};
  }
  const bool has_support =
      has_fixed || std::any_of(held.begin(), held.end(), [&](BodyId id) { return id != heaviest.second; });
  const auto& [load, body] = has_support ? heaviest : second;
  return load > 1e5 * least ? body_text(world, body) : "";
}

std::string find_own_erp(const World& world) {
  for (const JointId id : world.joints())
    if (world.joint(id).erp) return "of joint " + quoted(world.joint(id).name);
  return "";
}

std::string find_gear(const World& world) {
  for (const JointId id : world.joints())
    if (std::holds_alternative<GearJoint>(world.joint(id).kind)) return "of joint " + quoted(world.joint(id).name);
  return "";
}

constexpr KnownFeature kFeatures[] = {
    {{"restitution", "impacts that rebound by Newton's law"}, Task::impacts, find_restitution},
    {{"static-friction", "friction that is larger at rest than in motion"}, Task::contacts, find_static_friction},
    {{"rolling-friction", "friction against rolling"},
     Task::contacts,
     [](const World& w) { return find_material(w, [](const Material& m) { return m.rolling_friction > 0; }); }},
    {{"spinning-friction", "friction against spinning about the normal"},
     Task::contacts,
     [](const World& w) { return find_material(w, [](const Material& m) { return m.spinning_friction > 0; }); }},
    {{"grain", "friction that depends on the direction"},
     Task::contacts,
     [](const World& w) {
       return find_material(w, [](const Material& m) { return m.grain != Vec3{} && m.friction_across != 1; });
     }},
    {{"belts", "surfaces that run"},
     Task::contacts,
     [](const World& w) { return find_material(w, [](const Material& m) { return m.surface_velocity != Vec3{}; }); }},
    {{"limits", "limits of joints"},
     Task::joints,
     [](const World& w) { return find_axis(w, [](const JointAxis& a) { return a.motion == AxisMotion::limited; }); }},
    {{"motors", "motors with a largest force"},
     Task::joints,
     [](const World& w) {
       return find_axis(w, [](const JointAxis& a) {
         return a.motor.kind != AxisMotor::Kind::none && std::isfinite(a.motor.max_force);
       });
     }},
    {{"joint-friction", "dry friction within joints"},
     Task::joints,
     [](const World& w) { return find_axis(w, [](const JointAxis& a) { return a.friction > 0; }); }},
    {{"springs", "springs along the axes of joints"},
     Task::joints,
     [](const World& w) { return find_axis(w, [](const JointAxis& a) { return a.spring.stiffness > 0; }); }},
    {{"loops", "closed loops of joints"}, Task::joints, find_loop},
    {{"extreme-bodies", "bodies that collide outside of 1e-24 to 1e24 kg or with radii outside of 1e-8 to 1e7 m"},
     Task::contacts,
     find_extreme_body},
    {{"mass-ratios", "heavy bodies that lie on bodies of less than 1e-5 of their mass"},
     Task::contacts,
     find_mass_ratio},
    {{"error-reduction", "joints with an error reduction of their own"}, Task::errors, find_own_erp},
    {{"gears", "joints that couple two others by a ratio"}, Task::joints, find_gear},
};

const KnownFeature& known(std::string_view name) {
  std::vector<std::string> names;
  for (const KnownFeature& f : kFeatures) {
    if (f.feature.name == name) return f;
    names.emplace_back(f.feature.name);
  }
  throw Error(unknown_name("feature", name, names));
}

/// The part of the method that does the task; null if nothing does, which missing_solvers() reports.
const Entry* part_for(const Method& m, Task task) {
  const Entry& step = entry(Kind::stepping, m.stepping.name, "stepping");
  if (has_capability(step, "solves-constraints")) return &step;
  if ((task == Task::joints || task == Task::errors) && has_capability(step, "solves-joints")) return &step;
  const auto solver = [](const Choice& choice) -> const Entry* {
    return choice.name == "none" ? nullptr : &entry(Kind::solver, choice.name, "solver");
  };
  if (task == Task::joints) return solver(m.joint_solver);
  if (task == Task::errors) {
    const Entry* joints = solver(m.joint_solver);
    const Entry& correction = entry(Kind::solver, m.correction.name, "correction");
    if (!joints) return nullptr;
    // Solvers that lack it correct errors by themselves, at a rate of their own.
    return has_capability(*joints, "lacks:error-reduction") ? joints : &correction;
  }
  if (task == Task::impacts && m.collision_solver.name != "none") return solver(m.collision_solver);
  return solver(m.contact_solver.name == "none" ? m.collision_solver : m.contact_solver);
}

}  // namespace

std::span<const Feature> features() {
  static const std::vector<Feature> list = [] {
    std::vector<Feature> all;
    for (const KnownFeature& f : kFeatures) all.push_back(f.feature);
    return all;
  }();
  return list;
}

std::string why_not_honoured(const Method& method, std::string_view name) {
  const KnownFeature& f = known(name);
  const Entry* part = part_for(method, f.task);
  if (!part)
    return std::string(f.task == Task::joints || f.task == Task::errors ? "no solver holds joints"
                                                                        : "no solver keeps bodies apart");
  if (!has_capability(*part, "lacks:" + std::string(name))) return "";
  return std::string(to_string(part->kind)) + " '" + part->name + "' does not honour it";
}

bool honours(const Method& method, std::string_view feature) { return why_not_honoured(method, feature).empty(); }

std::vector<std::string> features_not_honoured(const World& world, const Method& method) {
  std::vector<std::string> sentences;
  for (const KnownFeature& f : kFeatures) {
    const Entry* part = part_for(method, f.task);
    if (!part || !has_capability(*part, "lacks:" + std::string(f.feature.name))) continue;
    const std::string where = f.find(world);
    if (where.empty()) continue;
    sentences.push_back(std::string(to_string(part->kind)) + " '" + part->name + "' does not honour " +
                        std::string(f.feature.name) + " (" + std::string(f.feature.description) + "), such as that " +
                        where);
  }
  return sentences;
}

}  // namespace rigor
