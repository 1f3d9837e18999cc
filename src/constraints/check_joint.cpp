// Checks the numbers of a joint.
#include <cmath>

#include "model/checks.h"
#include "rigor/error.h"
#include "rigor/joints.h"

namespace rigor {

namespace {

void require(bool good, const std::string& place, const char* expectation) {
  if (!good) throw Error(place, expectation);
}

bool is_amount(double v) { return std::isfinite(v) && v >= 0; }
bool is_bound(double v) { return v >= 0; }  // infinity is allowed, NaN is not

/// Within half a turn to either side, or no limit.
bool is_half_turn(double angle) { return std::isinf(angle) || std::abs(angle) <= kPi; }

void check_frame(const Transform& f, const std::string& place) {
  require(is_finite(f.translation) && is_finite(f.rotation), place, "expected finite numbers");
  require(dot(f.rotation, f.rotation) > 1e-100, place, "expected a rotation, not four zeros");
}

/// One of them may be infinite.
void check_limits(double lower, double upper, const std::string& place) {
  require(lower <= upper, place, "the lower limit must not be above the upper one");
  require(std::isfinite(lower) || std::isfinite(upper), place, "at least one of the limits has to be finite");
}

void check_axis(const JointAxis& a, bool is_angle, const std::string& place) {
  const AxisMotor& m = a.motor;
  if (a.motion == AxisMotion::limited) {
    check_limits(a.lower, a.upper, place);
    require(!is_angle || !std::isfinite(a.upper - a.lower) || a.upper - a.lower <= 2 * kPi, place,
            "angular limits span at most one turn");
    // Angles are known up to full turns, so a one-sided limit would be ambiguous.
    require(!is_angle || std::isfinite(a.upper - a.lower) || is_half_turn(std::isfinite(a.upper) ? a.upper : a.lower),
            place, "a one-sided angular limit has to lie within half a turn");
  }
  require(std::isfinite(m.target), place + ".motor", "expected a finite target");
  require(is_bound(m.max_force), place + ".motor", "the largest force must not be negative");
  require(is_amount(m.proportional) && is_amount(m.integral) && is_amount(m.derivative), place + ".motor",
          "gains must not be negative");
  require(m.kind != AxisMotor::Kind::servo || m.proportional > 0, place + ".motor",
          "a servo needs a proportional gain");
  require(is_amount(a.spring.stiffness) && is_amount(a.spring.damping), place + ".spring",
          "stiffness and damping must not be negative");
  require(std::isfinite(a.spring.rest), place + ".spring", "expected a finite rest position");
  require(is_amount(a.friction), place + ".friction", "expected zero or more");
  const bool is_driven = m.kind != AxisMotor::Kind::none || a.spring != AxisSpring{} || a.friction > 0;
  require(a.motion != AxisMotion::locked || !is_driven, place, "a locked axis cannot have a motor, spring or friction");
}

void check_softness(double stiffness, double damping, const std::string& place) {
  require(stiffness > 0, place + ".stiffness", "expected a positive number");
  require(is_amount(damping), place + ".damping", "expected zero or more");
}

struct KindCheck {
  const std::string& place;

  void operator()(const AxesJoint& k) const {
    for (std::size_t i = 0; i < 6; ++i) check_axis(k.axes[i], i >= 3, place + ".axes[" + std::to_string(i) + "]");
    check_softness(k.stiffness, k.damping, place);
    require(k.max_swing > 0, place + ".max_swing", "expected a positive angle");
    require(k.min_twist <= k.max_twist, place + ".min_twist", "expected a number that is not above max_twist");
    require(is_half_turn(k.min_twist), place + ".min_twist", "a limit of the twist has to lie within half a turn");
    require(is_half_turn(k.max_twist), place + ".max_twist", "a limit of the twist has to lie within half a turn");
  }
  void operator()(const DistanceJoint& k) const {
    require(is_amount(k.lower), place + ".lower", "expected zero or more");
    require(k.upper >= k.lower && k.upper > 0, place + ".upper", "expected a positive number, not below the lower one");
    require(k.lower != k.upper || std::isfinite(k.upper), place + ".upper", "expected a finite length");
    check_softness(k.stiffness, k.damping, place);
  }
  void operator()(const PathJoint& k) const {
    require(k.points.size() >= (k.closed ? 3u : 2u), place + ".points",
            "expected at least two points, three for a closed curve");
    for (std::size_t i = 0; i < k.points.size(); ++i) {
      const std::string at = place + ".points[" + std::to_string(i) + "]";
      require(is_finite(k.points[i]), at, "expected three finite numbers");
      require(i == 0 || k.points[i] != k.points[i - 1], at, "it is equal to the point before");
    }
    require(!k.closed || k.points.front() != k.points.back(), place + ".points",
            "a closed curve must not repeat its first point");
  }
  void operator()(const ExtensionJoint& k) const {
    require(k.joint != nullptr, place, "a joint of an extension is made by make_joint()");
  }
  void operator()(const GearJoint& k) const {
    require(std::isfinite(k.ratio) && k.ratio != 0, place + ".ratio", "expected a finite number other than zero");
    require(k.first_axis >= 0 && k.first_axis < 6, place + ".first_axis", "expected a number from 0 to 5");
    require(k.second_axis >= 0 && k.second_axis < 6, place + ".second_axis", "expected a number from 0 to 5");
  }
};

}  // namespace

void check(const JointDef& def, const std::string& place) {
  check_frame(def.frame_a, place + ".frame_a");
  check_frame(def.frame_b, place + ".frame_b");
  require(def.break_force > 0, place + ".break_force", "expected a positive number");
  require(def.break_torque > 0, place + ".break_torque", "expected a positive number");
  require(!def.erp || (*def.erp >= 0 && *def.erp <= 1), place + ".erp", "expected a number from 0 to 1");
  std::visit(KindCheck{place}, def.kind);
}

}  // namespace rigor
