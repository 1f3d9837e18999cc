// Rows of joints that extensions write (rigor/extend/joint.h). Keys count within each kind of row, so that multipliers of the last step
// can be matched.
#include <array>
#include <cmath>

#include "constraints/joint_rows.h"
#include "registry/extension_call.h"
#include "rigor/extend/joint.h"

namespace rigor {

namespace {

class RowTaker final : public extend::JointRows {
 public:
  RowTaker(const std::string& type, bool locked, JointRowList& rows) : type_(type), locked_(locked), rows_(rows) {}

  void hold(double C, const Jacobian& J) override {
    Row row{.J = J, .C = C};
    add(row, kKeyLocked, 0);
  }
  void limit(double C, const Jacobian& J) override {
    Row row{.J = J, .C = C, .lo = 0, .kind = RowKind::limit};
    add(row, kKeyLower, 1);
  }
  void drive(double speed, double most, const Jacobian& J) override {
    check(most >= 0, "the largest force of a drive must not be negative");
    Row row{.J = J, .bias = speed, .lo = -most, .hi = most, .kind = RowKind::motor};
    add(row, kKeyMotor, 2);
  }
  void spring(double C, double stiffness, double damping, const Jacobian& J) override {
    check(std::isfinite(stiffness) && stiffness >= 0 && std::isfinite(damping) && damping >= 0,
          "stiffness and damping of a spring must be finite and not negative");
    if (stiffness == 0 && damping == 0) return;
    Row row{.J = J, .C = C, .stiffness = stiffness, .damping = damping, .kind = RowKind::spring};
    add(row, kKeySpring, 3);
  }

 private:
  void check(bool good, const char* expectation) const {
    if (!good) throw ExtensionFailure(extension_name(Kind::joint, type_), expectation);
  }
  void add(Row& row, int first_key, std::size_t kind) {
    bool finite = std::isfinite(row.C) && std::isfinite(row.bias);
    for (const double v : row.J) finite = finite && std::isfinite(v);
    check(finite, "it wrote a row with a number that is not finite");
    check(counts_[kind] < kMostRows, "it wrote more than six rows of one kind");
    row.key = static_cast<std::uint8_t>(first_key + counts_[kind]++);
    if (locked_ || row.key >= kKeyLower) rows_.push_back(row);
  }

  const std::string& type_;
  bool locked_;
  JointRowList& rows_;
  std::array<int, 4> counts_{};
};

}  // namespace

void write_extension_joint(const ExtensionJoint& kind, const StepJoint& joint, const JointContext& context,
                           JointRowList& rows) {
  const JointPose p = joint_pose(joint, context.state);
  extend::JointFrames frames{p.x_a, p.x_b, p.p_a, p.p_b, p.q_a, p.q_b, {}, {}};
  for (int i = 0; i < 3; ++i) frames.axis_a[i] = p.axis_a[i], frames.axis_b[i] = p.axis_b[i];
  RowTaker taker(kind.type, context.locked, rows);
  call_extension(Kind::joint, kind.type, [&] { kind.joint->write(frames, taker); });
}

}  // namespace rigor
