// Poses and velocities of all links at the start coordinates.
//
// Joints act in their order, each in the frame that the ones before have moved. With the frame's origin x, velocity v of that origin, angular velocity ω,
// the anchor p and the axis a of a joint, all in the world, and its rate q̇:
//   hinge  ω' = ω + q̇ a,   v' = v + ω × (p − x) + ω' × (x' − p)
//   slide  ω' = ω,         v' = v + ω × (x' − x) + q̇ a
//   ball   as a hinge with q̇ a = R' s, s in the frame of the link that it moves
//   free   v' and R' s are given
#include <algorithm>
#include <cmath>
#include <set>

#include "io/json_text.h"
#include "io/scene_limits.h"
#include "models/robot.h"

namespace rigor::models {

Quat unit(const Quat& q) { return std::abs(dot(q, q) - 1) < 1e-15 ? q : normalized(q); }

Transform joint_transform(const JointSpec& j) {
  switch (j.type) {
    case JointSpec::Type::slide: return {j.start * j.axis, {}};
    case JointSpec::Type::free: return {};
    default: break;
  }
  const Quat q = j.type == JointSpec::Type::ball ? j.start_rotation
                 : j.start == 0                  ? Quat{}
                                                 : quaternion_from_axis_angle(j.axis, j.start);
  return {j.anchor - rotate(q, j.anchor), q};
}

namespace {

/// Walks from each joint to its leader, and to the leader of that, until a joint has none or comes again.
void refuse_mimic_cycles(const Robot& robot) {
  std::map<std::string, const Mimic*> mimic_of;
  for (const Mimic& mimic : robot.mimics) mimic_of.emplace(mimic.joint, &mimic);
  std::set<std::string> known;  // joints that lead to no cycle, or to one that was reported
  for (const Mimic& mimic : robot.mimics) {
    std::set<std::string> path;
    std::string at = mimic.joint;
    while (mimic_of.contains(at) && !known.contains(at) && path.insert(at).second) at = mimic_of.at(at)->leader;
    if (path.contains(at)) {
      const Element& where = mimic_of.at(at)->where;
      where.attempt([&] {
        where.fail(mimic_of.at(at)->leader == at ? "the joint '" + short_text(at) + "' follows itself"
                                                 : "the joint '" + short_text(at) + "' follows itself through others");
      });
    }
    known.merge(path);
  }
}

void start_follower(const Mimic& mimic, const std::map<std::string, JointSpec*>& joints) {
  const auto own = joints.find(mimic.joint), leader = joints.find(mimic.leader);
  if (own == joints.end() || leader == joints.end()) return;
  if (leader->second->type == JointSpec::Type::free || leader->second->type == JointSpec::Type::ball) return;
  double& start = own->second->start;
  start = mimic.offset + mimic.ratio * leader->second->start;
  if (std::abs(start) <= kPositionRange.max) return;
  start = 0;
  mimic.where.attempt([&] { mimic.where.fail("the joint '" + short_text(mimic.joint) + "' would start beyond 1e12"); });
}

}  // namespace

/// A follower may be followed itself, so leaders start before their followers.
void start_followers(Robot& robot) {
  refuse_mimic_cycles(robot);
  std::map<std::string, JointSpec*> joints;
  for (Link& link : robot.links)
    for (JointSpec& joint : link.joints) joints[joint.name] = &joint;
  std::map<std::string, const Mimic*> mimic_of;
  for (const Mimic& mimic : robot.mimics) mimic_of[mimic.joint] = &mimic;  // The last mimic of a joint counts.
  std::set<std::string> visited;
  for (const Mimic& mimic : robot.mimics) {
    std::vector<const Mimic*> path;  // from a follower to its first leader
    auto at = mimic_of.find(mimic.joint);
    while (at != mimic_of.end() && visited.insert(at->first).second) {
      path.push_back(at->second);
      at = mimic_of.find(at->second->leader);
    }
    for (; !path.empty(); path.pop_back()) start_follower(*path.back(), joints);
  }
}

std::vector<Transform> world_poses(const Robot& robot) {
  std::vector<Transform> poses;
  for (const Link& l : robot.links) {
    Transform t = l.parent == kWorld ? l.pose : poses[static_cast<std::size_t>(l.parent)] * l.pose;
    for (const JointSpec& j : l.joints) {
      t = t * joint_transform(j);
      if (j.start_pose) t = *j.start_pose;
    }
    t.rotation = unit(t.rotation);
    poses.push_back(t);
  }
  return poses;
}

FrameMotion carried(const FrameMotion& parent, const Transform& pose) {
  const Transform at = parent.pose * pose;
  return {at, parent.velocity + cross(parent.spin, at.translation - parent.pose.translation), parent.spin};
}

FrameMotion moved_by(const FrameMotion& before, const JointSpec& j) {
  FrameMotion after = before;
  after.pose = j.start_pose ? *j.start_pose : before.pose * joint_transform(j);
  const Vec3 axis = rotate(before.pose.rotation, j.axis);
  if (j.type == JointSpec::Type::free) {
    after.velocity = j.start_velocity;
    after.spin = rotate(after.pose.rotation, j.start_spin);
  } else if (j.type == JointSpec::Type::slide) {
    const Vec3 way = after.pose.translation - before.pose.translation;
    after.velocity = before.velocity + cross(before.spin, way) + j.start_rate * axis;
  } else {
    const Vec3 anchor = transform_point(before.pose, j.anchor);
    const Vec3 own = j.type == JointSpec::Type::ball ? rotate(after.pose.rotation, j.start_spin) : j.start_rate * axis;
    after.spin = before.spin + own;
    after.velocity = before.velocity + cross(before.spin, anchor - before.pose.translation) +
                     cross(after.spin, after.pose.translation - anchor);
  }
  return after;
}

std::vector<FrameMotion> start_motions(const Robot& robot) {
  std::vector<FrameMotion> motions;
  for (const Link& l : robot.links) {
    FrameMotion m = carried(l.parent == kWorld ? FrameMotion{} : motions[static_cast<std::size_t>(l.parent)], l.pose);
    for (const JointSpec& j : l.joints) m = moved_by(m, j);
    m.pose.rotation = unit(m.pose.rotation);
    motions.push_back(m);
  }
  return motions;
}

}  // namespace rigor::models
