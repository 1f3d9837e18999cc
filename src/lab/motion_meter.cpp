#include "lab/motion_meter.h"

#include "constraints/joint_survey.h"

namespace rigor {

MotionMeter::MotionMeter(const Scene& scene) : measure_(scene.world, Method{}), bodies_(moving_bodies(scene.world)) {}

bool MotionMeter::take(double time, std::span<const BodyPose> poses, std::span<const BodyVelocities> velocities,
                       CompareRun& run) {
  World& world = measure_.world();
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyPose& pose = poses[i];
    const BodyVelocities& u = velocities[i];
    if (!is_finite(pose.position) || !is_finite(pose.orientation) || !is_finite(u.linear) || !is_finite(u.angular))
      return false;
    world.set_pose(bodies_[i], pose.position, normalized(pose.orientation));
    world.set_velocity(bodies_[i], u.linear, u.angular);
  }
  const Sample sample{time, world.kinetic_energy(), world.potential_energy(time), world.momentum(),
                      world.angular_momentum()};
  if (!std::isfinite(sample.total()) || !std::isfinite(length(sample.momentum) + length(sample.angular_momentum)))
    return false;
  measure_.find_contacts();
  std::size_t points = 0;
  for (const Contact& contact : measure_.contacts()) points += static_cast<std::size_t>(contact.count);
  run.motion.push_back(sample);
  run.penetration.push_back(summarize(measure_.contacts()).max_depth);
  run.contacts.push_back(points);
  run.joint_error.push_back(joint_errors(world).linear);
  run.poses.emplace_back(poses.begin(), poses.end());
  return true;
}

}  // namespace rigor
