// Point on a line: two translations are locked, coordinate 0 is the position along the line.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class PointOnLineType final : public AxesJointType {
 public:
  PointOnLineType() : AxesJointType({0, 3, 4, 5}) {}
  void fields(FieldVisitor& v) override {
    all_fields(v, 0, "");
    softness_fields(v);
  }
};

}  // namespace

Entry register_point_on_line_joint() {
  return joint_entry<PointOnLineType>("point-on-line", "a point of b slides along a line of a; all rotations free",
                                      "Bender and Schmitt 2006, 4.2", {"anchor", "axis"});
}

}  // namespace rigor
