// Planar joint: moves in the plane across the axis and turns about it; coordinates 1, 2 and 3.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class PlanarType final : public AxesJointType {
 public:
  PlanarType() : AxesJointType({1, 2, 3}) {}
  void fields(FieldVisitor& v) override {
    all_fields(v, 1, "y_");
    all_fields(v, 2, "z_");
    all_fields(v, 3, "turn_");
    softness_fields(v);
  }
};

}  // namespace

Entry register_planar_joint() {
  return joint_entry<PlanarType>("planar", "slides in a plane and turns about its normal", "Garstenauer 2006, 2.7",
                                 {"anchor", "axis"});
}

}  // namespace rigor
