#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace rigor {

/// Sorts simultaneous changes by the depth of their keys, stably: "solver.contact", then
/// "solver.contact.lcp", then "solver.contact.lcp.iterations". So, in whatever order they are written, a name does not drop a parameter
/// that is given with it, and a parameter is checked against the method that is given with it.
template <class Change, class KeyOf> void names_before_parameters(std::vector<Change>& changes, KeyOf key_of) {
  const auto depth = [&](const Change& change) {
    const std::string_view key = key_of(change);
    return std::count(key.begin(), key.end(), '.');
  };
  std::stable_sort(changes.begin(), changes.end(),
                   [&](const Change& a, const Change& b) { return depth(a) < depth(b); });
}

}  // namespace rigor
