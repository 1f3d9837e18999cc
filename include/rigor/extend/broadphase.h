// A custom broad phase: it finds the pairs of bounding boxes that overlap.
//
// Rules. find_pairs() is called by one thread per simulation, each with an instance of its own. It may cache data from call to
// call, but the pairs must not depend on the cache. They are checked: sorted by (a, b), a < b, both present. A list that fails the
// check, and any exception, makes Simulation::step() throw an Error that names the broad phase. A missing pair cannot be
// detected: its bodies pass through each other.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "rigor/fields.h"
#include "rigor/math.h"
#include "rigor/registry.h"

namespace rigor {

/// Two proxies whose boxes overlap, a < b.
struct ProxyPair {
  std::uint32_t a, b;
  auto operator<=>(const ProxyPair&) const = default;
};

/// The input of a broad phase for one proxy. A proxy is a body's id index: dense, reused after removal.
struct ProxyBounds {
  Aabb box;              // tight bounds, widened by the contact envelope
  bool moves = true;     // two proxies that do not move never form a pair
  bool present = false;  // false: the body does not exist, or does not collide
};

/// False for an empty box and for one with a NaN.
constexpr bool is_box(const Aabb& b) {
  return b.lower.x <= b.upper.x && b.lower.y <= b.upper.y && b.lower.z <= b.upper.z;
}

/// True if a proxy can be in a pair.
constexpr bool takes_part(const ProxyBounds& p) { return p.present && is_box(p.box); }

namespace extend {

class Broadphase : public Configurable {
 public:
  static constexpr Kind kKind = Kind::broadphase;
  /// Appends every pair of proxies that take part, whose boxes overlap (touching is overlapping) and at least one of which moves,
  /// sorted by (a, b). Boxes may be infinite.
  virtual void find_pairs(std::span<const ProxyBounds> proxies, std::vector<ProxyPair>& pairs) = 0;
};

}  // namespace extend

}  // namespace rigor
