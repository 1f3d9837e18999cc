#include "broadphase/aabb_tree.h"

#include <algorithm>

#include "registry/entry.h"

namespace rigor {

namespace {

constexpr double kFarthest = 1e15;  // [m] areas of boxes within are finite in single precision

// The nearest float is off by at most half a unit in its last digit; one unit outward is safe without a branch.
float round_down(double x) {
  const float f = static_cast<float>(x);
  return f - (std::abs(f) * std::numeric_limits<float>::epsilon() + std::numeric_limits<float>::min());
}
float round_up(double x) { return -round_down(-x); }

FloatBox rounded_outward(const Vec3& lower, const Vec3& upper) {
  return {{round_down(lower.x), round_down(lower.y), round_down(lower.z)},
          {round_up(upper.x), round_up(upper.y), round_up(upper.z)}};
}

bool is_bounded(const Aabb& b) {
  const Vec3 far{kFarthest, kFarthest, kFarthest};
  return overlap(Aabb{b.lower, b.lower}, Aabb{-far, far}) && overlap(Aabb{b.upper, b.upper}, Aabb{-far, far});
}

bool overlap_without_branch(const Aabb& a, const Aabb& b) {
  return (a.lower.x <= b.upper.x) & (b.lower.x <= a.upper.x) & (a.lower.y <= b.upper.y) & (b.lower.y <= a.upper.y) &
         (a.lower.z <= b.upper.z) & (b.lower.z <= a.upper.z);
}

}  // namespace

void AabbTree::fields(FieldVisitor& v) {
  v.number("margin", margin_,
           {"1", 0, 10, "width added to each side of a moving box, relative to its mean side length"});
  v.number("prediction", prediction_,
           {"1", 0, 100, "steps of its present displacement by which a moving box is extended"});
}

void AabbTree::find_pairs(std::span<const ProxyBounds> proxies, std::vector<ProxyPair>& pairs) {
  take(proxies);
  update_tree(Set::moving);
  update_tree(Set::still);
  update_candidates();
  list_bounded_pairs(pairs);
  if (!unbounded_.empty()) add_unbounded_pairs(pairs);
}

// ---- what changed ---------------------------------------------------------------------------------------------------

AabbTree::Set AabbTree::set_of(const ProxyBounds& p) {
  if (!takes_part(p)) return Set::absent;
  if (!is_bounded(p.box)) return Set::unbounded;
  return p.moves ? Set::moving : Set::still;
}

bool AabbTree::in_fat_box(std::uint32_t i, const Aabb& box) const {
  const FloatBox& f = fat_[i];
  return (f.lower[0] <= box.lower.x) & (f.lower[1] <= box.lower.y) & (f.lower[2] <= box.lower.z) &
         (box.upper.x <= f.upper[0]) & (box.upper.y <= f.upper[1]) & (box.upper.z <= f.upper[2]);
}

/// The fat box of proxy i, whose last tight box is still in tight_.
FloatBox AabbTree::fat_box(std::uint32_t i, const Aabb& box, Set set) const {
  if (set == Set::still) return rounded_outward(box.lower, box.upper);
  const Vec3 size = box.upper - box.lower;
  const double margin = margin_ * (size.x + size.y + size.z) / 3;
  Vec3 lower = box.lower - Vec3{margin, margin, margin}, upper = box.upper + Vec3{margin, margin, margin};
  if (set_[i] != Set::moving) return rounded_outward(lower, upper);
  const Vec3 displacement = 0.5 * (box.lower - tight_[i].lower + box.upper - tight_[i].upper);
  for (int k = 0; k < 3; ++k) {
    // No further than its own size: a jump does not predict the next step.
    const double ahead = std::clamp(prediction_ * displacement[k], -size[k], size[k]);
    (ahead < 0 ? lower : upper)[k] += ahead;
  }
  return rounded_outward(lower, upper);
}

void AabbTree::take(std::span<const ProxyBounds> proxies) {
  const std::size_t count = std::max(proxies.size(), set_.size());
  set_.resize(count, Set::absent), tight_.resize(count), fat_.resize(count), has_left_.assign(count, false);
  for (Changes& c : changes_) c.come.clear(), c.gone.clear(), c.moved.clear();
  unbounded_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool known = i < proxies.size();
    const Set set = known ? set_of(proxies[i]) : Set::absent;
    const Aabb& box = known ? proxies[i].box : tight_[i];
    if (set == Set::unbounded) unbounded_.push_back({i, proxies[i].moves});
    if (set != set_[i] || (is_in_tree(set) && !in_fat_box(i, box))) change(i, box, set);
    tight_[i] = box;
  }
}

/// Proxy i left its fat box or its set.
void AabbTree::change(std::uint32_t i, const Aabb& box, Set set) {
  const Set old_set = set_[i];
  const FloatBox old_fat = fat_[i];
  if (is_in_tree(set)) fat_[i] = fat_box(i, box, set);
  has_left_[i] = true;
  set_[i] = set;
  if (set == old_set && boxes_overlap(old_fat, fat_[i])) {
    changes_[static_cast<int>(set)].moved.push_back(i);
    return;
  }
  if (is_in_tree(old_set)) changes_[static_cast<int>(old_set)].gone.push_back(i);
  if (is_in_tree(set)) changes_[static_cast<int>(set)].come.push_back(i);
}

void AabbTree::update_tree(Set set) {
  // Above these fractions of the leaves a linear rebuild is faster than single changes.
  constexpr std::size_t kBuildAbove = 4, kRefitAbove = 8;
  constexpr double kDegraded = 1.2;
  DynamicTree& tree = trees_[static_cast<int>(set)];
  Changes& changes = changes_[static_cast<int>(set)];
  if ((changes.come.size() + changes.gone.size()) * kBuildAbove > tree.size()) return build_tree(set);
  for (const std::uint32_t i : changes.gone) tree.remove(i);
  for (const std::uint32_t i : changes.come) tree.insert(i, fat_[i]);
  if (changes.moved.size() * kRefitAbove > tree.size()) {
    for (const std::uint32_t i : changes.moved) tree.set_box(i, fat_[i]);
    tree.refit();
  } else {
    for (const std::uint32_t i : changes.moved) tree.move(i, fat_[i]);
  }
  changes.since_check += changes.come.size() + changes.gone.size() + changes.moved.size();
  if (changes.since_check <= tree.size()) return;
  changes.since_check = 0;
  if (tree.degradation() > kDegraded) tree.rebuild();
}

void AabbTree::build_tree(Set set) {
  std::vector<DynamicTree::Leaf> leaves;
  for (std::uint32_t i = 0; i < set_.size(); ++i)
    if (set_[i] == set) leaves.push_back({fat_[i], i});
  trees_[static_cast<int>(set)].build(std::move(leaves));
  changes_[static_cast<int>(set)].since_check = 0;
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

/// Replaces the candidates of all proxies that left their fat box or their set.
void AabbTree::update_candidates() {
  std::size_t kept = 0;
  for (const PairKey key : candidates_) {
    candidates_[kept] = key;
    kept += !(has_left_[first(key)] | has_left_[second(key)]);
  }
  candidates_.resize(kept);

  found_.clear();
  for (const Changes& changes : changes_) {
    for (const std::uint32_t i : changes.come) ask(i);
    for (const std::uint32_t i : changes.moved) ask(i);
  }
  sorter_.sort(found_, set_.size());
  merge_keys(candidates_, found_, merged_);
  candidates_.swap(merged_);
}

void AabbTree::ask(std::uint32_t i) {
  const auto note = [&](std::uint32_t j) {
    const bool found_from_there = has_left_[j] && j <= i;
    if (!found_from_there) found_.push_back(pair_key(i, j));
  };
  trees_[static_cast<int>(Set::moving)].query(fat_[i], note);
  if (set_[i] == Set::moving) trees_[static_cast<int>(Set::still)].query(fat_[i], note);
}

void AabbTree::list_bounded_pairs(std::vector<ProxyPair>& pairs) const {
  // Every candidate is written and counted only if it is a pair: a branch on the outcome would often be mispredicted.
  pairs.resize(candidates_.size());
  std::size_t count = 0;
  for (const PairKey key : candidates_) {
    const std::uint32_t a = first(key), b = second(key);
    pairs[count] = {a, b};
    count += overlap_without_branch(tight_[a], tight_[b]);
  }
  pairs.resize(count);
}

/// Calls visit(proxy) for every proxy of the tree whose tight box overlaps `box`.
template <class Visit> void AabbTree::visit_overlapping(const DynamicTree& tree, const Aabb& box, Visit visit) const {
  const Vec3 far{kFarthest, kFarthest, kFarthest};  // nothing in a tree lies beyond
  tree.query(rounded_outward(min(max(box.lower, -far), far), min(max(box.upper, -far), far)), [&](std::uint32_t i) {
    if (overlap(tight_[i], box)) visit(i);
  });
}

void AabbTree::add_unbounded_pairs(std::vector<ProxyPair>& pairs) {
  found_.clear();
  for (std::size_t k = 0; k < unbounded_.size(); ++k) {
    const auto [u, moves] = unbounded_[k];
    const auto note = [&, u = u](std::uint32_t i) { found_.push_back(pair_key(i, u)); };
    visit_overlapping(trees_[static_cast<int>(Set::moving)], tight_[u], note);
    if (moves) visit_overlapping(trees_[static_cast<int>(Set::still)], tight_[u], note);
    for (std::size_t l = k + 1; l < unbounded_.size(); ++l)
      if ((moves || unbounded_[l].moves) && overlap(tight_[u], tight_[unbounded_[l].proxy])) note(unbounded_[l].proxy);
  }
  sorter_.sort(found_, set_.size());
  // Merged from the back, where there is room: std::inplace_merge would ask for memory.
  std::size_t bounded = pairs.size(), unbounded = found_.size();
  pairs.resize(bounded + unbounded);
  while (unbounded > 0) {
    const ProxyPair next{first(found_[unbounded - 1]), second(found_[unbounded - 1])};
    const bool is_last = bounded == 0 || pairs[bounded - 1] < next;
    pairs[bounded + unbounded - 1] = is_last ? next : pairs[bounded - 1];
    --(is_last ? unbounded : bounded);
  }
}

void AabbTree::query(const Aabb& box, std::vector<std::uint32_t>& proxies) const {
  proxies.clear();
  if (!is_box(box)) return;
  const auto list = [&](std::uint32_t i) { proxies.push_back(i); };
  for (const DynamicTree& tree : trees_) visit_overlapping(tree, box, list);
  for (const Unbounded& u : unbounded_)
    if (overlap(tight_[u.proxy], box)) list(u.proxy);
  std::sort(proxies.begin(), proxies.end());
}

// ---- checking -------------------------------------------------------------------------------------------------------

void AabbTree::list_tree(std::vector<BroadphaseBox>& boxes) const {
  for (const DynamicTree& tree : trees_) tree.list(boxes);
}

std::string AabbTree::validate() const {
  for (const DynamicTree& tree : trees_)
    if (const std::string broken = tree.validate(); !broken.empty()) return broken;
  for (std::uint32_t i = 0; i < set_.size(); ++i) {
    const std::string name = "proxy " + std::to_string(i);
    for (int t = 0; t < kTrees; ++t)
      if (trees_[t].contains(i) != (set_[i] == static_cast<Set>(t))) return name + ": in the wrong tree";
    if (is_in_tree(set_[i]) && !in_fat_box(i, tight_[i])) return name + ": outside its fat box";
  }
  return {};
}

Entry register_aabb_tree() {
  return {Kind::broadphase,
          "aabb-tree",
          "trees of widened boxes that follow their bodies; the fast one",
          "Bergen 1997; Catto 2019; Kopta et al. 2012",
          {},
          make_default<AabbTree>,
          {}};
}

}  // namespace rigor
