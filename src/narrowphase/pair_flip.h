// The same contacts seen from the other shape.
#pragma once

#include <span>
#include <utility>

#include "narrowphase/manifold.h"

namespace rigor {

/// Manifolds of (b, a) in the frame of b become manifolds of (a, b) in the frame of a. Keys stay as they are.
inline void flip_manifolds(std::span<Manifold> manifolds, const Transform& b_in_a) {
  const Mat3 rotation = rotation_matrix(b_in_a.rotation);
  for (Manifold& m : manifolds) {
    m.normal = -(rotation * m.normal);
    std::swap(m.part_a, m.part_b);
    for (int i = 0; i < m.count; ++i) {
      ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
      const Vec3 on_b = p.on_a;
      p.on_a = rotation * p.on_b + b_in_a.translation;
      p.on_b = rotation * on_b + b_in_a.translation;
    }
  }
}

/// Manifolds in the frame of something become manifolds in the frame that it is placed in.
inline void move_manifolds(std::span<Manifold> manifolds, const Transform& frame) {
  const Mat3 rotation = rotation_matrix(frame.rotation);
  for (Manifold& m : manifolds) {
    m.normal = rotation * m.normal;
    for (int i = 0; i < m.count; ++i) {
      ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
      p.on_a = rotation * p.on_a + frame.translation;
      p.on_b = rotation * p.on_b + frame.translation;
    }
  }
}

}  // namespace rigor
