// The middle of a search for contacts: which pairs are as they were, and manifolds of all others.
#include <algorithm>
#include <array>
#include <cmath>

#include "narrowphase/find_contacts.h"

namespace rigor {

namespace {

constexpr std::size_t kPairsAtOnce = 32;
constexpr std::size_t kAhead = 16;  // pairs whose memory is fetched meanwhile; chosen
/// A contact is not kept when the smaller body has moved by more than this part of its size, however far may be kept. Chosen.
constexpr double kPartOfSize = 0.01;
/// Links, and bodies before a fixed one that moves, may overlap by this part of the thinner one before their contact is found. Chosen: less than half leaves on the side of entry.
constexpr double kMayOverlap = 0.25;
constexpr double kLargestTurn = 2;  // rad: the ends of a body that turns further are within its diameter

/// Points of round shapes wander over the body when it turns; triangle surfaces have many contacts.
bool is_polyhedron(const Shape& s) { return s.as<Box>() || s.as<Hull>() || s.as<Rectangle>() || s.as<Plane>(); }

/// From the origin to the farthest corner of the bounds.
double reach_of(const Shape& shape) {
  const Aabb& box = shape.local_bounds();
  return length(max(abs(box.lower), abs(box.upper)));
}

}  // namespace

void ContactFinder::compute(const World& world, const Narrowphase& narrowphase, const Range& range, double keep_within,
                            const ThreadPool& threads, const Zone& zone, bool few) {
  chunks_.resize(std::max(chunks_.size(), zone.chunks()));
  threads.for_range(
      zone.chunks(), 1,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
          compute_chunk(world, narrowphase, range, keep_within, zone.chunk(k), chunks_[k]);
      },
      few ? kFewPairs / kPairsPerChunk : 0);
  for (std::size_t k = 0; k < zone.chunks(); ++k) computed_ += chunks_[k].computed;
}

void ContactFinder::compute_chunk(const World& world, const Narrowphase& narrowphase, const Range& range,
                                  double keep_within, const Zone& pairs, Chunk& chunk) {
  thread_local std::array<PairTask, kPairsAtOnce> tasks;
  std::array<std::size_t, kPairsAtOnce> pair_of;
  chunk.manifolds.clear(), chunk.points.clear(), chunk.computed = 0;
  std::size_t count = 0;
  const auto collide = [&] {
    narrowphase.collide(std::span(tasks).first(count));
    for (std::size_t i = 0; i < count; ++i) take_manifolds(world, pair_of[i], tasks[i], keep_within, chunk);
    chunk.computed += count, count = 0;
  };
  for (std::size_t k = pairs.begin; k < pairs.end; ++k) {
    fetch(world, k);
    KeptPair& kept = memory_[k];
    kept.is_kept =
        keep_within > 0 && kept.within > 0 && may_keep(world.state(), pairs_[k]) && still_holds(kept, keep_within);
    if (kept.is_kept) continue;
    prepare_task(world.state(), pairs_[k], kept, range, tasks[count]);
    pair_of[count++] = k;
    if (count == kPairsAtOnce) collide();
  }
  collide();
}

/// Asks for what pairs after k will need. Bodies a stand in a row.
void ContactFinder::fetch(const World& world, std::size_t k) const {
  if (k + 2 * kAhead >= pairs_.size()) return;
  const std::uint32_t b = pairs_[k + 2 * kAhead].b;
  prefetch(&known_[b]);
  prefetch(&frames_[b], sizeof(Transform));
  memory_.fetch(k + kAhead);
  prefetch(&world.shape_frame(known_[pairs_[k + kAhead].b].slot), sizeof(Transform));
}

/// A body sleeps or is moved by the user: its contacts are computed, so that their separations are exact.
bool ContactFinder::may_keep(const BodyState& s, const ProxyPair& pair) const {
  const std::uint32_t a = known_[pair.a].slot, b = known_[pair.b].slot;
  const auto is_free = [&](std::uint32_t slot) { return slot < s.awake(); };
  const auto is_plain = [&](std::uint32_t slot) { return is_free(slot) || slot >= s.end(BodySet::sleeping); };
  return is_plain(a) && is_plain(b) && (is_free(a) || is_free(b));
}

/// No point of the smaller shape has moved by more than allowed, in the frame of the other one: |Δx| + |Δθ| r.
bool ContactFinder::still_holds(const KeptPair& pair, double keep_within) const {
  const double within = std::min(pair.within, keep_within);
  const Transform &a = frames_[pair.a.index], &b = frames_[pair.b.index];
  const Transform &small = pair.a_is_smaller ? a : b, &large = pair.a_is_smaller ? b : a;
  const Vec3 moved = rotate_inverse(large.rotation, small.translation - large.translation) - pair.pose.translation;
  const Quat turn = conjugate(pair.pose.rotation) * (conjugate(large.rotation) * small.rotation);
  return length(moved) + 2 * pair.reach * length(Vec3{turn.x, turn.y, turn.z}) <= within;
}

/// m: how far apart points of two bodies are found that would overlap too far within the time ahead, by the velocities of now. Arms are
/// measured from the center of mass, wherever the origin of the body's frame is.
double ContactFinder::joined_reach(const BodyState& s, const ProxyPair& pair, double ahead) const {
  const Known &a = known_[pair.a], &b = known_[pair.b];
  const auto size = [](const Known& body) {
    return body.shape->local_bounds().upper - body.shape->local_bounds().lower;
  };
  const auto half_width = [&](const Known& body) {
    const Vec3 sides = size(body);
    return 0.5 * std::min({sides.x, sides.y, sides.z});
  };
  const auto turn = [&](const Known& body, std::uint32_t id) {
    const Aabb& box = body.shape->local_bounds();
    const Vec3 middle = transform_point(frames_[id], 0.5 * (box.lower + box.upper));
    const double arm = length(middle - s.position[body.slot]) + 0.5 * length(size(body));
    return arm * std::min(ahead * length(s.angular_velocity[body.slot]), kLargestTurn);
  };
  const double closing = ahead * length(s.velocity[a.slot] - s.velocity[b.slot]) + turn(a, pair.a) + turn(b, pair.b);
  return closing - kMayOverlap * 2 * std::min(half_width(a), half_width(b));
}

namespace {

/// A fixed body that moves meets one that is free. Nothing stops it: a step that begins with half of the other one behind its surface
/// pushes that out on the far side.
bool is_driven(const BodyState& s, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t free = std::min(a, b), mover = std::max(a, b);
  return free < s.awake() && mover >= s.awake() && mover < s.end(BodySet::kinematic);
}

}  // namespace

void ContactFinder::prepare_task(const BodyState& state, const ProxyPair& pair, const KeptPair& kept,
                                 const Range& range, PairTask& task) const {
  task.a = known_[pair.a].shape, task.b = known_[pair.b].shape;
  const bool has_plane = task.a->as<Plane>() || task.b->as<Plane>();
  const double reach = has_plane ? known_[pair.a].reach + known_[pair.b].reach : 0;
  task.query = {inverse(frames_[pair.a]) * frames_[pair.b], range.envelope + reach};
  const bool is_joined = known_[pair.a].is_joined && known_[pair.b].is_joined;
  if (range.ahead > 0 && !has_plane && (is_joined || is_driven(state, known_[pair.a].slot, known_[pair.b].slot)))
    task.query.envelope = std::max(task.query.envelope, joined_reach(state, pair, range.ahead));
  task.manifolds.clear();
  task.cache = kept.cache;
}

void ContactFinder::take_manifolds(const World& world, std::size_t k, const PairTask& task, double keep_within,
                                   Chunk& chunk) {
  KeptPair& pair = memory_[k];
  pair.cache = task.cache, pair.contacts = 0, pair.within = 0;
  for (const Manifold& m : task.manifolds) {
    if (m.count == 0) continue;
    const Transform &shape_a = world.shape_frame(known_[pair.a.index].slot),
                    &shape_b = world.shape_frame(known_[pair.b.index].slot);
    chunk.manifolds.push_back({static_cast<std::uint32_t>(k), m.part_a, m.part_b,
                               static_cast<std::uint32_t>(chunk.points.size()), m.count, m.normal});
    for (const ManifoldPoint& p : std::span(m.points).first(static_cast<std::size_t>(m.count))) {
      ManifoldPoint& point = chunk.points.emplace_back();
      point.on_a = transform_point(shape_a, p.on_a);
      point.on_b = transform_point(shape_b, inverse_transform_point(task.query.b_in_a, p.on_b));
      point.separation = p.separation, point.key = p.key;
    }
    ++pair.contacts;
  }
  if (keep_within > 0) remember(task, keep_within, pair);
  if (pair.within > 0 && pair.contacts > 0) memory_.normal(k) = chunk.manifolds.back().normal;
}

/// Where the pair was, if its contact may be kept.
void ContactFinder::remember(const PairTask& task, double keep_within, KeptPair& pair) {
  if (pair.contacts > 1) return;
  if (pair.contacts > 0 && !(is_polyhedron(*task.a) && is_polyhedron(*task.b))) return;
  const double reach_a = reach_of(*task.a), reach_b = reach_of(*task.b);
  pair.a_is_smaller = reach_a < reach_b;
  pair.reach = std::min(reach_a, reach_b);
  pair.pose = pair.a_is_smaller ? inverse(task.query.b_in_a) : task.query.b_in_a;
  pair.within = std::isfinite(pair.reach) ? std::min(keep_within, kPartOfSize * pair.reach) : 0;
  pair.is_new = true;
}

}  // namespace rigor
