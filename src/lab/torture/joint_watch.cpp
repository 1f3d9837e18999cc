#include "lab/torture/joint_watch.h"

#include <algorithm>
#include <cmath>

#include "constraints/joint_survey.h"

namespace rigor {

namespace {

constexpr double kLastsTooLong = 0.25;  // s

}  // namespace

JointWatch::JointWatch(const World& world, double h, double g) : h_(h), g_(g) { (void)world; }

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

void JointWatch::step_done(const World& world, double time, Judgement& judgement) {
  std::map<Key, double> still;
  for (const JointRowError& row : joint_row_errors(world)) {
    const JointDef& def = world.joint(row.joint);
    const Tolerance tolerated = tolerance(world, def);
    const bool is_axis_limit = row.is_limit && std::holds_alternative<AxesJoint>(def.kind);
    const double allowed = row.is_angular ? tolerated.angular + (is_axis_limit ? 0.03 : 0) : tolerated.linear;
    if (row.error <= allowed) continue;
    const Key key{row.joint, is_axis_limit};
    const auto before = since_.find(key);
    const double since = still[key] = before == since_.end() ? time : before->second;
    if (time - since < kLastsTooLong) continue;
    if (!row.is_angular) judgement.joint_error = std::max(judgement.joint_error, row.error);
    judgement.add(
        {is_axis_limit ? Verdict::limit : Verdict::open, world.joint(row.joint).name, time, row.error, allowed});
  }
  since_ = std::move(still);
}

}  // namespace rigor
