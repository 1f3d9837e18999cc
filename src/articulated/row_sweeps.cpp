#include "articulated/row_sweeps.h"

#include <algorithm>

#include "rigor/interruption.h"

namespace rigor::articulated {

double RowSweeps::push(ArticulatedBodies& bodies, const Rows& rows, const RowRef& ref, double lambda,
                       std::vector<Twist>* u) {
  const Forest& forest = bodies.forest();
  const RowBlock& block = rows.blocks[static_cast<std::size_t>(ref.block)];
  const int a = forest.tree_at(block.a), b = forest.tree_at(block.b);
  const int trees[2] = {a, b == a ? -1 : b};
  for (const int t : trees)
    if (t >= 0) std::fill(p_.begin() + forest.begin(t), p_.begin() + forest.begin(t + 1), Wrench{});
  subtract_row(rows, ref, lambda, forest, p_);
  for (const int t : trees)
    if (t >= 0) bodies.propagate(t, false, p_, du_);
  if (!u) return along_row(rows, ref, forest, du_);
  for (const int t : trees)
    for (int i = t < 0 ? 0 : forest.begin(t); i < (t < 0 ? 0 : forest.begin(t + 1)); ++i)
      (*u)[static_cast<std::size_t>(i)] += du_[static_cast<std::size_t>(i)];
  return 0;
}

void RowSweeps::solve(ArticulatedBodies& bodies, const Rows& rows, std::span<const RowRef> refs, const RowTargets& t,
                      std::span<const BodyVelocity> outside, int rounds, std::span<double> x, std::vector<Twist>& u) {
  const Forest& forest = bodies.forest();
  p_.assign(forest.links.size(), {}), du_.assign(forest.links.size(), {});
  diagonal_.resize(refs.size());
  for (std::size_t k = 0; k < refs.size(); ++k) {
    diagonal_[k] = push(bodies, rows, refs[k], 1, nullptr);
    if (moves(rows, refs[k], diagonal_[k]))
      push(bodies, rows, refs[k], x[k], &u);
    else
      diagonal_[k] = x[k] = 0;
  }
  for (int round = 0; round < rounds; ++round) {
    throw_if_interrupted();
    for (std::size_t k = 0; k < refs.size(); ++k) {
      if (diagonal_[k] == 0) continue;
      double lo = t.lo[k], hi = t.hi[k];
      if (t.dependency[k] >= 0) hi = t.factor[k] * std::abs(x[static_cast<std::size_t>(t.dependency[k])]), lo = -hi;
      const double w = along_row(rows, refs[k], forest, u, outside) + t.gamma[k] * x[k] - t.wanted[k];
      const double better = std::clamp(x[k] - w / (diagonal_[k] + t.gamma[k]), lo, hi);
      if (better == x[k]) continue;
      push(bodies, rows, refs[k], better - x[k], &u);
      x[k] = better;
    }
  }
}

}  // namespace rigor::articulated
