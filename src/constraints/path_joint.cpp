// A bead on a wire: the origin of frame b slides along a smooth curve fixed in frame a (7.4.3).
//
// The curve is a Catmull–Rom spline through the given points. With c(s) the point of the curve nearest to p_b and T its
// tangent, the two rows are C_i = N_i · (p_b − c(s)), J along N_i, with N_1, N_2 perpendicular to T. s is not a coordinate
// of the simulation: it is computed from p_b every time, so nothing can drift. The ends of an open curve are limits along the tangents
// there, C = ±T_end · (p_b − c_end). Where a curve crosses itself the bead may take either branch. Cost: eight points per
// segment and evaluation.
#include <algorithm>
#include <cmath>

#include "constraints/joint_rows.h"
#include "constraints/row_math.h"

namespace rigor {

namespace {

struct CurvePoint {
  Vec3 position, tangent;  // m; tangent per unit of the parameter
};

/// The curve in the coordinates of frame a; parameter 0…segments().
class Curve {
 public:
  explicit Curve(const PathJoint& path) : points_(path.points), closed_(path.closed) {}

  int segments() const { return static_cast<int>(points_.size()) - (closed_ ? 0 : 1); }
  bool is_closed() const { return closed_; }

  CurvePoint at(double s) const {
    const int k = std::clamp(static_cast<int>(std::floor(s)), 0, segments() - 1);
    const double t = s - k, t2 = t * t, t3 = t2 * t;
    const Vec3 p0 = point(k), p1 = point(k + 1), m0 = slope(k), m1 = slope(k + 1);
    return {(2 * t3 - 3 * t2 + 1) * p0 + (t3 - 2 * t2 + t) * m0 + (3 * t2 - 2 * t3) * p1 + (t3 - t2) * m1,
            (6 * t2 - 6 * t) * p0 + (3 * t2 - 4 * t + 1) * m0 + (6 * t - 6 * t2) * p1 + (3 * t2 - 2 * t) * m1};
  }

  /// Nearest parameter to p: the best of coarse samples, refined by Newton's method.
  double nearest(const Vec3& p) const {
    constexpr int kSamples = 8;  // per segment
    double best = 0, best_distance = length_squared(at(0).position - p);
    for (int i = 1; i <= segments() * kSamples; ++i) {
      const double s = static_cast<double>(i) / kSamples, d = length_squared(at(s).position - p);
      if (d < best_distance) best = s, best_distance = d;
    }
    return refine(p, best, 1.0 / kSamples);
  }

 private:
  double clamp_parameter(double s) const { return std::clamp(s, 0.0, static_cast<double>(segments())); }

  double refine(const Vec3& p, double s, double width) const {
    // Newton's method on (c(s) − p) · c'(s) = 0 without the curvature term: a contraction near the curve.
    for (int i = 0; i < 40; ++i) {
      const CurvePoint c = at(s);
      const double speed2 = length_squared(c.tangent);
      if (speed2 == 0) break;
      const double step = std::clamp(dot(p - c.position, c.tangent) / speed2, -width, width);
      double next = s + step;
      if (closed_ && (next < 0 || next > segments())) next -= std::floor(next / segments()) * segments();
      next = clamp_parameter(next);
      if (!(std::abs(next - s) >= 1e-15)) break;  // also if p is not finite: s stays on the curve
      s = next;
    }
    return s;
  }

  Vec3 point(int i) const {
    const int n = static_cast<int>(points_.size());
    return points_[static_cast<std::size_t>(closed_ ? (i % n + n) % n : std::clamp(i, 0, n - 1))];
  }
  Vec3 slope(int i) const {
    if (!closed_ && (i == 0 || i == segments())) return i == 0 ? point(1) - point(0) : point(i) - point(i - 1);
    return 0.5 * (point(i + 1) - point(i - 1));
  }

  const std::vector<Vec3>& points_;
  bool closed_;
};

/// Two directions across t in the frame of the curve, from the axis that is furthest from t: continuous along most curves, and
/// along every curve in a coordinate plane.
void directions_across(const Vec3& t, Vec3 n[2]) {
  const Vec3 size = abs(t);
  Vec3 axis;
  axis[size.z <= size.x && size.z <= size.y ? 2 : size.y <= size.x ? 1 : 0] = 1;
  n[0] = normalized(cross(t, axis));
  n[1] = cross(t, n[0]);
}

Vec3 direction(const Vec3& tangent) {
  const double speed = length(tangent);
  return speed > 0 ? tangent / speed : Vec3{1, 0, 0};  // zero at a cusp
}

}  // namespace

void write_path_joint(const PathJoint& kind, const StepJoint& joint, const JointContext& context, JointRowList& rows) {
  const JointPose p = joint_pose(joint, context.state);
  const Curve curve(kind);
  const Vec3 local = rotate_inverse(p.q_a, p.p_b - p.p_a);
  // One row along n, given in the frame of the curve, of the distance from a point of the curve.
  const auto row_along = [&](const Vec3& n, const Vec3& from, int key) {
    Row row;
    row.C = dot(n, local - from);
    row.J = linear_jacobian(rotate(p.q_a, n), p.p_b - p.x_a, p.p_b - p.x_b);
    row.key = static_cast<std::uint8_t>(key);
    return row;
  };
  const double s = curve.nearest(local);
  const CurvePoint c = curve.at(s);
  Vec3 n[2];
  directions_across(direction(c.tangent), n);
  for (int i = 0; i < 2; ++i) rows.push_back(row_along(n[i], c.position, kKeyLocked + i));
  if (curve.is_closed()) return;
  const auto stop = [&](double end, double sign, int key) {
    const CurvePoint at_end = curve.at(end);
    Row row = row_along(sign * direction(at_end.tangent), at_end.position, key);
    row.kind = RowKind::limit;
    row.lo = 0;
    rows.push_back(row);
  };
  // The tangent at the end measures the distance to it only in the outer half of the first and the last segment.
  if (s < 0.5 || context.every_limit) stop(0, 1, kKeyLower);
  if (s > curve.segments() - 0.5 || context.every_limit) stop(curve.segments(), -1, kKeyUpper);
}

}  // namespace rigor
