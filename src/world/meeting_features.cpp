#include "constraints/contact_geometry.h"
#include "rigor/contacts.h"
#include "rigor/error.h"
#include "rigor/queries.h"
#include "rigor/world.h"

namespace rigor {

namespace {

SurfaceKind kind_of(const SurfaceFeature& feature) {
  if (feature.radius > 0) return SurfaceKind::round;
  switch (feature.kind) {
    case SurfaceFeature::Kind::flat: return SurfaceKind::face;
    case SurfaceFeature::Kind::point: return SurfaceKind::vertex;
    case SurfaceFeature::Kind::line: return SurfaceKind::edge;
    case SurfaceFeature::Kind::rim: return SurfaceKind::round;
  }
  return SurfaceKind::face;
}

}  // namespace

MeetingFeatures meeting_features(const World& world, const Contact& c, int point) {
  if (point < 0 || point >= c.count) throw Error("point", "the contact has no point with that index");
  const ContactPoint& p = c.points[static_cast<std::size_t>(point)];
  const auto feature = [&](BodyId id, std::uint32_t part, const Vec3& local, const Vec3& outward) {
    const std::uint32_t slot = world.slot(id);
    return kind_of(surface_feature(*world.collision_shape(slot), world.shape_frame(slot), part, local,
                                   rotate_inverse(world.state().orientation[slot], outward)));
  };
  return {feature(c.a, c.part_a, p.local_a, c.normal), feature(c.b, c.part_b, p.local_b, -c.normal)};
}

}  // namespace rigor
