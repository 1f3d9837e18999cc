#include "lcp/cone_problem.h"

#include <algorithm>
#include <cmath>

#include "rigor/error.h"

namespace rigor {

namespace {

using Index = std::size_t;

double norm(const double* x, int n) {
  if (n == 1) return std::abs(x[0]);
  double squared = 0;
  for (int i = 0; i < n; ++i) squared += x[i] * x[i];
  return std::sqrt(squared);
}

/// Nearest point of K: the normal s solves s − a = Σ_g μ_g max(‖t_g‖ − μ_g s, 0), which is monotone; groups that are inside their disk at
/// the present s stay inside when s grows, so they are dropped one after the other.
void project_on_cone(const ConeBlock& block, double* r) {
  bool active[3] = {true, true, true};
  double length[3] = {0, 0, 0};
  for (int g = 0; g < block.groups; ++g) length[g] = norm(r + block.group[Index(g)].offset, block.group[Index(g)].size);
  double s = 0;
  for (bool changed = true; changed;) {
    changed = false;
    double numerator = r[0], denominator = 1;
    for (int g = 0; g < block.groups; ++g)
      if (active[g]) {
        const double mu = block.group[Index(g)].mu;
        numerator += mu * length[g], denominator += mu * mu;
      }
    s = numerator / denominator;
    for (int g = 0; g < block.groups; ++g)
      if (active[g] && length[g] <= block.group[Index(g)].mu * s) active[g] = false, changed = true;
  }
  s = std::max(s, 0.0);
  r[0] = s;
  for (int g = 0; g < block.groups; ++g) {
    if (!active[g]) continue;
    const FrictionGroup& group = block.group[Index(g)];
    const double factor = length[g] > 0 ? std::min(group.mu * s / length[g], 1.0) : 0;
    for (int i = 0; i < group.size; ++i) r[group.offset + i] *= factor;
  }
}

}  // namespace

std::vector<int> contact_starts(int contacts, int dimension) {
  std::vector<int> starts;
  for (int i = 0; i <= contacts; ++i) starts.push_back(dimension * i);
  return starts;
}

ConeProblem contact_problem(BlockMatrix W, std::vector<double> q, std::span<const double> mu, int dimension) {
  ConeProblem p;
  p.W = std::move(W), p.q = std::move(q);
  for (Index c = 0; c < mu.size(); ++c) {
    ConeBlock block{static_cast<int>(c) * dimension, dimension, true, 1, {}};
    block.group[0] = {1, dimension - 1, mu[c]};
    p.blocks.push_back(block);
  }
  p.lo.assign(p.q.size(), 0), p.hi.assign(p.q.size(), kUnbounded);
  return p;
}

double de_saxce(const ConeBlock& block, const double* u) {
  double sum = 0;
  for (int g = 0; g < block.groups; ++g)
    sum += block.group[Index(g)].mu * norm(u + block.group[Index(g)].offset, block.group[Index(g)].size);
  return sum;
}

void project(const ConeProblem& problem, const ConeBlock& block, double* r) {
  if (block.contact) return project_on_cone(block, r);
  for (int i = 0; i < block.size; ++i) {
    const auto row = Index(block.begin + i);
    r[i] = std::min(std::max(r[i], problem.lo[row]), problem.hi[row]);
  }
}

void project(const ConeProblem& problem, std::span<double> r) {
  for (const ConeBlock& block : problem.blocks) project(problem, block, r.data() + block.begin);
}

void velocities(const ConeProblem& problem, std::span<const double> r, std::span<double> u) {
  problem.W.multiply(r, u);
  for (Index i = 0; i < u.size(); ++i) u[i] += problem.q[i];
}

double energy_change(const ConeProblem& problem, std::span<const double> r, std::span<const double> u) {
  double sum = 0;
  for (Index i = 0; i < r.size(); ++i) sum += 0.5 * r[i] * (u[i] + problem.q[i]);
  return sum;
}

std::vector<double> row_scaling(const ConeProblem& problem) {
  std::vector<double> D(problem.q.size(), 1);
  double largest = 0;
  for (Index b = 0; b < problem.blocks.size(); ++b)
    for (int i = 0; i < problem.blocks[b].size; ++i)
      largest = std::max(largest, problem.W.diagonal_entry(static_cast<int>(b), i));
  const auto scale = [&](double d) { return 1 / std::sqrt(d > 0 ? d : largest > 0 ? largest : 1); };
  for (Index b = 0; b < problem.blocks.size(); ++b) {
    const ConeBlock& block = problem.blocks[b];
    const auto mean = [&](int begin, int end) {
      double sum = 0;
      for (int i = begin; i < end; ++i) sum += problem.W.diagonal_entry(static_cast<int>(b), i);
      return end > begin ? sum / (end - begin) : 0;
    };
    const auto set = [&](int begin, int end, double d) {
      for (int i = begin; i < end; ++i) D[Index(block.begin + i)] = scale(d);
    };
    if (!block.contact) {
      for (int i = 0; i < block.size; ++i) set(i, i + 1, mean(i, i + 1));
      continue;
    }
    const int tangents_end = block.groups > 0 && block.group[0].offset == 1 ? 1 + block.group[0].size : 1;
    set(0, tangents_end, mean(0, tangents_end));
    for (int g = 0; g < block.groups; ++g) {
      const FrictionGroup& group = block.group[Index(g)];
      if (group.offset >= tangents_end)
        set(group.offset, group.offset + group.size, mean(group.offset, group.offset + group.size));
    }
  }
  return D;
}

namespace {

std::vector<ConeBlock> scaled_blocks(const ConeProblem& problem, std::span<const double> D) {
  std::vector<ConeBlock> blocks = problem.blocks;
  for (ConeBlock& block : blocks)
    for (int g = 0; g < block.groups; ++g) {
      FrictionGroup& group = block.group[Index(g)];
      group.mu *= D[Index(block.begin)] / D[Index(block.begin + group.offset)];
    }
  return blocks;
}

}  // namespace

ConeProblem scaled(const ConeProblem& problem, std::span<const double> D) {
  ConeProblem p = problem;
  p.blocks = scaled_blocks(problem, D);
  for (int i = 0; i < p.W.blocks(); ++i)
    for (int k = p.W.row_begin[Index(i)]; k < p.W.row_begin[Index(i) + 1]; ++k) {
      const int j = p.W.column[Index(k)], n = p.W.size_of(i), m = p.W.size_of(j);
      double* w = p.W.data.data() + p.W.data_begin[Index(k)];
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < m; ++b)
          w[a * m + b] *= D[Index(p.W.start[Index(i)] + a)] * D[Index(p.W.start[Index(j)] + b)];
    }
  for (Index i = 0; i < p.q.size(); ++i) p.q[i] *= D[i], p.lo[i] /= D[i], p.hi[i] /= D[i];
  return p;
}

ConeResidual::ConeResidual(const ConeProblem& problem)
    : problem_(problem), D_(row_scaling(problem)), u_(problem.q.size()), scaled_(scaled_blocks(problem, D_)) {
  for (const double x : problem.q) q_max_ = std::max(q_max_, std::abs(x));
}

double ConeResidual::error_of(const ConeBlock& block, const double* r, const double* u) const {
  std::array<double, 6> y{};
  double squared = 0;
  if (!block.contact) {
    for (int i = 0; i < block.size; ++i) {
      const auto row = Index(block.begin + i);
      const double d = 1 / (D_[row] * D_[row]);
      const double e = d * (r[i] - std::min(std::max(r[i] - u[i] / d, problem_.lo[row]), problem_.hi[row]));
      squared = std::max(squared, e * e);
    }
    return std::sqrt(squared);
  }
  const ConeBlock& s = scaled_[Index(&block - problem_.blocks.data())];
  const double shift = de_saxce(block, u);
  for (int i = 0; i < block.size; ++i) {
    const double D = D_[Index(block.begin + i)];
    y[Index(i)] = r[i] / D - D * (u[i] + (i == 0 ? shift : 0));
  }
  project_on_cone(s, y.data());
  for (int i = 0; i < block.size; ++i) {
    const double D = D_[Index(block.begin + i)], e = (r[i] / D - y[Index(i)]) / D;
    squared += e * e;
  }
  return std::sqrt(squared);
}

double ConeResidual::evaluate(std::span<const double> r) {
  velocities(problem_, r, u_);
  return evaluate(r, u_);
}

double ConeResidual::evaluate(std::span<const double> r, std::span<const double> u) {
  worst_error_ = 0, worst_block_ = -1;
  double scale = q_max_;
  for (Index i = 0; i < r.size(); ++i) scale = std::max(scale, 1e-6 * std::abs(r[i]) / (D_[i] * D_[i]));
  for (Index b = 0; b < problem_.blocks.size(); ++b) {
    const ConeBlock& block = problem_.blocks[b];
    const double e = error_of(block, r.data() + block.begin, u.data() + block.begin);
    if (!(e <= worst_error_)) worst_error_ = e, worst_block_ = static_cast<int>(b);
  }
  return worst_error_ > 0 || !std::isfinite(worst_error_) ? worst_error_ / (scale > 0 ? scale : 1) : 0;
}

void ConeSettings::fields(FieldVisitor& v) {
  v.integer("iterations", iterations, {"1", 1, 1e7, "most iterations of a solve"});
  v.number("tolerance", tolerance,
           {"1", 1e-15, 1, "natural map with de Saxcé's correction, relative to the velocities before"});
}

void check_problem(const ConeProblem& problem, std::span<const double> r) {
  const Index n = problem.q.size();
  if (r.size() != n || problem.lo.size() != n || problem.hi.size() != n || Index(problem.W.size()) != n ||
      Index(problem.W.blocks()) != problem.blocks.size())
    throw Error("cone problem", "the sizes of W, q, the limits and r differ");
  for (const double x : problem.W.data)
    if (!std::isfinite(x)) throw Error("cone problem", "W has a number that is not finite");
  for (Index i = 0; i < n; ++i) {
    if (!std::isfinite(problem.q[i]) || !std::isfinite(r[i]))
      throw Error("cone problem", "row " + std::to_string(i) + " has a number that is not finite");
    if (!(problem.lo[i] <= problem.hi[i]))
      throw Error("cone problem", "limits of row " + std::to_string(i) + " are crossed");
  }
  for (Index b = 0; b < problem.blocks.size(); ++b) {
    const ConeBlock& block = problem.blocks[b];
    if (block.begin != problem.W.start[b] || block.size != problem.W.size_of(static_cast<int>(b)) ||
        (block.contact && block.size > 6))
      throw Error("cone problem", "block " + std::to_string(b) + " does not fit the blocks of W");
    for (int g = 0; g < block.groups; ++g)
      if (!(block.group[Index(g)].mu >= 0) || !std::isfinite(block.group[Index(g)].mu))
        throw Error("cone problem",
                    "block " + std::to_string(b) + " has a friction coefficient below zero or not finite");
  }
}

ConeJudge::ConeJudge(const ConeProblem& problem, const ConeSettings& settings, ConeTrace* trace)
    : problem_(problem), settings_(settings), trace_(trace), measure_(problem), best_residual_(kUnbounded) {}

bool ConeJudge::done(std::span<const double> r) {
  residual_ = measure_.evaluate(r);
  if (trace_) trace_->push_back(residual_);
  diverged_ = !std::isfinite(residual_);
  if (residual_ < best_residual_) {
    best_residual_ = residual_;
    best_.assign(r.begin(), r.end());
  }
  return diverged_ || residual_ <= settings_.tolerance;
}

ConeResult ConeJudge::finish(std::span<double> r, int iterations, LcpStatus otherwise) {
  if (best_.empty()) {  // nothing finite was ever seen
    std::fill(r.begin(), r.end(), 0.0);
    project(problem_, r);
    diverged_ = true;
  } else {
    std::copy(best_.begin(), best_.end(), r.begin());
  }
  ConeResult result;
  result.iterations = iterations;
  result.residual = measure_.evaluate(r);
  result.worst_block = measure_.worst_block(), result.worst_error = measure_.worst_error();
  result.converged = result.residual <= settings_.tolerance;
  if (!result.converged) result.status = diverged_ ? LcpStatus::diverged : otherwise;
  return result;
}

}  // namespace rigor
