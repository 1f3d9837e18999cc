// Three rows that belong to one point where two bodies touch: n, and along two tangents t and s = n × t whose limits are ∓ μ x_n.
//
//   w_d = b_d + γ x_d + d · (v_b + ω_b × r_b − v_a − ω_a × r_a),   d = n, t, s
//
// A sweep reads the relative velocity once, makes the three steps of Gauss–Seidel with the point's own 3×3 matrix
// K = J W Jᵀ, and gives the bodies the sum of the three impulses: the same numbers as row by row up to rounding, with little more
// than 2 cache lines for the three rows instead of 9, and no friction to compute where nothing presses. What the points of one
// pair of surfaces share is kept once.
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
};

/// What points with the same bodies, directions and friction share.
struct PackedPair {
  Vec3 n, t, s;
  double gamma, mu_t, mu_s;
  int first, second;  // bodies

  bool operator==(const PackedPair&) const = default;
  const Vec3& direction(int k) const { return k == 0 ? n : k == 1 ? t : s; }
};

struct PackedContact {
  using Pair = PackedBody::Pair;

  Pair r_x, r_y, r_z;  // the arms, of a and of b: both bodies are worked at together, one in each lane
  double b[3];
  double inverse[3];        // 1 / d_i of the shared residual
  double k_nt, k_ns, k_ts;  // of K, off its diagonal
  float scale[3];           // d_i, for the estimate that a sweep makes of the residual
  int index;                // of the row along n as it was given; the tangents follow
  int pair;

  void set_arms(const Vec3& r_a, const Vec3& r_b) {
    r_x = Pair{r_a.x, r_b.x}, r_y = Pair{r_a.y, r_b.y}, r_z = Pair{r_a.z, r_b.z};
  }
  // Both are most of a sweep; called, their vectors would go through memory.
  [[gnu::always_inline]] Vec3 relative_velocity(const PackedBody& a, const PackedBody& o) const {
    const Pair w_x{a.w_xy[0], o.w_xy[0]}, w_y{a.w_xy[1], o.w_xy[1]}, w_z{a.z[1], o.z[1]};
    const Pair u_x = Pair{a.v_xy[0], o.v_xy[0]} + (w_y * r_z - w_z * r_y);
    const Pair u_y = Pair{a.v_xy[1], o.v_xy[1]} + (w_z * r_x - w_x * r_z);
    const Pair u_z = Pair{a.z[0], o.z[0]} + (w_x * r_y - w_y * r_x);
    return {u_x[1] - u_x[0], u_y[1] - u_y[0], u_z[1] - u_z[0]};
  }
  [[gnu::always_inline]] void push(const Vec3& impulse, PackedBody& a, PackedBody& o) const {
    const Pair P_x{-impulse.x, impulse.x}, P_y{-impulse.y, impulse.y}, P_z{-impulse.z, impulse.z};
    const Pair m{a.inverse_mass[0], o.inverse_mass[0]};
    const Pair L_x = r_y * P_z - r_z * P_y, L_y = r_z * P_x - r_x * P_z, L_z = r_x * P_y - r_y * P_x;
    const Pair xx{a.xx, o.xx}, yy{a.yy, o.yy}, zz{a.zz, o.zz}, xy{a.xy, o.xy}, xz{a.xz, o.xz}, yz{a.yz, o.yz};
    const Pair v_x = Pair{a.v_xy[0], o.v_xy[0]} + m * P_x, v_y = Pair{a.v_xy[1], o.v_xy[1]} + m * P_y,
               v_z = Pair{a.z[0], o.z[0]} + m * P_z;
    const Pair w_x = Pair{a.w_xy[0], o.w_xy[0]} + (xx * L_x + xy * L_y + xz * L_z),
               w_y = Pair{a.w_xy[1], o.w_xy[1]} + (xy * L_x + yy * L_y + yz * L_z),
               w_z = Pair{a.z[1], o.z[1]} + (xz * L_x + yz * L_y + zz * L_z);
    a.v_xy = Pair{v_x[0], v_y[0]}, a.z = Pair{v_z[0], w_z[0]}, a.w_xy = Pair{w_x[0], w_y[0]};
    o.v_xy = Pair{v_x[1], v_y[1]}, o.z = Pair{v_z[1], w_z[1]}, o.w_xy = Pair{w_x[1], w_y[1]};
  }
};

/// True if the rows i, i + 1, i + 2 have the limits of such three, and W is available.
bool has_limits_of_contact(const LcpRows& rows, int i);
/// True if they are such three, by their J, which are then finite; fills all but `pair`, `inverse` being that of K's diagonal.
bool pack_contact(const LcpRows& rows, int i, PackedContact& contact, PackedPair& pair);

}  // namespace rigor
