// Problems of mechanics with known solutions, run under any method. Each case is in a separate file: it builds the
// world, runs it, and returns the errors of the result. The tests assert these numbers, `rigor reference` prints them.
//
// A tolerance is that which the source of the reference values recommends for methods of the given order at the case's own time
// step; see `advice`. If the source gives none the error is only printed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/method.h"

namespace rigor::reference {

/// One error of a run.
struct Quantity {
  std::string name;
  std::string unit;      // of the error; "1": relative
  double error = 0;      // never negative
  double tolerance = 0;  // 0: the source gives none
  int order = 1;         // lowest order of the methods that the tolerance applies to

  bool is_judged(int order_of_method) const { return tolerance > 0 && order_of_method >= order; }
  bool is_met() const { return error <= tolerance; }
};
using Quantities = std::vector<Quantity>;

/// The slots of a method that a case needs.
struct Needs {
  bool collision = false, contact = false, joint = false;
};

struct Case {
  const char* name;
  const char* description;
  const char* advice;  // of the source, about tolerances
  double dt;           // s, the step of the advice, or 1/240 s
  Needs needs;
  Quantities (*run)(const Method& method, double dt);
};

/// In the order of the tables.
std::span<const Case> cases();
/// Error with similar names for an unknown one.
const Case& find_case(std::string_view name);

enum class Outcome { measured, not_claimed, refused, failed };
std::string_view to_string(Outcome outcome);

struct Result {
  Outcome outcome = Outcome::measured;
  std::string reason;  // in a sentence, unless it was measured
  Quantities quantities;
};

/// "not claimed" if a slot that the case needs is empty, "refused" if the method or the world is refused, "failed" if a body
/// was lost or the motion broke down.
Result measure(const Case& c, const Method& method, double dt);

/// A sentence that names an empty slot that the case needs; empty if there is none.
std::string empty_slot(const Needs& needs, const Method& method);

/// A method with the name that the tables show.
struct NamedMethod {
  std::string name;
  Method method;
};

/// Every preset, every constraint solver in the slots that it claims (iterative ones with 200 iterations, so that they are judged
/// by their model and not by their convergence), and every stepping method with sequential impulses (20 iterations).
std::vector<NamedMethod> all_methods();
/// One of these, or integrator/NAME: that integrator with joints by Lagrange multipliers. Error with similar names for an unknown one.
NamedMethod find_method_by_name(std::string_view name);

/// True if joints are held by forces that are computed at every stage of the integrator, or by coordinates, not by impulses.
bool uses_joint_forces(const Method& method);
/// The order of the whole method: forces that are computed at every stage keep the order of the integrator, impulses that are
/// constant in a step are of order one. Contacts are of order one in any case.
int order_of(const Method& method, const Needs& needs);

}  // namespace rigor::reference
