#include "solvers/contact_order.h"

#include <algorithm>
#include <limits>

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

/// Levels of the contact graph: how many bodies lie between a contact and what is fixed (Hahn's order, from the ground up).
Keys graph_levels(const SolverContext& c, std::span<const int> contacts) {
  const int bodies = c.bodies.moving + 1;
  constexpr int kUnreached = std::numeric_limits<int>::max();
  std::vector<int> level(static_cast<std::size_t>(bodies), kUnreached);
  for (int i = c.bodies.awake; i < bodies; ++i) level[static_cast<std::size_t>(i)] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const int b : contacts) {
      const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
      int &x = level[static_cast<std::size_t>(block.a)], &y = level[static_cast<std::size_t>(block.b)];
      if (x != kUnreached && y > x + 1) y = x + 1, changed = true;
      if (y != kUnreached && x > y + 1) x = y + 1, changed = true;
    }
  }
  Keys keys(c.rows.blocks.size(), 0);
  for (const int b : contacts) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    keys[static_cast<std::size_t>(b)] =
        std::min(level[static_cast<std::size_t>(block.a)], level[static_cast<std::size_t>(block.b)]);
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
