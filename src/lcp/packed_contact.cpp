#include "lcp/packed_contact.h"

namespace rigor {

namespace {

/// Arms are found from products of rounded numbers of the size of the arm; chosen a hundred times above that rounding.
constexpr double kSameArm = 1e-13;

using JacobianRow = std::array<double, 12>;

Vec3 part(const JacobianRow& J, std::size_t at) { return {J[at], J[at + 1], J[at + 2]}; }

bool has_limits_of_contact(const LcpRows& rows, int i) {
  const LcpLimits& l = rows.limits;
  if (l.depends(i) || l.lo[i] != 0 || l.hi[i] != kUnbounded) return false;
  for (int k = 1; k < 3; ++k) {
    if (!l.depends(i + k) || l.dependency[i + k] != i) return false;
    if (rows.first[i + k] != rows.first[i] || rows.second[i + k] != rows.second[i]) return false;
    if (!rows.regularisation.empty() && rows.regularisation[i + k] != rows.regularisation[i]) return false;
  }
  return true;
}

/// The arm r of which the angular parts are r × n, r × t, r × s; `at` is where they begin and `sign` their sign.
bool find_arm(const LcpRows& rows, int i, std::size_t at, double sign, const Vec3 axes[3], Vec3& r) {
  const Vec3 rn = sign * part(rows.J[i], at), rt = sign * part(rows.J[i + 1], at), rs = sign * part(rows.J[i + 2], at);
  r = dot(rt, axes[2]) * axes[0] - dot(rn, axes[2]) * axes[1] + dot(rn, axes[1]) * axes[2];
  const double allowed = kSameArm * (length_squared(rn) + length_squared(rt) + length_squared(rs));
  return length_squared(cross(r, axes[0]) - rn) <= kSameArm * allowed &&
         length_squared(cross(r, axes[1]) - rt) <= kSameArm * allowed &&
         length_squared(cross(r, axes[2]) - rs) <= kSameArm * allowed;
}

}  // namespace

bool pack_contact(const LcpRows& rows, int i, PackedContact& c) {
  if (rows.masses.empty() || i + 3 > rows.size() || !has_limits_of_contact(rows, i)) return false;
  const Vec3 axes[3] = {part(rows.J[i], 6), part(rows.J[i + 1], 6), part(rows.J[i + 2], 6)};
  for (int k = 0; k < 3; ++k)
    if (part(rows.J[i + k], 0) != -axes[k]) return false;
  if (length_squared(cross(axes[0], axes[1]) - axes[2]) > kSameArm * kSameArm ||
      std::abs(length_squared(axes[1]) - 1) > kSameArm || std::abs(dot(axes[0], axes[1])) > kSameArm)
    return false;
  if (!find_arm(rows, i, 3, -1, axes, c.r_a) || !find_arm(rows, i, 9, 1, axes, c.r_b)) return false;
  c.n = axes[0], c.t = axes[1];
  const auto K = [&](int k, int l) { return dot_product(rows.J[i + k].data(), rows.JW[i + l].data(), 12); };
  c.k_nt = K(0, 1), c.k_ns = K(0, 2), c.k_ts = K(1, 2);
  c.gamma = rows.regularisation.empty() ? 0 : rows.regularisation[i];
  for (int k = 0; k < 3; ++k) c.b[k] = rows.b[i + k], c.scale[k] = K(k, k) + c.gamma;
  c.mu_t = rows.limits.factor[i + 1], c.mu_s = rows.limits.factor[i + 2];
  c.index = i;
  return true;
}

}  // namespace rigor
