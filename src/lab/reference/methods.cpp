#include <algorithm>

#include "lab/reference/reference.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor::reference {

namespace {

std::string value_of(const MethodInfo& info, std::string_view key) {
  for (const std::string& c : info.capabilities)
    if (c.starts_with(key)) return c.substr(key.size());
  return "";
}

constexpr std::int64_t kManyRounds = 200, kSomeRounds = 20;

Choice with_rounds(const MethodInfo& info, std::int64_t rounds) {
  Choice choice{info.name, {}};
  for (const Parameter& p : info.parameters)
    if (p.name == "iterations" || p.name == "lcp.iterations") choice.settings[p.name] = rounds;
  // Further iterations do not improve a solution that has converged to this.
  if (info.name == "sequential-impulse") choice.settings["tolerance"] = 1e-13;
  return choice;
}

/// Sequential impulses in every slot, Baumgarte.
Method standard(std::int64_t rounds) {
  Method m;
  m.integrator.name = "semi-implicit-euler";
  m.collision_solver = m.contact_solver = m.joint_solver =
      with_rounds(*find_method(Kind::solver, "sequential-impulse"), rounds);
  m.correction.name = "baumgarte";
  return m;
}

Method with_solver(const MethodInfo& info) {
  Method m = standard(kManyRounds);
  const Choice own = with_rounds(info, kManyRounds);
  if (has_capability(info, "correction")) {
    m.correction = own;
    return m;
  }
  const bool takes_forces = value_of(info, "level:") == "force";
  // Force-level solvers are paired with an integrator that evaluates forces several times per step; Baumgarte is for impulses.
  if (takes_forces) m.integrator.name = "rk4", m.correction.name = "none";
  if (has_capability(info, "corrects-errors")) m.correction.name = "none";
  if (has_capability(info, "collision")) m.collision_solver = own;
  if (has_capability(info, "contact")) m.contact_solver = own;
  if (has_capability(info, "joint")) m.joint_solver = own;
  return m;
}

Method with_stepping(const MethodInfo& info) {
  Method m = standard(kSomeRounds);
  m.stepping.name = info.name;
  if (has_capability(info, "solves-constraints"))
    m.collision_solver = m.contact_solver = m.joint_solver = m.correction = {"none", {}};
  return m;
}

/// Joints by Lagrange multipliers at every stage: the method then has the order of the integrator.
Method with_integrator(const MethodInfo& info) {
  Method m = standard(kSomeRounds);
  m.integrator.name = info.name;
  m.joint_solver = {"lagrange", {}};
  m.correction.name = "none";
  return m;
}

}  // namespace

std::vector<NamedMethod> all_methods() {
  std::vector<NamedMethod> list;
  for (const MethodInfo& info : methods()) {
    if (info.kind == Kind::preset) list.push_back({info.name, preset(info.name)});
    if (info.kind == Kind::solver && value_of(info, "level:") != "off")
      list.push_back({"solver/" + info.name, with_solver(info)});
    if (info.kind == Kind::stepping) list.push_back({"stepping/" + info.name, with_stepping(info)});
  }
  std::stable_sort(list.begin(), list.end(), [](const NamedMethod& a, const NamedMethod& b) {
    const auto group = [](const NamedMethod& m) { return m.name.substr(0, m.name.find('/') + 1); };
    return group(a) < group(b);
  });
  return list;
}

NamedMethod find_method_by_name(std::string_view name) {
  std::vector<std::string> known;
  std::vector<NamedMethod> list = all_methods();
  for (const MethodInfo& info : methods())
    if (info.kind == Kind::integrator) list.push_back({"integrator/" + info.name, with_integrator(info)});
  for (NamedMethod& m : list) {
    if (m.name == name) return std::move(m);
    known.push_back(m.name);
  }
  throw Error(unknown_name("method", name, known));
}

bool uses_joint_forces(const Method& method) {
  const MethodInfo* solver = find_method(Kind::solver, method.joint_solver.name);
  const MethodInfo* step = find_method(Kind::stepping, method.stepping.name);
  return (solver && value_of(*solver, "level:") == "force") || (step && has_capability(*step, "joint-coordinates"));
}

int order_of(const Method& method, const Needs& needs) {
  if (needs.collision || needs.contact) return 1;
  const MethodInfo* integrator = find_method(Kind::integrator, method.integrator.name);
  if (!integrator) return 1;
  const std::string order = value_of(*integrator, "order:");
  const int full = order.empty() ? 1 : std::stoi(order);
  // A step that solves joints itself declares its order.
  const MethodInfo* stepping = find_method(Kind::stepping, method.stepping.name);
  if (needs.joint && stepping && has_capability(*stepping, "solves-joints"))
    return std::min(full, std::stoi(value_of(*stepping, "order:")));
  return needs.joint && !uses_joint_forces(method) ? 1 : full;
}

}  // namespace rigor::reference
