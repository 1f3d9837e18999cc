// Chooses the function that cuts each geometry; frames and composites are handled by recursion.
#include "forces/submerged_volume.h"

#include <variant>

#include "forces/volume_moment.h"

namespace rigor {

namespace {

/// The same half-space in the coordinates of a frame that is placed by `frame`.
HalfSpace in_frame(const HalfSpace& wet, const Transform& frame) {
  return {rotate_inverse(frame.rotation, wet.normal), wet.level - dot(wet.normal, frame.translation)};
}

VolumeMoment submerged(const Shape& shape, const HalfSpace& wet);

VolumeMoment submerged_part(const Shape& shape, const Transform& frame, const HalfSpace& wet) {
  const VolumeMoment local = submerged(shape, in_frame(wet, frame));
  return {local.volume, rotate(frame.rotation, local.moment) + local.volume * frame.translation};
}

struct Cut {
  const HalfSpace& wet;

  VolumeMoment operator()(const Plane&) const { return {}; }
  VolumeMoment operator()(const HeightField&) const { return {}; }
  VolumeMoment operator()(const Sphere& s) const { return submerged_sphere(s, wet); }
  VolumeMoment operator()(const Box& s) const { return submerged_box(s, wet); }
  VolumeMoment operator()(const Capsule& s) const { return submerged_capsule(s, wet); }
  VolumeMoment operator()(const Cylinder& s) const { return submerged_cylinder(s, wet); }
  VolumeMoment operator()(const Cone& s) const { return submerged_cone(s, wet); }
  VolumeMoment operator()(const Hull& s) const { return submerged_hull(s, wet); }
  VolumeMoment operator()(const SupportShape& s) const { return submerged_hull(*s.hull->as<Hull>(), wet); }
  VolumeMoment operator()(const Mesh& s) const { return submerged_mesh(s, wet); }
  VolumeMoment operator()(const Rectangle& s) const { return submerged_rectangle(s, wet); }
  VolumeMoment operator()(const Transformed& s) const { return submerged_part(*s.shape, s.transform, wet); }
  VolumeMoment operator()(const Composite& s) const {
    VolumeMoment sum;
    for (const Composite::Part& part : s.parts) sum += submerged_part(*part.shape, part.transform, wet);
    return sum;
  }
};

VolumeMoment submerged(const Shape& shape, const HalfSpace& wet) {
  // Most bodies of a scene are in the air.
  if (wet.level <= -shape.bounding_radius()) return {};
  return std::visit(Cut{wet}, shape.geometry());
}

}  // namespace

SubmergedVolume submerged_volume(const Shape& shape, const Transform& pose, const HalfSpace& wet) {
  const VolumeMoment local = submerged(shape, in_frame(wet, pose));
  if (!(local.volume > 0)) return {};
  // If the volume is only rounding error, the quotient may be anywhere; the true centroid never leaves
  // the bounds.
  const Aabb& bounds = shape.local_bounds();
  const Vec3 centroid = max(bounds.lower, min(bounds.upper, local.moment / local.volume));
  return {local.volume, transform_point(pose, centroid)};
}

}  // namespace rigor
