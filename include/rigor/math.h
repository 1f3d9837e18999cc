// Small fixed-size vectors, matrices and unit quaternions in double precision.
//
// Plain aggregates without hidden costs; factorisations of larger systems use Eigen inside source files,
// so that public headers do not include it.
#pragma once

#include <cmath>
#include <limits>

namespace rigor {

inline constexpr double kPi = 3.14159265358979323846;

struct Vec3 {
  double x = 0, y = 0, z = 0;

  constexpr double& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  constexpr Vec3& operator+=(const Vec3& b) { return x += b.x, y += b.y, z += b.z, *this; }
  constexpr Vec3& operator-=(const Vec3& b) { return x -= b.x, y -= b.y, z -= b.z, *this; }
  constexpr Vec3& operator*=(double s) { return x *= s, y *= s, z *= s, *this; }
  constexpr bool operator==(const Vec3&) const = default;
};

constexpr Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
constexpr Vec3 operator*(const Vec3& a, double s) { return {a.x * s, a.y * s, a.z * s}; }
constexpr Vec3 operator*(double s, const Vec3& a) { return a * s; }
constexpr Vec3 operator/(const Vec3& a, double s) { return {a.x / s, a.y / s, a.z / s}; }
/// Component by component: a principal inertia times an angular velocity.
constexpr Vec3 scale(const Vec3& a, const Vec3& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
constexpr double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
constexpr double length_squared(const Vec3& a) { return dot(a, a); }
inline double length(const Vec3& a) { return std::sqrt(dot(a, a)); }
inline Vec3 normalized(const Vec3& a) { return a / length(a); }
inline bool is_finite(const Vec3& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }
constexpr Vec3 min(const Vec3& a, const Vec3& b) {
  return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}
constexpr Vec3 max(const Vec3& a, const Vec3& b) {
  return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}
inline Vec3 abs(const Vec3& a) { return {std::abs(a.x), std::abs(a.y), std::abs(a.z)}; }

/// Two unit vectors that complete the unit vector n to a right-handed frame (t1, t2, n).
/// Continuous in n except for a cut at n.z = 0 (Duff et al. 2017).
inline void tangents(const Vec3& n, Vec3& t1, Vec3& t2) {
  const double sign = std::copysign(1.0, n.z);
  const double a = -1.0 / (sign + n.z);
  const double b = n.x * n.y * a;
  t1 = {1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
  t2 = {b, sign + n.y * n.y * a, -n.y};
}

/// Row-major 3×3 matrix; m.row[i][j].
struct Mat3 {
  Vec3 row[3];

  static constexpr Mat3 identity() { return diagonal({1, 1, 1}); }
  static constexpr Mat3 diagonal(const Vec3& d) { return {{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}}; }
  constexpr double operator()(int i, int j) const { return row[i][j]; }
  constexpr double& operator()(int i, int j) { return row[i][j]; }
  constexpr Vec3 column(int j) const { return {row[0][j], row[1][j], row[2][j]}; }
  constexpr bool operator==(const Mat3&) const = default;
};

constexpr Vec3 operator*(const Mat3& m, const Vec3& v) {
  return {dot(m.row[0], v), dot(m.row[1], v), dot(m.row[2], v)};
}
constexpr Mat3 transpose(const Mat3& m) { return {{m.column(0), m.column(1), m.column(2)}}; }
constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
  Mat3 r;
  for (int i = 0; i < 3; ++i) r.row[i] = a(i, 0) * b.row[0] + a(i, 1) * b.row[1] + a(i, 2) * b.row[2];
  return r;
}
constexpr Mat3 operator+(const Mat3& a, const Mat3& b) {
  return {{a.row[0] + b.row[0], a.row[1] + b.row[1], a.row[2] + b.row[2]}};
}
constexpr Mat3 operator-(const Mat3& a, const Mat3& b) {
  return {{a.row[0] - b.row[0], a.row[1] - b.row[1], a.row[2] - b.row[2]}};
}
constexpr Mat3 operator*(const Mat3& a, double s) { return {{a.row[0] * s, a.row[1] * s, a.row[2] * s}}; }
constexpr Mat3 operator*(double s, const Mat3& a) { return a * s; }
constexpr double trace(const Mat3& m) { return m(0, 0) + m(1, 1) + m(2, 2); }
constexpr double determinant(const Mat3& m) { return dot(m.row[0], cross(m.row[1], m.row[2])); }
/// a bᵀ
constexpr Mat3 outer(const Vec3& a, const Vec3& b) { return {{a.x * b, a.y * b, a.z * b}}; }
/// The matrix of the cross product: skew(a) b = a × b.
constexpr Mat3 skew(const Vec3& a) { return {{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}}; }
/// By Cramer's rule; the matrix has to be regular.
constexpr Mat3 inverse(const Mat3& m) {
  const Vec3 c0 = cross(m.row[1], m.row[2]), c1 = cross(m.row[2], m.row[0]), c2 = cross(m.row[0], m.row[1]);
  return transpose(Mat3{{c0, c1, c2}}) * (1.0 / dot(m.row[0], c0));
}
inline bool is_finite(const Mat3& m) { return is_finite(m.row[0]) && is_finite(m.row[1]) && is_finite(m.row[2]); }

/// Quaternion w + xi + yj + zk. A unit quaternion is an orientation: it maps body to world vectors.
struct Quat {
  double w = 1, x = 0, y = 0, z = 0;

  constexpr Vec3 vector() const { return {x, y, z}; }
  constexpr bool operator==(const Quat&) const = default;
};

constexpr Quat operator*(const Quat& a, const Quat& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
constexpr Quat operator+(const Quat& a, const Quat& b) { return {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Quat operator*(const Quat& a, double s) { return {a.w * s, a.x * s, a.y * s, a.z * s}; }
constexpr double dot(const Quat& a, const Quat& b) { return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Quat conjugate(const Quat& q) { return {q.w, -q.x, -q.y, -q.z}; }
inline Quat normalized(const Quat& q) { return q * (1.0 / std::sqrt(dot(q, q))); }
inline bool is_finite(const Quat& q) {
  return std::isfinite(q.w) && std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z);
}

/// Body to world: q v q*.
constexpr Vec3 rotate(const Quat& q, const Vec3& v) {
  const Vec3 u = q.vector(), t = 2.0 * cross(u, v);
  return v + q.w * t + cross(u, t);
}
/// World to body: q* v q.
constexpr Vec3 rotate_inverse(const Quat& q, const Vec3& v) { return rotate(conjugate(q), v); }

constexpr Mat3 rotation_matrix(const Quat& q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
           {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
           {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}
/// The unit quaternion of a proper rotation matrix.
Quat quaternion_from_matrix(const Mat3& rotation);
/// Rotation by |r| about r (the exponential map). The same bits on every machine.
Quat quaternion_from_rotation_vector(const Vec3& r);
Quat quaternion_from_axis_angle(const Vec3& unit_axis, double angle);
/// The shortest rotation that takes the unit vector `from` to the unit vector `to`.
Quat quaternion_between(const Vec3& from, const Vec3& to);
/// Rotation vector r with exp(r) = q and |r| <= pi.
Vec3 rotation_vector(const Quat& q);

/// sin and cos with an error below 2 units in the last place for |x| < 1e5. The C library's own differ from machine
/// to machine in the last bit, and state hashes would differ.
void sin_cos(double x, double& sine, double& cosine);

/// A rigid motion: p ↦ rotation p + translation.
struct Transform {
  Vec3 translation;
  Quat rotation;

  constexpr bool operator==(const Transform&) const = default;
};

constexpr Vec3 transform_point(const Transform& t, const Vec3& p) { return rotate(t.rotation, p) + t.translation; }
constexpr Vec3 inverse_transform_point(const Transform& t, const Vec3& p) {
  return rotate_inverse(t.rotation, p - t.translation);
}
/// First b, then a.
constexpr Transform operator*(const Transform& a, const Transform& b) {
  return {transform_point(a, b.translation), a.rotation * b.rotation};
}
constexpr Transform inverse(const Transform& t) {
  const Quat q = conjugate(t.rotation);
  return {rotate(q, -t.translation), q};
}

/// Axis-aligned bounding box; empty when lower > upper.
struct Aabb {
  Vec3 lower{kInfinity, kInfinity, kInfinity}, upper{-kInfinity, -kInfinity, -kInfinity};

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr void include(const Vec3& p) { lower = min(lower, p), upper = max(upper, p); }
  constexpr bool operator==(const Aabb&) const = default;
};

constexpr bool overlap(const Aabb& a, const Aabb& b) {
  return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
         a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

}  // namespace rigor
