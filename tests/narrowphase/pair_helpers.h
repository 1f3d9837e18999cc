// What every pair function has to keep, for the tests of special pairs, separating axes and witnesses.
#pragma once

#include <gtest/gtest.h>

#include "narrowphase/convex_samples.h"
#include "narrowphase/pair_flip.h"
#include "narrowphase/pair_functions.h"
#include "narrowphase/pair_table.h"

namespace rigor::pair_test {

using convex_test::Random;

inline std::vector<Manifold> collide(PairFunction f, const Shape& a, const Shape& b, const Transform& b_in_a,
                                     double envelope, PairCache* cache = nullptr) {
  PairCache none;
  std::vector<Manifold> out;
  f(a, b, {b_in_a, envelope}, cache ? *cache : none, out);
  return out;
}

inline const ManifoldPoint& point(const Manifold& m, int i) { return m.points[static_cast<std::size_t>(i)]; }

inline double deepest(const Manifold& m) {
  double s = Aabb::kInfinity;
  for (int i = 0; i < m.count; ++i) s = std::min(s, point(m, i).separation);
  return s;
}

/// Finite, unit normal, points apart by their separation along the normal, within the envelope, keys different.
inline void expect_sound(const Manifold& m, double envelope, double size) {
  ASSERT_GE(m.count, 1);
  ASSERT_LE(m.count, kMaxManifoldPoints);
  ASSERT_TRUE(is_finite(m.normal));
  EXPECT_NEAR(length(m.normal), 1, 1e-12);
  for (int i = 0; i < m.count; ++i) {
    const ManifoldPoint& p = point(m, i);
    ASSERT_TRUE(is_finite(p.on_a) && is_finite(p.on_b) && std::isfinite(p.separation));
    EXPECT_LE(p.separation, envelope);
    EXPECT_NEAR(dot(m.normal, p.on_b - p.on_a), p.separation, 1e-9 * size);
    for (int k = 0; k < i; ++k) EXPECT_NE(p.key, point(m, k).key);
  }
}

/// on_a lies in shape a and on_b in shape b, give or take the tolerance.
inline void expect_on_shapes(const Shape& a, const Shape& b, const Transform& b_in_a, const Manifold& m,
                             double tolerance) {
  for (int i = 0; i < m.count; ++i) {
    EXPECT_LE(convex_test::outside(a, point(m, i).on_a), tolerance);
    EXPECT_LE(convex_test::outside(b, inverse_transform_point(b_in_a, point(m, i).on_b)), tolerance);
  }
}

/// The same contacts when both shapes are seen in a frame moved by a rigid motion: `a` stays, so only rounding differs.
/// Here the motion is applied by composing poses, as a world would do.
inline Transform seen_from_world(const Transform& world, const Transform& b_in_a) {
  return inverse(world) * (world * b_in_a);
}

}  // namespace rigor::pair_test
