// A massless rod, a rope or a spring between two points.
//
//   l = |p_b − p_a|,  C = l − length,  J = n · (relative velocity of the points),  n = (p_b − p_a) / l
//
// With lower = upper it is an equation; otherwise lower and upper are limits. At l = 0 the direction is taken along the
// x axis of frame a: a rope of length zero is better made as a ball joint.
#include <cmath>

#include "constraints/joint_rows.h"
#include "constraints/row_math.h"

namespace rigor {

namespace {

Jacobian distance_jacobian(const JointPose& p, const Vec3& n) {
  // The force acts along the line through both points, so its two lever arms give the same torque about any point.
  Jacobian J;
  put(J, 0, -n), put(J, 3, -cross(p.p_a - p.x_a, n));
  put(J, 6, n), put(J, 9, cross(p.p_b - p.x_b, n));
  return J;
}

Row distance_row(const DistanceJoint& kind, double C, const Jacobian& J, int key) {
  Row row;
  row.C = C, row.J = J;
  row.stiffness = kind.stiffness, row.damping = kind.damping;
  row.key = static_cast<std::uint8_t>(key);
  return row;
}

}  // namespace

void write_distance_joint(const DistanceJoint& kind, const StepJoint& joint, const JointContext& context,
                          JointRowList& rows) {
  const JointPose p = joint_pose(joint, context.state);
  const Vec3 d = p.p_b - p.p_a;
  const double l = length(d);
  const Vec3 n = l > 1e-12 ? d / l : p.axis_a[0];
  const Jacobian J = distance_jacobian(p, n);
  if (kind.lower == kind.upper) {
    rows.push_back(distance_row(kind, l - kind.upper, J, kKeyLocked));
    return;
  }
  const auto stop = [&](double gap, double sign, int key) {
    Row row = distance_row(kind, gap, J, key);
    for (double& x : row.J) x *= sign;
    row.kind = RowKind::limit;
    row.lo = 0;
    rows.push_back(row);
  };
  if (kind.lower > 0) stop(l - kind.lower, 1, kKeyLower);
  if (std::isfinite(kind.upper)) stop(kind.upper - l, -1, kKeyUpper);
}

}  // namespace rigor
