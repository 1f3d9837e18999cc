#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace rigor {

/// Sorts changes that are made together by how deep their keys reach, equal ones as given: "solver.contact", then
/// "solver.contact.lcp", then "solver.contact.lcp.iterations". Whatever order they were written in, no name drops a parameter
/// that stands beside it, and a parameter is checked against the method that was asked for.
template <class Change, class KeyOf> void names_before_parameters(std::vector<Change>& changes, KeyOf key_of) {
  const auto depth = [&](const Change& change) {
    const std::string_view key = key_of(change);
    return std::count(key.begin(), key.end(), '.');
  };
  std::stable_sort(changes.begin(), changes.end(),
                   [&](const Change& a, const Change& b) { return depth(a) < depth(b); });
}

}  // namespace rigor
