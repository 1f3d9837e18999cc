#include "lab/torture/joint_watch.h"

#include <algorithm>
#include <cmath>

#include "constraints/joint_survey.h"

namespace rigor {

namespace {

constexpr double kLastsTooLong = 0.25;  // s

}  // namespace

JointWatch::JointWatch(const World& world, double h, double g) : h_(h), g_(g) {
  for (const JointId id : world.joints())
    if (const auto* gear = std::get_if<GearJoint>(&world.joint(id).kind))
      gears_[id] = {world.joint_position(gear->first, gear->first_axis),
                    world.joint_position(gear->second, gear->second_axis)};
}

JointWatch::Tolerance JointWatch::tolerance(const World& world, const JointDef& def) const {
  double size = kUnbounded, turn = 0, arm = 0;
  const auto take = [&](BodyId id, const Vec3& anchor) {
    if (id == world.world_body() || world.is_fixed(id)) return;
    const MassProperties& m = world.mass_properties(id);
    const double w2 = length_squared(world.angular_velocity(id)) * h_ * h_;
    size = std::min(size, 2 * world.body_def(id).shape->bounding_radius());
    turn += 0.5 * w2;
    arm += 0.5 * w2 * length(anchor - m.center_of_mass);
  };
  take(def.a, def.frame_a.translation);
  take(def.b, def.frame_b.translation);
  const double fall = g_ * h_ * h_;
  return {0.001 + 0.02 * size + fall + arm, 0.02 + std::min(0.1, fall / size) + turn};
}

double JointWatch::gear_error(const World& world, JointId id, const GearJoint& gear) {
  Gear& last = gears_[id];
  const auto follow = [&](JointId joint, int axis, double& value) {
    const double now = world.joint_position(joint, axis);
    value = axis < 3 ? now : now + 2 * kPi * std::round((value - now) / (2 * kPi));
  };
  follow(gear.first, gear.first_axis, last.first);
  follow(gear.second, gear.second_axis, last.second);
  return std::abs(last.first + gear.ratio * last.second - gear.offset);
}

void JointWatch::judge_row(const World& world, JointId id, bool is_limit, bool is_angular, double error, double time,
                           std::map<Key, double>& still, Judgement& judgement) const {
  if (!is_angular) judgement.joint_error = std::max(judgement.joint_error, error);
  const Tolerance tolerated = tolerance(world, world.joint(id));
  const double allowed = is_angular ? tolerated.angular + (is_limit ? 0.03 : 0) : tolerated.linear;
  if (error <= allowed) return;
  const Key key{id, is_limit};
  const auto before = since_.find(key);
  const double since = still[key] = before == since_.end() ? time : before->second;
  if (time - since < kLastsTooLong) return;
  judgement.add({is_limit ? Verdict::limit : Verdict::open, world.joint(id).name, time, error, allowed});
}

void JointWatch::step_done(const World& world, const PinchWatch& pinch, double time, Judgement& judgement) {
  std::map<Key, double> still;
  for (const JointRowError& row : joint_row_errors(world)) {
    if (pinch.is_excused(world.joint(row.joint).a) || pinch.is_excused(world.joint(row.joint).b)) continue;
    const JointKind& kind = world.joint(row.joint).kind;
    const auto* gear = std::get_if<GearJoint>(&kind);
    const double error = gear ? gear_error(world, row.joint, *gear) : row.error;
    const bool is_axis_limit = row.is_limit && std::holds_alternative<AxesJoint>(kind);
    judge_row(world, row.joint, is_axis_limit, row.is_angular, error, time, still, judgement);
  }
  since_ = std::move(still);
}

}  // namespace rigor
