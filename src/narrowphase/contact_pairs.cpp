#include "narrowphase/contact_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "state/bytes.h"

namespace rigor {

namespace {

/// The pool is sorted again when one of this many pairs was added since it was last sorted. Chosen: sorting costs about as much as two
/// searches lose if a quarter of the pairs is out of order.
constexpr std::size_t kScattered = 4;

/// The former memory is released: in a world at rest the pool stays in order.
template <class T> void put_in_order(std::vector<T>& of, const std::vector<std::uint32_t>& slots) {
  std::vector<T> ordered(slots.size());
  for (std::size_t k = 0; k < slots.size(); ++k) ordered[k] = of[slots[k]];
  of.swap(ordered);
}

}  // namespace

void PairPool::clear() {
  pool_.clear();
  normals_.clear();
  slot_of_.clear();
  free_.clear();
  scattered_ = 0;
}

std::uint32_t PairPool::new_slot() {
  if (free_.empty()) {
    pool_.emplace_back(), normals_.emplace_back();
    return static_cast<std::uint32_t>(pool_.size() - 1);
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  pool_[slot] = {};
  normals_[slot] = {};
  return slot;
}

void PairPool::follow(std::span<const std::uint32_t> before) {
  next_.resize(before.size());
  std::size_t old = 0;
  const auto drop_until = [&](std::size_t end) {
    for (; old < end; ++old) free_.push_back(slot_of_[old]);
  };
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (before[k] == kNew) {
      next_[k] = new_slot();
      ++scattered_;
    } else {
      drop_until(before[k]);
      next_[k] = slot_of_[old++];
    }
  }
  drop_until(slot_of_.size());
  slot_of_.swap(next_);
  if (scattered_ * kScattered > slot_of_.size()) put_in_order();
}

void PairPool::put_in_order() {
  rigor::put_in_order(pool_, slot_of_);
  rigor::put_in_order(normals_, slot_of_);
  std::iota(slot_of_.begin(), slot_of_.end(), 0U);
  free_.clear();
  scattered_ = 0;
}

void PairPool::forget_caches() {
  for (const std::uint32_t slot : slot_of_) {
    pool_[slot].cache = {};
    pool_[slot].within = 0;
  }
}

namespace {

/// A contact is not reused if the smaller body has moved by more than this part of its size, whatever distance the caller allows. Chosen.
constexpr double kPartOfSize = 0.01;

/// Only contacts of polyhedra are reused: contact points of round shapes move over the body when it turns, and triangle surfaces have
/// many contacts.
bool is_polyhedron(const Shape& s) { return s.as<Box>() || s.as<Hull>() || s.as<Rectangle>() || s.as<Plane>(); }

/// The distance from the origin to the farthest corner of the bounds, m.
double reach_of(const Shape& shape) {
  const Aabb& box = shape.local_bounds();
  return length(max(abs(box.lower), abs(box.upper)));
}

/// Contacts of sleeping or kinematic bodies are always computed, so that their separations are exact.
bool is_between_free_bodies(const BodyState& s, std::uint32_t a, std::uint32_t b) {
  const auto is_free = [&](std::uint32_t slot) { return slot < s.awake(); };
  const auto is_plain = [&](std::uint32_t slot) { return is_free(slot) || slot >= s.end(BodySet::sleeping); };
  return is_plain(a) && is_plain(b) && (is_free(a) || is_free(b));
}

/// True if no point of the smaller shape has moved by more than allowed, in the frame of the other one: |Δx| + |Δθ| r.
bool still_holds(const CachedPair& pair, const Transform& a, const Transform& b, double allowed) {
  const double within = std::min(pair.within, allowed);
  const Transform &small = pair.a_is_smaller ? a : b, &large = pair.a_is_smaller ? b : a;
  const Vec3 moved = rotate_inverse(large.rotation, small.translation - large.translation) - pair.pose.translation;
  const Quat turn = conjugate(pair.pose.rotation) * (conjugate(large.rotation) * small.rotation);
  return length(moved) + 2 * pair.reach * length(Vec3{turn.x, turn.y, turn.z}) <= within;
}

}  // namespace

void ContactPairs::clear() {
  last_.clear();
  pool_.clear();
}

void ContactPairs::match(const ContactProxies& proxies, bool same_definitions) {
  before_.resize(found_.size());
  const bool same_bodies = same_definitions && !std::exchange(is_restored_, false);
  if (same_bodies && found_ == last_) return std::iota(before_.begin(), before_.end(), 0U);
  std::uint32_t old = 0;  // both lists are sorted: one pass finds every pair again
  for (std::size_t k = 0; k < found_.size(); ++k) {
    while (old < last_.size() && last_[old] < found_[k]) ++old;
    before_[k] = old < last_.size() && last_[old] == found_[k] ? old++ : kNew;
  }
  pool_.follow(before_);
  for (std::size_t k = 0; k < found_.size(); ++k)
    if (!same_bodies || before_[k] == kNew) match_ids(k, proxies, same_definitions);
  last_ = found_;
}

/// Updates the ids of a pair that is new or whose indices may belong to other bodies now.
void ContactPairs::match_ids(std::size_t k, const ContactProxies& proxies, bool same_definitions) {
  CachedPair& pair = pool_[k];
  const ContactProxies::Body &body_a = proxies[found_[k].a], &body_b = proxies[found_[k].b];
  const BodyId a{found_[k].a, body_a.generation}, b{found_[k].b, body_b.generation};
  const bool is_reshaped = body_a.is_reshaped || body_b.is_reshaped;
  if (pair.a != a || pair.b != b || (!same_definitions && is_reshaped)) {
    pair = {.a = a, .b = b, .cache = {}, .pose = {}};
    pool_.normal(k) = {};
  }
  if (!same_definitions) pair.within = 0;  // shapes or materials may be others
}

bool ContactPairs::may_reuse(std::size_t k, const ContactProxies& proxies, const BodyState& state,
                             double within) const {
  const CachedPair& pair = pool_[k];
  const ProxyPair& bodies = found_[k];
  return within > 0 && pair.within > 0 &&
         is_between_free_bodies(state, proxies[bodies.a].slot, proxies[bodies.b].slot) &&
         still_holds(pair, proxies.frame(pair.a.index), proxies.frame(pair.b.index), within);
}

void ContactPairs::store_pose(const PairTask& task, double within, CachedPair& pair) {
  if (pair.contacts > 1) return;
  if (pair.contacts > 0 && !(is_polyhedron(*task.a) && is_polyhedron(*task.b))) return;
  const double reach_a = reach_of(*task.a), reach_b = reach_of(*task.b);
  pair.a_is_smaller = reach_a < reach_b;
  pair.reach = std::min(reach_a, reach_b);
  pair.pose = pair.a_is_smaller ? inverse(task.query.b_in_a) : task.query.b_in_a;
  pair.within = std::isfinite(pair.reach) ? std::min(within, kPartOfSize * pair.reach) : 0;
  pair.is_new = true;
}

namespace {

constexpr std::size_t kSmallestPair = 22;  // bytes

}  // namespace

void ContactPairs::save(const World& world, const ContactProxies& proxies, bool current, ByteWriter& out) const {
  out.put_count(size());
  for (std::size_t i = 0; i < size(); ++i) {
    CachedPair pair = pool_[i];
    // The next search would drop the cache of a shape that was replaced.
    if (!current && (proxies.is_reshaped(world, pair.a) || proxies.is_reshaped(world, pair.b))) pair.cache = {};
    const bool has_axis = !is_zero(pair.cache.axis);
    out.put(pair.a), out.put(pair.b);
    out.put(pair.cache.feature << 1 | std::uint32_t{has_axis});
    out.put(pair.cache.feature >> 31 != 0);
    if (has_axis) out.put(pair.cache.axis);
    const bool may_reuse = current && pair.within > 0;
    out.put(may_reuse);
    if (!may_reuse) continue;
    out.put(pair.pose), out.put(pool_.normal(i)), out.put(pair.within), out.put(pair.reach);
    out.put(pair.a_is_smaller), out.put(pair.is_new), out.put(pair.contacts > 0);
  }
}

void ContactPairs::restore(ByteReader& in) {
  is_restored_ = true;
  found_.clear();
  clear();
  const std::size_t count = in.count(kSmallestPair);
  for (std::size_t k = 0; k < count; ++k) {
    pool_.add();
    CachedPair& pair = pool_[k];
    pair.a = in.id<BodyId>(), pair.b = in.id<BodyId>();
    last_.push_back({pair.a.index, pair.b.index});
    const auto word = in.get<std::uint32_t>();
    pair.cache.feature = word >> 1 | std::uint32_t{in.flag()} << 31;
    pair.cache.axis = word & 1 ? in.vector() : Vec3{};
    if (!in.flag()) continue;
    pair.pose = in.transform(), pool_.normal(k) = in.vector();
    pair.within = in.number(), pair.reach = in.number();
    pair.a_is_smaller = in.flag(), pair.is_new = in.flag(), pair.contacts = in.flag();
    if (pair.contacts > 0) in.checked_direction(pool_.normal(k));
  }
  ByteReader::check(std::is_sorted(last_.begin(), last_.end()), "pairs are out of order");
}

void ContactPairs::extend(std::vector<ProxyPair> all) {
  before_.clear();
  std::uint32_t old = 0;
  for (const ProxyPair& pair : all) {
    while (old < last_.size() && last_[old] < pair) ++old;
    before_.push_back(old < last_.size() && last_[old] == pair ? old++ : kNew);
  }
  pool_.follow(before_);
  last_ = std::move(all);
}

}  // namespace rigor
