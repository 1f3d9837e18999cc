// A ball that rolls on a plane without slipping: one row on positions and two non-holonomic ones (Servin 2011; Neimark, Fufaev 1972).
//
//   n · (p_b − p_a) = 0                                  the center p_b stays in the plane of a through the joint
//   t_k · (v_b(c) − v_a(c)) = 0,  c = p_b − r n          the point of the ball that touches has the velocity of a there
//
// n and t_k are axes of frame a. The two last rows are on velocities alone: they have no position error, so that the place that a
// ball has come to depends on its path. It holds from both sides and with any force; a ball that may slip or leave is a contact.
#include "constraints/joints/rows_joint_type.h"

namespace rigor {

namespace {

class RollingBall final : public extend::Joint {
 public:
  static constexpr const char* kName = "rolling-ball";

  void fields(FieldVisitor& v) override {
    v.number("radius", radius_, {"m", kPositive, 1e6, "of the ball, from its center down to the plane"});
  }
  void write(const extend::JointFrames& f, extend::JointRows& rows) const override {
    rows.hold(f.b_in_a().x, f.gradient({1, 0, 0}));
    const Vec3 touching = f.origin_b - radius_ * f.axis_a[0];
    for (const int k : {1, 2})
      rows.drive(0, std::numeric_limits<double>::infinity(),
                 linear_jacobian(f.axis_a[k], touching - f.center_a, touching - f.center_b));
  }

 private:
  double radius_ = 0.5;
};

}  // namespace

Entry register_rolling_ball_joint() {
  return joint_entry<RowsJointType<RollingBall>>(RollingBall::kName,
                                                 "a ball of b rolls on a plane of a without slipping",
                                                 "Servin 2011; Neimark, Fufaev 1972", {"anchor", "axis"});
}

}  // namespace rigor
