// Ball and socket: the points of both bodies at the anchor stay together. Friction and damping act against any rotation.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class BallType final : public AxesJointType {
 public:
  BallType() : AxesJointType({3, 4, 5}) {}
  void fields(FieldVisitor& v) override {
    cone_fields(v);
    v.number("friction", axis(3).friction, {"N m", 0, kUnbounded, "dry friction against any rotation"});
    v.number("spring_damping", axis(3).spring.damping,
             {"N m s/rad", 0, kUnbounded, "damping torque against any rotation"});
    axis(4).friction = axis(5).friction = axis(3).friction;
    axis(4).spring.damping = axis(5).spring.damping = axis(3).spring.damping;
    softness_fields(v);
  }
};

}  // namespace

Entry register_ball_joint() {
  return joint_entry<BallType>("ball", "a common point; all rotations free, optionally within a cone and a twist",
                               "Garstenauer 2006, 2.7; Bender and Schmitt 2006, 4.2", {"anchor"});
}

}  // namespace rigor
