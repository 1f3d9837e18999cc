#include "stepping/leg_collision.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "integrators/motion.h"
#include "model/bounds.h"
#include "narrowphase/quick_bounds.h"
#include "rigor/interruption.h"
#include "rigor/profile.h"

namespace rigor {

namespace {

/// m: bodies that move farther in a step are not followed. Contacts in single precision cannot represent such gaps.
constexpr double kFarthest = 1e12;

}  // namespace

void LegCollision::begin(const ContinuousCollision& bodies, const World& world, const ConstraintList& list,
                         std::span<const std::uint8_t> pace_of, double h, double envelope) {
  bodies_ = &bodies, list_ = &list, pace_of_ = pace_of, h_ = h, envelope_ = envelope;
  has_stopped_ = false, boxes_are_new_ = false;
  boxes_.clear();
  const std::size_t moving = world.state().end(BodySet::kinematic);
  x_.resize(moving), q_.resize(moving);
  stopped_at_.assign(moving, kMoves);
}

bool LegCollision::is_fast(const World& world, std::uint32_t slot, const Vec3& velocity) const {
  if (velocity == Vec3{} || !world.can_collide(slot) || bodies_->is_joined(world, slot)) return false;
  const ContinuousCollision::Known& body = bodies_->known(world, slot);
  const double way = length(velocity) * h_;
  return way < kFarthest && (body.continuous || way > body.inner);
}

void LegCollision::start(const World& world, std::span<const std::uint32_t> slots, const StepBodies& bodies,
                         double time, const ThreadPool& threads) {
  slots_ = slots, time_ = time;
  const double least = bodies_->slowest_fast(world) / h_, squared = least * least * (1 - 1e-9);
  const auto may_be_fast = [&](std::uint32_t i) { return !(length_squared(bodies.u[i].v) < squared); };
  std::atomic<bool> found = false;
  threads.for_bodies(slots.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      if (may_be_fast(slots[k])) return found.store(true, std::memory_order_relaxed);
  });
  is_watched_ = has_stopped_ || (found && std::any_of(slots.begin(), slots.end(), [&](std::uint32_t i) {
                                   return may_be_fast(i) && is_fast(world, i, bodies.u[i].v);
                                 }));
  if (!is_watched_) return;
  const BodyState& s = world.state();
  for (std::uint32_t i = 0; i < x_.size(); ++i) x_[i] = s.position[i], q_[i] = s.orientation[i];
}

/// In the leg, from its start on.
MovingPose LegCollision::motion(const World& world, std::uint32_t slot) const {
  const BodyState& s = world.state();
  const Vec3& x = s.position[slot];
  const Quat& q = s.orientation[slot];
  const auto from = [&](const Vec3& x0, const Quat& q0, const Vec3& v, const Vec3& w) {
    return MovingPose{Transform{x0, q0} * world.shape_frame(slot), x0, v, w};
  };
  if (slot >= x_.size()) return from(x, q, {}, {});
  const auto turn_since = [&](const Quat& q0) { return rotation_vector(q * conjugate(q0)); };
  const std::uint8_t own = pace_of_[slots_.front()];
  if (pace_of_[slot] == own) return from(x_[slot], q_[slot], (x - x_[slot]) / eta_, turn_since(q_[slot]) / eta_);
  const auto later = [](const Quat& q0, const Vec3& turn) {
    return normalized(quaternion_from_rotation_vector(turn) * q0);
  };
  if (pace_of_[slot] > own) {
    const Vec3 &v = s.velocity[slot], &w = s.angular_velocity[slot];
    return from(x + time_ * v, later(q, time_ * w), v, w);
  }
  const double end = stopped_at_[slot] == kMoves ? h_ : stopped_at_[slot];
  if (!(end > time_)) return from(x, q, {}, {});
  const Vec3& x0 = bodies_->start_position(slot);
  const Quat& q0 = bodies_->start_orientation(slot);
  const Vec3 v = (x - x0) / end, w = turn_since(q0) / end;
  return from(x0 + time_ * v, later(q0, time_ * w), v, w);
}

/// Around the shape at the start and at the end of the leg.
Aabb LegCollision::swept_box(const World& world, std::uint32_t slot) const {
  const Shape& shape = *world.collision_shape(slot);
  const MovingPose path = motion(world, slot);
  const Aabb start = body_bounds(shape, path.start);
  if (path.velocity == Vec3{} && path.angular_velocity == Vec3{}) return start;
  return united(start, body_bounds(shape, path.at(eta_)));
}

/// Where bodies are expected: along their velocity, and half of their width around that. Those that leave this space are fast, and
/// cover() makes it larger.
void LegCollision::find_boxes(const World& world) {
  const BodyState& s = world.state();
  boxes_.clear();
  for (std::uint32_t i = 0; i < s.end(BodySet::still); ++i) {
    if (i >= x_.size()) {
      boxes_.push_back(swept_box(world, i));
      continue;
    }
    const ContinuousCollision::Known& body = bodies_->known(world, i);
    const Vec3 &x0 = bodies_->start_position(i), &x = s.position[i], end = x0 + h_ * s.velocity[i];
    Aabb box{x0, x0};
    box.include(x), box.include(end);
    const double around = body.radius + body.half_width;
    boxes_.push_back(grown(box, around * (1 + 1e-9) + 1e-9 * (length(x0) + length(end))));
  }
  boxes_are_new_ = true;
}

void LegCollision::cover(const World& world, std::uint32_t slot) {
  const BodyState& s = world.state();
  const double radius = bodies_->known(world, slot).radius;
  const auto around = [&](const Vec3& x) { return grown(Aabb{x, x}, radius * (1 + 1e-9) + 1e-9 * length(x)); };
  const Aabb leg = united(around(x_[slot]), around(s.position[slot]));
  const Aabb all = united(boxes_[slot], leg);
  if (all.lower == boxes_[slot].lower && all.upper == boxes_[slot].upper) return;
  boxes_[slot] = united(all, around(s.position[slot] + (h_ - time_) * s.velocity[slot]));
  boxes_are_new_ = true;
}

void LegCollision::find_touching() {
  touching_.clear();
  for (std::uint32_t k = 0; k < list_->contacts.size(); ++k)
    if (const StepContact& c = list_->contacts[k]; c.points > 0) touching_.push_back({pair_of(c.slot_a, c.slot_b), k});
  std::sort(touching_.begin(), touching_.end());
}

std::span<const LegCollision::Touching> LegCollision::contacts_of(std::uint32_t a, std::uint32_t b) const {
  const std::uint64_t pair = pair_of(a, b);
  const auto begin = std::lower_bound(touching_.begin(), touching_.end(), Touching{pair, 0});
  const auto end = std::lower_bound(begin, touching_.end(), Touching{pair + 1, 0});
  return {begin, end};
}

/// True if a point of one of these contacts still approaches by more than a hundredth of `speed`, which the solver has not taken away. Contacts of deep or whirling bodies may drive them
/// apart while their cores approach: a stop would hold both where they are for ever.
bool LegCollision::approaches(const World& world, std::span<const Touching> contacts, double speed) const {
  const BodyState& s = world.state();
  const auto velocity_at = [&](std::uint32_t slot, const Vec3& local) {
    const MovingPose path = motion(world, slot);
    const Quat& q = slot < q_.size() ? q_[slot] : s.orientation[slot];
    return path.velocity + cross(path.angular_velocity, rotate(q, local));
  };
  for (const Touching& at : contacts) {
    const StepContact& c = list_->contacts[at.contact];
    for (const ContactPoint& p : std::span(c.contact->points).first(static_cast<std::size_t>(c.points)))
      if (dot(c.contact->normal, velocity_at(c.slot_a, p.local_a) - velocity_at(c.slot_b, p.local_b)) > 0.01 * speed)
        return true;
  }
  return false;
}

LegCollision::Stop LegCollision::first_touch(const World& world, std::uint32_t slot) {
  Stop first{slot, slot, eta_, {}};
  swept_.find_overlapping(
      slot, [&](std::uint32_t k) { return world.state().inverse_mass[k] > 0 && world.may_collide(slot, k); }, near_);
  if (near_.empty()) return first;
  const Aabb own = swept_box(world, slot);
  const MovingPose path = motion(world, slot);
  const double tolerance = bodies_->tolerance(world, slot, envelope_);
  for (const std::uint32_t k : near_) {
    if (!overlap(own, swept_box(world, k))) continue;
    const std::span<const Touching> known = contacts_of(slot, k);
    const MovingPose other = motion(world, k);
    const Impact met = followed_impact(*world.collision_shape(slot), path, *world.collision_shape(k), other, first.time,
                                       tolerance, /*core_only=*/!known.empty());
    if (met.state == ImpactState::separated || met.time >= first.time) continue;
    // A core that already overlaps may not go deeper.
    const Vec3 v = path.velocity - other.velocity;
    if (met.time > 0 || (dot(met.normal, v) > 0 && (known.empty() || approaches(world, known, length(v)))))
      first = {slot, k, met.time, met.normal};
  }
  return first;
}

/// True if the velocity of a stopped body still points towards its obstacle.
bool LegCollision::is_held_back(const World& world, std::uint32_t slot) const {
  const Stop& stop = held_by_[slot];
  const Vec3 v = world.state().velocity[slot] - motion(world, stop.obstacle).velocity;
  return stop.normal == Vec3{} || dot(stop.normal, v) > 0;
}

void LegCollision::set_back(BodyState& s, std::uint32_t i, double back, StepBodies& bodies) {
  const Vec3 end = s.position[i], L = angular_momentum(s, i);
  const Vec3 turn = rotation_vector(s.orientation[i] * conjugate(q_[i]));
  if (stopped_at_[i] == kMoves) {
    if (!std::exchange(has_stopped_, true)) undone_.assign(stopped_at_.size(), {}), held_by_.resize(stopped_at_.size());
    stopped_at_[i] = time_ + eta_ - back;
  }
  s.position[i] = end - back * s.velocity[i];
  s.orientation[i] = normalized(quaternion_from_rotation_vector((1 - back / eta_) * turn) * q_[i]);
  set_angular_momentum(s, i, L);
  bodies.u[i].w = s.angular_velocity[i];
  undone_[i] += s.position[i] - end;
}

void LegCollision::stop(World& world, double eta, StepBodies& bodies) {
  if (!is_watched_ || slots_.empty()) return;
  const StageScope scope(Stage::continuous);
  BodyState& s = world.state();
  eta_ = eta;
  stops_.clear();
  for (const std::uint32_t i : slots_) {
    if (stopped_at_[i] == kMoves) continue;
    if (is_held_back(world, i))
      stops_.push_back(held_by_[i]);
    else
      stopped_at_[i] = kMoves;
  }
  for (const Stop& stop : stops_) set_back(s, stop.slot, eta, bodies);
  const auto is_followed = [&](std::uint32_t i) {
    return stopped_at_[i] == kMoves && is_fast(world, i, s.velocity[i]);
  };
  if (std::none_of(slots_.begin(), slots_.end(), is_followed)) return;
  if (boxes_.empty()) find_boxes(world), find_touching();
  for (const std::uint32_t i : slots_)
    if (is_followed(i)) cover(world, i);
  if (std::exchange(boxes_are_new_, false)) swept_.assign(boxes_);
  stops_.clear();
  for (const std::uint32_t i : slots_) {
    if (!is_followed(i)) continue;
    throw_if_interrupted();
    if (const Stop stop = first_touch(world, i); stop.time < eta) stops_.push_back(stop);
  }
  for (const Stop& stop : stops_) {
    set_back(s, stop.slot, eta - stop.time, bodies);
    held_by_[stop.slot] = stop;
  }
}

void LegCollision::account(BodyState& s, std::span<const Vec3> force) const {
  if (!has_stopped_) return;
  for (std::uint32_t i = 0; i < s.awake(); ++i)
    if (undone_[i] != Vec3{}) add_work(s, i, dot(force[i], undone_[i]));
}

}  // namespace rigor
