// Sorting pairs by (a, b) in linear time: one counting pass over a, then each short run of equal a by b.
#pragma once

#include <algorithm>
#include <vector>

#include "broadphase/broadphase.h"

namespace rigor {

class PairSorter {
 public:
  /// `proxies` is larger than every index in `pairs`.
  void sort(std::vector<ProxyPair>& pairs, std::size_t proxies) {
    if (pairs.size() < proxies / 8) return std::sort(pairs.begin(), pairs.end());
    start_.assign(proxies + 1, 0);
    for (const ProxyPair& p : pairs) ++start_[p.a + 1];
    for (std::size_t a = 0; a < proxies; ++a) start_[a + 1] += start_[a];
    sorted_.resize(pairs.size());
    // start_[a] wanders from the begin of run a to its end, which is the begin of run a + 1.
    for (const ProxyPair& p : pairs) sorted_[start_[p.a]++] = p;
    std::uint32_t begin = 0;
    for (std::size_t a = 0; a < proxies; ++a) {
      if (start_[a] - begin > 1) sort_run(sorted_.data() + begin, sorted_.data() + start_[a]);
      begin = start_[a];
    }
    pairs.swap(sorted_);
  }

 private:
  static void sort_run(ProxyPair* begin, ProxyPair* end) {
    if (end - begin > 24) return std::sort(begin, end);
    for (ProxyPair* i = begin + 1; i < end; ++i) {
      const ProxyPair p = *i;
      ProxyPair* j = i;
      for (; j > begin && p.b < j[-1].b; --j) *j = j[-1];
      *j = p;
    }
  }

  std::vector<std::uint32_t> start_;
  std::vector<ProxyPair> sorted_;
};

}  // namespace rigor
