// The rotational joint that removes two degrees of freedom: both bodies turn about a common direction; coordinate 3.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class OrientationType final : public AxesJointType {
 public:
  OrientationType() : AxesJointType({0, 1, 2, 3}) {}
  void fields(FieldVisitor& v) override {
    all_fields(v, 3, "");
    softness_fields(v);
  }
};

}  // namespace

Entry register_orientation_joint() {
  return joint_entry<OrientationType>("orientation", "keeps an axis of b along one of a; translation is free",
                                      "Bender and Schmitt 2006, 4.3", {"axis"});
}

}  // namespace rigor
