// The rotational joint that removes one degree of freedom: the angle between an axis of a and an axis of b is constant.
//
// With a's axis as x of its frame and b's as z of its frame that angle is 90° − β: the axis β is limited to one value. The axes
// must not be parallel, because the angle could not be corrected then.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class TwoAxisRotationType final : public AxesJointType {
 public:
  TwoAxisRotationType() : AxesJointType({0, 1, 2, 3, 4, 5}) {
    axis(4).motion = AxisMotion::limited;
    axis(4).lower = axis(4).upper = 0;
  }
  void start(const JointStart& s) override { axis(4).lower = axis(4).upper = s.tilt; }
  void fields(FieldVisitor& v) override {
    v.number("tilt", axis(4).lower,
             {"rad", -0.5 * kPi, 0.5 * kPi, "90° minus the angle between the axes; the initial value unless given"});
    axis(4).upper = axis(4).lower;
    softness_fields(v);
  }
};

}  // namespace

Entry register_two_axis_rotation_joint() {
  return joint_entry<TwoAxisRotationType>("two-axis-rotation",
                                          "keeps the angle between an axis of a and one of b; translation is free",
                                          "Bender and Schmitt 2006, 4.3", {"axis", "axis2"});
}

}  // namespace rigor
