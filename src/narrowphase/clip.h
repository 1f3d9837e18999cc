// From two touching features to contact points: clipping (clip.cpp), and reduction to four (reduce.cpp).
#pragma once

#include <algorithm>
#include <vector>

#include "narrowphase/convex.h"
#include "narrowphase/manifold.h"

namespace rigor {

/// Candidate points before reduction. Those beyond `count` are not initialised: zeroing 8 KB would cost as much as
/// clipping.
struct PointBuffer {
  static constexpr int kCapacity = 2 * SupportFeature::kMaxCorners;
  int count = 0;
  union {
    std::array<ManifoldPoint, kCapacity> points;
  };

  PointBuffer() {}
  void add(const ManifoldPoint& p) {
    if (count < kCapacity) points[static_cast<std::size_t>(count++)] = p;
  }
};

/// Features of points within this fraction of the reference's size are not distinguished: coincident faces of equal
/// size keep their keys.
inline constexpr double kClipSlack = 1e-5;

/// m, for a reference and an incident feature of these sizes. A much smaller one sets the measure, or a crate would vanish
/// on a floor of 50 km; but it is no less than what rounding does to coordinates.
inline double clip_slack(double reference, double incident) {
  constexpr double kMuchSmaller = 4, kRounding = 1e-14;
  return std::max(kClipSlack * std::min(reference, kMuchSmaller * incident), kRounding * reference);
}

/// The key of a point where two edges meet, whichever comes first. Ids of a's features differ from those of b's.
inline std::uint32_t feature_key(std::uint32_t source1, std::uint32_t source2) {
  return source1 < source2 ? source1 | source2 << 16 : source2 | source1 << 16;
}
inline std::uint32_t feature_source(std::uint32_t id, bool of_b) { return (id & 0x7fffu) | (of_b ? 0x8000u : 0u); }

/// Clips the incident feature against the side planes of the reference polygon (Sutherland–Hodgman) and projects what
/// is left along the normal onto the reference plane. Both features in one frame; `normal` is the unit contact normal
/// from a to b. When `reference_is_a`, a's polygon (three corners or more) is the reference. Features with fewer
/// corners work as incident ones. Points separated by more than `envelope` along the normal are dropped. Radii are
/// added by the caller. Gives nothing where the reference polygon is degenerate or seen edge-on (more than 87° off the
/// normal).
void clip_features(const SupportFeature& a, const SupportFeature& b, const Vec3& normal, bool reference_is_a,
                   double envelope, PointBuffer& out);

/// The contact of two edges (or points): the closest points of the two segments; where these are nearly parallel and
/// lie beside each other the two ends of the common part.
void edge_contacts(const SupportFeature& a, const SupportFeature& b, const Vec3& normal, double envelope,
                   PointBuffer& out);

/// A candidate as the reduction sees it: where it lies in the contact plane and how deep.
struct PlanarPoint {
  double x, y;
  double separation;
  std::uint32_t key;
};

/// Keeps at most four, chosen for area in a way that noise in the depths does not change: the one farthest in a fixed
/// direction, the one farthest from it, and those that lie farthest to both sides of the line between these two. Where
/// the deepest is not among them and is deeper than they are by more than kClipSlack of their extent, it takes the
/// place of the one that costs least area. Up to four candidates are all kept. Writes the indices in the order of the
/// keys, so that it does not jump, and returns how many.
int choose_four(const PlanarPoint* candidates, int count, int* chosen);

/// The same for points in space, into the manifold.
void reduce(const ManifoldPoint* candidates, int count, const Vec3& normal, Manifold& manifold);
inline void reduce(const PointBuffer& candidates, const Vec3& normal, Manifold& manifold) {
  reduce(candidates.points.data(), candidates.count, normal, manifold);
}

}  // namespace rigor
