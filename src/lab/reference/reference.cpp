#include "lab/reference/reference.h"

#include <cmath>

#include "lab/reference/all_cases.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor::reference {

std::span<const Case> cases() {
  static const Case list[] = {
      bouncing_ball(), chain_of_rods(),   collisions(),    compound_pendulum(), double_pendulum(),   bricard(),
      four_bar(),      simple_pendulum(), incline(),       heavy_top(),         newtons_cradle(),    painleve_rod(),
      slider_crank(),  slip_to_roll(),    spring_damper(), contact_forces(),    contact_thresholds()};
  return list;
}

const Case& find_case(std::string_view name) {
  std::vector<std::string> known;
  for (const Case& c : cases()) {
    if (c.name == name) return c;
    known.emplace_back(c.name);
  }
  throw Error(unknown_name("case", name, known));
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::measured: return "measured";
    case Outcome::not_claimed: return "not claimed";
    case Outcome::refused: return "refused";
    case Outcome::failed: return "failed";
  }
  return "";
}

namespace {

bool is_off(const Choice& solver) { return solver.name == "none"; }

}  // namespace

std::string empty_slot(const Needs& needs, const Method& m) {
  const MethodInfo* step = find_method(Kind::stepping, m.stepping.name);
  if (step && has_capability(*step, "solves-constraints")) return "";
  if (needs.collision && is_off(m.collision_solver)) return "it has no solver for collisions";
  if (needs.contact && is_off(m.contact_solver)) return "it has no solver for contacts";
  if (needs.joint && is_off(m.joint_solver)) return "it has no solver for joints";
  return "";
}

Result measure(const Case& c, const Method& method, double dt) {
  Result result;
  result.reason = empty_slot(c.needs, method);
  if (!result.reason.empty()) {
    result.outcome = Outcome::not_claimed;
    return result;
  }
  try {
    result.quantities = c.run(method, dt);
    for (const Quantity& q : result.quantities)
      if (!std::isfinite(q.error)) throw std::runtime_error(q.name + " is not finite");
  } catch (const Error& error) {
    result = {Outcome::refused, error.what(), {}};
  } catch (const std::runtime_error& error) {
    result = {Outcome::failed, error.what(), {}};
  }
  return result;
}

}  // namespace rigor::reference
