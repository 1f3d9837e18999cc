#include "stepping/joint_island.h"

#include <algorithm>
#include <cmath>

#include "constraints/joint_rows.h"
#include "constraints/row_math.h"
#include "rigor/error.h"

namespace rigor {

namespace {

constexpr std::uint8_t kKeyStiff = 255;  // rows of geometric stiffness, which no joint remembers
/// η² F·r / I up to which the tension of a joint is borne without help; 4 is what leapfrog bears. Chosen with a margin for
/// bodies that several joints pull.
constexpr double kBorne = 0.5;

bool is_soft(const Row& row) { return std::isfinite(row.stiffness); }

/// The least moment of inertia that a pull at the arm r turns; kg m².
double inertia_across(const BodyState& s, std::uint32_t slot) {
  const Vec3& I = s.inertia[slot];
  return std::min({I.x, I.y, I.z});
}

bool is_finite(std::span<const BodyVelocity> x) {
  return std::all_of(x.begin(), x.end(), [](const BodyVelocity& u) {
    return std::isfinite(u.v.x + u.v.y + u.v.z) && std::isfinite(u.w.x + u.w.y + u.w.z);
  });
}

}  // namespace

JointIsland::JointIsland(const IslandStep& step, std::span<const std::uint32_t> joints, const StepBodies& bodies) {
  const std::uint32_t awake = step.state.awake();
  for (const std::uint32_t index : joints)
    for (const std::uint32_t slot : {step.list.joints[index].slot_a, step.list.joints[index].slot_b})
      if (slot < awake) slots_.push_back(slot);
  std::sort(slots_.begin(), slots_.end());
  slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
  const auto number = [&](std::uint32_t slot) {
    if (slot >= awake) return -1;
    return static_cast<int>(std::lower_bound(slots_.begin(), slots_.end(), slot) - slots_.begin());
  };
  for (const std::uint32_t index : joints) {
    const StepJoint& from = step.list.joints[index];
    Joint joint;
    joint.index = index;
    joint.a = bodies.place(from.slot_a), joint.b = bodies.place(from.slot_b);
    // The end of a path is where its tangent there says only near it.
    joint.every_limit = !std::holds_alternative<PathJoint>(from.def->kind);
    joints_.push_back(joint);
    edges_.push_back({number(from.slot_a), number(from.slot_b), 0, 0});
  }
  masses_.resize(slots_.size()), x_.resize(slots_.size());
}

void JointIsland::begin(const IslandStep& step) {
  failed_joint_ = -1;
  for (Joint& joint : joints_) joint.impulse = joint.turn = {};
  lay_out_rows(step);
  see_poses(step);
  remember_places(step);
}

void JointIsland::lay_out_rows(const IslandStep& step) {
  thread_local JointRowList list;
  const JointContext context{step.state, step.list, step.eta, true};
  written_.clear();
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    Joint& joint = joints_[k];
    edges_[k].begin = static_cast<int>(written_.size());
    write_joint(step.list.joints[joint.index], context, list);
    written_.insert(written_.end(), list.begin(), list.end());
    joint.stiff_begin = static_cast<int>(written_.size());
    if (const double stiffness = tension_stiffness(step, joint); stiffness > 0)
      for (int i = 0; i < 3; ++i) {
        Row row;
        Vec3 axis;
        axis[i] = 1;
        row.J = angular_jacobian(axis), row.kind = RowKind::spring, row.key = kKeyStiff;
        row.stiffness = 0, row.damping = stiffness;
        written_.push_back(row);
      }
    edges_[k].end = static_cast<int>(written_.size());
  }
  rows_.resize(written_.size());
  is_present_.assign(written_.size(), 1), target_.assign(written_.size(), 0), sum_.assign(written_.size(), 0);
}

/// N m s: the impulse per rad/s by which the relative rotation of the joint's bodies resists changes; see joint_island.h.
double JointIsland::tension_stiffness(const IslandStep& step, const Joint& joint) const {
  const StepJoint& from = step.list.joints[joint.index];
  const Vec3& F = from.memory->force;  // on b, of the last step
  const auto of = [&](std::uint32_t slot, const Vec3& force, const Vec3& arm_in_body) {
    if (slot >= step.state.awake()) return 0.0;
    const double along = dot(force, rotate(step.state.orientation[slot], arm_in_body));
    const double K = step.eta * step.eta * along, borne = kBorne * inertia_across(step.state, slot);
    return K > borne ? K - borne : 0.0;
  };
  return of(from.slot_b, F, from.frame_b.translation) + of(from.slot_a, -F, from.frame_a.translation);
}

/// Which bounded rows were at a bound at the end of the last step: what the joints remember tells, and nothing else does.
void JointIsland::remember_places(const IslandStep& step) {
  guess_.assign(written_.size(), RowPlace::inside);
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const JointState& memory = *step.list.joints[joints_[k].index].memory;
    for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(joints_[k].stiff_begin);
         ++i) {
      const Row& row = written_[i];
      const double force = memory.lambda[row.key] / (step.eta * step.count);
      constexpr double kNear = 1e-6;  // relative
      if (force <= row.lo + kNear * std::abs(row.lo))
        guess_[i] = RowPlace::lo;
      else if (force >= row.hi - kNear * std::abs(row.hi))
        guess_[i] = RowPlace::hi;
    }
  }
}

void JointIsland::see_poses(const IslandStep& step) {
  for (std::size_t k = 0; k < joints_.size(); ++k) write_joint_rows(step, k);
  for (std::size_t i = 0; i < slots_.size(); ++i) masses_[i] = body_mass(step.state, slots_[i]);
  system_.forget();
}

void JointIsland::write_joint_rows(const IslandStep& step, std::size_t k) {
  thread_local JointRowList list;
  Joint& joint = joints_[k];
  const StepJoint& from = step.list.joints[joint.index];
  write_joint(from, {step.state, step.list, step.eta, joint.every_limit}, list);
  joint.arm_b = rotate(step.state.orientation[from.slot_b], from.frame_b.translation);
  std::size_t next = 0;
  for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(joint.stiff_begin); ++i) {
    is_present_[i] = next < list.size() && list[next].key == written_[i].key;
    if (is_present_[i]) written_[i] = list[next++];
    rows_.J[i] = written_[i].J;
  }
  for (auto i = static_cast<std::size_t>(joint.stiff_begin); i < static_cast<std::size_t>(edges_[k].end); ++i)
    rows_.J[i] = written_[i].J;
}

double JointIsland::speed(std::size_t i, const Joint& joint, const std::vector<BodyVelocity>& u) const {
  return speed_along(rows_.J[i], u[static_cast<std::size_t>(joint.a)], u[static_cast<std::size_t>(joint.b)]);
}

/// m/s: how fast the gap of second order closes that the rotation of the two bodies opens in a sub-step.
double JointIsland::opening_speed(const IslandStep& step, const Joint& joint,
                                  const std::vector<BodyVelocity>& u) const {
  const StepJoint& from = step.list.joints[joint.index];
  const double a = length_squared(u[static_cast<std::size_t>(joint.a)].w),
               b = length_squared(u[static_cast<std::size_t>(joint.b)].w);
  const double reach_a = length(step.state.position[from.slot_b] + joint.arm_b - step.state.position[from.slot_a]);
  return step.eta * (a * std::max(reach_a, 1.0) + b * std::max(length(joint.arm_b), 1.0));
}

void JointIsland::start_correction(const IslandStep& step, const std::vector<BodyVelocity>& u) {
  corrects_ = true;
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const double push = step.max_push + opening_speed(step, joints_[k], u);
    for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(edges_[k].end); ++i) {
      rows_.lambda[i] = 0;
      set_target(step, i, push);
      if (written_[i].key == kKeyStiff) target_[i] = speed(i, joints_[k], u), rows_.gamma[i] = 1 / written_[i].damping;
      set_place(i, is_present_[i]);
    }
  }
}

void JointIsland::start_relaxation(const IslandStep& step) {
  corrects_ = false;
  for (std::size_t i = 0; i < written_.size(); ++i) {
    set_target(step, i, 0);
    set_place(i, is_present_[i] && !is_soft(written_[i]));
  }
}

/// `push`: the speed at which errors of rigid rows are closed, 0 in relaxations.
void JointIsland::set_target(const IslandStep& step, std::size_t i, double push) {
  const Row& row = written_[i];
  const double eta = step.eta;
  rows_.lo[i] = eta * row.lo, rows_.hi[i] = eta * row.hi;
  rows_.gamma[i] = 0, target_[i] = row.bias;
  if (is_soft(row)) {
    const double d = eta * row.stiffness + row.damping;
    target_[i] -= row.stiffness * row.C / d, rows_.gamma[i] = 1 / (eta * d);
  } else if (row.kind == RowKind::locked) {
    target_[i] -= std::clamp(row.C / eta, -push, push);
  } else if (row.kind == RowKind::limit) {
    target_[i] -= row.C > 0 ? row.C / eta : std::max(row.C / eta, -push);
  }
}

void JointIsland::set_place(std::size_t i, bool takes_part) {
  if (!takes_part)
    rows_.place[i] = RowPlace::out;
  else if (!rows_.is_bounded(i))
    rows_.place[i] = RowPlace::inside;
  else
    rows_.place[i] = guess_[i];
}

void JointIsland::solve(std::vector<BodyVelocity>& u) {
  for (std::size_t k = 0; k < joints_.size(); ++k)
    for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(edges_[k].end); ++i)
      rows_.r[i] = target_[i] - speed(i, joints_[k], u) - rows_.gamma[i] * rows_.lambda[i];
  const bool is_solved = system_.solve(rows_, edges_, masses_, x_);
  const bool is_good = is_finite(x_);
  if (!(is_solved && is_good) && failed_joint_ < 0) {
    std::size_t k = 0;
    while (k + 1 < edges_.size() && static_cast<std::size_t>(edges_[k].end) <= system_.culprit()) ++k;
    failed_joint_ = static_cast<int>(joints_[k].index);
  }
  if (is_good) apply(u);
}

void JointIsland::apply(std::vector<BodyVelocity>& u) {
  const std::span<const double> delta = system_.delta();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_.lambda[i] += delta[i], sum_[i] += delta[i];
    if (rows_.place[i] != RowPlace::out) guess_[i] = rows_.place[i];
  }
  for (std::size_t k = 0; k < joints_.size(); ++k)
    for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(edges_[k].end); ++i) {
      const Vec3 force = delta[i] * part(rows_.J[i], 6);
      joints_[k].impulse += force;
      joints_[k].turn += delta[i] * part(rows_.J[i], 9) - cross(joints_[k].arm_b, force);
    }
  for (std::size_t i = 0; i < slots_.size(); ++i) u[slots_[i]].v += x_[i].v, u[slots_[i]].w += x_[i].w;
}

void JointIsland::store(const ConstraintList& list, double time) const {
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    JointState& memory = *list.joints[joints_[k].index].memory;
    memory.lambda = {};
    memory.force = joints_[k].impulse / time, memory.torque = joints_[k].turn / time;
    for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(joints_[k].stiff_begin); ++i)
      memory.lambda[written_[i].key] = sum_[i];
  }
}

}  // namespace rigor
