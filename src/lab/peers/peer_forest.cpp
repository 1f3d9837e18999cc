#include "lab/peers/peer_forest.h"

#include "rigor/error.h"

namespace rigor {

namespace {

constexpr std::size_t kNone = PeerForest::kNone;

class Growth {
 public:
  Growth(const PeerScene& scene, PeerForest& forest)
      : scene_(scene), forest_(forest), seen_(scene.bodies.size()), used_(scene.joints.size()) {}

  void plant(std::size_t root) {
    if (seen_[root]) return;
    seen_[root] = true;
    forest_.roots.push_back(root);
    queue_.push_back(root);
    // A body that hangs from the world itself is a root that keeps its joint.
    const std::size_t held = joint_to_world(root);
    if (held != kNone) forest_.joint[root] = held, used_[held] = true;
  }

  void grow() {
    for (std::size_t i = 0; i < queue_.size(); ++i) branch(queue_[i]);
    queue_.clear();
  }

  std::size_t joint_to_world(std::size_t body) const {
    if (scene_.bodies[body].mass == 0) return kNone;
    for (std::size_t j = 0; j < scene_.joints.size(); ++j) {
      const PeerJoint& held = scene_.joints[j];
      if ((held.a == body && held.b == kNone) || (held.b == body && held.a == kNone)) return j;
    }
    return kNone;
  }

  void close_loops() {
    for (std::size_t j = 0; j < scene_.joints.size(); ++j)
      if (!used_[j]) forest_.loops.push_back(j);
  }

 private:
  void branch(std::size_t body) {
    for (std::size_t j = 0; j < scene_.joints.size(); ++j) {
      const PeerJoint& link = scene_.joints[j];
      if (used_[j] || (link.a != body && link.b != body)) continue;
      const std::size_t other = link.a == body ? link.b : link.a;
      if (other == kNone || seen_[other] || scene_.bodies[other].mass == 0) continue;
      seen_[other] = used_[j] = true;
      forest_.parent[other] = body, forest_.joint[other] = j;
      forest_.children[body].push_back(other);
      queue_.push_back(other);
    }
  }

  const PeerScene& scene_;
  PeerForest& forest_;
  std::vector<bool> seen_, used_;   // bodies; joints
  std::vector<std::size_t> queue_;  // bodies whose branches are not visited yet
};

BodyVelocities relative_velocity(const PeerBody& child, const PeerBody& parent) {
  const Vec3 carried = cross(parent.angular_velocity, child.pose.position - parent.pose.position);
  return {child.velocity - parent.velocity - carried, child.angular_velocity - parent.angular_velocity};
}

/// Scenes written by hand are closed to less than this.
constexpr double kOpen = 1e-3;  // m

void refuse_open(const PeerScene& scene, const PeerJoint& joint) {
  Vec3 gap = joint.anchor - to_world(scene, joint.a, joint.frame_a).translation;
  if (joint.kind == PeerJoint::Kind::slider) gap -= dot(gap, joint.axis) * joint.axis;
  if (length(gap) > kOpen)
    throw Error("joint '" + joint.name + "'",
                "it is open at the start, and an engine with reduced coordinates would not close it");
}

}  // namespace

PeerForest::PeerForest(const PeerScene& scene) {
  for (const PeerJoint& link : scene.joints) refuse_open(scene, link);
  const std::size_t n = scene.bodies.size();
  parent.assign(n, kNone), joint.assign(n, kNone), children.resize(n);
  Growth growth(scene, *this);
  for (std::size_t i = 0; i < n; ++i)
    if (scene.bodies[i].mass == 0 || growth.joint_to_world(i) != kNone) growth.plant(i);
  growth.grow();
  for (std::size_t i = 0; i < n; ++i) growth.plant(i), growth.grow();
  growth.close_loops();
  for (std::size_t i = 0; i < n; ++i) {
    const PeerBody& body = scene.bodies[i];
    velocity.push_back(parent[i] == kNone ? BodyVelocities{body.velocity, body.angular_velocity}
                                          : relative_velocity(body, scene.bodies[parent[i]]));
  }
}

}  // namespace rigor
