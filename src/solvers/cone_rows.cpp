#include "solvers/cone_rows.h"

#include <algorithm>

namespace rigor {

namespace {
using Index = std::size_t;
}

int ConeRows::split(const SolverContext& c, bool together) {
  parts_ = split_islands(c, together);
  return static_cast<int>(parts_.size());
}

const ConeProblem& ConeRows::assemble(const SolverContext& c, int i) {
  present_ = i;
  problem_.q.clear(), problem_.lo.clear(), problem_.hi.clear(), problem_.blocks.clear();
  factor_.clear(), gamma_.clear(), row_.clear();
  for (const int b : parts_[Index(i)]) append_block(c, c.rows.blocks[Index(b)]);
  fill_matrix(c);
  return problem_;
}

void ConeRows::append_block(const SolverContext& c, const RowBlock& block) {
  ConeBlock cone;
  cone.begin = static_cast<int>(row_.size()), cone.size = block.size();
  const Baumgarte correction = c.correction.of(block);
  for (int row = block.begin; row < block.end; ++row) {
    const VelocityRow target = velocity_row(c.rows, row, c.h(), correction);
    const ImpulseBounds bounds = impulse_bounds(c.rows, row, c.h());
    row_.push_back(row);
    factor_.push_back(1), gamma_.push_back(target.gamma);
    problem_.q.push_back(row_velocity(c.rows, row, block, c.bodies.u) - target.wanted);
    problem_.lo.push_back(bounds.lo), problem_.hi.push_back(std::max(bounds.hi, bounds.lo));
  }
  cone.contact = block.source == RowBlock::Source::contact;
  if (cone.contact) {
    const Index first = Index(cone.begin + 1);
    const FrictionGroups groups = friction_groups(c.rows, block, std::span(factor_).subspan(first));
    cone.groups = groups.count, cone.group = groups.group;
    for (Index k = first; k < factor_.size(); ++k) problem_.q[k] *= factor_[k];
  }
  problem_.blocks.push_back(cone);
}

void ConeRows::fill_matrix(const SolverContext& c) {
  const std::vector<int>& part = parts_[Index(present_)];
  const Rows& rows = c.rows;
  // The blocks of each body; the bodies in the order of the arrays.
  std::vector<std::pair<int, int>> touches;  // body, 2 × block + side
  for (Index b = 0; b < part.size(); ++b) {
    const RowBlock& block = rows.blocks[Index(part[b])];
    if (block.a < c.bodies.awake) touches.emplace_back(block.a, static_cast<int>(2 * b));
    if (block.b < c.bodies.awake) touches.emplace_back(block.b, static_cast<int>(2 * b + 1));
  }
  std::sort(touches.begin(), touches.end());
  std::vector<std::vector<int>> columns(part.size());
  const auto each_pair = [&](auto visit) {
    for (Index begin = 0, end = 0; begin < touches.size(); begin = end) {
      while (end < touches.size() && touches[end].first == touches[begin].first) ++end;
      for (Index i = begin; i < end; ++i)
        for (Index j = begin; j < end; ++j) visit(touches[i].second, touches[j].second);
    }
  };
  each_pair([&](int i, int j) { columns[Index(i / 2)].push_back(j / 2); });
  std::vector<int> starts;
  for (const ConeBlock& block : problem_.blocks) starts.push_back(block.begin);
  starts.push_back(problem_.size());
  problem_.W.set_pattern(std::move(starts), std::move(columns));
  each_pair([&](int i, int j) {
    const ConeBlock &A = problem_.blocks[Index(i / 2)], &B = problem_.blocks[Index(j / 2)];
    double* W = problem_.W.find(i / 2, j / 2);
    const Index left = i % 2 == 0 ? 0 : 6, right = j % 2 == 0 ? 0 : 6;
    for (int a = 0; a < A.size; ++a) {
      const Jacobian& JW = rows.JW[Index(row_[Index(A.begin + a)])];
      for (int b = 0; b < B.size; ++b) {
        const Jacobian& J = rows.J[Index(row_[Index(B.begin + b)])];
        double sum = 0;
        for (Index k = 0; k < 6; ++k) sum += JW[left + k] * J[right + k];
        W[a * B.size + b] += sum * (factor_[Index(A.begin + a)] * factor_[Index(B.begin + b)]);
      }
    }
  });
  for (Index b = 0; b < problem_.blocks.size(); ++b) {
    const ConeBlock& block = problem_.blocks[b];
    double* W = problem_.W.find(static_cast<int>(b), static_cast<int>(b));
    for (int i = 0; i < block.size; ++i) {
      const Index k = Index(block.begin + i);
      W[i * block.size + i] += gamma_[k] * factor_[k] * factor_[k];
      if (factor_[k] == 0) W[i * block.size + i] = 1;  // no friction along this axis: its multiplier is zero
    }
  }
}

std::vector<double> ConeRows::guess(const SolverContext& c, bool warm_start) const {
  std::vector<double> r(row_.size(), 0);
  if (!warm_start) return r;
  for (Index i = 0; i < r.size(); ++i) r[i] = factor_[i] > 0 ? c.rows.lambda[Index(row_[i])] / factor_[i] : 0;
  return r;
}

void ConeRows::apply(SolverContext& c, std::span<const double> r) const {
  store_multipliers(c, row_blocks(), factor_, r);
}

int ConeRows::row_of(int block) const { return block < 0 ? -1 : row_[Index(problem_.blocks[Index(block)].begin)]; }

}  // namespace rigor
