#include "islands/islands.h"

#include <numeric>

namespace rigor {

namespace {

/// Disjoint sets with path halving; the smaller index is the root, so the result does not depend on the order of edges.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }

  std::uint32_t root(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(std::uint32_t a, std::uint32_t b) {
    a = root(a), b = root(b);
    if (a < b) parent_[b] = a;
    if (b < a) parent_[a] = b;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

bool is_touching(const Contact& contact) {
  for (int i = 0; i < contact.count; ++i) {
    const ContactPoint& p = contact.points[static_cast<std::size_t>(i)];
    if (p.normal_impulse > 0 || p.separation <= 0) return true;
  }
  return false;
}

void Islands::build(const ConstraintList& list, const BodyState& s) {
  DisjointSets sets(s.awake());
  const auto connect = [&](std::uint32_t a, std::uint32_t b) {
    if (a < s.awake() && b < s.awake()) sets.unite(a, b);
  };
  for (const StepJoint& joint : list.joints) connect(joint.slot_a, joint.slot_b);
  for (const StepContact& c : list.contacts)
    if (is_touching(*c.contact)) connect(c.slot_a, c.slot_b);
  island_of.assign(s.awake(), -1);
  count = 0;
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    const std::uint32_t root = sets.root(i);
    island_of[i] = root == i ? count++ : island_of[root];
  }
}

}  // namespace rigor
