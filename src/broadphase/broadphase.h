// Broad phases find the pairs of bounding boxes that overlap (3.5.3). All give the same pairs in the same order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rigor/contacts.h"
#include "rigor/fields.h"
#include "rigor/math.h"

namespace rigor {

/// Two proxies whose boxes overlap, a < b.
struct ProxyPair {
  std::uint32_t a, b;
  auto operator<=>(const ProxyPair&) const = default;
};

/// What a broad phase is told about one proxy. A proxy is a body's id index: dense, reused after removal.
struct ProxyBounds {
  Aabb box;              // tight bounds, widened by the contact envelope
  bool moves = true;     // two proxies that do not move are no pair
  bool present = false;  // false: there is no such body (any more), or it does not collide
};

class Broadphase : public Configurable {
 public:
  /// True when it never finds a pair: nobody has to compute bounds for it.
  virtual bool is_off() const { return false; }
  /// Sees the bounds of all proxies of this step (index = proxy) and lists every pair of present proxies with
  /// overlapping boxes, at least one of which moves, sorted by (a, b); what was in `pairs` is dropped. Boxes are
  /// closed: touching is overlapping. They may be infinite (planes); one that is empty or not a number counts as
  /// absent.
  virtual void find_pairs(std::span<const ProxyBounds> proxies, std::vector<ProxyPair>& pairs) = 0;
  /// Lists in ascending order every present proxy whose box, as of the last find_pairs, overlaps `box`; what was in
  /// `proxies` is dropped.
  virtual void query(const Aabb& box, std::vector<std::uint32_t>& proxies) const = 0;
  /// Appends the boxes of its trees, parents before children, for drawing; nothing where it has none.
  virtual void list_tree(std::vector<BroadphaseBox>&) const {}
};

/// False for an empty box and for one with a NaN.
constexpr bool is_box(const Aabb& b) {
  return b.lower.x <= b.upper.x && b.lower.y <= b.upper.y && b.lower.z <= b.upper.z;
}

/// Whether a proxy can be in a pair at all.
constexpr bool takes_part(const ProxyBounds& p) { return p.present && is_box(p.box); }

}  // namespace rigor
