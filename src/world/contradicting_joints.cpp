// Finds joints that cannot be closed, because others hold their bodies elsewhere.
//
// Bodies connected by fixed joints, and all bodies that cannot move, form one rigid piece: X_b = X_a F_a F_b⁻¹ gives every pose in it from
// one of them. Every other joint between two bodies of one piece has to fit these poses.
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "rigor/queries.h"
#include "validate/validator.h"
#include "world/body_checks.h"
#include "world/joint_gap.h"

namespace rigor {

namespace {

// Chosen: authors of scenes round to less, and no method leaves more.
constexpr double kGap = 1e-3;    // m
constexpr double kAngle = 1e-3;  // rad
constexpr std::size_t kMost = 10;

bool is_rigid(const JointDef& joint) {
  const auto* axes = std::get_if<AxesJoint>(&joint.kind);
  return axes && std::isinf(axes->stiffness) &&
         std::all_of(axes->axes.begin(), axes->axes.end(),
                     [](const JointAxis& axis) { return axis.motion == AxisMotion::locked; });
}

/// Poses of bodies in rigid pieces.
class Pieces {
 public:
  explicit Pieces(const World& world) : world_(world) {
    for (const JointId id : world.joints())
      if (holds(id) && is_rigid(world.joint(id)))
        for (const BodyId end : {world.joint(id).a, world.joint(id).b}) joints_of_[end].push_back(id);
    for (const BodyId id : world.bodies())
      if (world.body_def(id).fixed) place(id, world.world_body());
    spread();
    for (const auto& [id, joints] : joints_of_) {
      if (poses_.contains(id)) continue;
      place(id, id);
      spread();
    }
  }

  bool holds(JointId id) const { return world_.joint(id).active && !world_.joint_state(id).broken; }

  /// True if the joint's bodies are in one piece and it does not fit; `gap` and `angle` hold its errors.
  bool contradicts(JointId id, double& gap, double& angle) const {
    const JointDef& joint = world_.joint(id);
    const auto a = poses_.find(joint.a), b = poses_.find(joint.b);
    if (!holds(id) || a == poses_.end() || b == poses_.end() || a->second.piece != b->second.piece) return false;
    const Transform frame_a = a->second.pose * joint.frame_a, frame_b = b->second.pose * joint.frame_b;
    gap = length(joint_gap(frame_a, frame_b, joint.kind));
    angle = is_rigid(joint) ? length(rotation_vector(frame_b.rotation * conjugate(frame_a.rotation))) : 0;
    return gap > kGap || angle > kAngle;
  }

 private:
  struct Place {
    BodyId piece;  // the body whose pose it follows from
    Transform pose;
  };

  void place(BodyId id, BodyId piece) {
    poses_[id] = {piece, {world_.position(id), world_.orientation(id)}};
    waiting_.push_back(id);
  }

  void spread() {
    for (; !waiting_.empty(); waiting_.pop_front()) {
      const BodyId id = waiting_.front();
      const Place from = poses_.at(id);
      for (const JointId joint_id : joints_of_[id]) {
        const JointDef& joint = world_.joint(joint_id);
        const bool is_a = joint.a == id;
        const BodyId other = is_a ? joint.b : joint.a;
        const Transform &own = is_a ? joint.frame_a : joint.frame_b, &others = is_a ? joint.frame_b : joint.frame_a;
        if (poses_.try_emplace(other, Place{from.piece, from.pose * own * inverse(others)}).second)
          waiting_.push_back(other);
      }
    }
  }

  const World& world_;
  std::map<BodyId, std::vector<JointId>> joints_of_;  // rigid ones
  std::map<BodyId, Place> poses_;
  std::deque<BodyId> waiting_;  // placed, their joints not visited yet
};

}  // namespace

std::vector<std::string> contradicting_joints(const World& world) {
  const Pieces pieces(world);
  std::vector<std::string> sentences;
  std::size_t count = 0;
  for (const JointId id : world.joints()) {
    double gap = 0, angle = 0;
    if (!pieces.contradicts(id, gap, angle) || ++count > kMost) continue;
    const JointDef& joint = world.joint(id);
    const bool by_place = gap > kGap;
    sentences.push_back("joint " + quoted(joint.name) + " cannot be closed: fixed joints or immovable bodies hold " +
                        quoted(world.name(joint.a)) + " and " + quoted(world.name(joint.b)) + " so that its error is " +
                        report_number(by_place ? gap : angle) + (by_place ? " m" : " rad"));
  }
  if (count > kMost) sentences.push_back("and " + std::to_string(count - kMost) + " more joints of this kind");
  return sentences;
}

}  // namespace rigor
