// Converts points and directions of a body from the shape frame, which users see, to the world.
//
//   p_W = x + R(q) (R_S p_S + t_S),   (t_S, R_S) = shape frame in the principal frame
#include "rigor/forces.h"

namespace rigor {

Vec3 ForceContext::world_point(std::uint32_t slot, const Vec3& point_in_body) const {
  const Vec3 in_principal_frame = transform_point(shape_frames[slot], point_in_body);
  return state.position[slot] + rotate(state.orientation[slot], in_principal_frame);
}

Vec3 ForceContext::world_direction(std::uint32_t slot, const Vec3& direction_in_body) const {
  const Vec3 in_principal_frame = rotate(shape_frames[slot].rotation, direction_in_body);
  return rotate(state.orientation[slot], in_principal_frame);
}

}  // namespace rigor
