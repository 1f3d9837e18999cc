// Three rows that belong to one point where two bodies touch: n, and along two tangents t and s = n × t whose limits are ∓ μ x_n.
//
//   w_d = b_d + γ x_d + d · (v_b + ω_b × r_b − v_a − ω_a × r_a),   d = n, t, s
//
// A sweep reads the relative velocity once, makes the three steps of Gauss–Seidel with the point's own 3×3 matrix
// K = J W Jᵀ, and gives the bodies the sum of the three impulses: the same numbers as row by row up to rounding, with 4 cache
// lines for the three rows instead of 9, and no friction to compute where nothing presses.
#pragma once

#include <algorithm>
#include <cmath>

#include "lcp/operators.h"
#include "rigor/math.h"

namespace rigor {

/// Velocity and W of one body.
struct alignas(64) PackedBody {
  using Pair = double __attribute__((vector_size(16)));  // GCC and clang on every machine; lanes are independent

  Pair v_xy, z, w_xy;             // z: (v.z, w.z)
  Pair inverse_mass;              // twice the same
  double xx, yy, zz, xy, xz, yz;  // inverse inertia

  Vec3 v() const { return {v_xy[0], v_xy[1], z[0]}; }
  Vec3 w() const { return {w_xy[0], w_xy[1], z[1]}; }
  void add(const Vec3& dv, const Vec3& dw) {
    v_xy += Pair{dv.x, dv.y}, z += Pair{dv.z, dw.z}, w_xy += Pair{dw.x, dw.y};
  }
  Vec3 turned_by(const Vec3& L) const {
    return {xx * L.x + xy * L.y + xz * L.z, xy * L.x + yy * L.y + yz * L.z, xz * L.x + yz * L.y + zz * L.z};
  }
};

struct alignas(64) PackedContact {
  Vec3 n, t, r_a, r_b;
  double b[3];
  double scale[3], inverse[3];  // d_i of the shared residual and 1 / d_i
  double k_nt, k_ns, k_ts;      // of K, off its diagonal
  double gamma, mu_t, mu_s;
  int first, second;  // bodies
  int index;          // of the row along n as it was given; the tangents follow

  Vec3 direction(int k) const { return k == 0 ? n : k == 1 ? t : cross(n, t); }
  Vec3 relative_velocity(const PackedBody& a, const PackedBody& o) const {
    return (o.v() + cross(o.w(), r_b)) - (a.v() + cross(a.w(), r_a));
  }
  void push(const Vec3& impulse, PackedBody& a, PackedBody& o) const {
    a.add(-a.inverse_mass[0] * impulse, -a.turned_by(cross(r_a, impulse)));
    o.add(o.inverse_mass[0] * impulse, o.turned_by(cross(r_b, impulse)));
  }
};

/// Whether the rows i, i + 1, i + 2 are such three; fills all but the bodies' places.
bool pack_contact(const LcpRows& rows, int i, PackedContact& contact);

}  // namespace rigor
