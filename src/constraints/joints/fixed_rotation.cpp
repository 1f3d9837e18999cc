// The rotational joint that removes three degrees of freedom.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class FixedRotationType final : public AxesJointType {
 public:
  FixedRotationType() : AxesJointType({0, 1, 2}) {}
  void fields(FieldVisitor& v) override { softness_fields(v); }
};

}  // namespace

Entry register_fixed_rotation_joint() {
  return joint_entry<FixedRotationType>("fixed-rotation", "keeps b from turning against a; translation is free",
                                        "Bender and Schmitt 2006, 4.3", {});
}

}  // namespace rigor
