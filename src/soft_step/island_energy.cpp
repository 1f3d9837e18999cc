#include "soft_step/island_energy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace rigor {

namespace {

constexpr double kRounding = 1e-9;  // relative: velocities are double, impulses the same for both bodies
// Gains are counted above this part of the energy, and above that of all bodies at this speed. Chosen: what a user may notice. Overlaps
// that are pushed apart leave less.
constexpr double kCounted = 1, kSlow = 0.5;  // -, m/s

// Joints of nets that a load opens close with up to this many times the speed that forces give in a sub-step. Chosen: at 1 nets under
// load open further, from 2 on nothing changes.
constexpr double kClosing = 2;
/// Bounds of a gain have to be this far from zero, relative to their terms: far beyond the rounding of sums over thousands of bodies.
constexpr double kSumRounding = 1e-10;
/// Closing joints that turn far in a sub-step needs larger velocities than the bodies have. Chosen: corrections stay below twice √T*, faster ones have diverged.
constexpr double kJoined = 2;
/// In a sub-step the end of a chain may become this many times as fast as the fastest link. Chosen: a link turns by a quarter radian in a sub-step.
constexpr double kWhip = 1.25;
constexpr double kLever = 4;  // chosen: bodies may move this much faster than motors without a bound on their force

double energy(const BodyState& s, std::uint32_t i, const Vec3& v, const Vec3& w) {
  const Vec3 local = rotate_inverse(s.orientation[i], w);
  return 0.5 * (length_squared(v) / s.inverse_mass[i] + dot(local, scale(s.inertia[i], local)));
}

}  // namespace

void IslandEnergy::begin(const ConstraintList& list, const SoftIslands& islands, std::span<const JointRows> soft,
                         const BodyState& state) {
  island_of_ = islands.island_of();
  frames_.find(list, islands, state);
  islands_.assign(islands.islands().size(), {});
  any_moved_ = any_net_ = any_joined_ = false;
  for (std::size_t k = 0; k < islands_.size(); ++k) {
    const SoftIsland& from = islands.islands()[k];
    islands_[k].is_watched = from.has_contacts, islands_[k].is_held = from.is_held;
    islands_[k].answering = from.joints, islands_[k].is_moved = from.is_moved;
    islands_[k].is_powered = from.is_powered;
  }
  for (std::size_t k = 0; k < soft.size(); ++k) {
    const std::uint32_t slot = std::min(list.joints[k].slot_a, list.joints[k].slot_b);
    if (soft[k] != JointRows::all || slot >= state.awake()) continue;
    Island& own = island(slot);
    own.is_watched = !own.is_powered, own.is_net = any_net_ = true;
    --own.answering;
  }
  for (std::size_t k = 0; k < islands_.size(); ++k) {
    islands_[k].is_watched = islands_[k].is_watched && !islands.islands()[k].is_driven;
    any_moved_ = any_moved_ || (islands_[k].is_moved && islands_[k].is_watched);
    any_joined_ = any_joined_ || is_joined(islands_[k]);
  }
  if (any_moved_) {
    frame_.assign(state.awake(), {});
    frame_path_.assign(state.awake(), {});
  }
  if (any_moved_ || any_joined_) speed2_.assign(state.awake(), 0);
  inertia_.resize(state.awake());
  for (std::uint32_t i = 0; i < state.awake(); ++i) {
    const Vec3& I = state.inertia[i];
    inertia_[i] = {1 / state.inverse_mass[i], std::max({I.x, I.y, I.z})};
    island(i).mass += inertia_[i].mass;
  }
  start_.assign(state.position.begin(), state.position.begin() + state.awake());
  awake_.resize(state.awake());
  std::iota(awake_.begin(), awake_.end(), 0U);
  const auto by_id = [&](std::uint32_t x, std::uint32_t y) { return state.id_index[x] < state.id_index[y]; };
  if (!std::is_sorted(awake_.begin(), awake_.end(), by_id)) std::sort(awake_.begin(), awake_.end(), by_id);
}

double IslandEnergy::relative_energy(const BodyState& s, std::uint32_t i, const BodyVelocity& u) const {
  const BodyVelocity r = frames_.at(island_of_[i], s.position[i], s);
  return energy(s, i, u.v - r.v, u.w - r.w);
}

void IslandEnergy::note_frames(Slots slots, const BodyState& s, double sub_step) {
  for (const std::uint32_t i : slots) {
    if (!island(i).is_moved) continue;
    frame_[i] = frames_.at(island_of_[i], s.position[i], s);
    frame_path_[i] += sub_step * frame_[i].v;
  }
}

/// A mover that turns: r changes with the poses, and what is carried by it changes its velocity by as much.
void IslandEnergy::note_frame_changes(Slots slots, const BodyState& s) {
  for (const std::uint32_t i : slots) island(i).bound = 0;
  for (const std::uint32_t i : slots) {
    if (!island(i).is_moved) continue;
    const BodyVelocity r = frames_.at(island_of_[i], s.position[i], s);
    island(i).bound += energy(s, i, r.v - frame_[i].v, r.w - frame_[i].w);
  }
  for (const std::uint32_t i : slots) {  // an island's bodies after its first add nothing
    Island& own = island(i);
    own.frame_change += std::sqrt(std::exchange(own.bound, 0));
  }
}

void IslandEnergy::remember(const Pace& pace, const BodyState& s, std::span<const Vec3> force, bool rebounds) {
  const Slots slots = Slots(pace.slots).first(pace.awake);
  force_ = force, any_closing_ = false;
  for_islands(slots, [](Island& own) {
    own.before = own.work = own.closing = own.kick = own.lift = 0;
    own.drive = {};
  });
  for (const std::uint32_t i : slots) {
    Island& own = island(i);
    if (!own.is_watched) continue;
    const double T = own.is_moved ? relative_energy(s, i, {s.velocity[i], s.angular_velocity[i]})
                                  : energy(s, i, s.velocity[i], s.angular_velocity[i]);
    own.before += T;
    if (own.is_moved || is_joined(own)) speed2_[i] = 2 * s.inverse_mass[i] * T;
    if (own.is_powered) {
      const Vec3 gain = (pace.sub_step * s.inverse_mass[i]) * force[i];
      own.lift += std::max(dot(gain, 0.5 * gain - s.velocity[i]) / s.inverse_mass[i], 0.0);
    }
  }
  if (rebounds) note_work(slots, s);
  if (any_moved_) note_frames(slots, s, pace.sub_step);
}

/// T* of the step, less the work of the forces since it began.
void IslandEnergy::note_work(Slots slots, const BodyState& s) {
  for (const std::uint32_t i : slots)
    if (Island& own = island(i); own.is_watched) own.work += work(s, force_, i);
  for_islands(slots, [](Island& own) {
    const double left = own.before - own.work;
    if (!std::exchange(own.is_begun, true) || left > own.most) own.most = left;
  });
}

void IslandEnergy::find_kicks(Slots slots, const BodyState& s, double sub_step) {
  for (const std::uint32_t i : slots)
    island(i).kick += 0.5 * sub_step * sub_step * s.inverse_mass[i] * length_squared(force_[i]);
}

/// The gain of T is at most Σ m Δv·(v + ½ Δv) + √(Σ J ω² Σ J Δω²) + ½ Σ J Δω², by Cauchy and Schwarz.
bool IslandEnergy::WarmStart::may_gain() const {
  if (half == 0 && change == 0) return false;
  const double most = along + half + std::sqrt(spin * change) + 0.5 * change;
  return !(most <= -kSumRounding * (size + half + spin + change));
}

/// False if warm starting has certainly raised the energy of no island.
bool IslandEnergy::may_gain_by_warm_start(Slots slots, const BodyState& s, const StepBodies& bodies) {
  warm_start_.assign(islands_.size(), {});
  for (const std::uint32_t i : slots) {
    const auto [m, J] = inertia_[i];
    const Vec3 &v = s.velocity[i], &w = s.angular_velocity[i];
    const Vec3 dv = bodies.u[i].v - v, dw = bodies.u[i].w - w;
    WarmStart& sum = warm_start_[island_of_[i]];
    sum.along += m * dot(v, dv), sum.half += 0.5 * m * length_squared(dv);
    sum.spin += J * length_squared(w), sum.change += J * length_squared(dw);
    sum.size += m * length_squared(v);
  }
  bool any = false;
  for_islands(slots, [&](Island& own) {
    own.may_gain = own.is_watched && own.answering == 0 &&
                   (own.is_moved || warm_start_[static_cast<std::size_t>(&own - islands_.data())].may_gain());
    any = any || own.may_gain;
  });
  return any;
}

std::span<const double> IslandEnergy::limit_warm_start(const Pace& pace, const BodyState& s, StepBodies& bodies) {
  const Slots slots = Slots(pace.slots).first(pace.awake);
  if (!may_gain_by_warm_start(slots, s, bodies)) return {};
  along_.assign(islands_.size(), 0), change_.assign(islands_.size(), 0), scale_.assign(islands_.size(), 1);
  for (const std::uint32_t i : slots) {
    if (!island(i).may_gain) continue;
    const Vec3 dv = bodies.u[i].v - s.velocity[i], dw = bodies.u[i].w - s.angular_velocity[i];
    const Quat& q = s.orientation[i];
    const Vec3 L = rotate(q, rigor::scale(s.inertia[i], rotate_inverse(q, dw)));
    Vec3 v = s.velocity[i], w = s.angular_velocity[i];
    if (island(i).is_moved) v -= frame_[i].v, w -= frame_[i].w;
    along_[island_of_[i]] += dot(v, dv) / s.inverse_mass[i] + dot(w, L);
    change_[island_of_[i]] += length_squared(dv) / s.inverse_mass[i] + dot(dw, L);
  }
  bool any = false;
  for (std::size_t k = 0; k < scale_.size(); ++k) {
    if (along_[k] + 0.5 * change_[k] <= 0) continue;
    scale_[k] = std::clamp(-along_[k] / change_[k], 0.0, 1.0);
    any = true;
  }
  if (!any) return {};
  for (const std::uint32_t i : slots) {
    const double part = scale_[island_of_[i]];
    if (part == 1) continue;
    bodies.u[i].v = s.velocity[i] + part * (bodies.u[i].v - s.velocity[i]);
    bodies.u[i].w = s.angular_velocity[i] + part * (bodies.u[i].w - s.angular_velocity[i]);
  }
  return scale_;
}

std::span<const BodyVelocity> IslandEnergy::frames(const BodyState& s) {
  if (!frames_.has_any()) return {};
  end_frame_.assign(s.awake(), {});
  for (const std::uint32_t i : awake_)
    if (frames_.is_carried(island_of_[i])) end_frame_[i] = frames_.at(island_of_[i], s.position[i], s);
  return end_frame_;
}

/// √J: of an island with the energy that it had, whose bodies are pushed apart besides.
double IslandEnergy::pushed_apart(std::uint32_t island, double push) const {
  const Island& own = islands_[island];
  const double spread = own.is_moved ? frames_.spread(island) : 0;
  return std::sqrt(own.before) + std::sqrt(0.5 * own.mass) * (push + spread);
}

int IslandEnergy::limit_motion(const Pace& pace, const BodyState& s, double push, StepBodies& bodies) {
  if (!any_moved_ && !any_net_) return 0;
  const Slots slots = Slots(pace.slots).first(pace.awake);
  moved_.clear();
  for (const std::uint32_t i : slots)
    if (const Island& own = island(i); own.is_watched && (own.is_moved || own.is_net) && !own.is_powered)
      moved_.push_back(i);
  for (const std::uint32_t i : moved_) {
    Island& own = island(i);
    const double apart = pushed_apart(island_of_[i], push);
    own.bound = own.is_moved ? std::max(apart * apart, least_bound(island_of_[i])) : apart * apart;
  }
  const int counted = limit(moved_, s, bodies, &Island::bound);
  return counted + limit_pinched(moved_, s, bodies);
}

/// m/s: the largest speed that hits by heavier bodies, perhaps at a lever, and pulls of joints can give to a body in a sub-step.
double IslandEnergy::lever_bound(Slots slots, const BodyState& s, std::uint32_t i) const {
  double most = std::sqrt(speed2_[i]);
  for (const std::uint32_t j : slots) {
    if (island_of_[j] != island_of_[i]) continue;
    const double part = 2 * s.inverse_mass[i] / (s.inverse_mass[i] + s.inverse_mass[j]);
    most = std::max(most, (part > 1 ? 1 + (kMostLever - 1) * (part - 1) : part) * std::sqrt(speed2_[j]));
  }
  return kWhip * most;
}

int IslandEnergy::limit_hits(const Pace& pace, const BodyState& s, double push, StepBodies& bodies) {
  is_limited_.clear();
  if (!any_joined_) return 0;
  const Slots slots = Slots(pace.slots).first(pace.awake);
  is_limited_.assign(s.awake(), 0);
  limited_.clear();
  int counted = 0;
  for (const std::uint32_t i : slots) {
    const Island& own = island(i);
    if (!is_joined(own) || own.is_moved) continue;
    const double speed = std::sqrt(2 * s.inverse_mass[i] * energy(s, i, bodies.u[i].v, bodies.u[i].w));
    if (speed <= kWhip * std::sqrt(speed2_[i]) + 2 * push) continue;
    const double bound = lever_bound(slots, s, i) + 2 * push;
    if (speed <= bound) continue;
    limited_.push_back({i, bound / speed});
    is_limited_[i] = 1;
    if (!(speed <= (1 + kCounted) * bound)) ++counted;
  }
  // In the order of ids, because slots depend on which other bodies are awake.
  std::sort(limited_.begin(), limited_.end(),
            [&](const Limited& a, const Limited& b) { return s.id_index[a.slot] < s.id_index[b.slot]; });
  for (const Limited& body : limited_) slow_down(slots, s, body, bodies);
  return counted;
}

/// Scales the velocities of a body. Of an island that nothing holds, the heaviest body takes its momentum and angular momentum.
void IslandEnergy::slow_down(Slots slots, const BodyState& s, const Limited& body, StepBodies& bodies) const {
  const std::uint32_t i = body.slot;
  BodyVelocity& u = bodies.u[i];
  const BodyVelocity lost{(1 - body.part) * u.v, (1 - body.part) * u.w};
  u.v -= lost.v;
  u.w -= lost.w;
  if (islands_[island_of_[i]].is_held) return;
  std::uint32_t heaviest = i;
  for (const std::uint32_t j : slots) {
    if (island_of_[j] != island_of_[i]) continue;
    const double more = s.inverse_mass[heaviest] - s.inverse_mass[j];
    if (more > 0 || (more == 0 && s.id_index[j] < s.id_index[heaviest])) heaviest = j;
  }
  const Vec3 p = lost.v / s.inverse_mass[i];
  const Vec3 spin = rotate(s.orientation[i], rigor::scale(s.inertia[i], rotate_inverse(s.orientation[i], lost.w)));
  const Vec3 L = cross(s.position[i] - s.position[heaviest], p) + spin;
  bodies.u[heaviest].v += s.inverse_mass[heaviest] * p;
  bodies.u[heaviest].w += angular_velocity_of(s.orientation[heaviest], s.inverse_inertia[heaviest], L);
}

int IslandEnergy::limit_corrections(const Pace& pace, const BodyState& s, double push, StepBodies& bodies) {
  if (!any_joined_) return 0;
  const Slots slots = Slots(pace.slots).first(pace.awake);
  moved_.clear();
  for (const std::uint32_t i : slots)
    if (is_joined(island(i))) moved_.push_back(i);
  for (const std::uint32_t i : moved_) {
    Island& own = island(i);
    const double apart = kJoined * pushed_apart(island_of_[i], push);
    own.bound = apart * apart;
  }
  return limit(moved_, s, bodies, &Island::bound);
}

/// What the surfaces of moving fixed bodies may give to an island at rest.
double IslandEnergy::least_bound(std::uint32_t island) const {
  const double most = MovingFrames::kWedge * frames_.spread(island);
  return 0.5 * islands_[island].mass * most * most;
}

void IslandEnergy::allow_drive(std::uint32_t slot, const JointIsland::Drive& drive) {
  JointIsland::Drive& sum = island(slot).drive;
  sum.work += drive.work, sum.free_work += drive.free_work, sum.speed += drive.speed;
}

/// T* and what motors and springs may add.
double IslandEnergy::drive_bound(const Island& own) const {
  const double bound = own.before + std::max(own.drive.work, 0.0) + (own.drive.speed > 0 ? own.lift : 0);
  const double aim = 0.5 * own.mass * kLever * kLever * own.drive.speed * own.drive.speed;
  return std::max(bound, std::min(bound + std::max(own.drive.free_work, 0.0), aim));
}

int IslandEnergy::limit(const Pace& pace, const BodyState& s, StepBodies& bodies) {
  const Slots slots = Slots(pace.slots).first(pace.awake);
  if (any_moved_) {
    for_islands(slots, [](Island& own) { own.last_change = own.frame_change; });
    note_frame_changes(slots, s);
  }
  if (any_closing_) find_kicks(slots, s, pace.sub_step);
  for_islands(slots, [&](Island& own) {
    const double change = own.is_moved ? own.frame_change - own.last_change : 0;
    const double closing = any_closing_ ? std::min(own.closing, kClosing * kClosing * own.kick) : 0;
    const double before = own.is_powered ? drive_bound(own) : own.before;
    own.added = before - own.before;
    own.bound = before;
    if (change > 0 || closing > 0) {
      const double most = std::sqrt(before) + std::sqrt(closing) + change;
      own.bound = most * most;
    }
    if (own.is_moved) own.bound = std::max(own.bound, least_bound(static_cast<std::uint32_t>(&own - islands_.data())));
  });
  for_islands(slots, [](Island& own) { own.driven += std::exchange(own.added, 0); });  // once for each island
  const int counted = limit(slots, s, bodies, &Island::bound);
  return counted + (any_moved_ ? limit_pinched(slots, s, bodies) : 0);
}

/// m²/s²: the largest squared speed that an elastic hit by another body of its island can give to a body.
double IslandEnergy::hit_bound(Slots slots, const BodyState& s, std::uint32_t i) const {
  double most = 0;
  for (const std::uint32_t j : slots) {
    if (j == i || island_of_[j] != island_of_[i]) continue;
    const double part = 2 * s.inverse_mass[i] / (s.inverse_mass[i] + s.inverse_mass[j]);
    most = std::max(most, part * part * speed2_[j]);
  }
  return most;
}

int IslandEnergy::limit_pinched(Slots slots, const BodyState& s, StepBodies& bodies) {
  int counted = 0;
  for (const std::uint32_t i : slots) {
    const Island& own = island(i);
    if (!own.is_watched || !own.is_moved || own.answering > 0 || own.is_net) continue;
    const double wedge = MovingFrames::kWedge * frames_.spread(island_of_[i]);
    if (!(wedge > 0)) continue;
    const double T = relative_energy(s, i, bodies.u[i]);
    const auto exceeds = [&](double speed2) { return T > (1 + kRounding) * 0.5 * speed2 / s.inverse_mass[i]; };
    const double alone = std::max(wedge * wedge, speed2_[i]);
    if (!exceeds(alone)) continue;
    const double speed2 = std::max(alone, hit_bound(slots, s, i));
    if (!exceeds(speed2)) continue;
    const double bound = 0.5 * speed2 / s.inverse_mass[i];
    const double k = std::sqrt(bound / T);
    const BodyVelocity r = frames_.at(island_of_[i], s.position[i], s);
    BodyVelocity& u = bodies.u[i];
    u.v = r.v + k * (u.v - r.v);
    u.w = r.w + k * (u.w - r.w);
    if (T > (1 + kCounted) * bound) ++counted;
  }
  return counted;
}

int IslandEnergy::limit_rebounds(const BodyState& s, std::span<const Vec3> force, StepBodies& bodies) {
  for (Island& island : islands_) island.work = 0;
  for (const std::uint32_t i : awake_) island(i).work += work(s, force, i);
  for (Island& island : islands_) {
    island.most = std::max(island.most + island.work + island.driven, 0.0);
    island.is_watched = island.is_watched && island.rebounds;
  }
  if (any_moved_) allow_for_movers();
  return limit(awake_, s, bodies, &Island::most);
}

/// A rebound off a surface that moves with δ relative to r turns the approach u_n into e u_n + (1 + e) δ. That is at most 2 δ faster, and
///
///   (e u_n + (1 + e) δ)² − u_n² ≤ δ² (1 + e) / (1 − e)      largest for u_n = δ e / (1 − e)
///
/// In a jam contacts push in every step and approach in the next, so that they would rebound, and gain, in each of them. Only a contact
/// that did not push before is a hit.
void IslandEnergy::allow_for_movers() {
  for (std::uint32_t k = 0; k < islands_.size(); ++k) {
    Island& own = islands_[k];
    if (!own.is_moved || !own.is_watched) continue;
    const double spread = frames_.spread(k), half_mass = 0.5 * own.mass, e = std::min(own.restitution, 1.0);
    const double apart = std::sqrt(own.most) + own.frame_change;
    const double faster = apart + 2 * spread * std::sqrt(half_mass);
    const double gained = e < 1 ? apart * apart + half_mass * spread * spread * (1 + e) / (1 - e) : kUnbounded;
    const double most = own.is_hit ? std::min(faster * faster, gained) : apart * apart;
    own.most = std::max(most, least_bound(k));
  }
}

int IslandEnergy::limit(Slots slots, const BodyState& s, StepBodies& bodies, double Island::*reference) {
  for_islands(slots, [](Island& own) { own.after = own.most_after = 0, own.gains = false; });
  for (const std::uint32_t i : slots) {
    const BodyVelocity& u = bodies.u[i];
    island(i).most_after += 0.5 * (inertia_[i].mass * length_squared(u.v) + inertia_[i].largest * length_squared(u.w));
  }
  // kRounding is more than the sums differ by.
  const auto may_gain = [&](const Island& own) {
    return own.is_watched && (own.is_moved || !(own.most_after <= own.*reference));
  };
  bool any = false;
  for (const std::uint32_t i : slots) {
    Island& own = island(i);
    if (!may_gain(own)) continue;
    own.after += own.is_moved ? relative_energy(s, i, bodies.u[i]) : energy(s, i, bodies.u[i].v, bodies.u[i].w);
    any = true;
  }
  if (!any) return 0;
  int counted = 0;
  any = false;
  for (const std::uint32_t i : slots) {
    Island& own = island(i);
    if (!may_gain(own) || own.gains || own.after <= (1 + kRounding) * own.*reference) continue;
    any = own.gains = true;
    if (!(own.after <= (1 + kCounted) * own.*reference + 0.5 * kSlow * kSlow * own.mass)) ++counted;
  }
  if (!any) return 0;
  find_rigid_motions(slots, s, bodies);
  scale(slots, s, bodies, reference);
  return counted;
}

/// Computes the rigid motions of the islands that have gained energy and that nothing holds.
void IslandEnergy::find_rigid_motions(Slots slots, const BodyState& s, const StepBodies& bodies) {
  common_.assign(islands_.size(), {});
  const auto for_bodies = [&](auto&& visit) {
    for (const std::uint32_t i : slots)
      if (const Island& own = island(i); own.gains && !own.is_held)
        visit(i, common_[island_of_[i]], 1 / s.inverse_mass[i]);
  };
  for_bodies([&](std::uint32_t i, CommonMotion& motion, double m) {
    motion.rigid.add_mass(m, s.position[i]), motion.V += m * bodies.u[i].v;
  });
  for (CommonMotion& motion : common_) {
    motion.rigid.find_center();
    if (motion.rigid.mass > 0) motion.V = motion.V / motion.rigid.mass;
  }
  for_bodies([&](std::uint32_t i, CommonMotion& motion, double m) {
    const Mat3 I = full(rotated_diagonal(rotation_matrix(s.orientation[i]), s.inertia[i]));
    motion.rigid.add(m, I, s.position[i], m * (bodies.u[i].v - motion.V), I * bodies.u[i].w);
  });
  for (CommonMotion& motion : common_)
    if (motion.rigid.mass > 0) motion.Omega = motion.rigid.spin();
}

BodyVelocity IslandEnergy::rigid_motion(const BodyState& s, std::uint32_t i) const {
  const CommonMotion& motion = common_[island_of_[i]];
  if (!(motion.rigid.mass > 0)) return frames_.at(island_of_[i], s.position[i], s);
  return {motion.V + cross(motion.Omega, s.position[i] - motion.rigid.center), motion.Omega};
}

void IslandEnergy::scale(Slots slots, const BodyState& s, StepBodies& bodies, double Island::*reference) {
  for (const std::uint32_t i : slots) {
    if (!island(i).gains) continue;
    const BodyVelocity rigid = rigid_motion(s, i);
    if (!island(i).is_moved) common_[island_of_[i]].energy += energy(s, i, rigid.v, rigid.w);
  }
  for (const std::uint32_t i : slots) {
    const Island& own = island(i);
    if (!own.gains) continue;
    const BodyVelocity rigid = rigid_motion(s, i);
    const double least = common_[island_of_[i]].energy, most = std::max(own.*reference - least, 0.0);
    const double k = own.after > least ? std::sqrt(std::min(most / (own.after - least), 1.0)) : 0;
    bodies.u[i].v = rigid.v + k * (bodies.u[i].v - rigid.v);
    bodies.u[i].w = rigid.w + k * (bodies.u[i].w - rigid.w);
  }
}

namespace {

bool has_velocity(const BodyState& s, std::uint32_t slot) { return slot < s.end(BodySet::kinematic); }

Vec3 velocity_at(const BodyState& s, std::uint32_t slot, const Vec3& point) {
  return s.velocity[slot] + cross(s.angular_velocity[slot], point - s.position[slot]);
}

/// The velocity of the belt on the fixed body of a contact, along the surface.
Vec3 belt_of(const StepContact& c, bool a_is_fixed) {
  if (c.contact->is_plain) return {};
  const Vec3& n = c.contact->normal;
  const Vec3 along = c.contact->surface_velocity - dot(n, c.contact->surface_velocity) * n;
  return a_is_fixed ? -along : along;
}

}  // namespace

void MovingFrames::find(const ConstraintList& list, const SoftIslands& islands, const BodyState& s) {
  const auto is_moved = [](const SoftIsland& island) { return island.is_moved; };
  frames_.clear();
  if (std::none_of(islands.islands().begin(), islands.islands().end(), is_moved)) return;
  for (const SoftIsland& island : islands.islands()) frames_.emplace_back().is_moved = island.is_moved;
  // The island that a pair of an awake and a fixed body belongs to, if it is one of those.
  const auto moved_island = [&](std::uint32_t a, std::uint32_t b) -> Frame* {
    const std::uint32_t low = std::min(a, b), high = std::max(a, b);
    if (low >= s.awake() || high < s.awake()) return nullptr;
    Frame& frame = frames_[islands.island_of()[low]];
    return frame.is_moved ? &frame : nullptr;
  };
  for (const StepJoint& joint : list.joints)
    if (Frame* frame = moved_island(joint.slot_a, joint.slot_b))
      add(*frame, std::max(joint.slot_a, joint.slot_b), s.position[std::min(joint.slot_a, joint.slot_b)], {}, s);
  for (const StepContact& c : list.contacts) {
    if (c.points == 0) continue;
    Frame* frame = moved_island(c.slot_a, c.slot_b);
    if (!frame) continue;
    const bool a_is_fixed = c.slot_a >= s.awake();
    const std::uint32_t fixed = a_is_fixed ? c.slot_a : c.slot_b;
    for (int i = 0; i < c.points; ++i) {
      const ContactPoint& p = c.contact->points[static_cast<std::size_t>(i)];
      const Vec3 point = s.position[fixed] + rotate(s.orientation[fixed], a_is_fixed ? p.local_a : p.local_b);
      add(*frame, fixed, point, belt_of(c, a_is_fixed), s);
    }
  }
  for (Frame& frame : frames_) {
    if (!frame.is_moved || (frame.is_one && frame.mover != kNone)) continue;
    frame.middle = 0.5 * (frame.low + frame.high);
    frame.spread = 0.5 * length(frame.high - frame.low);
  }
}

void MovingFrames::add(Frame& frame, std::uint32_t fixed, const Vec3& point, const Vec3& belt, const BodyState& s) {
  const bool moves = has_velocity(s, fixed);
  const Vec3 w = (moves ? velocity_at(s, fixed, point) : Vec3{}) + belt;
  const bool is_mover = moves && belt == Vec3{};
  if (!std::exchange(frame.is_begun, true)) {
    frame.low = frame.high = w;
    frame.mover = is_mover ? fixed : kNone;
    return;
  }
  frame.is_one = frame.is_one && is_mover && fixed == frame.mover;
  frame.low = {std::min(frame.low.x, w.x), std::min(frame.low.y, w.y), std::min(frame.low.z, w.z)};
  frame.high = {std::max(frame.high.x, w.x), std::max(frame.high.y, w.y), std::max(frame.high.z, w.z)};
}

BodyVelocity MovingFrames::at(std::uint32_t island, const Vec3& position, const BodyState& s) const {
  if (frames_.empty() || !frames_[island].is_moved) return {};
  const Frame& frame = frames_[island];
  if (is_carried(island)) return {velocity_at(s, frame.mover, position), s.angular_velocity[frame.mover]};
  return {frame.middle, {}};
}

}  // namespace rigor
