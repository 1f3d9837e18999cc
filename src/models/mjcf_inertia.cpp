// Springs and dampers of MJCF that are given by time constants and damping ratios.
//
// With the mass matrix M at the reference pose (all coordinates at `ref`), armature included:
//   springdamper = (T, ζ) of a joint   m = n / Σ (M⁻¹)ᵢᵢ over its n coordinates,   k = m / (T ζ)²,   d = 2 m / T
//   dampratio = ζ of a servo           m = Mᵢᵢ / gear² of its joint,               k_v = 2 ζ √(k_p m)
// as in MuJoCo's compiler. The mass matrix is that of the scene without rotors, plus the armature on its diagonal.
#include <Eigen/Dense>
#include <cmath>

#include "models/mjcf.h"
#include "rigor/joint_space.h"

namespace rigor::models {

using Kind = ModelNote::Kind;

namespace {

/// The mass matrix by the names of the joints.
class ReferenceInertia {
 public:
  explicit ReferenceInertia(const Robot& robot) {
    Ledger unread({});
    const Scene scene = build_scene(robot, unread, &places_);
    const JointSpace space(scene.world);
    const auto n = static_cast<Eigen::Index>(space.size());
    const std::vector<double> m = space.mass_matrix();
    mass_ = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(m.data(), n, n);
    for (const Link& link : robot.links)
      for (const JointSpec& joint : link.joints) {
        const auto place = places_.find(joint.name);
        if (joint.armature <= 0 || place == places_.end() || !place->second.id) continue;
        const int count = joint.type == JointSpec::Type::ball ? 3 : 1;
        for (int k = 0; k < count; ++k)
          if (const int i = space.index_of(place->second.id, place->second.axis + k); i >= 0)
            mass_(i, i) += joint.armature;
      }
    for (const auto& [name, place] : places_)
      if (place.id) index_[name] = space.index_of(place.id, place.axis);
    inverse_ = mass_.ldlt().solve(Eigen::MatrixXd::Identity(n, n));
  }

  /// −1 if the joint has no coordinate.
  int index_of(const std::string& joint) const {
    const auto found = index_.find(joint);
    return found == index_.end() ? -1 : found->second;
  }
  double of(int i) const { return mass_(i, i); }
  /// n / Σ (M⁻¹)ᵢᵢ over `count` coordinates from i on.
  double free_inertia(int i, int count) const {
    double sum = 0;
    for (int k = 0; k < count; ++k) sum += inverse_(i + k, i + k);
    return count / sum;
  }

 private:
  JointPlaces places_;
  std::map<std::string, int> index_;
  Eigen::MatrixXd mass_, inverse_;
};

}  // namespace

void MjcfReader::set_springs_by_time() {
  if (timed_springs_.empty() && ratio_servos_.empty()) return;
  if (joint_order_.size() > kMostTimedJoints) {
    const std::string why =
        "inertias are not computed for models of more than " + std::to_string(kMostTimedJoints) + " joints";
    for (const TimedSpring& spring : timed_springs_) ledger_.note(spring.where, "springdamper", Kind::ignored, why);
    for (const RatioServo& servo : ratio_servos_) ledger_.note(servo.where, "dampratio", Kind::ignored, why);
    return;
  }
  const ReferenceInertia inertia(robot_);
  for (const TimedSpring& spring : timed_springs_) {
    JointSpec& joint =
        robot_.links[static_cast<std::size_t>(spring.link)].joints[static_cast<std::size_t>(spring.number)];
    const int i = inertia.index_of(joint.name);
    const double m = i < 0 ? 0 : inertia.free_inertia(i, joint.type == JointSpec::Type::ball ? 3 : 1);
    if (!(m > 0 && std::isfinite(m))) {
      ledger_.note(spring.where, "springdamper", Kind::ignored, "the inertia that it depends on is not known");
      continue;
    }
    joint.stiffness = m / (spring.time * spring.time * spring.ratio * spring.ratio);
    joint.damping = 2 * m / spring.time;
  }
  for (const RatioServo& servo : ratio_servos_) {
    JointSpec* joint = find_joint(servo.joint);
    const int i = inertia.index_of(servo.joint);
    if (!joint || i < 0) {
      ledger_.note(servo.where, "dampratio", Kind::ignored, "the inertia that it depends on is not known");
      continue;
    }
    const double reflected = inertia.of(i) / (servo.gear * servo.gear);
    joint->motor.derivative += 2 * servo.ratio * std::sqrt(servo.stiffness * reflected) * servo.gear * servo.gear;
  }
}

}  // namespace rigor::models
