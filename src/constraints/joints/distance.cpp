// A massless rod or a spring between two points.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class DistanceType final : public JointType {
 public:
  DistanceType() { kind = DistanceJoint{}; }
  void start(const JointStart& s) override { rod().lower = rod().upper = s.distance; }
  void fields(FieldVisitor& v) override {
    v.number("length", rod().upper, {"m", 0, kUnbounded, "length of the rod; the initial distance unless given"});
    rod().lower = rod().upper;
    v.number("stiffness", rod().stiffness, {"N/m", kPositive, kUnbounded, "rigid unless given"});
    v.number("damping", rod().damping, {"N s/m", 0, kUnbounded, "where it is not rigid"});
  }

 private:
  DistanceJoint& rod() { return std::get<DistanceJoint>(kind); }
};

}  // namespace

Entry register_distance_joint() {
  return joint_entry<DistanceType>("distance", "a massless rod between two points, rigid or elastic",
                                   "Garstenauer 2006, 2.7", {"ends"});
}

}  // namespace rigor
