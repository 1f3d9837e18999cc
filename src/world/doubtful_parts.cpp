#include "world/doubtful_parts.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "narrowphase/shape_pieces.h"
#include "rigor/queries.h"
#include "rigor/world.h"
#include "validate/validator.h"
#include "world/body_checks.h"
#include "world/joint_gap.h"

namespace rigor {

namespace {

constexpr std::size_t kMost = 10;  // sentences of one kind
// Chosen: authors of scenes round to less, and no method leaves more.
constexpr double kGap = 1e-3;    // m
constexpr double kAngle = 1e-3;  // rad

class Sentences {
 public:
  void add(std::string sentence) {
    if (++of_this_kind_ <= kMost) all_.push_back(std::move(sentence));
  }
  void end_kind(const char* what) {
    if (of_this_kind_ > kMost) all_.push_back("and " + std::to_string(of_this_kind_ - kMost) + " more " + what);
    of_this_kind_ = 0;
  }
  std::vector<std::string> take() { return std::move(all_); }

 private:
  std::vector<std::string> all_;
  std::size_t of_this_kind_ = 0;
};

bool is_below(double static_friction, double friction) { return static_friction >= 0 && static_friction < friction; }

std::string below(double static_friction, double friction) {
  return "a static friction of " + report_number(static_friction) + ", below the friction of " +
         report_number(friction) + ": bodies at rest are held by the latter";
}

/// Materials of one name are reported once.
void find_materials(const World& world, Sentences& sentences) {
  std::set<std::string> seen;
  std::vector<std::string> grains;
  for (const BodyId id : world.bodies()) {
    const Material& m = world.body_def(id).material;
    if (!world.body_def(id).can_collide) continue;
    const std::string who = "material " + quoted(m.name) + " of " + quoted(world.name(id));
    if (is_below(m.static_friction, m.friction) && seen.insert(m.name).second)
      sentences.add(who + " has " + below(m.static_friction, m.friction));
    if (m.grain == Vec3{} && m.friction_across != 1 && seen.insert(m.name + " grain").second)
      grains.push_back(who + " has friction_across, but its grain is zero: its friction is the same in all directions");
  }
  for (const auto& [names, pair] : world.material_rules().pairs)
    if (is_below(pair.static_friction, pair.friction))
      sentences.add("the pair " + quoted(names.first) + ", " + quoted(names.second) + " has " +
                    below(pair.static_friction, pair.friction));
  sentences.end_kind("materials of this kind");
  for (std::string& sentence : grains) sentences.add(std::move(sentence));
  sentences.end_kind("materials of this kind");
}

void find_idle_joints(const World& world, Sentences& sentences) {
  for (const JointId id : world.joints()) {
    const JointDef& joint = world.joint(id);
    if (std::holds_alternative<GearJoint>(joint.kind)) continue;
    if (world.body_def(joint.a).fixed && world.body_def(joint.b).fixed)
      sentences.add("joint " + quoted(joint.name) + " connects " + quoted(world.name(joint.a)) + " with " +
                    quoted(world.name(joint.b)) + ", neither of which can move: it does nothing");
  }
  sentences.end_kind("joints of this kind");
}

struct Axis {
  Vec3 point, direction;
};

/// Reads the axis of a joint whose only free motion is one rotation, in coordinates of the body `of`.
bool read_hinge(const JointDef& joint, BodyId of, Axis& axis) {
  const auto* axes = std::get_if<AxesJoint>(&joint.kind);
  if (!axes || std::isfinite(axes->stiffness)) return false;
  int turning = -1, open = 0;
  for (int i = 0; i < 6; ++i) {
    if (axes->axes[static_cast<std::size_t>(i)].motion == AxisMotion::locked) continue;
    ++open;
    turning = i - 3;
  }
  if (open != 1 || turning < 0) return false;
  const Transform& frame = joint.a == of ? joint.frame_a : joint.frame_b;
  Vec3 unit;
  unit[turning] = 1;
  axis = {frame.translation, rotate(frame.rotation, unit)};
  return true;
}

void find_locked_hinges(const World& world, Sentences& sentences) {
  std::map<std::pair<BodyId, BodyId>, std::pair<JointId, Axis>> first;
  for (const JointId id : world.joints()) {
    const JointDef& joint = world.joint(id);
    if (!joint.active || world.joint_state(id).broken) continue;
    const std::pair<BodyId, BodyId> bodies = std::minmax(joint.a, joint.b);
    Axis axis;
    if (!read_hinge(joint, bodies.first, axis)) continue;
    const auto [found, is_first] = first.try_emplace(bodies, id, axis);
    if (is_first) continue;
    const Axis& other = found->second.second;
    const bool is_parallel = length(cross(axis.direction, other.direction)) < kAngle;
    if (is_parallel && length(cross(axis.point - other.point, axis.direction)) < kGap) continue;
    sentences.add("hinges " + quoted(world.joint(found->second.first).name) + " and " + quoted(joint.name) +
                  " have different axes and connect the same bodies, " + quoted(world.name(joint.a)) + " and " +
                  quoted(world.name(joint.b)) + ", which cannot turn against each other");
  }
  sentences.end_kind("pairs of hinges of this kind");
}

int bodies_with_restitution(const World& world) {
  int count = 0;
  for (const BodyId id : world.bodies()) {
    const BodyDef& def = world.body_def(id);
    count += def.can_collide && !def.sensor && def.material.restitution > 0;
  }
  return count;
}

}  // namespace

std::vector<std::string> doubtful_parts(const World& world) {
  Sentences sentences;
  find_materials(world, sentences);
  find_idle_joints(world, sentences);
  find_locked_hinges(world, sentences);
  std::vector<std::string> all = sentences.take();
  // If several bodies have a restitution, it has an effect between them.
  if (bodies_with_restitution(world) == 1)
    for (std::string& sentence : lost_restitution(world)) all.push_back(std::move(sentence));
  return all;
}

/// The ground has restitution 0 unless it is given one, and by the usual rule the smaller of two numbers counts.
std::vector<std::string> lost_restitution(const World& world) {
  const MaterialRules& rules = world.material_rules();
  const bool both_count = rules.restitution == Combine::minimum || rules.restitution == Combine::product;
  const BodyId ground = world.ground();
  if (!both_count || !ground || !rules.pairs.empty()) return {};
  const BodyDef& floor = world.body_def(ground);
  if (!floor.active || floor.material.restitution > 0) return {};
  BodyId first;
  int count = 0;
  for (const BodyId id : world.bodies()) {
    const BodyDef& def = world.body_def(id);
    const bool bounces = !def.fixed && def.active && def.material.restitution > 0;
    if (bounces && world.may_collide(id, ground) && count++ == 0) first = id;
  }
  if (count == 0) return {};
  return {
      quoted(world.name(first)) + (count > 1 ? " and " + std::to_string(count - 1) + " more have" : " has") +
      " a restitution and " + (count > 1 ? "do" : "does") +
      " not bounce on the ground, which has none: the smaller one of two counts; give the ground a restitution, or set "
      "the rule to 'maximum'"};
}

// Joints that cannot be closed, because others hold their bodies elsewhere.
//
// Bodies connected by fixed joints, and all bodies that cannot move, form one rigid piece: X_b = X_a F_a F_b⁻¹ gives every pose in it from
// one of them. Every other joint between two bodies of one piece has to fit these poses.

namespace {

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
  std::deque<BodyId> waiting_;  // placed bodies whose joints are not visited yet
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

// Joints that hold a body at a point so far away that rounding and the arc of one step are larger than the body.

namespace {

// Chosen: at this lever arm a milliradian, an error that any method may have, is as long as the body.
constexpr double kFar = 1000;  // radii of the body

/// The lever arm of the joint on body `id` in radii of the body; 0 for bodies that cannot move or have no size.
double lever(const World& world, BodyId id, const Transform& frame) {
  const ShapePtr& shape = world.body_def(id).shape;
  if (world.is_fixed(id) || !shape || !(shape->bounding_radius() > 0)) return 0;
  const Transform pose{world.position(id), world.orientation(id)};
  return length((pose * frame).translation - world.center_of_mass(id)) / shape->bounding_radius();
}

}  // namespace

std::vector<std::string> far_anchors(const World& world) {
  std::vector<std::string> sentences;
  std::size_t count = 0;
  for (const JointId j : world.joints()) {
    const JointDef& joint = world.joint(j);
    for (const auto& [id, frame] : {std::pair(joint.a, joint.frame_a), std::pair(joint.b, joint.frame_b)}) {
      const double radii = lever(world, id, frame);
      if (radii <= kFar || ++count > kMost) continue;
      sentences.push_back("joint " + quoted(joint.name) + " holds " + quoted(world.name(id)) + " at a point " +
                          report_number(radii) + " times its radius away: no method holds that well");
    }
  }
  if (count > kMost) sentences.push_back("and " + std::to_string(count - kMost) + " more anchors of this kind");
  return sentences;
}

// Bodies that pass through each other: no narrow phase handles two triangle surfaces.

namespace {

/// True if only triangles could touch: other parts of a composite collide as usual.
bool is_only_surface(const Shape& shape) {
  bool only = true;
  visit_leaves(shape, kEverywhere, [&](const Shape& leaf, const Transform&, std::uint32_t) {
    only = only && (leaf.as<Mesh>() || leaf.as<HeightField>());
  });
  return only;
}

}  // namespace

std::vector<std::string> never_meet(const World& world) {
  std::vector<BodyId> surfaces;
  for (const BodyId id : world.bodies())
    if (has_surface(*world.collision_shape(world.slot(id)))) surfaces.push_back(id);
  std::vector<std::string> sentences;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    for (std::size_t k = i + 1; k < surfaces.size(); ++k) {
      const BodyId a = surfaces[i], b = surfaces[k];
      if (!world.may_collide(a, b) || ++pairs > kMost) continue;
      const bool whole = is_only_surface(*world.collision_shape(world.slot(a))) &&
                         is_only_surface(*world.collision_shape(world.slot(b)));
      sentences.push_back("'" + world.name(a) + "' and '" + world.name(b) + "' pass through each other" +
                          (whole ? "" : " where both are triangles") +
                          ": a mesh or height field does not meet another one; give one of them a hull or a composite "
                          "of convex shapes as its collision_shape");
    }
  }
  if (pairs > kMost) sentences.push_back("and " + std::to_string(pairs - kMost) + " more pairs of such bodies");
  return sentences;
}

}  // namespace rigor
