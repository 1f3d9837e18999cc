// Sweep and prune: the lower and upper bounds of all boxes, sorted along each axis, and a table of overlapping pairs.
//
// From step to step the three lists are nearly sorted, so insertion sort repairs them. Each exchange of a lower with an
// upper bound is a change of the overlap of two intervals, and only there can a pair of boxes begin or cease to
// overlap:
//   a lower bound moves below an upper bound:  a new pair, if the new boxes overlap;
//   an upper bound moves below a lower bound:  the pair is gone, if the old boxes overlapped.
// At equal values lower bounds come first: closed boxes that touch overlap. A proxy that appears starts at the end of
// the lists with an empty old box. If the exchanges exceed a budget (first fill, teleports), the lists are sorted from
// scratch and the table is filled by one sweep along the axis with the fewest overlapping intervals.
//
// Source: Baraff 1997, collision detection, "sort and sweep" and its coherence-based method; Cohen et al. 1995,
// I-COLLIDE.
// Cost: O(n + exchanges) per step, O(n log n + overlaps along the best axis) from scratch, O(n) per query.
// Fails (is slow, not wrong) where many boxes share an interval: in a dense cloud of n boxes each of them passes
// O(n^2/3) bounds while it moves by its own size.
#include <algorithm>

#include "broadphase/broadphase.h"
#include "registry/entry.h"

namespace rigor {

namespace {

/// One bound of a box along one axis.
struct Endpoint {
  double value;
  std::uint32_t key;  // 2 proxy + (1 for an upper bound)

  std::uint32_t proxy() const { return key >> 1; }
  bool is_upper() const { return key & 1; }
};

bool before(const Endpoint& a, const Endpoint& b) {
  return a.value < b.value || (a.value == b.value && a.is_upper() < b.is_upper());
}

/// The overlapping pairs: for each proxy a the partners b > a, ascending.
class OverlapTable {
 public:
  void resize(std::size_t proxies) { partners_.resize(proxies); }
  void clear() {
    for (auto& list : partners_) list.clear();
  }
  void add(std::uint32_t i, std::uint32_t j) {
    auto& list = partners_[std::min(i, j)];
    const std::uint32_t b = std::max(i, j);
    const auto at = std::lower_bound(list.begin(), list.end(), b);
    if (at == list.end() || *at != b) list.insert(at, b);
  }
  void remove(std::uint32_t i, std::uint32_t j) {
    auto& list = partners_[std::min(i, j)];
    const std::uint32_t b = std::max(i, j);
    const auto at = std::lower_bound(list.begin(), list.end(), b);
    if (at != list.end() && *at == b) list.erase(at);
  }
  /// For filling the cleared table: any order, each pair once, then sort().
  void append(std::uint32_t i, std::uint32_t j) { partners_[std::min(i, j)].push_back(std::max(i, j)); }
  void sort() {
    for (auto& list : partners_) std::sort(list.begin(), list.end());
  }
  template <class Gone> void remove_proxies(Gone gone) {
    for (std::uint32_t a = 0; a < partners_.size(); ++a) {
      if (gone(a)) partners_[a].clear();
      std::erase_if(partners_[a], gone);
    }
  }
  std::span<const std::uint32_t> partners(std::uint32_t a) const { return partners_[a]; }

 private:
  std::vector<std::vector<std::uint32_t>> partners_;
};

class SweepAndPrune final : public Broadphase {
 public:
  void fields(FieldVisitor& v) override {
    v.number("exchanges", exchanges_,
             {"1", 0, kUnbounded,
              "exchanges per bound and axis after which insertion sort gives way to sorting from scratch"});
  }
  void find_pairs(std::span<const ProxyBounds> proxies, std::vector<ProxyPair>& pairs) override;
  void query(const Aabb& box, std::vector<std::uint32_t>& proxies) const override;

 private:
  void take(std::span<const ProxyBounds> proxies);
  void drop_absent();
  void load_values();
  bool insertion_sort(std::vector<Endpoint>& list);
  void exchange(std::uint32_t moved_down, std::uint32_t moved_up);
  void sort_from_scratch();
  void sweep(const std::vector<Endpoint>& list);

  double exchanges_ = 100;
  std::vector<Endpoint> axes_[3];  // sorted after every step
  std::vector<Aabb> old_, now_;    // per proxy; empty if absent
  std::vector<char> moves_;        // per proxy
  std::size_t added_ = 0, removed_ = 0;
  OverlapTable table_;
  std::vector<std::uint32_t> active_, position_;  // of the sweep: open intervals; the index of each in active_
};

void SweepAndPrune::find_pairs(std::span<const ProxyBounds> proxies, std::vector<ProxyPair>& pairs) {
  take(proxies);
  if (removed_ > 0) drop_absent();
  load_values();
  bool sorted = 2 * static_cast<double>(added_) <= exchanges_;  // each would pass all bounds
  for (auto& list : axes_) sorted = sorted && insertion_sort(list);
  if (!sorted) sort_from_scratch();
  old_ = now_;

  pairs.clear();
  for (std::uint32_t a = 0; a < proxies.size(); ++a)
    for (const std::uint32_t b : table_.partners(a))
      if (moves_[a] || moves_[b]) pairs.push_back({a, b});
}

/// Stores the new boxes; new proxies get their six endpoints at the end of the lists.
void SweepAndPrune::take(std::span<const ProxyBounds> proxies) {
  const std::size_t count = std::max(proxies.size(), now_.size());
  now_.resize(count), old_.resize(count), moves_.resize(count), table_.resize(count);
  added_ = removed_ = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool was = is_box(old_[i]), is = i < proxies.size() && takes_part(proxies[i]);
    now_[i] = is ? proxies[i].box : Aabb{};
    moves_[i] = is && proxies[i].moves;
    removed_ += was && !is;
    if (was || !is) continue;
    ++added_;
    for (auto& list : axes_) list.push_back({0, 2 * i}), list.push_back({0, 2 * i + 1});
  }
}

void SweepAndPrune::drop_absent() {
  const auto gone = [&](std::uint32_t i) { return !is_box(now_[i]); };
  for (auto& list : axes_) std::erase_if(list, [&](const Endpoint& e) { return gone(e.proxy()); });
  table_.remove_proxies(gone);
}

void SweepAndPrune::load_values() {
  for (int axis = 0; axis < 3; ++axis)
    for (Endpoint& e : axes_[axis]) {
      const Aabb& box = now_[e.proxy()];
      e.value = e.is_upper() ? box.upper[axis] : box.lower[axis];
    }
}

/// Returns false if it exceeded the budget. The list is then a permutation of the old one and the table is invalid.
bool SweepAndPrune::insertion_sort(std::vector<Endpoint>& list) {
  double budget = exchanges_ * static_cast<double>(list.size());
  for (std::size_t i = 1; i < list.size(); ++i) {
    const Endpoint e = list[i];
    std::size_t j = i;
    for (; j > 0 && before(e, list[j - 1]); --j) {
      list[j] = list[j - 1];
      exchange(e.key, list[j].key);
    }
    list[j] = e;
    budget -= static_cast<double>(i - j);
    if (budget < 0) return false;
  }
  return true;
}

void SweepAndPrune::exchange(std::uint32_t moved_down, std::uint32_t moved_up) {
  const std::uint32_t i = moved_down >> 1, j = moved_up >> 1;
  const bool down_is_upper = moved_down & 1, up_is_upper = moved_up & 1;
  if (down_is_upper == up_is_upper) return;
  if (up_is_upper) {
    if (overlap(now_[i], now_[j])) table_.add(i, j);
  } else if (overlap(old_[i], old_[j])) {
    table_.remove(i, j);
  }
}

void SweepAndPrune::sort_from_scratch() {
  const std::vector<Endpoint>* best = nullptr;
  std::size_t fewest = 0;
  for (auto& list : axes_) {
    std::sort(list.begin(), list.end(), before);
    std::size_t open = 0, overlaps = 0;
    for (const Endpoint& e : list) e.is_upper() ? --open : overlaps += open++;
    if (!best || overlaps < fewest) best = &list, fewest = overlaps;
  }
  sweep(*best);
}

void SweepAndPrune::sweep(const std::vector<Endpoint>& list) {
  table_.clear();
  active_.clear();
  position_.resize(now_.size());
  for (const Endpoint& e : list) {
    const std::uint32_t i = e.proxy();
    if (e.is_upper()) {
      position_[active_.back()] = position_[i];
      active_[position_[i]] = active_.back();
      active_.pop_back();
      continue;
    }
    for (const std::uint32_t j : active_)
      if (overlap(now_[i], now_[j])) table_.append(i, j);
    position_[i] = static_cast<std::uint32_t>(active_.size());
    active_.push_back(i);
  }
  table_.sort();
}

void SweepAndPrune::query(const Aabb& box, std::vector<std::uint32_t>& proxies) const {
  proxies.clear();
  if (!is_box(box)) return;
  for (std::uint32_t i = 0; i < now_.size(); ++i)
    if (is_box(now_[i]) && overlap(now_[i], box)) proxies.push_back(i);
}

}  // namespace

Entry register_sweep_and_prune() {
  return {Kind::broadphase,
          "sweep-and-prune",
          "sorted bounds along three axes, repaired by insertion sort",
          "Baraff 1997, collision detection; Cohen et al. 1995",
          {},
          make_default<SweepAndPrune>,
          {}};
}

}  // namespace rigor
