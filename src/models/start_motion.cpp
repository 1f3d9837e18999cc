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
#include <limits>
#include <map>
#include <set>

#include "io/json_text.h"
#include "io/scene_limits.h"
#include "model/checks.h"
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

/// A follower's coordinate as ratio · coordinate of its first leader + offset.
struct Following {
  JointSpec* leader = nullptr;
  double ratio = 1, offset = 0;
};

bool has_coordinate(const JointSpec& joint) {
  return joint.type != JointSpec::Type::free && joint.type != JointSpec::Type::ball;
}

class Followers {
 public:
  Followers(Robot& robot, Ledger& ledger) : robot_(robot), ledger_(ledger) {
    for (Link& link : robot.links)
      for (JointSpec& joint : link.joints) joints_[joint.name] = &joint;
    for (const Mimic& mimic : robot.mimics) mimic_of_[mimic.joint] = &mimic;  // The last mimic of a joint counts.
  }

  /// A follower may be followed itself, so leaders come before their followers.
  void start() {
    std::set<std::string> visited;
    for (const Mimic& mimic : robot_.mimics) {
      std::vector<const Mimic*> path;  // from a follower to its first leader
      auto at = mimic_of_.find(mimic.joint);
      while (at != mimic_of_.end() && visited.insert(at->first).second) {
        path.push_back(at->second);
        at = mimic_of_.find(at->second->leader);
      }
      for (; !path.empty(); path.pop_back()) add(*path.back());
    }
    for (const auto& [mimic, joint] : order_) bound(*mimic, *joint);
    for (auto& [leader, range] : ranges_) move_leader(*leader, range);
    for (const auto& [mimic, joint] : order_) place(*mimic, *joint);
  }

 private:
  struct RootRange {
    double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
    const Mimic* last = nullptr;  // that has narrowed it
  };

  void add(const Mimic& mimic) {
    const auto own = joints_.find(mimic.joint), leader = joints_.find(mimic.leader);
    if (own == joints_.end() || leader == joints_.end() || !has_coordinate(*leader->second)) return;
    const auto known = following_.find(mimic.leader);
    const Following first = known == following_.end() ? Following{leader->second, 1, 0} : known->second;
    following_[mimic.joint] = {first.leader, mimic.ratio * first.ratio, mimic.offset + mimic.ratio * first.offset};
    order_.emplace_back(&mimic, own->second);
  }

  /// Narrows the range of the first leader, so that this one is within its own.
  void bound(const Mimic& mimic, JointSpec& joint) {
    const Following& f = following_.at(mimic.joint);
    const auto [entry, is_new] = range_of_.try_emplace(f.leader, ranges_.size());
    if (is_new) {
      ranges_.push_back({f.leader, {}});
      if (f.leader->limited) ranges_.back().second = {f.leader->lower, f.leader->upper, nullptr};
    }
    RootRange& range = ranges_[entry->second].second;
    if (!joint.limited || f.ratio == 0) return;
    double one = (joint.lower - f.offset) / f.ratio, two = (joint.upper - f.offset) / f.ratio;
    if (one > two) std::swap(one, two);
    if (std::isnan(one) || std::isnan(two)) return;
    const double lower = std::max(range.lower, one), upper = std::min(range.upper, two);
    if (lower > upper) {
      joint.limited = false;
      ledger_.remark(mimic.where, ModelNote::Kind::replaced,
                     "no position of its leader has it within its limits, which are left out");
      return;
    }
    range = {lower, upper, &mimic};
  }

  void move_leader(JointSpec& leader, const RootRange& range) {
    if (!range.last || (leader.start >= range.lower && leader.start <= range.upper)) return;
    leader.start = std::clamp(leader.start, range.lower, range.upper);
    ledger_.remark(range.last->where, ModelNote::Kind::replaced,
                   "the joint '" + short_text(leader.name) + "' starts at " + number_text(leader.start) +
                       ", so that those that follow it are within their limits");
  }

  void place(const Mimic& mimic, JointSpec& joint) {
    const Following& f = following_.at(mimic.joint);
    joint.start = f.offset + f.ratio * f.leader->start;
    if (std::abs(joint.start) <= kPositionRange.max) return;
    joint.start = 0;
    mimic.where.attempt(
        [&] { mimic.where.fail("the joint '" + short_text(mimic.joint) + "' would start beyond 1e12"); });
  }

  Robot& robot_;
  Ledger& ledger_;
  std::map<std::string, JointSpec*> joints_;
  std::map<std::string, const Mimic*> mimic_of_;
  std::map<std::string, Following> following_;              // by follower
  std::vector<std::pair<const Mimic*, JointSpec*>> order_;  // leaders first
  std::vector<std::pair<JointSpec*, RootRange>> ranges_;    // of first leaders
  std::map<JointSpec*, std::size_t> range_of_;
};

}  // namespace

void start_followers(Robot& robot, Ledger& ledger) {
  refuse_mimic_cycles(robot);
  Followers(robot, ledger).start();
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
