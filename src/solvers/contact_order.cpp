#include "solvers/contact_order.h"

#include <algorithm>
#include <limits>

#include "islands/contact_levels.h"

namespace rigor {

namespace {

/// A number per block by which contacts are sorted; ties stay as found.
using Keys = std::vector<double>;

double gap(const SolverContext& c, int b) {
  return c.rows.C[static_cast<std::size_t>(c.rows.blocks[static_cast<std::size_t>(b)].begin)];
}

double normal_velocity(const SolverContext& c, int b) {
  const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
  return row_velocity(c.rows, block.begin, block, c.bodies.u);
}

/// SplitMix64 of block and step: the same order in every run.
double random_key(const SolverContext& c, int b) {
  std::uint64_t x = c.step * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(b) * 0xbf58476d1ce4e5b9u + 1;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((x ^ (x >> 31)) >> 11);
}

/// How many bodies lie between a contact and what is fixed (Hahn's order, from the ground up); loose groups come last.
Keys graph_levels(const SolverContext& c, std::span<const int> contacts) {
  const std::vector<int> level = contact_levels(c.rows, contacts, c.bodies);
  const auto level_of = [&](int place) {
    const int l = level[static_cast<std::size_t>(place)];
    return l == kNoLevel ? std::numeric_limits<int>::max() : l;
  };
  Keys keys(c.rows.blocks.size(), 0);
  for (const int b : contacts) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    keys[static_cast<std::size_t>(b)] = std::min(level_of(block.a), level_of(block.b));
  }
  return keys;
}

Keys order_keys(const std::string& order, const SolverContext& c, std::span<const int> contacts) {
  if (order == "graph") return graph_levels(c, contacts);
  Keys keys(c.rows.blocks.size(), 0);
  for (const int b : contacts) {
    double& key = keys[static_cast<std::size_t>(b)];
    if (order == "random") key = random_key(c, b);
    if (order == "depth-up") key = -gap(c, b);
    if (order == "depth-down") key = gap(c, b);
    if (order == "velocity-up") key = -normal_velocity(c, b);
    if (order == "velocity-down") key = normal_velocity(c, b);
  }
  return keys;
}

}  // namespace

const std::vector<std::string>& contact_orders() {
  static const std::vector<std::string> names = {"found",       "random",        "depth-up", "depth-down",
                                                 "velocity-up", "velocity-down", "graph"};
  return names;
}

void order_blocks(const std::string& order, const SolverContext& c, std::vector<int>& sequence) {
  sequence.assign(c.blocks.begin(), c.blocks.end());
  if (order == "found") return;
  const auto is_joint = [&](int b) {
    return c.rows.blocks[static_cast<std::size_t>(b)].source == RowBlock::Source::joint;
  };
  const auto contacts = std::stable_partition(sequence.begin(), sequence.end(), is_joint);
  const Keys keys = order_keys(order, c, std::span<const int>(contacts, sequence.end()));
  std::stable_sort(contacts, sequence.end(),
                   [&](int a, int b) { return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)]; });
}

}  // namespace rigor
