// Pairs of links that do not collide.
#include <algorithm>
#include <map>
#include <set>

#include "io/json_text.h"
#include "models/built_links.h"
#include "rigor/simulation.h"

namespace rigor::models {

namespace {

/// Links of one rigid piece do not collide, pair by pair, nor do they with the links that hang on it; a model of more pairs is refused.
constexpr double kMostWeldedPairs = 4e6;
/// A robot has fewer links; of more the overlaps are not looked for.
constexpr std::size_t kMostLinksToSeparate = 2000;

/// The first link of those that are welded to each other.
std::vector<int> weld_groups(const BuiltLinks& built) {
  std::vector<int> first(built.robot.links.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Link& l = built.robot.links[i];
    if (built.is_static(static_cast<int>(i)))
      first[i] = kWorld;
    else
      first[i] =
          l.joints.empty() && l.parent != kWorld ? first[static_cast<std::size_t>(l.parent)] : static_cast<int>(i);
  }
  return first;
}

void ignore(const BuiltLinks& built, int i, int j) {
  if (i == j || i == kWorld || j == kWorld) return;
  const BodyId a = built.bodies[static_cast<std::size_t>(i)], b = built.bodies[static_cast<std::size_t>(j)];
  if (a && b && a != b && built.world.may_collide(a, b)) built.world.ignore_collisions(a, b);
}

}  // namespace

void filter_pairs(const BuiltLinks& built) {
  const auto link = [&](int i) -> const Link& { return built.robot.links[static_cast<std::size_t>(i)]; };
  const std::vector<int> first = weld_groups(built);
  std::map<int, std::vector<int>> members;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (first[i] != kWorld) members[first[i]].push_back(static_cast<int>(i));
  double pairs = 0;
  const auto above_of = [&](int leader) {
    const int parent = link(leader).parent;
    return parent == kWorld ? kWorld : first[static_cast<std::size_t>(parent)];
  };
  for (const auto& [leader, group] : members) {
    const int above = above_of(leader);
    const auto others = static_cast<double>(group.size() + (above == kWorld ? 0 : members.at(above).size()));
    pairs += static_cast<double>(group.size()) * others;
    if (pairs > kMostWeldedPairs)
      link(leader).where.fail("too many links are welded to each other, or hang on links that are: more than " +
                              std::to_string(static_cast<int>(kMostWeldedPairs)) + " pairs do not collide");
  }
  for (const auto& [leader, group] : members) {
    const int parent = link(leader).parent, above = above_of(leader);
    for (const int i : group) {
      for (const int j : group)
        if (i < j) ignore(built, i, j);
      if (above != kWorld)
        for (const int j : members[above]) ignore(built, i, j);
      else if (!built.robot.static_parents_collide && parent != kWorld)
        ignore(built, i, parent);
    }
  }
  for (const auto& [i, j] : built.robot.exclusions) ignore(built, i, j);
}

void separate_overlaps(const BuiltLinks& built, const Scene& scene, Ledger& ledger) {
  if (built.robot.links.size() > kMostLinksToSeparate) return;
  Simulation simulation(built.world, scene.method, scene.time);
  simulation.find_contacts();
  constexpr double kTouching = 1e-3;  // m; chosen: what touches by less than a millimetre is meant to touch
  std::set<std::pair<BodyId, BodyId>> overlapping;
  for (const Contact& c : simulation.contacts()) {
    double depth = 0;
    for (int k = 0; k < c.count; ++k) depth = std::max(depth, -c.points[static_cast<std::size_t>(k)].separation);
    if (depth > kTouching && !built.world.is_fixed(c.a) && !built.world.is_fixed(c.b)) overlapping.emplace(c.a, c.b);
  }
  for (const auto& [a, b] : overlapping) {
    built.world.ignore_collisions(a, b);
    for (std::size_t i = 0; i < built.bodies.size(); ++i)
      if (built.bodies[i] == b)
        ledger.remark(
            built.robot.links[i].where, ModelNote::Kind::replaced,
            "it overlaps '" + short_text(built.world.name(a)) + "' in the file's pose; the two do not collide");
  }
}

}  // namespace rigor::models
