// Random pairs of convex shapes, plain and transformed, and planes, with a reference for their separation.
#pragma once

#include "narrowphase/clip.h"
#include "narrowphase/convex_samples.h"
#include "narrowphase/pair_table.h"

namespace rigor::convex_test {

/// The seven convex kinds of convex_samples.h, then one of them inside of a Transformed, then the plane.
inline constexpr int kTransformedKind = kKinds, kPlaneKind = kKinds + 1, kPropertyKinds = kKinds + 2;
inline const char* property_kind_name(int kind) {
  return kind == kTransformedKind ? "transformed" : kind == kPlaneKind ? "plane" : kind_name(kind);
}

/// A shape and the simple one that it stands for: shape = core moved by `inner`.
struct SampledShape {
  ShapePtr shape, core;
  Transform inner;
  double size = 0;  // m, of the core
};

inline SampledShape random_sample(Random& random, int kind, double size) {
  if (kind == kPlaneKind) return {plane(), plane(), {}, 0};
  const bool moved = kind == kTransformedKind;
  const ShapePtr core = random_shape(random, moved ? random.index(kKinds) : kind, size);
  if (!moved) return {core, core, {}, core->bounding_radius()};
  const Transform inner{size * random.number(0, 1) * random.direction(), random.rotation()};
  return {transformed(core, inner), core, inner, core->bounding_radius()};
}

/// Two shapes, b in the frame of a. Only a may be a plane.
struct SamplePair {
  SampledShape a, b;
  Transform cores;  // b's core in the frame of a's

  bool has_plane() const { return a.core->as<Plane>() != nullptr; }
  Transform b_in_a() const { return a.inner * cores * inverse(b.inner); }
  /// m, the smaller of the two: what features are as large as.
  double smaller() const { return has_plane() ? b.size : std::min(a.size, b.size); }
  /// m, largest coordinate that matters for rounding.
  double scale() const { return std::max(a.size, b.size) + length(cores.translation); }
  bool is_round() const {
    const auto round = [](const SampledShape& s) { return s.core->as<Cylinder>() || s.core->as<Cone>(); };
    return round(a) || round(b);
  }
  SamplePair moved_by(const Vec3& shift) const { return {a, b, {cores.translation + shift, cores.rotation}}; }
};

inline void place(Random& random, SamplePair& pair) {
  if (!pair.has_plane()) {
    pair.cores = random_pose(random, *pair.a.core, *pair.b.core);
    return;
  }
  const double r = pair.b.size;
  const double x = random.number(-2, 2), y = random.number(-1.2, 1.2), z = random.number(-2, 2);
  pair.cores = {{x * r, y * r, z * r}, random.rotation()};
}

/// m, gap along the unit direction n from a to b, in the frame of a's core. A plane has no surface but its own.
inline double gap_along(const SamplePair& pair, const Vec3& n) {
  const Convex b = convex_view(*pair.b.core);
  if (!pair.has_plane()) return gap_along(convex_view(*pair.a.core), b, pair.cores, n);
  const Vec3 up{0, 1, 0};
  if (length(n - up) > 1e-12) return -std::numeric_limits<double>::infinity();
  return transform_point(pair.cores, support(b, rotate_inverse(pair.cores.rotation, -up))).y - b.radius;
}

/// m, distance by GJK, depth by EPA; of planes in closed form.
inline double reference_separation(const SamplePair& pair) {
  if (pair.has_plane()) return gap_along(pair, {0, 1, 0});
  Vec3 axis;
  return convex_distance(convex_view(*pair.a.core), convex_view(*pair.b.core), pair.cores, 1e300, axis).separation;
}

/// m, what the direction may cost. EPA stops at 1e-9 of the smaller core where one is curved (epa.cpp), closed forms do not.
/// GJK's direction on curved shapes is exact to the root of rounding (gjk.cpp), 2e-8 of the scale. Separating axes prefer faces
/// up to kTie = 1e-9 of the size (sat_hull.cpp); apart, as long as they hold points that are nearest up to kClipSlack.
inline double axis_tolerance(const SamplePair& pair, double separation) {
  if (pair.has_plane()) return 1e-13 * pair.scale();
  const Convex a = convex_view(*pair.a.core), b = convex_view(*pair.b.core);
  const bool curved = is_curved(a.core) || is_curved(b.core);
  const double facing = !curved && separation > 0 ? 2 * kClipSlack * pair.smaller() : 0;
  return facing + curved_tolerance(a, b) + (curved && separation > 0 ? 2e-8 : 2e-9) * pair.scale();
}

/// m, what the points may be off the depth. Reduction and clipping take depths for equal up to kClipSlack of the extent of the
/// manifold, which is at most the diameter of the smaller shape, convex_pair.cpp up to 1e-6 of it. Points may lie outside of a
/// face by kClipSlack of its size, where a face that leans by up to 26° (kLean) is deeper by the sine of that.
inline double point_tolerance(const SamplePair& pair) {
  const double larger = pair.has_plane() ? pair.b.size : std::max(pair.a.size, pair.b.size);
  return 2 * (kClipSlack + 1e-6) * pair.smaller() + 2 * 0.44 * kClipSlack * larger;
}

/// Every narrow phase's table.
inline constexpr PairMode kModes[] = {PairMode::special, PairMode::sat, PairMode::gjk, PairMode::witness};

}  // namespace rigor::convex_test
