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
double likeness(const Contact& old, const Contact& now) {
  double score = old.part_a == now.part_a && old.part_b == now.part_b ? 2.0 : 0.0;
  for (int i = 0; i < now.count; ++i) score += has_key(old, now.points[static_cast<std::size_t>(i)].key) ? 4.0 : 0.0;
  return score + dot(old.normal, now.normal);
}

/// The most similar of the old contacts offered, if it points the same way at all.
struct BestMatch {
  const Contact& now;
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

Parts parts_ab(const Contact& c) { return {c.part_a, c.part_b}; }
Parts parts_ba(const Contact& c) { return {c.part_b, c.part_a}; }

/// Of those that have a part in common with the new one. (Not std::ranges: clang 14 cannot read that of GCC 12's library.)
template <class PartsOf>
void offer_some(const std::vector<Reference>& sorted, std::size_t few, PartsOf parts, BestMatch& best) {
  const auto equal_range = [&](auto begin, auto end, auto key_of) {
    const auto key = key_of(best.now);
    begin = std::lower_bound(begin, end, key, [&](const Contact& c, const auto& k) { return key_of(c) < k; });
    end = std::upper_bound(begin, end, key, [&](const auto& k, const Contact& c) { return k < key_of(c); });
    return std::pair(begin, end);
  };
  auto [begin, end] = equal_range(sorted.begin(), sorted.end(), [&](const Contact& c) { return parts(c).first; });
  if (static_cast<std::size_t>(end - begin) > few) std::tie(begin, end) = equal_range(begin, end, parts);
  for (auto old = begin; old != end; ++old) best.offer(*old);
}

}  // namespace

OldContacts::OldContacts(std::span<const Contact> contacts) : contacts_(contacts) {
  if (contacts.size() <= kFew) return;
  by_a_.assign(contacts.begin(), contacts.end());
  by_b_ = by_a_;
  std::stable_sort(by_a_.begin(), by_a_.end(), [](auto& x, auto& y) { return parts_ab(x) < parts_ab(y); });
  std::stable_sort(by_b_.begin(), by_b_.end(), [](auto& x, auto& y) { return parts_ba(x) < parts_ba(y); });
}

const Contact* OldContacts::match(const Contact& now) const {
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

void carry(const ContactPoint& old, ContactPoint& now) {
  now.normal_impulse = old.normal_impulse;
  now.tangent_impulse[0] = old.tangent_impulse[0];
  now.tangent_impulse[1] = old.tangent_impulse[1];
  now.rolling_impulse[0] = old.rolling_impulse[0];
  now.rolling_impulse[1] = old.rolling_impulse[1];
  now.spinning_impulse = old.spinning_impulse;
  now.approach_speed = old.approach_speed;
}

/// Where a point of the last step was, as a snapshot keeps it (save_contacts.cpp): a run that goes on matches as a restored one does.
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

}  // namespace

void carry_impulses(const Contact& old, Contact& now) {
  bool taken[4] = {false, false, false, false};
  bool all_found = true;
  for (int i = 0; i < now.count; ++i) {
    ContactPoint& p = now.points[static_cast<std::size_t>(i)];
    for (int k = 0; k < old.count && !p.persisted; ++k) {
      const ContactPoint& o = old.points[static_cast<std::size_t>(k)];
      if (o.key != p.key) continue;
      carry(o, p);
      taken[k] = p.persisted = true;
    }
    all_found = all_found && p.persisted;
  }
  if (all_found || old.count < 2) return;
  // Where edges are flush, the features that meet change from step to step while the points stay where they are.
  constexpr double kNear = 0.1;  // chosen; of the extent
  const double near = kNear * kNear * extent_squared(old);
  for (int i = 0; i < now.count; ++i) {
    ContactPoint& p = now.points[static_cast<std::size_t>(i)];
    if (p.persisted) continue;
    int best = -1;
    double nearest = near;
    for (int k = 0; k < old.count; ++k) {
      const double d = length_squared(as_saved(old.points[static_cast<std::size_t>(k)]) - p.local_a);
      if (!taken[k] && d < nearest) best = k, nearest = d;
    }
    if (best < 0) continue;
    carry(old.points[static_cast<std::size_t>(best)], p);
    taken[best] = true;
  }
}

Vec3 carried_tangent(const Vec3& old, const Vec3& normal) {
  const Vec3 projected = old - dot(old, normal) * normal;
  if (length_squared(projected) > 0.25) return normalized(projected);
  Vec3 t1, t2;
  tangents(normal, t1, t2);
  return t1;
}

}  // namespace rigor
