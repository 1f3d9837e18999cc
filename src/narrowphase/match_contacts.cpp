#include "narrowphase/match_contacts.h"

#include <algorithm>
#include <tuple>

namespace rigor {

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
