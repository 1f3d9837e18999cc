#include "soft_step/joint_island.h"

#include <algorithm>
#include <cmath>

#include "constraints/joint_limits.h"
#include "constraints/row_math.h"

namespace rigor {

namespace {

constexpr std::uint8_t kKeyStiff = 255;  // rows of geometric stiffness, which no joint remembers
/// Up to this ratio η² F·r / I the sub-step resolves the mode of a joint under tension without help. Leapfrog is stable up to 4; the
/// margin is for bodies that several joints pull. Chosen.
constexpr double kBorne = 0.5;

/// Compliance of rows with bounds and of motors, of their own J M⁻¹ Jᵀ: keeps them independent of the equations, so that a row which those hold
/// already needs no impulse and an active set is always found. A load of a thousand times the lighter body's weight moves such a
/// row by 1e-4 of what gravity does in a sub-step.
constexpr double kCompliance = 1e-7;

/// The same of the rigid equations of nets. A net of N rows in a singular position closes gaps C by motions of up to C / (2 √ε); a load
/// of F opens a joint by ε η² F K, K its own J M⁻¹ Jᵀ. Chosen.
constexpr double kNetCompliance = 1e-2;

/// The impulse of a motor without a bound that a contact may contradict, in units of the momentum that it aims at and of that which
/// forces give in a sub-step. Chosen: a contact builds it up within two sub-steps, and levers need some reserve.
constexpr double kMostMomentum = 2, kMostWeights = 10;

constexpr double kOpen = 1e-3;               // m or rad: errors that take a push to close
constexpr double kPushes = 2;                // of max_push, for bodies that are pushed from two sides
constexpr double kLargestPushedTurn = 0.25;  // rad, in a sub-step

bool is_soft(const Row& row) { return std::isfinite(row.stiffness); }

double least_inertia(const BodyState& s, std::uint32_t slot) {
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
      if (slot < awake)
        slots_.push_back(slot);
      else
        (slot < step.state.end(BodySet::kinematic) ? is_carried_ : is_held_) = true;
  // Bodies are eliminated in this order, so it must not depend on slots: those depend on which other bodies are awake.
  const auto by_id = [&](std::uint32_t x, std::uint32_t y) { return step.state.id_index[x] < step.state.id_index[y]; };
  std::sort(slots_.begin(), slots_.end(), by_id);
  slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
  const auto number = [&](std::uint32_t slot) {
    if (slot >= awake) return -1;
    return static_cast<int>(std::lower_bound(slots_.begin(), slots_.end(), slot, by_id) - slots_.begin());
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
  masses_.resize(slots_.size()), inverse_masses_.resize(slots_.size()), x_.resize(slots_.size());
  last_u_.resize(slots_.size());
}

void JointIsland::begin(const IslandStep& step) {
  failed_joint_ = -1;
  for (Joint& joint : joints_) joint.impulse = joint.turn = {};
  lay_out_rows(step);
  see_poses(step);
  find_scales(step);
  remember_places(step);
  stiffen(step, /*from_memory=*/true);
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
    joint.stiffness = 0;
    for (int i = 0; i < 3; ++i) {
      Row row;
      Vec3 axis;
      axis[i] = 1;
      row.J = angular_jacobian(axis), row.kind = RowKind::spring, row.key = kKeyStiff, row.stiffness = 0;
      written_.push_back(row);
    }
    edges_[k].end = static_cast<int>(written_.size());
  }
  const std::size_t n = written_.size();
  rows_.resize(n);
  is_present_.assign(n, 1), target_.assign(n, 0), goal_.assign(n, 0), C_0_.assign(n, 0), sum_.assign(n, 0);
}

/// kg m²: the impulse per rad/s by which the relative rotation of the joint's bodies resists changes under a force on b.
double JointIsland::tension_stiffness(const IslandStep& step, const Joint& joint, const Vec3& force) const {
  const StepJoint& from = step.list.joints[joint.index];
  const auto of = [&](std::uint32_t slot, const Vec3& pull, const Vec3& arm_in_body) {
    if (slot >= step.state.awake()) return 0.0;
    const double along = dot(pull, rotate(step.state.orientation[slot], arm_in_body));
    return std::max(step.eta * step.eta * along - kBorne * least_inertia(step.state, slot), 0.0);
  };
  return of(from.slot_b, force, from.frame_b.translation) + of(from.slot_a, -force, from.frame_a.translation);
}

/// Geometric stiffness by the forces of the last step, or by those that this correction has found; true where it has grown by
/// much.
bool JointIsland::stiffen(const IslandStep& step, bool from_memory) {
  bool has_grown = false;
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    Joint& joint = joints_[k];
    Vec3 force;
    if (from_memory) force = step.list.joints[joint.index].memory->force;
    for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(joint.stiff_begin); ++i)
      if (!from_memory) force += (rows_.lambda[i] / step.eta) * part(rows_.J[i], 6);
    const double stiffness = tension_stiffness(step, joint, force);
    has_grown = has_grown || stiffness > 2 * joint.stiffness;
    joint.stiffness = std::max(from_memory ? 0 : joint.stiffness, stiffness);
  }
  return has_grown;
}

/// What bounds the motors that a contact may contradict.
void JointIsland::find_scales(const IslandStep& step) {
  mass_ = force_ = size_ = 0;
  if (!is_blocked) return;
  Vec3 low = x_0_.front(), high = low;
  const auto see = [&](const Vec3& x) {
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], x[k]), high[k] = std::max(high[k], x[k]);
  };
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    mass_ += 1 / step.state.inverse_mass[slots_[i]], force_ += length(step.state.force[slots_[i]]);
    see(x_0_[i]);
  }
  for (const Joint& joint : joints_) see(step.state.position[step.list.joints[joint.index].slot_b] + joint.arm_b);
  size_ = length(high - low);
}

/// N s or N m s: B of a motor without a bound, infinite where nothing contradicts it.
double JointIsland::most_impulse(const IslandStep& step, std::size_t i) const {
  if (!(mass_ > 0) || !is_unbounded_motor(written_[i])) return kUnbounded;
  const double momentum = kMostMomentum * mass_ * std::abs(target_[i]), push = kMostWeights * step.eta * force_;
  const bool turns = part(rows_.J[i], 0) == Vec3{} && part(rows_.J[i], 6) == Vec3{};
  return turns ? size_ * (momentum * size_ + push) : momentum + push;
}

/// Which bounded rows were at a bound at the end of the last step: what the joints remember tells, and nothing else does.
void JointIsland::remember_places(const IslandStep& step) {
  constexpr double kNear = 1e-6;  // relative
  guess_.assign(written_.size(), RowPlace::inside);
  for_rows([&](std::size_t i, const Joint& joint) {
    const Row& row = written_[i];
    if (row.key == kKeyStiff) return;
    const double force = step.list.joints[joint.index].memory->lambda[row.key] / (step.eta * step.count);
    if (force <= row.lo + kNear * std::abs(row.lo))
      guess_[i] = RowPlace::lo;
    else if (force >= row.hi - kNear * std::abs(row.hi))
      guess_[i] = RowPlace::hi;
  });
}

void JointIsland::see_poses(const IslandStep& step) {
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const StepJoint& from = step.list.joints[joints_[k].index];
    write_joint_rows(step, k);
    joints_[k].arm_b = rotate(step.state.orientation[from.slot_b], from.frame_b.translation);
  }
  for (std::size_t i = 0; i < written_.size(); ++i) rows_.J[i] = written_[i].J;
  x_0_.clear(), q_0_.clear();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    masses_[i] = body_mass(step.state, slots_[i]);
    inverse_masses_[i] = {step.state.inverse_mass[slots_[i]], inverse_inertia_world(step.state, slots_[i])};
    x_0_.push_back(step.state.position[slots_[i]]), q_0_.push_back(step.state.orientation[slots_[i]]);
  }
  find_mobilities();
  system_.forget();
}

/// Rows with bounds, motors, and the rigid equations of nets.
bool JointIsland::gives_way(std::size_t i) const {
  const Row& row = written_[i];
  return is_net() || !std::isinf(row.lo) || !std::isinf(row.hi) || row.kind == RowKind::motor;
}

/// J M⁻¹ Jᵀ of the rows that give way to others.
void JointIsland::find_mobilities() {
  own_mobility_.assign(written_.size(), 0);
  for (const TreeEdge& edge : edges_)
    for (auto i = static_cast<std::size_t>(edge.begin); i < static_cast<std::size_t>(edge.end); ++i) {
      if (!gives_way(i)) continue;
      for (const auto& [body, at] : {std::pair{edge.a, 0}, std::pair{edge.b, 6}}) {
        if (body < 0) continue;
        const BodyInverseMass& mass = inverse_masses_[static_cast<std::size_t>(body)];
        const Vec3 v = part(rows_.J[i], at), w = part(rows_.J[i], at + 3);
        own_mobility_[i] += mass.linear * length_squared(v) + dot(w, mass.angular * w);
      }
    }
}

void JointIsland::write_joint_rows(const IslandStep& step, std::size_t k) {
  thread_local JointRowList list;
  const Joint& joint = joints_[k];
  write_joint(step.list.joints[joint.index], {step.state, step.list, step.eta, joint.every_limit}, list);
  std::size_t next = 0;
  for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(joint.stiff_begin); ++i) {
    is_present_[i] = next < list.size() && list[next].key == written_[i].key;
    if (is_present_[i]) written_[i] = list[next++];
  }
}

double JointIsland::speed(std::size_t i, const Joint& joint, const std::vector<BodyVelocity>& u) const {
  return speed_along(rows_.J[i], u[static_cast<std::size_t>(joint.a)], u[static_cast<std::size_t>(joint.b)]);
}

/// m/s: twice the speed at which the gap of second order closes that the rotation of the two bodies opens in a sub-step; of
/// angles as at a metre.
double JointIsland::opening_speed(const IslandStep& step, const Joint& joint,
                                  const std::vector<BodyVelocity>& u) const {
  const StepJoint& from = step.list.joints[joint.index];
  const double a = length_squared(u[static_cast<std::size_t>(joint.a)].w),
               b = length_squared(u[static_cast<std::size_t>(joint.b)].w);
  const double reach_a = length(step.state.position[from.slot_b] + joint.arm_b - step.state.position[from.slot_a]);
  return step.eta * (a * std::max(reach_a, 1.0) + b * std::max(length(joint.arm_b), 1.0));
}

void JointIsland::start(const std::vector<BodyVelocity>& u) {
  parts_ = 1;
  sum_0_ = sum_;
  for (Joint& joint : joints_) joint.impulse_0 = joint.impulse, joint.turn_0 = joint.turn;
  take_velocities(u, u_0_);
}

void JointIsland::start_correction(const IslandStep& step, const std::vector<BodyVelocity>& u) {
  corrects_ = true, is_answered_ = false;
  answered_.assign(slots_.size(), {});
  work_ = 0, springs_ = spring_energy();
  double push = 0;
  bool is_open = false;
  const Joint* last = nullptr;
  for_rows([&](std::size_t i, const Joint& joint) {
    if (last != &joint) push = step.max_push + opening_speed(step, joint, u), last = &joint;
    rows_.lambda[i] = 0;
    C_0_[i] = written_[i].C;
    set_target(step, i, push);
    goal_[i] = C_0_[i] + step.eta * target_[i];
    is_open = is_open || (is_present_[i] && is_closed_by_push(i) && std::abs(C_0_[i]) > kOpen);
    const bool is_stiff = written_[i].key == kKeyStiff;
    if (is_stiff) target_[i] = speed(i, joint, u), rows_.gamma[i] = joint.stiffness > 0 ? 1 / joint.stiffness : 0;
    set_place(i, is_stiff ? joint.stiffness > 0 : is_near(step, i, joint, u));
  });
  if (is_open) limit_push(step);
}

/// The joint has the row at these poses, and if it is a limit it may be reached in this sub-step.
bool JointIsland::is_near(const IslandStep& step, std::size_t i, const Joint& joint,
                          const std::vector<BodyVelocity>& u) const {
  constexpr double kAhead = 4;  // times as fast as now
  if (!is_present_[i] || written_[i].kind != RowKind::limit) return is_present_[i] != 0;
  return written_[i].C < kAngularReach + kAhead * step.eta * std::abs(speed(i, joint, u));
}

/// A rigid equation, or a limit that is exceeded.
bool JointIsland::is_closed_by_push(std::size_t i) const {
  const Row& row = written_[i];
  return !is_soft(row) && (row.kind == RowKind::locked || (row.kind == RowKind::limit && row.C < 0));
}

/// Near a singular position small gaps take large motions to close: no body is pushed faster than max_push, or turned far.
void JointIsland::limit_push(const IslandStep& step) {
  const std::vector<RowPlace> places = rows_.place;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const bool takes_part = places[i] != RowPlace::out && is_closed_by_push(i);
    rows_.place[i] = takes_part ? RowPlace::inside : RowPlace::out;
    rows_.r[i] = takes_part ? target_[i] : 0;
  }
  system_.solve(rows_, edges_, masses_, x_);
  double scale = 1;
  for (const BodyVelocity& push : x_) {
    const double v = length(push.v), turn = step.eta * length(push.w);
    if (!(v * scale < kPushes * step.max_push)) scale = kPushes * step.max_push / v;
    if (!(turn * scale < kLargestPushedTurn)) scale = kLargestPushedTurn / turn;
  }
  if (!std::isfinite(scale)) scale = 0;
  rows_.place = places;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (is_closed_by_push(i)) target_[i] *= scale, goal_[i] = C_0_[i] + step.eta * target_[i];
}

void JointIsland::start_relaxation(const IslandStep& whole, const std::vector<BodyVelocity>& u) {
  IslandStep step = whole;
  step.eta /= parts_;
  corrects_ = is_answered_ = false;
  for_rows([&](std::size_t i, const Joint& joint) {
    set_target(step, i, 0);
    set_place(i, !is_soft(written_[i]) && is_near(step, i, joint, u));
  });
}

/// `push`: the speed at which errors of rigid rows are closed, 0 in relaxations.
void JointIsland::set_target(const IslandStep& step, std::size_t i, double push) {
  const Row& row = written_[i];
  const double eta = step.eta;
  rows_.lo[i] = eta * row.lo, rows_.hi[i] = eta * row.hi;
  rows_.gamma[i] = (is_net_equation(row) ? kNetCompliance : kCompliance) * own_mobility_[i], target_[i] = row.bias;
  if (row.key == kKeyStiff) return;
  if (const double most = most_impulse(step, i); std::isfinite(most)) rows_.lo[i] = -most, rows_.hi[i] = most;
  if (is_soft(row)) {
    const double d = eta * row.stiffness + row.damping;
    target_[i] -= row.stiffness * row.C / d, rows_.gamma[i] = 1 / (eta * d);
  } else if (row.kind == RowKind::locked) {
    target_[i] -= std::clamp(row.C / eta, -push, push);
  } else if (row.kind == RowKind::limit) {
    target_[i] -= row.C > 0 ? row.C / eta : std::max(row.C / eta, -push);
  }
}

bool JointIsland::is_net_equation(const Row& row) const { return row.kind == RowKind::locked && is_net(); }

void JointIsland::set_place(std::size_t i, bool takes_part) {
  if (!takes_part)
    rows_.place[i] = RowPlace::out;
  else if (!rows_.is_bounded(i))
    rows_.place[i] = RowPlace::inside;
  else
    rows_.place[i] = guess_[i];
}

void JointIsland::solve(const IslandStep& step, std::vector<BodyVelocity>& u) {
  if (is_answered(u)) return;
  if (corrects_) save(u);
  answer(u);
  if (!corrects_ || !stiffen(step, /*from_memory=*/false)) return;
  // The tension is another than the one that was expected.
  take_back(u);
  for_rows([&](std::size_t i, const Joint& joint) {
    if (written_[i].key != kKeyStiff || !(joint.stiffness > 0)) return;
    if (rows_.place[i] == RowPlace::out) target_[i] = speed(i, joint, u);
    rows_.gamma[i] = 1 / joint.stiffness, rows_.place[i] = RowPlace::inside;
  });
  system_.forget();
  answer(u);
}

/// Nobody has changed the velocities since the last solve of the same phase.
bool JointIsland::is_answered(const std::vector<BodyVelocity>& u) const {
  if (!is_answered_) return false;
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (u[slots_[i]].v != last_u_[i].v || u[slots_[i]].w != last_u_[i].w) return false;
  return true;
}

void JointIsland::answer(std::vector<BodyVelocity>& u) {
  for_rows([&](std::size_t i, const Joint& joint) {
    if (rows_.place[i] == RowPlace::out) return;
    rows_.r[i] = target_[i] - speed(i, joint, u);
    // A relaxation is to end with J u = 0, whatever the load; the compliance only keeps its changes small.
    if (corrects_ || !is_net_equation(written_[i])) rows_.r[i] -= rows_.gamma[i] * rows_.lambda[i];
  });
  if (solve_rows()) apply(u);
  is_answered_ = true;
  for (std::size_t i = 0; i < slots_.size(); ++i) last_u_[i] = u[slots_[i]];
}

/// False: there are no impulses that are finite.
bool JointIsland::solve_rows() {
  const bool is_solved = system_.solve(rows_, edges_, masses_, x_), is_good = is_finite(x_);
  if (!(is_solved && is_good) && failed_joint_ < 0) {
    std::size_t k = 0;
    while (k + 1 < edges_.size() && static_cast<std::size_t>(edges_[k].end) <= system_.culprit()) ++k;
    failed_joint_ = static_cast<int>(joints_[k].index);
  }
  return is_good;
}

/// x = M⁻¹ Jᵀ Δλ: that of the solve is the same but for rounding, which would not cancel between the two bodies of a joint.
/// Returns the work of the impulses on bodies of velocities u, p · (u + x / 2).
double JointIsland::find_changes(std::span<const double> delta, const std::vector<BodyVelocity>& u) {
  std::fill(x_.begin(), x_.end(), BodyVelocity{});
  const auto push = [&](int body, const Jacobian& J, int at, double impulse) {
    if (body < 0) return;
    BodyVelocity& sum = x_[static_cast<std::size_t>(body)];
    sum.v += impulse * part(J, at), sum.w += impulse * part(J, at + 3);
  };
  for (const TreeEdge& edge : edges_)
    for (auto i = static_cast<std::size_t>(edge.begin); i < static_cast<std::size_t>(edge.end); ++i)
      if (delta[i] != 0) push(edge.a, rows_.J[i], 0, delta[i]), push(edge.b, rows_.J[i], 6, delta[i]);
  double work = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const BodyVelocity p = x_[i], &before = u[slots_[i]];
    x_[i] = {inverse_masses_[i].linear * p.v, inverse_masses_[i].angular * p.w};
    work += dot(p.v, before.v + 0.5 * x_[i].v) + dot(p.w, before.w + 0.5 * x_[i].w);
  }
  return work;
}

void JointIsland::apply(std::vector<BodyVelocity>& u) {
  const std::span<const double> delta = system_.delta();
  work_ += find_changes(delta, u);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    answered_[i].v += x_[i].v, answered_[i].w += x_[i].w;
    u[slots_[i]].v += x_[i].v, u[slots_[i]].w += x_[i].w;
  }
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    Vec3 impulse, turn;
    for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(edges_[k].end); ++i) {
      if (rows_.place[i] == RowPlace::out) continue;
      // J u was target − γ λ − r before: what motors do is not the joints' work.
      const double before = target_[i] - rows_.gamma[i] * rows_.lambda[i] - rows_.r[i];
      if (written_[i].kind == RowKind::motor) work_ -= 0.5 * delta[i] * (before + speed(i, joints_[k], u));
      rows_.lambda[i] += delta[i], sum_[i] += delta[i];
      guess_[i] = rows_.place[i];
      impulse += delta[i] * part(rows_.J[i], 6), turn += delta[i] * part(rows_.J[i], 9);
    }
    joints_[k].impulse += impulse, joints_[k].turn += turn - cross(joints_[k].arm_b, impulse);
  }
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
