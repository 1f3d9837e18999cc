// Hinge: turns about the axis, which is x of the joint frame; coordinate 3.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class HingeType final : public AxesJointType {
 public:
  HingeType() : AxesJointType({3}) {}
  void fields(FieldVisitor& v) override {
    all_fields(v, 3, "");
    softness_fields(v);
  }
};

}  // namespace

Entry register_hinge_joint() {
  return joint_entry<HingeType>("hinge", "turns about one axis", "Garstenauer 2006, 2.7; Bender and Schmitt 2006, 4.4",
                                {"anchor", "axis"});
}

}  // namespace rigor
