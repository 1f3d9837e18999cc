// The general joint: each of the six axes is free, limited or locked, with motors, springs and friction on those that move.
#include <algorithm>

#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class SixDofType final : public AxesJointType {
 public:
  SixDofType() : AxesJointType({}) {}
  void fields(FieldVisitor& v) override {
    static constexpr const char* kNames[6] = {"x", "y", "z", "rx", "ry", "rz"};
    static const std::vector<std::string> kMotions = {"locked", "limited", "free"};
    for (int i = 0; i < 6; ++i) {
      const std::string name = kNames[i];
      std::string motion = kMotions[static_cast<std::size_t>(axis(i).motion)];
      v.choice(name, motion, kMotions, i < 3 ? "translation along " + name : "rotation about " + name.substr(1));
      all_fields(v, i, name + "_");
      axis(i).motion = static_cast<AxisMotion>(std::find(kMotions.begin(), kMotions.end(), motion) - kMotions.begin());
    }
    cone_fields(v);
    softness_fields(v);
  }
};

}  // namespace

Entry register_six_dof_joint() {
  return joint_entry<SixDofType>("six-dof", "six axes, each free, limited or locked", "Garstenauer 2006, 7.4.3",
                                 {"anchor"});
}

}  // namespace rigor
