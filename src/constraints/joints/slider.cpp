// Slider: moves along the axis, which is x of the joint frame, without turning; coordinate 0.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class SliderType final : public AxesJointType {
 public:
  SliderType() : AxesJointType({0}) {}
  void fields(FieldVisitor& v) override {
    all_fields(v, 0, "");
    softness_fields(v);
  }
};

}  // namespace

Entry register_slider_joint() {
  return joint_entry<SliderType>("slider", "slides along one axis",
                                 "Garstenauer 2006, 2.7; Bender and Schmitt 2006, 4.4", {"anchor", "axis"});
}

}  // namespace rigor
