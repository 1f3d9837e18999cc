#include "soft_step/contact_lanes.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "math/prefetch.h"

namespace rigor {

namespace {

constexpr std::size_t kBlocksPerTask = 8, kBlocksPerPiece = 1;
/// Fewer blocks are solved sooner by one thread than others wake up.
constexpr std::size_t kManyBlocks = 256;
/// Chosen: velocities and masses of so many fit into a second-level cache of a megabyte.
constexpr std::size_t kBodiesPerZone = 4096;

/// The upper triangle of j 1 + (k − j) u uᵀ: of a body that is round about u.
void put_symmetric_inertia(double j, double k, const Vec3& u, LaneBody& body) {
  const double d = k - j;
  const double upper[6] = {j + d * u.x * u.x, d * u.x * u.y, d * u.x * u.z,
                           j + d * u.y * u.y, d * u.y * u.z, j + d * u.z * u.z};
  std::copy(upper, upper + 6, body.inverse_inertia);
}

/// The upper triangle of R I⁻¹ Rᵀ.
void put_inertia(const BodyState& s, std::uint32_t i, LaneBody& body) {
  const Quat& turn = s.orientation[i];
  const Vec3& j = s.inverse_inertia[i];
  if (j.y == j.z) return put_symmetric_inertia(j.y, j.x, rotate(turn, {1, 0, 0}), body);
  if (j.x == j.z) return put_symmetric_inertia(j.x, j.y, rotate(turn, {0, 1, 0}), body);
  if (j.x == j.y) return put_symmetric_inertia(j.x, j.z, rotate(turn, {0, 0, 1}), body);
  const Mat3 r = rotation_matrix(turn);
  const auto entry = [&](int p, int q) {
    return r(p, 0) * j.x * r(q, 0) + r(p, 1) * j.y * r(q, 1) + r(p, 2) * j.z * r(q, 2);
  };
  const double upper[6] = {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
  std::copy(upper, upper + 6, body.inverse_inertia);
}

/// When the step begins: what forces will change in the first sub-step stands for the motion.
LaneBody begun_body(const BodyState& s, std::uint32_t i, double sub_step) {
  LaneBody body;
  body.inverse_mass = s.inverse_mass[i];
  put_inertia(s, i, body);
  const Vec3& J = s.inverse_inertia[i];
  const double least = std::min({J.x, J.y, J.z}), most = std::max({J.x, J.y, J.z});
  body.skew = least > 0 ? std::sqrt(most / least) : 1;
  body.inverse_radius = std::sqrt(most / s.inverse_mass[i]);
  const Vec3 dv = (sub_step * s.inverse_mass[i]) * s.force[i];
  const Vec3 dw = sub_step * angular_velocity_of(s.orientation[i], s.inverse_inertia[i], s.torque[i]);
  body.moved[0] = dv.x, body.moved[1] = dv.y, body.moved[2] = dv.z;
  body.turned[0] = dw.x, body.turned[1] = dw.y, body.turned[2] = dw.z;
  return body;
}

bool is_round(const Vec3& principal) { return principal.x == principal.y && principal.y == principal.z; }

/// Rolling and spinning friction of a contact, and the impulses of all of its points for one sub-step.
void fill_turning(const Contact& c, int count, int lane, LaneCouplings& to) {
  const auto per_step = [count](double impulse) { return static_cast<float>(impulse / count); };
  to.rolling[lane] = static_cast<float>(turns(c) ? c.rolling_friction : 0);
  to.spinning[lane] = static_cast<float>(turns(c) ? c.spinning_friction : 0);
  for (int k = 0; k < 3; ++k) to.turning_impulse[k][lane] = 0;
  if (!turns(c)) return;  // impulses of an earlier material
  for (int i = 0; i < c.count; ++i) {
    const ContactPoint& p = c.points[static_cast<std::size_t>(i)];
    to.turning_impulse[0][lane] += per_step(p.rolling_impulse[0]);
    to.turning_impulse[1][lane] += per_step(p.rolling_impulse[1]);
    to.turning_impulse[2][lane] += per_step(p.spinning_impulse);
  }
}

/// The way back. They are those of the whole contact; each point gets its part of it.
void store_turning(const LaneCouplings& from, int lane, int count, Contact& c) {
  for (int i = 0; i < c.count; ++i) {
    ContactPoint& p = c.points[static_cast<std::size_t>(i)];
    for (int k = 0; k < 2; ++k)
      p.rolling_impulse[k] = count * static_cast<double>(from.turning_impulse[k][lane]) / c.count;
    p.spinning_impulse = count * static_cast<double>(from.turning_impulse[2][lane]) / c.count;
  }
}

void put_surface(const Vec3& velocity, double across, int lane, LaneInput& in) {
  in.surface_velocity[0][lane] = velocity.x, in.surface_velocity[1][lane] = velocity.y;
  in.surface_velocity[2][lane] = velocity.z, in.across[lane] = across;
}

/// Where one lane finds its contact, and what is written contact by contact.
void fill_lane(const StepContact& sc, const BodyState& s, const StepBodies& bodies, int lane, LaneInput& in,
               LaneBlock& block) {
  Contact& c = *sc.contact;
  const bool a_free = sc.slot_a < s.awake(), b_free = sc.slot_b < s.awake();
  block.a[lane] = kVelocitySize * bodies.place(sc.slot_a), block.b[lane] = kVelocitySize * bodies.place(sc.slot_b);
  block.follow_a[lane] = a_free ? (b_free ? 0.5F : 1.0F) : 0.0F;
  block.follow_b[lane] = b_free ? (a_free ? 0.5F : 1.0F) : 0.0F;
  in.contact[lane] = &c;
  in.x_a[lane] = &s.position[sc.slot_a], in.x_b[lane] = &s.position[sc.slot_b];
  in.q_a[lane] = &s.orientation[sc.slot_a], in.q_b[lane] = &s.orientation[sc.slot_b];
  in.is_used[lane] = 1, in.keeps_tangent[lane] = c.directed ? 1 : 0;
  put_surface(c.is_plain ? Vec3{} : c.surface_velocity, c.is_plain ? 1 : c.friction_across, lane, in);
  block.has_turning = block.has_turning || turns(c);
}

bool is_impact(const Contact& c, double threshold) {
  if (c.restitution <= 0) return false;
  const auto points = std::span(c.points).first(static_cast<std::size_t>(c.count));
  return std::any_of(points.begin(), points.end(), [&](const ContactPoint& p) { return p.closing_speed > threshold; });
}

/// A lane without contact: nothing that it computes changes anything.
void fill_empty_lane(int nowhere, int lane, LaneInput& in, LaneBlock& block) {
  static const Vec3 x{};
  static const Quat q{};
  thread_local Contact nothing;
  nothing.normal = {1, 0, 0}, nothing.tangent = {0, 1, 0};
  block.a[lane] = block.b[lane] = kVelocitySize * nowhere;
  block.contact[lane] = -1;
  block.follow_a[lane] = block.follow_b[lane] = 0;
  in.contact[lane] = &nothing;
  in.x_a[lane] = in.x_b[lane] = &x, in.q_a[lane] = in.q_b[lane] = &q;
  in.is_used[lane] = in.keeps_tangent[lane] = in.has_anchor[lane] = 0;
  put_surface({}, 1, lane, in);
}

}  // namespace

/// One thread goes from zone to zone. Several go from colour to colour and share its blocks: zones have no body in common, so it
/// does not matter which of them is first.
template <class Visit> void ContactLanes::for_blocks(int pace, const ThreadPool& threads, const Visit& visit) {
  const PaceRuns& first_run = pace_runs_[static_cast<std::size_t>(pace)];
  const std::size_t end_run = pace_end(pace);
  if (first_run.begin >= end_run) return;
  const auto visit_all = [&](const Run& run) { visit(run, run.begin, run.end - run.begin); };
  if (threads.threads() == 1 || blocks_.size() < kManyBlocks) {
    for (std::size_t k = first_run.begin; k < end_run; ++k) visit_all(runs_[k]);
    return;
  }
  const auto next = static_cast<std::size_t>(pace) + 1;
  const std::size_t end_stage = next < pace_runs_.size() ? pace_runs_[next].stage : stage_sizes_.size();
  const auto sizes = std::span(stage_sizes_).subspan(first_run.stage, end_stage - first_run.stage);
  stages_.run(threads, sizes, kBlocksPerPiece, [&](std::size_t stage, std::size_t begin, std::size_t end) {
    const std::size_t k = first_run.stage + stage;
    for (std::uint32_t i = stage_begin_[k]; i < stage_begin_[k + 1]; ++i) {
      const Run& run = runs_[by_stage_[i]];
      const std::size_t size = pieces(run), first = std::min(begin, size), last = std::min(end, size);
      if (first < last)
        run.one_by_one ? visit_all(run)
                       : visit(run, run.begin + static_cast<int>(first), static_cast<int>(last - first));
      begin -= first, end -= last;
    }
  });
}

template <class Visit>
void ContactLanes::for_blocks_by_place(const ConstraintList& list, const ThreadPool& threads, const Visit& visit) {
  threads.for_range(
      by_place_.size(), kBlocksPerTask,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
          if (k + 2 < end) fetch_entries(list, blocks_[by_place_[k + 2]]);
          visit(by_place_[k], k + 1 < end ? &blocks_[by_place_[k + 1]] : nullptr);
        }
      },
      kManyBlocks);
}

/// Prefetches the entries of the list that refer to the contacts.
void ContactLanes::fetch_entries(const ConstraintList& list, const LaneBlock& block) const {
  for (int lane = 0; lane < block.lanes; ++lane)
    prefetch(&list.contacts[order_[static_cast<std::size_t>(block.first_contact + lane)]]);
}

void ContactLanes::begin(const ConstraintList& list, const BodyState& state, StepBodies& bodies,
                         const LaneSettings& settings, StepImpulses& impulses, const ThreadPool& threads) {
  by_contact_ = impulses.start_by_contact(list.contacts.size());
  groups_.assign(settings.groups.begin(), settings.groups.end());
  group_of_ = settings.group_of, width_ = settings.width;
  int paces = 0;
  for (const LaneGroup& group : groups_) paces = std::max(paces, group.pace + 1);
  pace_runs_.resize(static_cast<std::size_t>(paces));
  if (list.contacts.empty()) return clear();
  mark_touched(list, static_cast<std::size_t>(bodies.moving));
  place_start(state, bodies, threads);
  const bool has_new_zones = zones_.divide(std::span(state.position).first(state.awake()), kBodiesPerZone);
  if (!is_laid_out(list, state.awake(), threads) || has_new_zones) sort_contacts(list, state.awake());
  clusters_.find(list, state);
  lane_of_contact_.clear();
  locate_clusters();
  if (order_.size() < by_contact_.size())  // contacts without points are in no block
    std::fill(by_contact_.begin(), by_contact_.end(), ContactImpulse{});
  std::atomic<bool> any_impacts = false;
  for_blocks_by_place(list, threads, [&](std::uint32_t k, const LaneBlock* next) {
    fill_block(list, state, bodies, k, next, settings);
    if (blocks_[k].has_impacts) any_impacts.store(true, std::memory_order_relaxed);
  });
  threads.for_bodies(bodies_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (int k = 0; k < 3; ++k) bodies_[i].moved[k] = bodies_[i].turned[k] = 0;
  });
  impacts_.clear();
  if (any_impacts) find_impacts(list, settings);
}

/// Bodies without contacts are left out of all that follows.
void ContactLanes::mark_touched(const ConstraintList& list, std::size_t moving) {
  is_touched_.assign(moving, 0);
  for (const StepContact& c : list.contacts)
    for (const std::uint32_t slot : {c.slot_a, c.slot_b})
      if (slot < moving) is_touched_[slot] = 1;
}

void ContactLanes::place_start(const BodyState& s, const StepBodies& bodies, const ThreadPool& threads) {
  const auto moving = static_cast<std::size_t>(bodies.moving);
  last_position_.resize(moving), last_orientation_.resize(moving);
  bodies_.resize(moving + 1);
  bodies_.back() = {};
  threads.for_bodies(moving, [&](std::size_t begin, std::size_t end) {
    for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
      if (!is_touched_[i]) continue;
      last_position_[i] = s.position[i], last_orientation_[i] = s.orientation[i];
      bodies_[i] = i < s.awake() ? begun_body(s, i, groups_[group_of_[i]].sub_step) : LaneBody{};
    }
  });
}

void ContactLanes::place_bodies(std::span<const std::uint32_t> slots, const BodyState& s, const ThreadPool& threads) {
  if (blocks_.empty()) return;
  threads.for_bodies(slots.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t i = slots[k];
      if (!is_touched_[i]) continue;
      LaneBody& body = bodies_[i];
      const Vec3 moved = s.position[i] - std::exchange(last_position_[i], s.position[i]);
      const Quat turn = s.orientation[i] * conjugate(std::exchange(last_orientation_[i], s.orientation[i]));
      const double twice = turn.w < 0 ? -2 : 2;
      body.moved[0] = moved.x, body.moved[1] = moved.y, body.moved[2] = moved.z;
      body.turned[0] = twice * turn.x, body.turned[1] = twice * turn.y, body.turned[2] = twice * turn.z;
      if (i >= s.awake() || is_round(s.inverse_inertia[i])) continue;
      put_inertia(s, i, body);
      body.stale = body.skew * std::sqrt(body.turned[0] * body.turned[0] + body.turned[1] * body.turned[1] +
                                         body.turned[2] * body.turned[2]);
    }
  });
}

void ContactLanes::fill_block(const ConstraintList& list, const BodyState& s, StepBodies& bodies, std::size_t k,
                              const LaneBlock* next, const LaneSettings& settings) {
  LaneBlock& block = blocks_[k];
  LanePoint* points = points_.data() + block.first_point;
  LaneInput in;
  in.count = block.count, in.stick_speed = settings.stick_speed, in.pull_rate = settings.pull_rate;
  const auto first = static_cast<std::size_t>(block.first_contact);
  block.has_turning = block.has_impacts = false;
  block.active = kAllLanes;
  for (int lane = 0; lane < block.lanes; ++lane) {
    const std::uint32_t index = order_[first + static_cast<std::size_t>(lane)];
    block.contact[lane] = static_cast<std::int32_t>(index);
    fill_lane(list.contacts[index], s, bodies, lane, in, block);
    const auto is_surface = [&](std::uint32_t slot) { return settings.is_surface[slot] != 0; };
    in.has_anchor[lane] = is_surface(list.contacts[index].slot_a) || is_surface(list.contacts[index].slot_b) ? 0 : 1;
    if (next && lane < next->lanes) prefetch_contact(list, *next, lane);
  }
  for (int lane = block.lanes; lane < kBlockLanes; ++lane) fill_empty_lane(bodies.moving, lane, in, block);
  if (block.has_turning)
    for (int lane = 0; lane < kBlockLanes; ++lane) fill_turning(*in.contact[lane], block.count, lane, *block.couplings);
  prepare_lanes(in, lanes_of(bodies), block, points, settings.width);
  for (int lane = 0; lane < block.lanes; ++lane)
    block.has_impacts = block.has_impacts || is_impact(*in.contact[lane], settings.restitution_threshold);
  if (!block.has_impacts) return;
  for (int i = 0; i < block.points; ++i) std::fill_n(points[i].peak, kBlockLanes, 0.0F);
}

void ContactLanes::prefetch_contact(const ConstraintList& list, const LaneBlock& block, int lane) const {
  const Contact& c = *list.contacts[order_[static_cast<std::size_t>(block.first_contact + lane)]].contact;
  prefetch(&c, offsetof(Contact, points) + static_cast<std::size_t>(block.points) * sizeof(ContactPoint));
}

void ContactLanes::prefetch_impulses(const ConstraintList& list, const LaneBlock& block, int lane) const {
  const std::size_t index = order_[static_cast<std::size_t>(block.first_contact + lane)];
  const Contact& c = *list.contacts[index].contact;
  for (int i = 0; i < block.points; ++i) prefetch(&c.points[static_cast<std::size_t>(i)].separation, 1);
  prefetch(&by_contact_[index], sizeof(ContactImpulse));
}

/// In the order of the contacts, whatever their colours.
void ContactLanes::find_impacts(const ConstraintList& list, const LaneSettings& settings) {
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    if (!blocks_[k].has_impacts) continue;
    for (int lane = 0; lane < blocks_[k].lanes; ++lane) {
      const int index = blocks_[k].contact[lane];
      const Contact& c = *list.contacts[static_cast<std::size_t>(index)].contact;
      for (int i = 0; i < c.count; ++i) {
        const double closing = c.points[static_cast<std::size_t>(i)].closing_speed;
        if (c.restitution > 0 && closing > settings.restitution_threshold)
          impacts_.push_back({index, static_cast<int>(k), lane, i, closing});
      }
    }
  }
  std::sort(impacts_.begin(), impacts_.end(), [](const Impact& a, const Impact& b) {
    return a.contact != b.contact ? a.contact < b.contact : a.point < b.point;
  });
}

void ContactLanes::warm_start(int pace, StepBodies& bodies, bool is_first, const ThreadPool& threads) {
  const LaneBodies lanes = lanes_of(bodies);
  for_blocks(pace, threads, [&](const Run&, int first, int count) {
    warm_start_lanes(blocks_.data() + first, count, points_.data(), lanes, !is_first, width_);
  });
}

void ContactLanes::scale_impulses(int pace, std::span<const std::uint32_t> island_of, std::span<const double> factor) {
  for (std::size_t r = pace_runs_[static_cast<std::size_t>(pace)].begin; r < pace_end(pace); ++r)
    for (int k = runs_[r].begin; k < runs_[r].end; ++k) {
      const LaneBlock& block = blocks_[static_cast<std::size_t>(k)];
      for (int lane = 0; lane < block.lanes; ++lane) {
        const auto slot = static_cast<std::size_t>(std::min(block.a[lane], block.b[lane]) / kVelocitySize);
        const auto part = static_cast<float>(factor[island_of[slot]]);
        if (part == 1) continue;
        for (int i = 0; i < block.points; ++i)
          for (LaneArray<float>& impulse : points_[static_cast<std::size_t>(block.first_point + i)].impulse)
            impulse[lane] *= part;
        if (!block.has_turning) continue;
        for (LaneArray<float>& impulse : block.couplings->turning_impulse) impulse[lane] *= part;
      }
    }
}

void ContactLanes::choose_lanes(int pace, std::span<const std::uint32_t> island_of,
                                std::span<const std::uint8_t> needs) {
  for (std::size_t r = pace_runs_[static_cast<std::size_t>(pace)].begin; r < pace_end(pace); ++r)
    for (int k = runs_[r].begin; k < runs_[r].end; ++k) {
      LaneBlock& block = blocks_[static_cast<std::size_t>(k)];
      block.active = 0;
      for (int lane = 0; lane < block.lanes; ++lane) {
        const auto slot = static_cast<std::size_t>(std::min(block.a[lane], block.b[lane]) / kVelocitySize);
        if (needs[island_of[slot]]) block.active |= 1U << lane;
      }
    }
}

void ContactLanes::choose_all_lanes(int pace) {
  for (std::size_t r = pace_runs_[static_cast<std::size_t>(pace)].begin; r < pace_end(pace); ++r)
    for (int k = runs_[r].begin; k < runs_[r].end; ++k) blocks_[static_cast<std::size_t>(k)].active = kAllLanes;
}

void ContactLanes::solve(int pace, StepBodies& bodies, const LaneStep& step, LaneVisit visit,
                         const ThreadPool& threads) {
  const LaneBodies lanes = lanes_of(bodies);
  for_blocks(pace, threads, [&](const Run&, int first, int count) {
    solve_lanes(blocks_.data() + first, count, points_.data(), lanes, step, visit, width_);
  });
}

/// Impulses of the whole step into the contacts of a block, and what events want to know of each. Of a contact only what is
/// written is touched: all of them are more than the caches hold.
void ContactLanes::store_impulses(const ConstraintList& list, const LaneBlock& block, const LaneBlock* next,
                                  const BodyState& s) {
  const LanePoint* points = points_.data() + block.first_point;
  for (int lane = 0; lane < block.lanes; ++lane) {
    if (next && lane < next->lanes) prefetch_impulses(list, *next, lane);
    const auto index = static_cast<std::size_t>(block.contact[lane]);
    const StepContact& sc = list.contacts[index];
    ContactImpulse of{static_cast<double>(block.pushed[lane]), sc.contact->points[0].closing_speed,
                      s.position[sc.slot_a] + lane_of(block.arm_a, lane), false};
    int load = 0;
    for (int i = 0; i < block.points; ++i) {
      ContactPoint& p = sc.contact->points[static_cast<std::size_t>(i)];
      const auto impulse = [&](int k) { return static_cast<double>(points[i].impulse[k][lane]); };
      p.normal_impulse = block.count * impulse(0);
      p.tangent_impulse[0] = block.count * impulse(1), p.tangent_impulse[1] = block.count * impulse(2);
      of.impulse += impulse(0), of.speed = std::max(of.speed, p.closing_speed);
      load += impulse(0) > 0 ? 1 : 0;
      of.touching = of.touching || p.separation <= 0;
    }
    of.touching = of.touching || load > 0;
    by_contact_[index] = of;
    loads_[index] = static_cast<std::uint8_t>(load);
    if (block.has_turning) store_turning(*block.couplings, lane, block.count, *sc.contact);
  }
}

void ContactLanes::find_deep(double depth, std::vector<DeepContact>& contacts) const {
  contacts.clear();
  const auto limit = static_cast<float>(-depth);
  for (const LaneBlock& block : blocks_) {
    LaneArray<float> least{};
    for (int i = 0; i < block.points; ++i) {
      const LanePoint& p = points_[static_cast<std::size_t>(block.first_point + i)];
      for (int lane = 0; lane < kBlockLanes; ++lane) least[lane] = std::min(least[lane], p.gap[lane]);
    }
    for (int lane = 0; lane < block.lanes; ++lane) {
      if (!(least[lane] < limit)) continue;
      DeepContact& deep = contacts.emplace_back();
      deep.contact = static_cast<std::uint32_t>(block.contact[lane]);
      for (int i = 0; i < block.points; ++i)
        deep.gap[static_cast<std::size_t>(i)] = points_[static_cast<std::size_t>(block.first_point + i)].gap[lane];
    }
  }
}

void ContactLanes::finish(const ConstraintList& list, const BodyState& state, StepImpulses& impulses,
                          const ThreadPool& threads, bool is_part) {
  for_blocks_by_place(list, threads,
                      [&](std::uint32_t k, const LaneBlock* next) { store_impulses(list, blocks_[k], next, state); });
  if (list.has_all_contacts && !is_part) return;
  for (std::size_t k = 0; k < by_contact_.size(); ++k)
    if (by_contact_[k].touching || !is_part) impulses.add(*list.contacts[k].contact, by_contact_[k]);
  if (is_part) impulses.end_by_contact();
}

// The impulses of contacts, recorded sub-step by sub-step for those who ask whether they explain the motion (rigor/impulses.h). At the end of a sub-step the lanes hold all that its contacts did:
// the warm start and what sweeps have added. What the bounds on energy take from velocities afterwards belongs to no contact and is not recorded.

namespace {

/// An impulse P at the arms, with the turning impulse L.
void push(ConstraintImpulse& of, const Vec3& P, const Vec3& r_a, const Vec3& r_b, const Vec3& L) {
  of.linear_a -= P, of.angular_a -= cross(r_a, P) + L;
  of.linear_b += P, of.angular_b += cross(r_b, P) + L;
}

}  // namespace

void ContactLanes::record_lane(const ConstraintList& list, const LaneBlock& block, int lane,
                               std::vector<ConstraintImpulse>& to) const {
  const Contact& c = *list.contacts[static_cast<std::size_t>(block.contact[lane])].contact;
  const auto number = [lane](const LaneArray<float>& of) { return static_cast<double>(of[lane]); };
  const Vec3 n{number(block.normal[0]), number(block.normal[1]), number(block.normal[2])};
  const Vec3 t{number(block.tangent[0]), number(block.tangent[1]), number(block.tangent[2])};
  const Vec3 s = cross(n, t), arm_a = lane_of(block.arm_a, lane), arm_b = lane_of(block.arm_b, lane);
  for (int i = 0; i < block.points; ++i) {
    const LanePoint& point = points_[static_cast<std::size_t>(block.first_point + i)];
    if (!(point.impulse[0][lane] > 0)) continue;
    ConstraintImpulse of;
    of.a = c.a, of.b = c.b, of.part_a = c.part_a, of.part_b = c.part_b;
    of.key = c.points[static_cast<std::size_t>(i)].key;
    Vec3 rho{};  // a single point is the center
    if (!block.is_single()) rho = number(point.u) * t + number(point.v) * s;
    const Vec3 P = number(point.impulse[0]) * n + number(point.impulse[1]) * t + number(point.impulse[2]) * s;
    Vec3 L{};
    if (block.has_turning && i == 0) {
      const LaneArray<float>* turning = block.couplings->turning_impulse;
      L = number(turning[0]) * t + number(turning[1]) * s + number(turning[2]) * n;
    }
    push(of, P, arm_a + rho, arm_b + rho, L);
    to.push_back(of);
  }
}

void ContactLanes::record(int pace, const ConstraintList& list, std::vector<ConstraintImpulse>& to) const {
  for (std::size_t r = pace_runs_[static_cast<std::size_t>(pace)].begin; r < pace_end(pace); ++r)
    for (int k = runs_[r].begin; k < runs_[r].end; ++k) {
      const LaneBlock& block = blocks_[static_cast<std::size_t>(k)];
      for (int lane = 0; lane < block.lanes; ++lane) record_lane(list, block, lane, to);
    }
}

}  // namespace rigor
