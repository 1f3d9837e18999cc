// Known names that are similar to a misspelt one, by edit distance.
#include "registry/suggest.h"

#include <algorithm>
#include <numeric>

#include "rigor/registry.h"

namespace rigor {

namespace {

/// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row.back();
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& n : names) text += (text.empty() ? "" : ", ") + n;
  return text;
}

constexpr std::size_t kLongestEcho = 60;

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& known) {
  std::vector<std::string> near;
  const std::size_t reach = std::max<std::size_t>(2, name.size() / 3);
  for (const std::string& k : known) {
    if (edit_distance(name, k) > reach && (name.size() <= 2 || k.find(name) == std::string::npos)) continue;
    if (std::find(near.begin(), near.end(), k) == near.end()) near.push_back(k);  // several kinds may share a name
  }
  return near;
}

}  // namespace

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> near = near_names(name.substr(0, kLongestEcho), known);
  if (near.empty()) return "";
  std::stable_sort(near.begin(), near.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(name, a) < edit_distance(name, b);
  });
  if (near.size() > kMost) near.resize(kMost);
  return "; did you mean " + join(near) + "?";
}

std::string unknown_name(std::string_view what, std::string_view name, const std::vector<std::string>& known) {
  const std::string_view shown = name.substr(0, kLongestEcho);
  std::string sentence =
      "unknown " + std::string(what) + " '" + std::string(shown) + (shown.size() < name.size() ? "…'" : "'");
  const std::vector<std::string> near = near_names(shown, known);
  if (!near.empty()) return sentence + "; did you mean " + join(near) + "?";
  if (known.empty()) return sentence + "; there is none to choose from";
  return sentence + "; known: " + join(known);
}

}  // namespace rigor
