#include "world/doubtful_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "validate/validator.h"
#include "world/body_checks.h"

namespace rigor {

namespace {

constexpr std::size_t kMost = 10;  // sentences of one kind
// Chosen, as in contradicting_joints.cpp: authors of scenes round to less.
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
      grains.push_back(who + " has friction_across, but its grain is zero: it rubs alike in all directions");
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

}  // namespace rigor
