// Principal axes of an inertia, and a check that an inertia is valid.
//
// Cyclic Jacobi (Golub and Van Loan, Matrix Computations, "Jacobi methods"): the rotation of the plane (p, q) by θ with
// cot 2θ = (a_qq - a_pp) / 2a_pq makes a_pq vanish; sweeps over the three planes converge quadratically, about five of
// them for full accuracy. Uses +, ×, / and sqrt only and so has the same bits on every machine.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/checks.h"
#include "rigor/error.h"
#include "rigor/mass_properties.h"

namespace rigor {

namespace {

double largest_entry(const Mat3& m) {
  double largest = 0;
  for (const Vec3& row : m.row) largest = std::max({largest, std::abs(row.x), std::abs(row.y), std::abs(row.z)});
  return largest;
}

double largest_off_diagonal(const Mat3& a) {
  return std::max({std::abs(a(0, 1)), std::abs(a(1, 2)), std::abs(a(0, 2))});
}

/// a ← Jᵀ a J and v ← v J, with J the rotation that makes a(p, q) vanish.
void rotate_plane(Mat3& a, Mat3& v, int p, int q) {
  if (a(p, q) == 0) return;
  const double cot = (a(q, q) - a(p, p)) / (2 * a(p, q));
  // The smaller root of t² + 2 cot t - 1 = 0, t = tan θ.
  const double t = std::copysign(1.0, cot) / (std::abs(cot) + std::sqrt(1 + cot * cot));
  const double c = 1 / std::sqrt(1 + t * t), s = t * c;
  const double a_pq = a(p, q);
  a(p, p) -= t * a_pq;
  a(q, q) += t * a_pq;
  a(p, q) = a(q, p) = 0;
  const int r = 3 - p - q;
  const double a_rp = a(r, p), a_rq = a(r, q);
  a(r, p) = a(p, r) = c * a_rp - s * a_rq;
  a(r, q) = a(q, r) = s * a_rp + c * a_rq;
  for (int i = 0; i < 3; ++i) {
    const double v_ip = v(i, p), v_iq = v(i, q);
    v(i, p) = c * v_ip - s * v_iq;
    v(i, q) = s * v_ip + c * v_iq;
  }
}

/// The columns of v as a proper rotation, each of the first two with its largest component positive.
Mat3 oriented(const Vec3& first, const Vec3& second) {
  const auto positive = [](const Vec3& u) {
    const Vec3 size = abs(u);
    const double largest = size.x >= size.y && size.x >= size.z ? u.x : size.y >= size.z ? u.y : u.z;
    return largest < 0 ? -u : u;
  };
  const Vec3 x = positive(first), y = positive(second);
  return transpose(Mat3{{x, y, cross(x, y)}});
}

}  // namespace

PrincipalAxes principal_axes(const Mat3& inertia) {
  if (!is_finite(inertia)) throw Error("inertia", "expected finite numbers");
  const double size = largest_entry(inertia);
  Mat3 a = (inertia + transpose(inertia)) * 0.5;
  if (largest_off_diagonal(a) <= 1e-14 * size) return {{a(0, 0), a(1, 1), a(2, 2)}, Quat{}};
  for (Vec3& row : a.row) row = row / size;
  Mat3 v = Mat3::identity();
  for (int sweep = 0; sweep < 20 && largest_off_diagonal(a) > 1e-300; ++sweep) {
    rotate_plane(a, v, 0, 1);
    rotate_plane(a, v, 0, 2);
    rotate_plane(a, v, 1, 2);
  }
  std::array<int, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return a(i, i) < a(j, j); });
  const auto moment = [&](int i) { return size * a(order[i], order[i]); };
  return {{moment(0), moment(1), moment(2)}, quaternion_from_matrix(oriented(v.column(order[0]), v.column(order[1])))};
}

void check_inertia(const Mat3& inertia, const std::string& place) {
  if (!is_finite(inertia)) throw Error(place, "expected an inertia of finite numbers");
  const double size = largest_entry(inertia);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    if (std::abs(inertia(i, j) - inertia(j, i)) <= 1e-10 * size) continue;
    throw Error(place, "expected a symmetric inertia, got " + number_text(inertia(i, j)) + " and " +
                           number_text(inertia(j, i)) + " on opposite sides of the diagonal");
  }
  const Vec3 moments = principal_axes(inertia).moments;
  std::array<double, 3> m{moments.x, moments.y, moments.z};
  std::sort(m.begin(), m.end());
  // A moment of zero, as of an infinitely thin rod, comes out of the rotations as rounding noise of either sign.
  if (!(m[0] > 1e-15 * m[2])) {
    throw Error(place, "expected a positive definite inertia, got the principal moment " + number_text(m[0]));
  }
  if (m[2] - m[1] > m[0] + 1e-10 * m[2]) {
    throw Error(place, "expected an inertia whose largest principal moment is at most the sum of the other two, got " +
                           number_text(m[2]) + " > " + number_text(m[0]) + " + " + number_text(m[1]));
  }
}

}  // namespace rigor
