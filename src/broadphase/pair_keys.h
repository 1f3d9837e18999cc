// Pairs as 64-bit keys whose order is that of (a, b): sorting in linear time, merging without mispredicted branches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rigor {

/// The key of two proxies in any order: the smaller one is in the upper half.
using PairKey = std::uint64_t;
inline PairKey pair_key(std::uint32_t i, std::uint32_t j) {
  return static_cast<PairKey>(std::min(i, j)) << 32 | std::max(i, j);
}
inline std::uint32_t first(PairKey key) { return static_cast<std::uint32_t>(key >> 32); }
inline std::uint32_t second(PairKey key) { return static_cast<std::uint32_t>(key); }

/// Counting sort by the first proxy, then each short run of equal ones is sorted by the second.
class PairSorter {
 public:
  /// `proxies` is larger than every proxy in `keys`.
  void sort(std::vector<PairKey>& keys, std::size_t proxies) {
    if (keys.size() < proxies / 16) return std::sort(keys.begin(), keys.end());
    start_.assign(proxies + 1, 0);
    for (const PairKey key : keys) ++start_[first(key) + 1];
    for (std::size_t a = 0; a < proxies; ++a) start_[a + 1] += start_[a];
    sorted_.resize(keys.size());
    // start_[a] advances from the begin of run a to its end, which is the begin of run a + 1.
    for (const PairKey key : keys) sorted_[start_[first(key)]++] = key;
    std::uint32_t begin = 0;
    for (std::size_t a = 0; a < proxies; ++a) {
      sort_run(sorted_.data() + begin, sorted_.data() + start_[a]);
      begin = start_[a];
    }
    keys.swap(sorted_);
  }

 private:
  static void sort_run(PairKey* begin, PairKey* end) {
    if (end - begin > 24) return std::sort(begin, end);
    for (PairKey* i = begin; i < end; ++i) {
      const PairKey key = *i;
      PairKey* j = i;
      for (; j > begin && key < j[-1]; --j) *j = j[-1];
      *j = key;
    }
  }

  std::vector<std::uint32_t> start_;
  std::vector<PairKey> sorted_;
};

/// Merges two sorted lists.
inline void merge_keys(const std::vector<PairKey>& x, const std::vector<PairKey>& y, std::vector<PairKey>& merged) {
  merged.resize(x.size() + y.size());
  std::size_t i = 0, j = 0, count = 0;
  while (i < x.size() && j < y.size()) {
    const PairKey a = x[i], b = y[j];
    const bool take_b = b < a;
    merged[count++] = take_b ? b : a;
    i += !take_b;
    j += take_b;
  }
  const auto rest = std::copy(x.begin() + static_cast<std::ptrdiff_t>(i), x.end(),
                              merged.begin() + static_cast<std::ptrdiff_t>(count));
  std::copy(y.begin() + static_cast<std::ptrdiff_t>(j), y.end(), rest);
}

}  // namespace rigor
