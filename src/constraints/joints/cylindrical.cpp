// Cylindrical joint: moves along the axis and turns about it; coordinates 0 and 3.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class CylindricalType final : public AxesJointType {
 public:
  CylindricalType() : AxesJointType({0, 3}) {}
  void fields(FieldVisitor& v) override {
    all_fields(v, 0, "slide_");
    all_fields(v, 3, "turn_");
    softness_fields(v);
  }
};

}  // namespace

Entry register_cylindrical_joint() {
  return joint_entry<CylindricalType>("cylindrical", "slides along one axis and turns about it",
                                      "Bender and Schmitt 2006, 4.4", {"anchor", "axis"});
}

}  // namespace rigor
