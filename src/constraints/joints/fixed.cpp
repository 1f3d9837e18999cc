// Fixed joint: all six axes are locked.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class FixedType final : public AxesJointType {
 public:
  FixedType() : AxesJointType({}) {}
  void fields(FieldVisitor& v) override { softness_fields(v); }
};

}  // namespace

Entry register_fixed_joint() {
  return joint_entry<FixedType>("fixed", "welds two bodies together at their present poses",
                                "Garstenauer 2006, 2.7; Bender and Schmitt 2006, 4.4", {});
}

}  // namespace rigor
