#include "lcp/cone_sweeps.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace rigor {

namespace {

using Index = std::size_t;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// True if all rows of the block are equations.
bool is_equations(const ConeProblem& p, const ConeBlock& block) {
  for (int i = 0; i < block.size; ++i)
    if (p.lo[Index(block.begin + i)] != -kUnbounded || p.hi[Index(block.begin + i)] != kUnbounded) return false;
  return !block.contact && block.size > 1;
}

}  // namespace

ConeSweeps::ConeSweeps(const ConeProblem& problem) : problem_(problem) {
  int largest = 0;
  for (Index b = 0; b < problem.blocks.size(); ++b) {
    const ConeBlock& block = problem.blocks[b];
    const std::span<const double> W = problem.W.diagonal_block(static_cast<int>(b));
    largest = std::max(largest, block.size);
    contacts_.push_back(block.contact ? contact_factors(block, W) : ContactFactors{});
    inverse_.push_back(-1);
    if (!is_equations(problem, block)) continue;
    const Eigen::Map<const Matrix> view(W.data(), block.size, block.size);
    const Eigen::LDLT<Matrix> factors(view);
    const auto D = factors.vectorD();
    if (factors.info() != Eigen::Success || !(D.minCoeff() > 1e-12 * D.maxCoeff())) continue;  // redundant rows
    const Matrix inverse = factors.solve(Matrix::Identity(block.size, block.size));
    inverse_.back() = static_cast<int>(inverses_.size());
    inverses_.insert(inverses_.end(), inverse.data(), inverse.data() + inverse.size());
  }
  v_.resize(Index(largest)), old_.resize(Index(largest));
}

double ConeSweeps::solve_contact_block(int b, double* v, double* r) {
  const ConeBlock& block = problem_.blocks[Index(b)];
  const double* W = problem_.W.diagonal_block(b).data();
  const ContactFactors& f = contacts_[Index(b)];
  const int n = block.size, first = 1 + f.tangents;
  double rows[3] = {0, 0, 0};
  // v without the impulses of normal and tangents, but with those of the other groups. They are taken out with the symmetric part of W, which
  // solve_contact() works with: a fixed point is then a solution with the W given, be it symmetric or not.
  for (int i = 0; i < first; ++i) {
    rows[i] = v[i];
    for (int j = 0; j < first; ++j) rows[i] -= 0.5 * (W[i * n + j] + W[j * n + i]) * r[j];
  }
  double d[6], change = 0;
  for (int j = 0; j < n; ++j) d[j] = r[j];
  solve_contact(f, block.groups > 0 ? block.group[0].mu : 0, rows, r);
  const auto note = [&](int begin, int end) {
    for (int j = begin; j < end; ++j) {
      const double delta = r[j] - d[j];
      if (delta == 0) continue;
      change = std::max(change, W[j * n + j] * std::abs(delta));
      for (int i = 0; i < n; ++i) v[i] += W[i * n + j] * delta;
    }
  };
  note(0, first);
  for (int g = 0; g < block.groups; ++g) {
    const FrictionGroup& group = block.group[Index(g)];
    if (group.offset < first) continue;
    double w[2] = {0, 0};
    for (int i = 0; i < group.size; ++i) {
      w[i] = v[group.offset + i];
      for (int j = 0; j < group.size; ++j) w[i] -= W[(group.offset + i) * n + group.offset + j] * r[group.offset + j];
    }
    solve_disk(W + group.offset * n + group.offset, n, group.size, group.mu * r[0], w, r + group.offset);
    note(group.offset, group.offset + group.size);
  }
  return change;
}

double ConeSweeps::solve_rows(int b, double* v, double* r) {
  const ConeBlock& block = problem_.blocks[Index(b)];
  const double* W = problem_.W.diagonal_block(b).data();
  const int n = block.size;
  double change = 0;
  if (inverse_[Index(b)] >= 0) {
    const double* inverse = inverses_.data() + inverse_[Index(b)];
    for (int i = 0; i < n; ++i) {
      double delta = 0;
      for (int j = 0; j < n; ++j) delta -= inverse[i * n + j] * v[j];
      r[i] += delta;
      change = std::max(change, W[i * n + i] * std::abs(delta));
    }
    return change;
  }
  for (int i = 0; i < n; ++i) {
    const double w = W[i * n + i];
    if (!(w > 0)) continue;
    const auto row = Index(block.begin + i);
    const double next = std::min(std::max(r[i] - v[i] / w, problem_.lo[row]), problem_.hi[row]), delta = next - r[i];
    if (delta == 0) continue;
    r[i] = next;
    change = std::max(change, w * std::abs(delta));
    for (int k = 0; k < n; ++k) v[k] += W[k * n + i] * delta;
  }
  return change;
}

double ConeSweeps::sweep(std::span<double> r, bool backwards) {
  double change = 0;
  const int count = static_cast<int>(problem_.blocks.size());
  for (int k = 0; k < count; ++k) {
    const int b = backwards ? count - 1 - k : k;
    const ConeBlock& block = problem_.blocks[Index(b)];
    for (int i = 0; i < block.size; ++i) v_[Index(i)] = problem_.q[Index(block.begin + i)];
    problem_.W.add_row(b, r.data(), v_.data());
    const double c = block.contact ? solve_contact_block(b, v_.data(), r.data() + block.begin)
                                   : solve_rows(b, v_.data(), r.data() + block.begin);
    if (!(c <= change)) change = c;
  }
  return change;
}

}  // namespace rigor
