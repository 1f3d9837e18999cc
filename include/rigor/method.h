// A method: how a world is simulated. A plain value of names and numbers that can be copied, compared, saved and changed
// between two steps.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/fields.h"
#include "rigor/registry.h"

namespace rigor {

/// A registered method by name, with the parameters that differ from its defaults.
struct Choice {
  std::string name;
  Settings settings;

  bool operator==(const Choice&) const = default;
};

struct Method {
  std::string preset;  // the preset it was made from, for display
  Choice stepping{"explicit", {}};
  Choice integrator{"energy-momentum", {}};
  Choice broadphase{"aabb-tree", {}};
  Choice narrowphase{"special-pairs", {}};
  // Constraint solvers of the four tasks of 7.5.7. Tasks with equal choices share one solver and are solved together.
  Choice collision_solver{"none", {}}, contact_solver{"none", {}}, joint_solver{"none", {}}, correction{"none", {}};
  Choice sleep{"never", {}};
  std::vector<Choice> validators{{"finite", {}}};
  bool gyroscopic = true;              // false drops the term ω × Iω, as many engines do
  double contact_envelope = 0.01;      // m, contacts are found this far before shapes touch
  double restitution_threshold = 0.1;  // m/s, contacts that close slower do not bounce
  double stick_speed = 1e-3;           // m/s, surfaces that slide slower have static friction

  bool operator==(const Method&) const = default;
};

/// The complete method of a preset; Error with the nearest names for an unknown one.
Method preset(std::string_view name);
/// The method of a simulation that is made without one.
Method default_method();

/// The parts of a method that hold one registered method each, by the key that set() and scene files use.
struct MethodSlot {
  const char* key;
  Kind kind;
  Choice Method::*member;
};
std::span<const MethodSlot> method_slots();
/// Visits the flags and numbers of a method.
void visit_plain_fields(Method& method, FieldVisitor& visitor);

/// Changes one part of a method by its key, as `--set` on the command line and scene files do:
/// "integrator" = name, "integrator.tolerance" = number, "gyroscopic" = flag, "validators" = "finite,energy",
/// "validators.energy.tolerance" = number.
void set(Method& method, const std::string& key, const Value& value);

/// Error, with what to change, when a name is unknown or a parameter is out of range.
void check(const Method& method);

}  // namespace rigor
