// A rope between two points: their distance stays between `lower` and `upper`.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class RopeType final : public JointType {
 public:
  RopeType() { kind = DistanceJoint{.lower = 0, .upper = kUnbounded}; }
  void start(const JointStart& s) override { rope().upper = s.distance; }
  void fields(FieldVisitor& v) override {
    v.number("lower", rope().lower, {"m", 0, kUnbounded, "smallest distance: a stop"});
    v.number("upper", rope().upper,
             {"m", kPositive, kUnbounded, "largest distance; the initial distance unless given"});
    v.number("stiffness", rope().stiffness, {"N/m", kPositive, kUnbounded, "of a rubber rope; rigid unless given"});
    v.number("damping", rope().damping, {"N s/m", 0, kUnbounded, "where it is not rigid"});
  }

 private:
  DistanceJoint& rope() { return std::get<DistanceJoint>(kind); }
};

}  // namespace

Entry register_rope_joint() {
  return joint_entry<RopeType>("rope", "keeps the distance of two points between two bounds", "Garstenauer 2006, 2.7",
                               {"ends"});
}

}  // namespace rigor
