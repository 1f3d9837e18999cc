// The wheel of a car (Garstenauer 2006, 2.7; two axes that stay perpendicular as in a universal joint).
//
// a is the chassis, b the wheel. x of the frame is the steering axis, z the axis the wheel spins about. Coordinates: 0 the
// suspension, 3 the steering angle, 5 the spin. A wheel without steering limits is not steered. A servo on the steering axis
// steers, a velocity motor on the spin axis drives, friction on it brakes.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class CarWheelType final : public AxesJointType {
 public:
  CarWheelType() : AxesJointType({0, 5}) { axis(3).lower = axis(3).upper = 0; }
  void fields(FieldVisitor& v) override {
    limit_fields(v, 0, "suspension_");
    spring_fields(v, 0, "suspension_");
    v.number("steering_lower", axis(3).lower, {"rad", -kPi, 0, "how far it steers to one side"});
    v.number("steering_upper", axis(3).upper, {"rad", 0, kPi, "how far it steers to the other side"});
    axis(3).motion = axis(3).lower == 0 && axis(3).upper == 0 ? AxisMotion::locked : AxisMotion::limited;
    motor_fields(v, 3, "steering_");
    motor_fields(v, 5, "");
    friction_field(v, 5, "");
    softness_fields(v);
  }
};

}  // namespace

Entry register_car_wheel_joint() {
  return joint_entry<CarWheelType>("car-wheel", "a wheel that is sprung, steered and driven",
                                   "Garstenauer 2006, 2.7; Bender and Schmitt 2006, 5",
                                   {"anchor", "axis", "axis2", "perpendicular"});
}

}  // namespace rigor
