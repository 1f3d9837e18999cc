#include "solvers/contact_lanes.h"

#include <algorithm>

#include "islands/contact_colours.h"

namespace rigor {

namespace {

constexpr std::size_t kBlocksPerTask = 16, kBodiesPerTask = 512;

void put(LaneArray<double>* to, int lane, const Vec3& v) { to[0][lane] = v.x, to[1][lane] = v.y, to[2][lane] = v.z; }
void put(LaneArray<double>* to, int lane, const Quat& q) {
  to[0][lane] = q.w, to[1][lane] = q.x, to[2][lane] = q.y, to[3][lane] = q.z;
}

void put_inertia(const BodyState& s, std::uint32_t i, LaneBody& body) {
  const Mat3 m = inverse_inertia_world(s, i);
  const double upper[6] = {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)};
  std::copy(upper, upper + 6, body.inverse_inertia);
}

bool is_round(const Vec3& principal) { return principal.x == principal.y && principal.y == principal.z; }

/// What a contact says about one lane, and the impulses of the last step.
void fill_lane(const StepContact& sc, const BodyState& s, int place_a, int place_b, bool a_free, bool b_free, int count,
               int lane, LaneInput& in, LaneBlock& block, LanePoint* points) {
  const Contact& c = *sc.contact;
  block.a[lane] = place_a, block.b[lane] = place_b;
  block.follow_a[lane] = a_free ? (b_free ? 0.5F : 1.0F) : 0.0F;
  block.follow_b[lane] = b_free ? (a_free ? 0.5F : 1.0F) : 0.0F;
  put(in.normal, lane, c.normal), put(in.tangent, lane, c.tangent);
  put(in.q_a, lane, s.orientation[sc.slot_a]), put(in.q_b, lane, s.orientation[sc.slot_b]);
  put(in.between, lane, s.position[sc.slot_b] - s.position[sc.slot_a]);
  put(in.surface, lane, c.surface_velocity);
  in.share[lane] = 1.0 / c.count;
  in.kinetic_friction[lane] = c.friction, in.static_friction[lane] = c.static_friction;
  in.across[lane] = c.friction_across, in.keeps_tangent[lane] = c.directed ? 1 : 0;
  block.rolling[lane] = static_cast<float>(c.rolling_friction);
  block.spinning[lane] = static_cast<float>(c.spinning_friction);
  const auto per_step = [count](double impulse) { return static_cast<float>(impulse / count); };
  for (int k = 0; k < 3; ++k) block.turning_impulse[k][lane] = 0;
  for (int i = 0; i < block.points; ++i) {
    const ContactPoint& p = c.points[static_cast<std::size_t>(i)];
    const bool is_there = i < c.count;
    in.has_point[i][lane] = is_there ? 1 : 0;
    put(in.local_a[i], lane, is_there ? p.local_a : Vec3{}), put(in.local_b[i], lane, is_there ? p.local_b : Vec3{});
    points[i].impulse[0][lane] = is_there ? per_step(p.normal_impulse) : 0;
    points[i].impulse[1][lane] = is_there ? per_step(p.tangent_impulse[0]) : 0;
    points[i].impulse[2][lane] = is_there ? per_step(p.tangent_impulse[1]) : 0;
    if (!is_there) continue;
    block.turning_impulse[0][lane] += per_step(p.rolling_impulse[0]);
    block.turning_impulse[1][lane] += per_step(p.rolling_impulse[1]);
    block.turning_impulse[2][lane] += per_step(p.spinning_impulse);
  }
}

/// Contacts of one colour lie anywhere in the list: the next ones are fetched while the present ones are worked on.
void prefetch(const Contact& c) {
  const char* begin = reinterpret_cast<const char*>(&c);
  const std::size_t size = sizeof(Contact) - sizeof(c.points) + kBlockPoints * sizeof(ContactPoint);
  for (std::size_t at = 0; at < size; at += 64) __builtin_prefetch(begin + at, 1);
}

/// A lane without contact: nothing that it computes changes anything.
void fill_empty_lane(int nowhere, int lane, LaneInput& in, LaneBlock& block, LanePoint* points) {
  block.a[lane] = block.b[lane] = nowhere;
  block.contact[lane] = -1;
  block.follow_a[lane] = block.follow_b[lane] = block.rolling[lane] = block.spinning[lane] = 0;
  for (int k = 0; k < 3; ++k) block.turning_impulse[k][lane] = 0;
  put(in.normal, lane, Vec3{1, 0, 0}), put(in.tangent, lane, Vec3{0, 1, 0});
  put(in.q_a, lane, Quat{}), put(in.q_b, lane, Quat{}), put(in.between, lane, Vec3{}), put(in.surface, lane, Vec3{});
  in.share[lane] = 1, in.across[lane] = 1;
  in.kinetic_friction[lane] = in.static_friction[lane] = in.keeps_tangent[lane] = 0;
  for (int i = 0; i < block.points; ++i) {
    in.has_point[i][lane] = 0;
    put(in.local_a[i], lane, Vec3{}), put(in.local_b[i], lane, Vec3{});
    for (int k = 0; k < 3; ++k) points[i].impulse[k][lane] = 0;
  }
}

}  // namespace

void ContactLanes::begin(const ConstraintList& list, const BodyState& state, StepBodies& bodies,
                         const LaneSettings& settings, const ThreadPool& threads) {
  count_ = settings.count, width_ = settings.width;
  if (list.contacts.empty()) return clear();
  place_start(state, bodies, settings.sub_step);
  sort_contacts(list, state.awake());
  threads.for_range(blocks_.size(), kBlocksPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) fill_block(list, state, bodies, k, settings);
  });
  for (LaneBody& body : bodies_)
    for (int k = 0; k < 3; ++k) body.moved[k] = body.turned[k] = 0;
  find_impacts(list, settings);
}

void ContactLanes::place_start(const BodyState& s, const StepBodies& bodies, double sub_step) {
  const auto moving = static_cast<std::size_t>(bodies.moving);
  start_position_.assign(s.position.begin(), s.position.begin() + bodies.moving);
  start_orientation_.assign(s.orientation.begin(), s.orientation.begin() + bodies.moving);
  bodies_.assign(moving + 1, LaneBody{});
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    bodies_[i].inverse_mass = s.inverse_mass[i];
    put_inertia(s, i, bodies_[i]);
    const Vec3 dv = (sub_step * s.inverse_mass[i]) * s.force[i];
    const Vec3 dw = sub_step * angular_velocity_of(s.orientation[i], s.inverse_inertia[i], s.torque[i]);
    bodies_[i].moved[0] = dv.x, bodies_[i].moved[1] = dv.y, bodies_[i].moved[2] = dv.z;
    bodies_[i].turned[0] = dw.x, bodies_[i].turned[1] = dw.y, bodies_[i].turned[2] = dw.z;
  }
}

void ContactLanes::place_bodies(const BodyState& s, const ThreadPool& threads) {
  threads.for_range(start_position_.size(), kBodiesPerTask, [&](std::size_t begin, std::size_t end) {
    for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
      LaneBody& body = bodies_[i];
      const Vec3 moved = s.position[i] - start_position_[i];
      const Quat turn = s.orientation[i] * conjugate(start_orientation_[i]);
      const double twice = turn.w < 0 ? -2 : 2;
      body.moved[0] = moved.x, body.moved[1] = moved.y, body.moved[2] = moved.z;
      body.turned[0] = twice * turn.x, body.turned[1] = twice * turn.y, body.turned[2] = twice * turn.z;
      if (i < s.awake() && !is_round(s.inverse_inertia[i])) put_inertia(s, i, body);
    }
  });
}

/// By colour, then by number of points, then in the order found; and the blocks that they fill.
void ContactLanes::sort_contacts(const ConstraintList& list, std::uint32_t awake) {
  colour_contacts(list.contacts, awake, used_colours_, colour_);
  constexpr std::size_t kBuckets = (kOverflow + 1) * kBlockPoints;
  const auto bucket_of = [&](std::size_t i) {
    const auto points = static_cast<std::size_t>(list.contacts[i].contact->count);
    return colour_[i] * std::size_t{kBlockPoints} + (kBlockPoints - points);
  };
  bucket_.assign(kBuckets + 1, 0);
  for (std::size_t i = 0; i < colour_.size(); ++i)
    if (list.contacts[i].contact->count > 0) ++bucket_[bucket_of(i) + 1];
  for (std::size_t b = 0; b < kBuckets; ++b) bucket_[b + 1] += bucket_[b];
  order_.resize(bucket_.back());
  lay_out_blocks();
  for (std::size_t i = 0; i < colour_.size(); ++i)
    if (list.contacts[i].contact->count > 0) order_[bucket_[bucket_of(i)]++] = static_cast<std::uint32_t>(i);
}

void ContactLanes::lay_out_blocks() {
  runs_.clear();
  std::size_t count = 0, point_count = 0;
  for (std::size_t b = 0; b + 1 < bucket_.size(); ++b) {
    const bool one_by_one = b / kBlockPoints == kOverflow;
    const int points = kBlockPoints - static_cast<int>(b % kBlockPoints);
    const auto per_block = one_by_one ? 1U : static_cast<std::uint32_t>(kBlockLanes);
    if (bucket_[b] == bucket_[b + 1]) continue;
    runs_.push_back({static_cast<int>(count), 0, one_by_one});
    for (std::uint32_t first = bucket_[b]; first < bucket_[b + 1]; first += per_block) {
      if (blocks_.size() == count) blocks_.emplace_back();
      LaneBlock& block = blocks_[count++];
      block.points = points;
      block.first_point = static_cast<std::int32_t>(point_count);
      block.lanes = static_cast<std::int32_t>(std::min(per_block, bucket_[b + 1] - first));
      block.first_contact = static_cast<std::int32_t>(first);
      point_count += static_cast<std::size_t>(points);
    }
    runs_.back().end = static_cast<int>(count);
  }
  blocks_.resize(count);
  points_.resize(point_count);
}

void ContactLanes::fill_block(const ConstraintList& list, const BodyState& s, StepBodies& bodies, std::size_t k,
                              const LaneSettings& settings) {
  LaneBlock& block = blocks_[k];
  LanePoint* points = points_.data() + block.first_point;
  LaneInput in;
  if (k + 1 < blocks_.size())
    for (int lane = 0; lane < blocks_[k + 1].lanes; ++lane)
      prefetch(*list.contacts[order_[static_cast<std::size_t>(blocks_[k + 1].first_contact + lane)]].contact);
  const auto first = static_cast<std::size_t>(block.first_contact);
  block.has_joint_mass = block.points >= 3, block.has_joint_friction = block.points >= 2;
  block.has_turning = block.has_impacts = false;
  for (int lane = 0; lane < block.lanes; ++lane) {
    const std::uint32_t index = order_[first + static_cast<std::size_t>(lane)];
    const StepContact& sc = list.contacts[index];
    block.contact[lane] = static_cast<std::int32_t>(index);
    fill_lane(sc, s, bodies.place(sc.slot_a), bodies.place(sc.slot_b), sc.slot_a < s.awake(), sc.slot_b < s.awake(),
              settings.count, lane, in, block, points);
    block.has_turning |= sc.contact->rolling_friction > 0 || sc.contact->spinning_friction > 0;
  }
  for (int lane = block.lanes; lane < kBlockLanes; ++lane) fill_empty_lane(bodies.moving, lane, in, block, points);
  prepare_lanes(in, lanes_of(bodies), settings.stick_speed, block, points, settings.width);
  for (int lane = 0; lane < block.lanes; ++lane) {
    Contact& c = *list.contacts[static_cast<std::size_t>(block.contact[lane])].contact;
    c.tangent = {in.tangent[0][lane], in.tangent[1][lane], in.tangent[2][lane]};
    for (int i = 0; i < c.count; ++i) {
      const double closing = in.closing_speed[i][lane];
      c.points[static_cast<std::size_t>(i)].closing_speed = closing;
      block.has_impacts |= c.restitution > 0 && closing > settings.restitution_threshold;
    }
  }
}

/// In the order of the contacts, whatever their colours.
void ContactLanes::find_impacts(const ConstraintList& list, const LaneSettings& settings) {
  impacts_.clear();
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

template <class Visit> void ContactLanes::for_blocks(const ThreadPool& threads, const Visit& visit) const {
  for (const Run& run : runs_) {
    if (run.one_by_one) {
      visit(run.begin, run.end - run.begin);
      continue;
    }
    threads.for_range(static_cast<std::size_t>(run.end - run.begin), kBlocksPerTask,
                      [&](std::size_t begin, std::size_t end) {
                        visit(run.begin + static_cast<int>(begin), static_cast<int>(end - begin));
                      });
  }
}

void ContactLanes::warm_start(StepBodies& bodies, bool is_first, const ThreadPool& threads) {
  const LaneBodies lanes = lanes_of(bodies);
  for_blocks(threads, [&](int first, int count) {
    warm_start_lanes(blocks_.data() + first, count, points_.data(), lanes, !is_first, width_);
  });
}

void ContactLanes::solve(StepBodies& bodies, const LaneStep& step, bool correct, const ThreadPool& threads) {
  const LaneBodies lanes = lanes_of(bodies);
  for_blocks(threads, [&](int first, int count) {
    solve_lanes(blocks_.data() + first, count, points_.data(), lanes, step, correct, width_);
  });
}

void ContactLanes::finish(const ConstraintList& list, const BodyState& state, StepImpulses& impulses) {
  pushed_.assign(list.contacts.size(), 0);
  for (const LaneBlock& block : blocks_) {
    const LanePoint* points = points_.data() + block.first_point;
    for (int lane = 0; lane < block.lanes; ++lane) {
      Contact& c = *list.contacts[static_cast<std::size_t>(block.contact[lane])].contact;
      for (int i = 0; i < c.count; ++i) {
        ContactPoint& p = c.points[static_cast<std::size_t>(i)];
        pushed_[static_cast<std::size_t>(block.contact[lane])] +=
            points[i].total[lane] + static_cast<double>(points[i].impulse[0][lane]);
        p.normal_impulse = count_ * static_cast<double>(points[i].impulse[0][lane]);
        p.tangent_impulse[0] = count_ * static_cast<double>(points[i].impulse[1][lane]);
        p.tangent_impulse[1] = count_ * static_cast<double>(points[i].impulse[2][lane]);
        if (!block.has_turning) continue;
        // Of the whole contact; each point gets its part of it.
        for (int k = 0; k < 2; ++k)
          p.rolling_impulse[k] = count_ * static_cast<double>(block.turning_impulse[k][lane]) / c.count;
        p.spinning_impulse = count_ * static_cast<double>(block.turning_impulse[2][lane]) / c.count;
      }
    }
  }
  for (std::size_t k = 0; k < pushed_.size(); ++k) {
    const StepContact& sc = list.contacts[k];
    for (int i = 0; i < sc.contact->count; ++i)
      impulses.add(*sc.contact, static_cast<std::uint32_t>(i), sc.slot_a, state, i == 0 ? pushed_[k] : 0);
  }
}

}  // namespace rigor
