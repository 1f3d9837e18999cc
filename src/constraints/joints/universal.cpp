// Universal joint: the axis of a (x of its frame) and that of b (z of its frame) stay perpendicular; coordinates 3 and 5.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class UniversalType final : public AxesJointType {
 public:
  UniversalType() : AxesJointType({3, 5}) {}
  void fields(FieldVisitor& v) override {
    all_fields(v, 3, "axis_");
    all_fields(v, 5, "axis2_");
    softness_fields(v);
  }
};

}  // namespace

Entry register_universal_joint() {
  return joint_entry<UniversalType>("universal",
                                    "turns about an axis of a and a perpendicular axis of b: a Cardan joint",
                                    "Garstenauer 2006, 2.7; Servin 2011", {"anchor", "axis", "axis2", "perpendicular"});
}

}  // namespace rigor
