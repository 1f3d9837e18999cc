// A joint type: a name in the registry, what its joint looks like, and its parameters.
//
// A type is a JointKind with some axes free, and fields() that are views of that kind's numbers: reading a scene sets them,
// writing one visits a copy of the joint's kind. Nothing else is needed for a new type.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "registry/entry.h"
#include "rigor/joints.h"

namespace rigor {

/// How the two frames lie when a joint is made from an anchor and axes.
struct JointStart {
  double distance = 0;  // m, of the two origins
  double tilt = 0;      // rad, of b's z axis towards a's x axis, from a right angle
};

class JointType : public Configurable {
 public:
  JointKind kind;

  /// For parameters that are as at the start unless given.
  virtual void start(const JointStart&) {}
};

/// Of the types that are made of six axes.
class AxesJointType : public JointType {
 protected:
  explicit AxesJointType(std::initializer_list<int> free_axes);
  AxesJoint& axes() { return std::get<AxesJoint>(kind); }
  JointAxis& axis(int i) { return axes().axes[static_cast<std::size_t>(i)]; }

  // Fields of one axis; `prefix` stands before each name. An axis with a limit is limited, others are free.
  void limit_fields(FieldVisitor& v, int i, const std::string& prefix);
  void motor_fields(FieldVisitor& v, int i, const std::string& prefix);
  void spring_fields(FieldVisitor& v, int i, const std::string& prefix);
  void friction_field(FieldVisitor& v, int i, const std::string& prefix);
  void all_fields(FieldVisitor& v, int i, const std::string& prefix);
  /// How the locked axes give way.
  void softness_fields(FieldVisitor& v);
  void cone_fields(FieldVisitor& v);
};

// Capabilities say where a joint wants to be: "anchor", "axis", "axis2" have to be given; "perpendicular": the two axes are;
// "ends": it has an anchor on each body instead of a common one; "points": a curve; "gear": two joints.
template <class Type>
Entry joint_entry(std::string name, std::string description, std::string reference,
                  std::vector<std::string> capabilities) {
  return {.kind = Kind::joint,
          .name = std::move(name),
          .description = std::move(description),
          .reference = std::move(reference),
          .capabilities = std::move(capabilities),
          .make = make_default<Type>,
          .parameters = {}};
}

/// The registered type with its default parameters; Error with the nearest names.
std::unique_ptr<JointType> make_joint_type(std::string_view name, const std::string& place);
/// Sets `parameters` on top of what `kind` holds and returns the changed kind. Error at `place`.<name>.
JointKind with_parameters(std::string_view type, const JointKind& kind, const Settings& parameters,
                          const std::string& place);

}  // namespace rigor
