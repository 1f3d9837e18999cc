// Converts coordinates to poses and velocities of links, and back.
#include "articulated/articulated_bodies.h"
#include "integrators/rotation.h"

namespace rigor::articulated {

namespace {

/// Sets the pose of a link from its coordinates and the pose of its carrier. Returns the pose of its joint.
LinkPose place(const Link& link, const StepJoint& joint, const LinkCoordinates& at, BodyState& s) {
  const Quat &q_parent = s.orientation[link.parent_slot], R = relative_rotation(link.motion, at);
  const Vec3& x_parent = s.position[link.parent_slot];
  const Transform &near = link.is_a ? joint.frame_b : joint.frame_a, &far = link.is_a ? joint.frame_a : joint.frame_b;
  const Quat q_near = q_parent * near.rotation;
  const Vec3 p_near = x_parent + rotate(q_parent, near.translation);
  const Quat q_far = link.is_a ? q_near * conjugate(R) : q_near * R;
  // t is measured along the axes of frame a, whichever of the two bodies is the link.
  const Vec3 p_far = link.is_a ? p_near - rotate(q_far, at.t) : p_near + rotate(q_near, at.t);
  const Quat q = renormalized(q_far * conjugate(far.rotation));
  const Vec3 to_far = rotate(q, far.translation), x = p_far - to_far;
  s.orientation[link.slot] = q;
  s.position[link.slot] = x;
  const bool has_two_angles = link.motion.angular_count == 2;
  LinkPose pose;
  pose.x_a = link.is_a ? x : x_parent;
  pose.x_b = link.is_a ? x_parent : x;
  pose.p_b = link.is_a ? p_near : x + to_far;
  pose.axes_a = rotation_matrix(link.is_a ? q * far.rotation : q_near);
  if (has_two_angles) pose.axes_b = rotation_matrix(link.is_a ? q_near : q * far.rotation);
  return pose;
}

/// From the origin of frame b to the link's center of mass.
Vec3 arm_of(const Link& link, const LinkPose& pose) { return (link.is_a ? pose.x_a : pose.x_b) - pose.p_b; }

Vec3 sliding_axis(const JointMotion& motion, const LinkPose& pose, int k) {
  return pose.axes_a.column(motion.linear[static_cast<std::size_t>(k)]);
}

/// Axis k of the angular rates, in the world.
Vec3 turning_axis(const JointMotion& motion, const LinkPose& pose, int k) {
  if (motion.angular_count == 3) return pose.axes_a.column(k);
  const int axis = motion.angular[static_cast<std::size_t>(k)];
  return (motion.angular_count == 2 && k == 1 ? pose.axes_b : pose.axes_a).column(axis);
}

Twist twist_of(const BodyState& s, std::uint32_t slot) { return {s.velocity[slot], s.angular_velocity[slot]}; }

/// The velocity of a link relative to its carrier.
Twist relative_velocity(const Link& link, const LinkPose& pose, const LinkCoordinates& at) {
  Vec3 v, w;
  for (int k = 0; k < link.motion.linear_count; ++k)
    v += at.rate[static_cast<std::size_t>(k)] * sliding_axis(link.motion, pose, k);
  for (int k = 0; k < link.motion.angular_count; ++k)
    w += at.rate[static_cast<std::size_t>(link.motion.linear_count + k)] * turning_axis(link.motion, pose, k);
  v += cross(w, arm_of(link, pose));
  return link.is_a ? Twist{-v, -w} : Twist{v, w};
}

/// The same for rate k alone, of 1. Zeros are added so that no component is −0, as in the sum over all rates.
Twist relative_velocity_of_unit(const Link& link, const LinkPose& pose, int k) {
  Vec3 v, w;
  if (k < link.motion.linear_count) {
    v += sliding_axis(link.motion, pose, k);
  } else {
    w += turning_axis(link.motion, pose, k - link.motion.linear_count);
    v += cross(w, arm_of(link, pose));
  }
  return link.is_a ? Twist{-v, -w} : Twist{v, w};
}

}  // namespace

namespace {

/// Sets the velocity of a link from its rates and the velocity of its carrier.
void set_velocity(const Link& link, const LinkPose& pose, const LinkCoordinates& at, BodyState& s) {
  const Vec3 r = s.position[link.slot] - s.position[link.parent_slot];
  const Twist u = carried(twist_of(s, link.parent_slot), r) + relative_velocity(link, pose, at);
  s.velocity[link.slot] = u.v, s.angular_velocity[link.slot] = u.w;
}

void set_root_velocity(const Link& link, const LinkCoordinates& at, BodyState& s) {
  const auto& r = at.rate;
  s.velocity[link.slot] = {r[0], r[1], r[2]}, s.angular_velocity[link.slot] = {r[3], r[4], r[5]};
}

void place_root(const Link& link, const LinkCoordinates& at, BodyState& s) {
  s.position[link.slot] = at.t, s.orientation[link.slot] = normalized(at.q);
  set_root_velocity(link, at, s);
}

}  // namespace

void place_bodies(const Forest& forest, const std::vector<StepJoint>& joints, std::span<const LinkCoordinates> at,
                  BodyState& s, std::vector<LinkPose>& poses) {
  poses.resize(forest.links.size());
  for (std::size_t i = 0; i < forest.links.size(); ++i) {
    const Link& link = forest.links[i];
    if (link.is_free()) {
      place_root(link, at[i], s);
      continue;
    }
    poses[i] = place(link, joints[static_cast<std::size_t>(link.joint)], at[i], s);
    set_velocity(link, poses[i], at[i], s);
  }
}

void place_velocities(const Forest& forest, std::span<const LinkCoordinates> at, BodyState& s,
                      std::span<const LinkPose> poses) {
  for (std::size_t i = 0; i < forest.links.size(); ++i) {
    const Link& link = forest.links[i];
    if (link.is_free())
      set_root_velocity(link, at[i], s);
    else
      set_velocity(link, poses[i], at[i], s);
  }
}

void place_again(const Forest& forest, const std::vector<StepJoint>& joints, std::span<const LinkCoordinates> at,
                 BodyState& s, std::vector<LinkPose>& poses) {
  bool has_free_root = false;
  for (std::size_t i = 0; i < forest.links.size(); ++i) {
    const Link& link = forest.links[i];
    if (link.parent < 0) has_free_root = link.is_free();
    if (link.is_free()) {
      place_root(link, at[i], s);
      continue;
    }
    if (has_free_root) poses[i] = place(link, joints[static_cast<std::size_t>(link.joint)], at[i], s);
    set_velocity(link, poses[i], at[i], s);
  }
}

void read_poses(const Forest& forest, const std::vector<StepJoint>& joints, BodyState& s,
                std::vector<LinkCoordinates>& at, std::vector<LinkPose>& poses) {
  at.assign(forest.links.size(), {});
  poses.resize(forest.links.size());
  for (std::size_t i = 0; i < forest.links.size(); ++i) {
    const Link& link = forest.links[i];
    if (link.is_free()) {
      at[i].t = s.position[link.slot], at[i].q = s.orientation[link.slot];
      continue;
    }
    const StepJoint& joint = joints[static_cast<std::size_t>(link.joint)];
    const Quat &body_a = s.orientation[joint.slot_a], &body_b = s.orientation[joint.slot_b];
    const Quat q_a = body_a * joint.frame_a.rotation, q_b = body_b * joint.frame_b.rotation;
    const Vec3 p_a = s.position[joint.slot_a] + rotate(body_a, joint.frame_a.translation);
    const Vec3 p_b = s.position[joint.slot_b] + rotate(body_b, joint.frame_b.translation);
    read_coordinates(link.motion, rotate_inverse(q_a, p_b - p_a), conjugate(q_a) * q_b, at[i]);
    poses[i] = place(link, joint, at[i], s);
  }
}

void read_rates(const Forest& forest, const std::vector<StepJoint>& joints, const BodyState& s,
                std::span<const LinkPose> poses, std::vector<LinkCoordinates>& at) {
  for (std::size_t i = 0; i < forest.links.size(); ++i) {
    const Link& link = forest.links[i];
    at[i].rate = {};
    if (link.is_free()) {
      const Vec3 v = s.velocity[link.slot], w = s.angular_velocity[link.slot];
      at[i].rate = {v.x, v.y, v.z, w.x, w.y, w.z};
      continue;
    }
    const StepJoint& joint = joints[static_cast<std::size_t>(link.joint)];
    const LinkPose& pose = poses[i];
    const Twist a = carried(twist_of(s, joint.slot_a), pose.p_b - pose.x_a),
                b = carried(twist_of(s, joint.slot_b), pose.p_b - pose.x_b);
    for (int k = 0; k < link.motion.linear_count; ++k)
      at[i].rate[static_cast<std::size_t>(k)] = rigor::dot(sliding_axis(link.motion, pose, k), b.v - a.v);
    for (int k = 0; k < link.motion.angular_count; ++k)
      at[i].rate[static_cast<std::size_t>(link.motion.linear_count + k)] =
          rigor::dot(turning_axis(link.motion, pose, k), b.w - a.w);
  }
}

void ArticulatedBodies::set_subspace(const Link& link, const LinkPose& pose, const BodyState& s, Part& part) {
  part.c = {}, part.r = {};
  part.count = link.motion.size();
  if (link.is_free()) {
    part.S = {};
    for (int k = 0; k < 3; ++k) {
      part.S[static_cast<std::size_t>(k)].v[k] = 1;
      part.S[static_cast<std::size_t>(k) + 3].w[k] = 1;
    }
    return;
  }
  part.r = s.position[link.slot] - s.position[link.parent_slot];
  for (int k = 0; k < part.count; ++k) part.S[static_cast<std::size_t>(k)] = relative_velocity_of_unit(link, pose, k);
}

void ArticulatedBodies::find_velocity_products(const std::vector<StepJoint>& joints, std::span<const LinkPose> poses,
                                               const BodyState& s, std::span<const LinkCoordinates> at) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Link& link = forest_->links[i];
    if (link.is_free()) continue;
    // d/dt of X u_parent + S q̇ at constant u_parent and q̇. Each axis turns with the body that carries it, a's axes with a.
    const StepJoint& joint = joints[static_cast<std::size_t>(link.joint)];
    const LinkPose& pose = poses[i];
    const Twist u = twist_of(s, link.slot), parent = twist_of(s, link.parent_slot);
    const Vec3 w_a = s.angular_velocity[joint.slot_a], w_b = s.angular_velocity[joint.slot_b];
    const Vec3 p_b_velocity = s.velocity[joint.slot_b] + cross(w_b, pose.p_b - pose.x_b);
    const Vec3 arm = arm_of(link, pose), arm_velocity = u.v - p_b_velocity;
    Twist change;
    for (int k = 0; k < link.motion.linear_count; ++k)
      change.v += at[i].rate[static_cast<std::size_t>(k)] * cross(w_a, sliding_axis(link.motion, pose, k));
    for (int k = 0; k < link.motion.angular_count; ++k) {
      const double rate = at[i].rate[static_cast<std::size_t>(link.motion.linear_count + k)];
      const Vec3 axis = turning_axis(link.motion, pose, k);
      const bool carried_by_b = link.motion.angular_count == 2 && k == 1;
      const Vec3 turn = cross(carried_by_b ? w_b : w_a, axis);
      change.w += rate * turn;
      change.v += rate * (cross(turn, arm) + cross(axis, arm_velocity));
    }
    parts_[i].c = link.is_a ? -1.0 * change : change;
    parts_[i].c.v += cross(parent.w, u.v - parent.v);
  }
}

void ArticulatedBodies::velocities(int tree, std::span<const LinkCoordinates> rates, const BodyState& s,
                                   std::span<Twist> u) const {
  const auto begin = static_cast<std::size_t>(forest_->begin(tree));
  const auto end = static_cast<std::size_t>(forest_->begin(tree + 1));
  for (std::size_t i = begin; i < end; ++i) {
    const Link& link = forest_->links[i];
    const Part& part = parts_[i];
    u[i] = {};
    if (!link.is_free())
      u[i] =
          carried(link.parent < 0 ? twist_of(s, link.parent_slot) : u[static_cast<std::size_t>(link.parent)], part.r);
    for (std::size_t k = 0; k < static_cast<std::size_t>(part.count); ++k) u[i] += rates[i].rate[k] * part.S[k];
  }
}

}  // namespace rigor::articulated
