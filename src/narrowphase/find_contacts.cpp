#include "narrowphase/find_contacts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "math/prefetch.h"
#include "rigor/profile.h"

namespace rigor {

namespace {

constexpr std::size_t kFewComputed = 64;  // fewer run on one thread
constexpr std::size_t kPairsAtOnce = 32;  // per call of the narrow phase
constexpr std::size_t kAhead = 16;        // pairs whose caches and contacts are prefetched; chosen

}  // namespace

void ContactFinder::forget() {
  pairs_.found().clear();
  forget_contacts();
}

void ContactFinder::forget_contacts() {
  pairs_.clear();
  contacts_.clear();
  first_contact_.assign(1, 0);
  computed_ = 0;
}

/// Pairs per batch. With several threads small batches cost more synchronisation than the processor's caches save, so batches are
/// large.
std::size_t ContactFinder::batch_size(int threads) {
  constexpr std::size_t kForThreads = 8;
  return threads == 1 ? kPairsPerBatch : kForThreads * kPairsPerBatch * static_cast<std::size_t>(threads);
}

void ContactFinder::find(const World& world, Broadphase& broadphase, const Narrowphase& narrowphase, double envelope,
                         const ThreadPool& threads, double keep_within, double ahead) {
  if (epoch_ != world.epoch()) *this = ContactFinder();  // another world: ids belong to other bodies
  epoch_ = world.epoch();
  // If nothing moves, there are no pairs.
  if (broadphase.is_off() || world.state().end(BodySet::kinematic) == 0) return forget();
  const SearchRange range{envelope, ahead};
  const bool same_definitions = is_current(world);
  {
    const StageScope scope(Stage::broad_phase);
    proxies_.update(world, range, threads, same_definitions);
    broadphase.find_pairs(proxies_.bounds(), pairs_.found());
    std::erase_if(pairs_.found(),
                  [&](const ProxyPair& p) { return !world.may_collide(proxies_[p.a].slot, proxies_[p.b].slot); });
    if (ahead > 0) proxies_.find_obstacles(world.state(), pairs_.found());
  }
  const StageScope scope(Stage::narrow_phase);
  definitions_ = world.definitions_version();
  if (!std::exchange(is_complete_, false)) forget_contacts();  // the last search was not finished
  old_first_contact_.swap(first_contact_);
  pairs_.match(proxies_, same_definitions);
  const bool few = std::exchange(computed_, 0) < kFewComputed;  // of the last search: a guess
  const Search search{world, narrowphase, threads, range, keep_within, few};
  first_contact_.assign(1, 0);
  contacts_.begin_next();
  const std::size_t pairs = pairs_.found().size(), at_once = batch_size(threads.threads());
  for (std::size_t begin = 0; begin < pairs; begin += at_once) {
    const PairBatch batch{begin, std::min(begin + at_once, pairs)};
    compute(search, batch);
    place_contacts(batch);
    collect(search, batch);
  }
  contacts_.finish_next();
  is_complete_ = true;
}

void ContactFinder::compute(const Search& search, const PairBatch& batch) {
  chunks_.resize(std::max(chunks_.size(), batch.chunks()));
  search.threads.for_range(
      batch.chunks(), 1,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) compute_chunk(search, batch.chunk(k), chunks_[k]);
      },
      search.few ? kFewPairs / kPairsPerChunk : 0);
  for (std::size_t k = 0; k < batch.chunks(); ++k) computed_ += chunks_[k].computed;
}

void ContactFinder::compute_chunk(const Search& search, const PairBatch& pairs, Chunk& chunk) {
  thread_local std::array<PairTask, kPairsAtOnce> tasks;
  std::array<std::size_t, kPairsAtOnce> pair_of;
  chunk.manifolds.clear();
  chunk.points.clear();
  chunk.computed = 0;
  std::size_t count = 0;
  const auto collide = [&] {
    search.narrowphase.collide(std::span(tasks).first(count));
    for (std::size_t i = 0; i < count; ++i) take_manifolds(search, pair_of[i], tasks[i], chunk);
    chunk.computed += count;
    count = 0;
  };
  for (std::size_t k = pairs.begin; k < pairs.end; ++k) {
    fetch(search.world, k);
    pairs_[k].is_reused = pairs_.may_reuse(k, proxies_, search.world.state(), search.keep_within);
    if (pairs_[k].is_reused) continue;
    prepare_task(search, k, tasks[count]);
    pair_of[count++] = k;
    if (count == kPairsAtOnce) collide();
  }
  collide();
}

/// Prefetches what pairs after k will need. Bodies a are consecutive.
void ContactFinder::fetch(const World& world, std::size_t k) const {
  const std::vector<ProxyPair>& pairs = pairs_.found();
  if (k + 2 * kAhead >= pairs.size()) return;
  const std::uint32_t b = pairs[k + 2 * kAhead].b;
  prefetch(&proxies_[b]);
  prefetch(&proxies_.frame(b), sizeof(Transform));
  pairs_.fetch(k + kAhead);
  prefetch(&world.shape_frame(proxies_[pairs[k + kAhead].b].slot), sizeof(Transform));
}

void ContactFinder::prepare_task(const Search& search, std::size_t k, PairTask& task) const {
  const ProxyPair& pair = pairs_.found()[k];
  task.a = proxies_[pair.a].shape;
  task.b = proxies_[pair.b].shape;
  task.query = {inverse(proxies_.frame(pair.a)) * proxies_.frame(pair.b),
                proxies_.reach(search.world.state(), pair, search.range)};
  task.manifolds.clear();
  task.cache = pairs_[k].cache;
}

void ContactFinder::take_manifolds(const Search& search, std::size_t k, const PairTask& task, Chunk& chunk) {
  CachedPair& pair = pairs_[k];
  pair.cache = task.cache;
  pair.contacts = 0;
  pair.within = 0;
  for (const Manifold& m : task.manifolds) {
    if (m.count == 0) continue;
    const Transform &shape_a = search.world.shape_frame(proxies_[pair.a.index].slot),
                    &shape_b = search.world.shape_frame(proxies_[pair.b.index].slot);
    chunk.manifolds.push_back({static_cast<std::uint32_t>(k), m.part_a, m.part_b,
                               static_cast<std::uint32_t>(chunk.points.size()), m.count, m.normal});
    for (const ManifoldPoint& p : std::span(m.points).first(static_cast<std::size_t>(m.count))) {
      ManifoldPoint& point = chunk.points.emplace_back();
      point.on_a = transform_point(shape_a, p.on_a);
      point.on_b = transform_point(shape_b, inverse_transform_point(task.query.b_in_a, p.on_b));
      point.separation = p.separation;
      point.key = p.key;
    }
    ++pair.contacts;
  }
  if (search.keep_within > 0) ContactPairs::store_pose(task, search.keep_within, pair);
  if (pair.within > 0 && pair.contacts > 0) pairs_.normal(k) = chunk.manifolds.back().normal;
}

/// Assigns slots to the contacts of a batch: those of the same pair in the last search, as far as there were as many.
void ContactFinder::place_contacts(const PairBatch& batch) {
  for (std::size_t k = batch.begin; k < batch.end; ++k) {
    const std::uint32_t count = pairs_[k].contacts;
    const ContactRange before = contacts_before(k);
    for (std::uint32_t i = 0; i < count; ++i)
      contacts_.append_next(i < before.size() ? before.begin + i : ContactList::kNew);
    first_contact_.push_back(first_contact_.back() + count);
  }
}

/// The contacts of pair k in the last search. They belong to other bodies if the pair's indices were reused.
ContactFinder::ContactRange ContactFinder::contacts_before(std::size_t k) const {
  const std::uint32_t old = pairs_.before(k);
  if (old == ContactPairs::kNew) return {0, 0};
  return {old_first_contact_[old], old_first_contact_[old + 1]};
}

/// Returns copies, since new contacts overwrite the old ones.
std::span<const Contact> ContactFinder::old_contacts(std::size_t k) const {
  thread_local std::vector<Contact> copies;
  const ContactRange before = contacts_before(k);
  const CachedPair& pair = pairs_[k];
  if (before.size() == 0 || contacts_[before.begin].a != pair.a || contacts_[before.begin].b != pair.b) return {};
  if (copies.size() < before.size()) copies.resize(before.size());
  for (std::uint32_t i = 0; i < before.size(); ++i) copy(contacts_[before.begin + i], copies[i]);
  return {copies.data(), before.size()};
}

void ContactFinder::collect(const Search& search, const PairBatch& batch) {
  search.threads.for_range(
      batch.chunks(), 1,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) collect_chunk(search.world, batch.chunk(k), chunks_[k]);
      },
      kFewPairs / kPairsPerChunk);
}

void ContactFinder::collect_chunk(const World& world, const PairBatch& pairs, const Chunk& chunk) {
  std::span<const FoundManifold> manifolds = chunk.manifolds;
  for (std::size_t k = pairs.begin; k < pairs.end; ++k) {
    if (k + kAhead < pairs.end) fetch_contacts(k + kAhead);
    if (first_contact_[k] == first_contact_[k + 1]) continue;
    if (pairs_[k].is_reused) {
      turn_reused(k, contacts_.next(first_contact_[k]));
      continue;
    }
    const std::size_t count = pairs_[k].contacts;
    collect_computed(world, k, manifolds.first(count), chunk.points.data());
    manifolds = manifolds.subspan(count);
  }
}

/// Prefetches the first contact with its first point: most contacts have one point.
void ContactFinder::fetch_contacts(std::size_t k) {
  if (first_contact_[k] < first_contact_[k + 1])
    prefetch(&contacts_.next(first_contact_[k]), offsetof(Contact, points) + sizeof(ContactPoint));
}

void ContactFinder::turn_reused(std::size_t k, Contact& c) {
  CachedPair& pair = pairs_[k];
  c.normal = rotate(proxies_.frame(pair.a.index).rotation, pairs_.normal(k));
  c.tangent = carried_tangent(c.tangent, c.normal);
  if (!std::exchange(pair.is_new, false)) return;
  for (int i = 0; i < c.count; ++i) c.points[static_cast<std::size_t>(i)].persisted = true;
}

void ContactFinder::collect_computed(const World& world, std::size_t k, std::span<const FoundManifold> found,
                                     const ManifoldPoint* points) {
  CachedPair& pair = pairs_[k];
  const OldContacts candidates(old_contacts(k));
  std::size_t to = first_contact_[k];
  bool is_directed = false;
  for (const FoundManifold& m : found) {
    const FoundContact now{m.part_a,
                           m.part_b,
                           rotate(proxies_.frame(pair.a.index).rotation, m.normal),
                           {points + m.first_point, static_cast<std::size_t>(m.count)}};
    const Contact* match = candidates.match(now);
    Contact& c = contacts_.next(to++);
    c.a = pair.a;
    c.b = pair.b;
    c.part_a = now.part_a;
    c.part_b = now.part_b;
    c.normal = now.normal;
    c.tangent = carried_tangent(match ? match->tangent : Vec3{}, now.normal);
    c.count = static_cast<int>(now.points.size());
    proxies_.combine_surfaces(world, c);
    write_points(match, now.points, c);
    is_directed = is_directed || c.directed || (!c.is_plain && c.surface_velocity != Vec3{});
  }
  if (is_directed) pair.within = 0;  // do not reuse it: its tangent follows the materials
}

void measure_separations(ContactList& contacts, const World& world) {
  const BodyState& s = world.state();
  for (Contact& c : contacts) {
    const std::uint32_t a = world.slot(c.a), b = world.slot(c.b);
    const Vec3 n_a = rotate_inverse(s.orientation[a], c.normal), n_b = rotate_inverse(s.orientation[b], c.normal);
    const double between = dot(c.normal, s.position[b] - s.position[a]);
    for (int i = 0; i < c.count; ++i) {
      ContactPoint& p = c.points[static_cast<std::size_t>(i)];
      p.separation = between + dot(n_b, p.local_b) - dot(n_a, p.local_a);
    }
  }
}

namespace {

constexpr double kSameNormal = 0.9;  // cosine; beyond it old impulses mean nothing

bool has_key(const Contact& c, std::uint32_t key) {
  for (int i = 0; i < c.count; ++i)
    if (c.points[static_cast<std::size_t>(i)].key == key) return true;
  return false;
}

/// How much an old contact of the same pair looks like a new one: shared keys first, then the same parts, then the normal. A
/// body that slides on to the next triangle of a mesh keeps its keys.
double likeness(const Contact& old, const FoundContact& now) {
  // One by one, as they were written: both at once would wait for the memory of the new ones.
  const bool same_parts = ((old.part_a ^ now.part_a) | (old.part_b ^ now.part_b)) == 0;
  double score = same_parts ? 2.0 : 0.0;
  for (const ManifoldPoint& p : now.points) score += has_key(old, p.key) ? 4.0 : 0.0;
  return score + dot(old.normal, now.normal);
}

/// The most similar of the old contacts offered, if it points the same way at all.
struct BestMatch {
  const FoundContact& now;
  const Contact* contact = nullptr;
  double score = 0;

  void offer(const Contact& old) {
    const double s = likeness(old, now);
    if (dot(old.normal, now.normal) < kSameNormal || (contact && s <= score)) return;
    contact = &old, score = s;
  }
};

using Parts = std::pair<std::uint32_t, std::uint32_t>;
using Reference = std::reference_wrapper<const Contact>;

constexpr auto parts_ab = [](const auto& c) { return Parts{c.part_a, c.part_b}; };
constexpr auto parts_ba = [](const auto& c) { return Parts{c.part_b, c.part_a}; };

/// Offers the contacts that share a part with the new one. (Not std::ranges: clang 14 cannot compile that of GCC 12's library.)
template <class PartsOf>
void offer_some(const std::vector<Reference>& sorted, std::size_t few, PartsOf parts, BestMatch& best) {
  const auto equal_range = [&](auto begin, auto end, auto key_of) {
    const auto key = key_of(best.now);
    begin = std::lower_bound(begin, end, key, [&](const Contact& c, const auto& k) { return key_of(c) < k; });
    end = std::upper_bound(begin, end, key, [&](const auto& k, const Contact& c) { return k < key_of(c); });
    return std::pair(begin, end);
  };
  auto [begin, end] = equal_range(sorted.begin(), sorted.end(), [&](const auto& c) { return parts(c).first; });
  if (static_cast<std::size_t>(end - begin) > few) std::tie(begin, end) = equal_range(begin, end, parts);
  for (auto old = begin; old != end; ++old) best.offer(*old);
}

}  // namespace

OldContacts::OldContacts(std::span<const Contact> contacts) : contacts_(contacts) {
  if (contacts.size() <= kFew) return;
  by_a_.assign(contacts.begin(), contacts.end());
  by_b_ = by_a_;
  std::stable_sort(by_a_.begin(), by_a_.end(),
                   [](const Contact& x, const Contact& y) { return parts_ab(x) < parts_ab(y); });
  std::stable_sort(by_b_.begin(), by_b_.end(),
                   [](const Contact& x, const Contact& y) { return parts_ba(x) < parts_ba(y); });
}

const Contact* OldContacts::match(const FoundContact& now) const {
  BestMatch best{now};
  if (contacts_.size() <= kFew) {
    for (const Contact& old : contacts_) best.offer(old);
  } else {
    offer_some(by_a_, kFew, parts_ab, best);
    offer_some(by_b_, kFew, parts_ba, best);
  }
  return best.contact;
}

namespace {

/// Each number is written once and none is read again: who reads a part of what was just written waits until all that was
/// written before it has reached the caches.
void write_point(const ManifoldPoint& found, const ContactPoint& old, bool persisted, bool turns, ContactPoint& now) {
  now.local_a = found.on_a, now.local_b = found.on_b;
  now.approach_speed = old.approach_speed;
  now.spinning_impulse = turns ? old.spinning_impulse : 0;
  now.separation = found.separation;
  now.closing_speed = 0;
  now.normal_impulse = old.normal_impulse;
  now.tangent_impulse[0] = old.tangent_impulse[0], now.tangent_impulse[1] = old.tangent_impulse[1];
  for (int k = 0; k < 2; ++k) now.rolling_impulse[k] = turns ? old.rolling_impulse[k] : 0;
  now.key = found.key;
  now.persisted = persisted;
}

/// Where a point of the last step was, as a snapshot keeps it (save_contacts.cpp): a run that continues matches as a restored one does.
Vec3 as_saved(const ContactPoint& p) {
  const auto rounded = [](double v) { return static_cast<double>(static_cast<float>(v)); };
  return {rounded(p.local_a.x), rounded(p.local_a.y), rounded(p.local_a.z)};
}

/// The farthest that two points of a contact are apart, squared.
double extent_squared(const Contact& c) {
  double most = 0;
  for (int i = 0; i < c.count; ++i)
    for (int k = 0; k < i; ++k)
      most = std::max(most, length_squared(as_saved(c.points[static_cast<std::size_t>(i)]) -
                                           as_saved(c.points[static_cast<std::size_t>(k)])));
  return most;
}

/// Which of the old points a new one was, and whether by its key.
struct PointMatch {
  int old = -1;  // none
  bool by_key = false;
};
using PointMatches = std::array<PointMatch, kMaxManifoldPoints>;

/// Where edges are flush, the features that meet change from step to step while the points stay where they are.
void match_by_place(const Contact& old, std::span<const ManifoldPoint> found, std::array<bool, 4>& taken,
                    PointMatches& matches) {
  constexpr double kNear = 0.1;  // chosen; of the extent
  const double near = kNear * kNear * extent_squared(old);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (matches[i].by_key) continue;
    double nearest = near;
    for (int k = 0; k < old.count; ++k) {
      const double d = length_squared(as_saved(old.points[static_cast<std::size_t>(k)]) - found[i].on_a);
      if (!taken[static_cast<std::size_t>(k)] && d < nearest) matches[i].old = k, nearest = d;
    }
    if (matches[i].old >= 0) taken[static_cast<std::size_t>(matches[i].old)] = true;
  }
}

PointMatches match_points(const Contact& old, std::span<const ManifoldPoint> found) {
  PointMatches matches;
  std::array<bool, 4> taken{};  // by old point
  bool all_found = true;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (int k = 0; k < old.count && !matches[i].by_key; ++k) {
      if (old.points[static_cast<std::size_t>(k)].key != found[i].key) continue;
      matches[i] = {k, true};
      taken[static_cast<std::size_t>(k)] = true;
    }
    all_found = all_found && matches[i].by_key;
  }
  if (!all_found && old.count >= 2) match_by_place(old, found, taken, matches);
  return matches;
}

}  // namespace

void write_points(const Contact* old, std::span<const ManifoldPoint> found, Contact& now) {
  static constexpr ContactPoint kNothing{};
  const PointMatches matches = old ? match_points(*old, found) : PointMatches{};
  const bool turns = !now.is_plain && (now.rolling_friction > 0 || now.spinning_friction > 0);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const PointMatch& match = matches[i];
    write_point(found[i], match.old < 0 ? kNothing : old->points[static_cast<std::size_t>(match.old)], match.by_key,
                turns, now.points[i]);
  }
}

}  // namespace rigor
