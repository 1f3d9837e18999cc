#include "lcp/sparse_matrix.h"

#include <algorithm>

namespace rigor {

namespace {

/// The part of A_ij = J_i W J_jᵀ that goes over shared bodies.
double shared_product(const LcpRows& rows, int i, int j) {
  double sum = 0;
  for (int s = 0; s < 2; ++s)
    for (int t = 0; t < 2; ++t) {
      const int a = s == 0 ? rows.first[i] : rows.second[i];
      const int b = t == 0 ? rows.first[j] : rows.second[j];
      if (a < 0 || a != b) continue;
      for (int k = 0; k < 6; ++k) sum += rows.J[i][6 * s + k] * rows.JW[j][6 * t + k];
    }
  return sum;
}

}  // namespace

SparseLower sparse_lower(const LcpProblem& problem) {
  SparseLower lower;
  lower.n = problem.size();
  lower.column_begin.push_back(0);
  for (int j = 0; j < lower.n; ++j) {
    for (int i = j; i < lower.n; ++i) {
      const double a = problem.A[static_cast<std::size_t>(i) * lower.n + j];
      if (a == 0 && i != j) continue;
      lower.row.push_back(i);
      lower.value.push_back(a);
    }
    lower.column_begin.push_back(static_cast<int>(lower.row.size()));
  }
  return lower;
}

SparseLower sparse_lower(const LcpRows& rows) {
  SparseLower lower;
  lower.n = rows.size();
  std::vector<std::vector<int>> touching(rows.bodies);  // rows of each body, ascending
  for (int i = 0; i < lower.n; ++i)
    for (const int body : {rows.first[i], rows.second[i]})
      if (body >= 0) touching[body].push_back(i);
  lower.column_begin.push_back(0);
  std::vector<int> neighbours;
  for (int j = 0; j < lower.n; ++j) {
    neighbours.assign(1, j);
    for (const int body : {rows.first[j], rows.second[j]}) {
      if (body < 0) continue;
      const auto& list = touching[body];
      neighbours.insert(neighbours.end(), std::upper_bound(list.begin(), list.end(), j), list.end());
    }
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    for (const int i : neighbours) {
      const double gamma = i == j && !rows.regularisation.empty() ? rows.regularisation[i] : 0;
      lower.row.push_back(i);
      lower.value.push_back(shared_product(rows, i, j) + gamma);
    }
    lower.column_begin.push_back(static_cast<int>(lower.row.size()));
  }
  return lower;
}

}  // namespace rigor
