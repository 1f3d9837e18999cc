// Point on a plane: the translation along the normal is locked.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class PointOnPlaneType final : public AxesJointType {
 public:
  PointOnPlaneType() : AxesJointType({1, 2, 3, 4, 5}) {}
  void fields(FieldVisitor& v) override {
    friction_field(v, 1, "y_");
    friction_field(v, 2, "z_");
    softness_fields(v);
  }
};

}  // namespace

Entry register_point_on_plane_joint() {
  return joint_entry<PointOnPlaneType>("point-on-plane", "a point of b moves in a plane of a; all rotations free",
                                       "Bender and Schmitt 2006, 4.2", {"anchor", "axis"});
}

}  // namespace rigor
