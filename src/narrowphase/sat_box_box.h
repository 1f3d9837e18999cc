// Two boxes by separating axes; a rectangle is a box without thickness.
#pragma once

#include <vector>

#include "narrowphase/manifold.h"

namespace rigor {

/// Two boxes in the frame of a. Arrays instead of vectors because axes are chosen at run time.
struct BoxPair {
  double a[3], b[3];  // half sides
  double t[3];        // center of b, in the frame of a
  double t_b[3];      // the same vector in the axes of b: r^T t
  double r[3][3];     // r[i][j] = axis i of a · axis j of b
  double abs_r[3][3];
};

/// One of the 15 axes. The code is 0..2: face normals of a; 3..5: of b; 6 + 3i + j: edge i of a × edge j of b.
struct BoxAxis {
  int code = -1;
  double separation = 0;  // m, of the boxes along the axis
};

BoxPair box_pair(const Vec3& half_a, const Vec3& half_b, const Transform& b_in_a);
/// The separation along one axis; minus infinity for an edge axis that does not exist because the edges are parallel.
double axis_separation(const BoxPair& pair, int code);
/// The axis of the largest separation. Stops with any axis that separates by more than `envelope`.
BoxAxis best_axis(const BoxPair& pair, double envelope);
/// Points along that axis. False when the features do not face each other, so that there are
/// none.
bool box_contact(const BoxPair& pair, int code, double envelope, Manifold& manifold);

/// Appends at most one manifold. When the boxes are apart, separations are measured along the best of the 15 axes; only
/// where the two features do not face each other (corner to corner) the Euclidean distance decides.
void box_box(const Vec3& half_a, const Vec3& half_b, const PairQuery& query, PairCache& cache,
             std::vector<Manifold>& out);

}  // namespace rigor
