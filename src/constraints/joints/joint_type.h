// A joint type: a name in the registry, a default joint, and its parameters.
//
// A type is a JointKind with some axes free, and fields() that refer to that kind's numbers: reading a scene sets them,
// writing one visits a copy of the joint's kind. A new type needs nothing else.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "registry/entry.h"
#include "rigor/joints.h"

namespace rigor {

/// The relative pose of the two frames when a joint is made from an anchor and axes.
struct JointStart {
  double distance = 0;  // m, of the two origins
  double tilt = 0;      // rad, of b's z axis towards a's x axis, from a right angle
};

class JointType : public Configurable {
 public:
  JointKind kind;

  /// For parameters whose default is their initial value.
  virtual void start(const JointStart&) {}
};

/// Base of the types with six axes.
class AxesJointType : public JointType {
 protected:
  explicit AxesJointType(std::initializer_list<int> free_axes);
  AxesJoint& axes() { return std::get<AxesJoint>(kind); }
  JointAxis& axis(int i) { return axes().axes[static_cast<std::size_t>(i)]; }

  // Visits the fields of one axis; `prefix` precedes each name. An axis with a limit is limited, others are free.
  void limit_fields(FieldVisitor& v, int i, const std::string& prefix);
  void motor_fields(FieldVisitor& v, int i, const std::string& prefix);
  void spring_fields(FieldVisitor& v, int i, const std::string& prefix);
  void friction_field(FieldVisitor& v, int i, const std::string& prefix);
  void all_fields(FieldVisitor& v, int i, const std::string& prefix);
  /// Visits the softness of the locked axes.
  void softness_fields(FieldVisitor& v);
  void cone_fields(FieldVisitor& v);
};

// Capabilities list what places a joint: "anchor", "axis", "axis2" have to be given; "perpendicular": the two axes are;
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

/// The registered type with its default parameters; Error with similar names if it does not exist.
std::unique_ptr<JointType> make_joint_type(std::string_view name, const std::string& place);
/// Returns `kind` with `parameters` set. Error at `place`.<name>.
JointKind with_parameters(std::string_view type, const JointKind& kind, const Settings& parameters,
                          const std::string& place);

}  // namespace rigor
