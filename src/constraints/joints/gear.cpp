// Gears, racks and pulleys; the two joints that it couples are the keys "first" and "second" of a scene file.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class GearType final : public JointType {
 public:
  GearType() { kind = GearJoint{.first = {}, .second = {}, .first_axis = -1, .second_axis = -1}; }
  void fields(FieldVisitor& v) override {
    GearJoint& gear = std::get<GearJoint>(kind);
    v.number("ratio", gear.ratio, {"1, m or 1/m", -kUnbounded, kUnbounded, "first + ratio · second is constant"});
    v.integer("first_axis", gear.first_axis, {"1", -1, 5, "coordinate of the first joint; -1: its first free one"});
    v.integer("second_axis", gear.second_axis, {"1", -1, 5, "coordinate of the second joint; -1: its first free one"});
  }
};

}  // namespace

Entry register_gear_joint() {
  return joint_entry<GearType>("gear", "couples the coordinates of two joints: gears, rack and pinion, pulleys",
                               "Garstenauer 2006, 7.4.3", {"gear"});
}

}  // namespace rigor
