#include "stepping/round_contacts.h"

namespace rigor {

void RoundContacts::begin(const World& world, const ContactList& contacts) {
  points_.clear();
  const BodyState& s = world.state();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& c = contacts[k];
    const std::uint32_t slots[2] = {world.slot(c.a), world.slot(c.b)};
    const auto feature = [&](int side, const Vec3& p) {
      const std::uint32_t slot = slots[side];
      const Vec3 outward = rotate_inverse(s.orientation[slot], side == 0 ? c.normal : -c.normal);
      return surface_feature(*world.collision_shape(slot), world.shape_frame(slot), side == 0 ? c.part_a : c.part_b, p,
                             outward);
    };
    for (int i = 0; i < c.count; ++i) {
      const ContactPoint& p = c.points[static_cast<std::size_t>(i)];
      const ContactGeometry geometry{feature(0, p.local_a), feature(1, p.local_b)};
      if (geometry.a.radius > 0 || geometry.b.radius > 0) points_.push_back({k, i, geometry, c.normal});
    }
  }
}

void RoundContacts::follow(const World& world, ContactList& contacts) const {
  const BodyState& s = world.state();
  for (const Point& point : points_) {
    Contact& c = contacts[point.contact];
    const std::uint32_t a = world.slot(c.a), b = world.slot(c.b);
    const ContactPointPose pose = contact_point_pose(
        point.geometry, point.found_normal, {s.position[a], s.orientation[a]}, {s.position[b], s.orientation[b]});
    ContactPoint& p = c.points[static_cast<std::size_t>(point.point)];
    p.local_a = rotate_inverse(s.orientation[a], pose.p_a - s.position[a]);
    p.local_b = rotate_inverse(s.orientation[b], pose.p_b - s.position[b]);
    p.separation = dot(pose.normal, pose.p_b - pose.p_a);
    if (c.count > 1) continue;  // several points share a normal, that of the flat side
    c.normal = pose.normal;
    c.tangent = normalized(c.tangent - dot(c.tangent, c.normal) * c.normal);
  }
}

}  // namespace rigor
