// Broad phases find the pairs of bounding boxes that overlap (3.5.3). All give the same pairs in the same order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rigor/contacts.h"
#include "rigor/extend/broadphase.h"
#include "rigor/fields.h"
#include "rigor/math.h"

namespace rigor {

class Broadphase : public Configurable {
 public:
  /// True if it never finds a pair: bounds need not be computed then.
  virtual bool is_off() const { return false; }
  /// Takes the bounds of all proxies of this step (index = proxy) and lists every pair of present proxies with
  /// overlapping boxes, at least one of which moves, sorted by (a, b); `pairs` is overwritten. Boxes are
  /// closed: touching is overlapping. They may be infinite (planes); one that is empty or not finite counts as
  /// absent.
  virtual void find_pairs(std::span<const ProxyBounds> proxies, std::vector<ProxyPair>& pairs) = 0;
  /// Lists in ascending order every present proxy whose box, as of the last find_pairs, overlaps `box`;
  /// `proxies` is overwritten.
  virtual void query(const Aabb& box, std::vector<std::uint32_t>& proxies) const = 0;
  /// Appends the boxes of its trees, parents before children, for drawing. Appends nothing if it has none.
  virtual void list_tree(std::vector<BroadphaseBox>&) const {}
};

}  // namespace rigor
