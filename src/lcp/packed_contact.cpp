#include "lcp/packed_contact.h"

namespace rigor {

namespace {

/// Arms are found from products of rounded numbers of the size of the arm; chosen a hundred times above that rounding.
constexpr double kSameArm = 1e-13;

using JacobianRow = std::array<double, 12>;

Vec3 part(const JacobianRow& J, std::size_t at) { return {J[at], J[at + 1], J[at + 2]}; }

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

bool has_limits_of_contact(const LcpRows& rows, int i) {
  if (rows.masses.empty() || i + 3 > rows.size()) return false;
  const LcpLimits& l = rows.limits;
  if (l.depends(i) || l.lo[i] != 0 || l.hi[i] != kUnbounded) return false;
  for (int k = 1; k < 3; ++k) {
    if (!l.depends(i + k) || l.dependency[i + k] != i) return false;
    if (rows.first[i + k] != rows.first[i] || rows.second[i + k] != rows.second[i]) return false;
    if (!rows.regularisation.empty() && rows.regularisation[i + k] != rows.regularisation[i]) return false;
  }
  return true;
}

bool pack_contact(const LcpRows& rows, int i, PackedContact& c, PackedPair& pair) {
  const Vec3 axes[3] = {part(rows.J[i], 6), part(rows.J[i + 1], 6), part(rows.J[i + 2], 6)};
  for (int k = 0; k < 3; ++k)
    if (part(rows.J[i + k], 0) != -axes[k]) return false;
  if (length_squared(cross(axes[0], axes[1]) - axes[2]) > kSameArm * kSameArm ||
      std::abs(length_squared(axes[1]) - 1) > kSameArm || std::abs(dot(axes[0], axes[1])) > kSameArm)
    return false;
  Vec3 r_a, r_b;
  if (!find_arm(rows, i, 3, -1, axes, r_a) || !find_arm(rows, i, 9, 1, axes, r_b)) return false;
  c.set_arms(r_a, r_b);
  const double gamma = rows.regularisation.empty() ? 0 : rows.regularisation[i];
  pair = {axes[0],           axes[1],           axes[2], gamma, rows.limits.factor[i + 1], rows.limits.factor[i + 2],
          rows.first[i] + 1, rows.second[i] + 1};
  const auto K = [&](int k, int l) { return dot_product(rows.J[i + k].data(), rows.JW[i + l].data(), 12); };
  c.k_nt = K(0, 1), c.k_ns = K(0, 2), c.k_ts = K(1, 2);
  double size = c.k_nt + c.k_ns + c.k_ts;
  for (int k = 0; k < 3; ++k) {
    const double diagonal = K(k, k) + gamma;
    c.b[k] = rows.b[i + k], c.inverse[k] = 1 / diagonal;
    size += diagonal;
  }
  c.index = i;
  return std::isfinite(size);
}

}  // namespace rigor
