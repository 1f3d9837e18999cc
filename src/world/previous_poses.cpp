#include "world/previous_poses.h"

namespace rigor {

void PreviousPoses::take(const World& world) {
  const BodyState& s = world.state();
  poses_.assign(world.id_capacity(), {});
  for (std::uint32_t i = 0; i < s.size(); ++i) {
    const BodyId id = world.id_at(i);
    poses_[id.index] = {id, {world.position(id), world.orientation(id)}};
  }
}

Transform PreviousPoses::pose_at(const World& world, BodyId id, double alpha) const {
  const Transform now{world.position(id), world.orientation(id)};
  const BodyDef& def = world.body_def(id);
  // A body that the user has placed since has no motion to interpolate: its old pose is its present one.
  const bool was_put = now.translation == def.position && now.rotation == def.orientation;
  const bool is_known = id.index < poses_.size() && poses_[id.index].id == id;
  if (was_put || !is_known || alpha == 1) return now;
  const Transform& before = poses_[id.index].frame;
  const Vec3 center = world.mass_properties(id).center_of_mass;
  const Vec3 c0 = transform_point(before, center), c1 = transform_point(now, center);
  const Vec3 turn = rotation_vector(now.rotation * conjugate(before.rotation));
  const Quat q = normalized(quaternion_from_rotation_vector(alpha * turn) * before.rotation);
  return {c0 + alpha * (c1 - c0) - rotate(q, center), q};
}

}  // namespace rigor
