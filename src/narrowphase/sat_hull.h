// Two polyhedra by separating axes.
#pragma once

#include <vector>

#include "narrowphase/manifold.h"
#include "narrowphase/sat_polyhedron.h"

namespace rigor {

/// A plane that may separate: it holds a face of a, a face of b, or an edge of each. Kept in PairCache::feature.
struct PlaneFeature {
  enum class Kind : std::uint8_t { none, face_a, face_b, edges };
  Kind kind = Kind::none;
  int first = 0, second = 0;  // face; or edge of a, edge of b

  std::uint32_t packed() const;
  static PlaneFeature unpack(std::uint32_t packed);
};

/// Two polyhedra in the frame of a.
struct PolyhedronPair {
  Polyhedron a, b;
  Mat3 r;  // from the frame of b to that of a
  Mat3 r_transposed;
  Vec3 t;
  double size;  // m, about that of the smaller one
};

PolyhedronPair polyhedron_pair(const Polyhedron& a, const Polyhedron& b, const Transform& b_in_a);

struct Separation {
  PlaneFeature feature;   // none: a direction that separates, but no plane of the polyhedra
  Vec3 normal;            // unit, from a to b
  double separation = 0;  // m
};

/// True if the feature still exists; then writes the unit normal of its plane, from a to b.
bool plane_normal(const PolyhedronPair& pair, const PlaneFeature& feature, Vec3& normal);
/// How far the polyhedra are apart along n.
double separation_along(const PolyhedronPair& pair, const Vec3& n);

/// The plane of the largest separation. Begins at `guess`, and prefers it where it is almost as good. Stops with any
/// plane that separates by more than `envelope`.
Separation best_plane(const PolyhedronPair& pair, const PlaneFeature& guess, double envelope);

/// Appends the points along that plane (sat_hull_contact.cpp).
void plane_contact(const PolyhedronPair& pair, const PairQuery& query, const Separation& plane, PairCache& cache,
                   std::vector<Manifold>& out);

/// Both of these.
void collide_polyhedra(const PolyhedronPair& pair, const PairQuery& query, PairCache& cache,
                       std::vector<Manifold>& out);

}  // namespace rigor
