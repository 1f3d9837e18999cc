// A joint island that goes through a sub-step in parts, because its joints have modes that the sub-step does not resolve or its
// bodies turn too far for one linearisation.
#include <algorithm>
#include <cmath>

#include "constraints/joint_rows.h"
#include "constraints/row_math.h"
#include "soft_step/joint_island.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

constexpr int kMostParts = 8;
constexpr double kResolved = 2;        // η² ω² about one axis that one part bears; leapfrog bears 4
constexpr double kLargestTurn = 0.25;  // rad, in a part

bool holds_rotation(const JointDef& def) {
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  return axes && count_locked_angles(*axes) == 3;
}

}  // namespace

/// By the trace of η² I⁻¹ K of every body with K = F·r − ½ (F rᵀ + r Fᵀ) of the forces that the correction has found, as if the body
/// were alone (solvers/geometric_stiffness.h).
int JointIsland::parts_for_tension(const IslandStep& step) const {
  std::vector<double> ratio(slots_.size(), 0);
  const auto pull = [&](int body, std::uint32_t slot, const Vec3& force, const Vec3& arm) {
    if (body < 0) return;
    const Vec3 f = rotate_inverse(step.state.orientation[slot], force), &inverse = step.state.inverse_inertia[slot];
    const double along = dot(f, arm);
    if (along > 0)
      ratio[static_cast<std::size_t>(body)] +=
          step.eta * step.eta * (along * (inverse.x + inverse.y + inverse.z) - dot(f, scale(inverse, arm)));
  };
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const StepJoint& from = step.list.joints[joints_[k].index];
    if (holds_rotation(*from.def)) continue;
    Vec3 force;
    for (auto i = static_cast<std::size_t>(edges_[k].begin); i < static_cast<std::size_t>(joints_[k].stiff_begin); ++i)
      force += (rows_.lambda[i] / step.eta) * part(rows_.J[i], 6);
    pull(edges_[k].b, from.slot_b, force, from.frame_b.translation);
    pull(edges_[k].a, from.slot_a, -force, from.frame_a.translation);
  }
  const double largest = *std::max_element(ratio.begin(), ratio.end());
  return static_cast<int>(std::ceil(std::clamp(std::sqrt(0.5 * largest / kResolved), 1.0, double{kMostParts})));
}

int JointIsland::parts_for_turns(const IslandStep& step, const std::vector<BodyVelocity>& u) const {
  double turn = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) turn = std::max({turn, length(u[slots_[i]].w), length(u_0_[i].w)});
  return static_cast<int>(std::ceil(std::clamp(step.eta * turn / kLargestTurn, 2.0, double{kMostParts})));
}

/// The joints have done nothing in this sub-step.
void JointIsland::go_back_to_start(std::vector<BodyVelocity>& u) {
  sum_ = sum_0_;
  for (Joint& joint : joints_) {
    joint.impulse = joint.impulse_0, joint.turn = joint.turn_0;
    joint.stiffness = 0;  // of longer steps
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) u[slots_[i]] = u_0_[i];
}

/// True if contacts and joints push against each other by much more than the velocities that result. They are solved in turns, which can diverge. Moving in parts would apply the pushes of the
/// contacts without the answers of the joints.
bool JointIsland::pushes_cancel(const IslandStep& step, const std::vector<BodyVelocity>& u) const {
  double pushed = 0, remaining = step.max_push;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const BodyVelocity& now = u[slots_[i]];
    const double push = length(now.v - u_0_[i].v - answered_[i].v);
    if (!(push <= pushed)) pushed = push;
    remaining = std::max({remaining, length(now.v), length(u_0_[i].v)});
  }
  return !(pushed <= kMostLever * remaining);
}

/// Finds where the bodies will be, without moving them; contacts have pushed as much as they will.
void JointIsland::move_in_parts(StepContext& c, const IslandStep& step, int parts) {
  BodyState& s = c.world.state();
  std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  std::vector<BodyVelocity> pushed(slots_.size()), coarse(slots_.size());
  std::vector<Pose> start;
  const double share = 1.0 / parts, push = has_contacts ? 1.0 : share;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    coarse[i] = u[slots_[i]];
    pushed[i].v = push * (coarse[i].v - u_0_[i].v - answered_[i].v);
    pushed[i].w = push * (coarse[i].w - u_0_[i].w - answered_[i].w);
    start.push_back({s.position[slots_[i]], s.orientation[slots_[i]]});
  }
  const std::vector<double> sum = sum_;
  const double work = work_, springs = springs_;
  std::vector<std::pair<Vec3, Vec3>> impulses;
  for (const Joint& joint : joints_) impulses.emplace_back(joint.impulse, joint.turn);
  go_back_to_start(u);
  IslandStep part = step;
  part.eta *= share;
  // Contacts have pushed at the poses of the start: elsewhere their impulses would have another angular momentum.
  for (int k = 0; k < parts; ++k) {
    for (std::size_t i = 0; i < slots_.size() && (k == 0 || !has_contacts); ++i)
      u[slots_[i]].v += pushed[i].v, u[slots_[i]].w += pushed[i].w;
    move_part(c, part);
    if (k + 1 == parts) break;
    see_poses(part);
    start_relaxation(part, u);
    solve(part, u);
    limit_energy(u);
  }
  end_.clear(), end_u_.clear();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const std::uint32_t slot = slots_[i];
    end_.push_back({s.position[slot], s.orientation[slot]}), end_u_.push_back(u[slot]);
    s.position[slot] = start[i].x, s.orientation[slot] = start[i].q;
    u[slot] = coarse[i];
  }
  parts_ = parts;
  if (shorten_parts(step, start, coarse) || is_tied()) return;
  // A free island goes with the velocities that it had before the parts: shortened motions would change its momenta.
  parts_ = 1, sum_ = sum, work_ = work, springs_ = springs;
  for (std::size_t k = 0; k < joints_.size(); ++k)
    joints_[k].impulse = impulses[k].first, joints_[k].turn = impulses[k].second;
}

/// Parts follow curved paths, but they do not lead bodies much farther than the velocities of the sub-step. Where they do, the parts have diverged: returns false, and all motions are
/// shortened alike.
bool JointIsland::shorten_parts(const IslandStep& step, std::span<const Pose> start,
                                std::span<const BodyVelocity> coarse) {
  constexpr double kDetour = 2;  // chosen
  double moved = 0, most = step.max_push;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const double speed = length(end_[i].x - start[i].x) / step.eta;
    if (!(speed <= moved)) moved = speed;
    most = std::max({most, length(coarse[i].v), length(u_0_[i].v)});
  }
  if (moved <= kDetour * most) return true;
  if (failed_joint_ < 0) failed_joint_ = static_cast<int>(joints_.front().index);
  const double part = std::isfinite(moved) ? kDetour * most / moved : 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Vec3 path = end_[i].x - start[i].x;
    end_[i].x = start[i].x + (part > 0 ? part * path : Vec3{});
    end_u_[i].v = part > 0 ? part * end_u_[i].v : coarse[i].v;
    end_u_[i].w = part > 0 ? part * end_u_[i].w : coarse[i].w;
    if (part == 0) end_[i].q = start[i].q;
  }
  return false;
}

void JointIsland::move_part(StepContext& c, const IslandStep& part) {
  BodyState& s = c.world.state();
  std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  start_correction(part, u);
  solve(part, u);
  close_gaps(c, part);
  hold_back(part, u);
  for (const std::uint32_t i : slots_) s.velocity[i] = u[i].v, s.angular_velocity[i] = u[i].w;
  move_some(c, slots_, part.eta);
  for (const std::uint32_t i : slots_) u[i].v = s.velocity[i], u[i].w = s.angular_velocity[i];
}

void JointIsland::arrive(BodyState& s, std::vector<BodyVelocity>& u) const {
  if (parts_ == 1) return;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const std::uint32_t slot = slots_[i];
    s.position[slot] = end_[i].x, s.orientation[slot] = end_[i].q;
    s.velocity[slot] = end_u_[i].v, s.angular_velocity[slot] = end_u_[i].w;
    u[slot] = end_u_[i];
  }
}

}  // namespace rigor
