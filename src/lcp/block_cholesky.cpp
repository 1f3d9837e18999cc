#include "lcp/block_cholesky.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

#include "lcp/panel_kernels.h"

namespace rigor {

namespace {

using Index = std::size_t;
constexpr int kB = BlockCholesky::kBlock;

/// Columns of nearly the same pattern share a panel if so many blocks of zeros are stored at most. Chosen: a product of blocks is cheaper than
/// finding where it belongs.
constexpr int kMostZeros = 3;

std::vector<int> minimum_degree(int n, const std::vector<std::pair<int, int>>& pairs) {
  std::vector<Eigen::Triplet<char>> entries;
  for (int i = 0; i < n; ++i) entries.emplace_back(i, i, 1);
  for (const auto& [a, b] : pairs) entries.emplace_back(a, b, 1), entries.emplace_back(b, a, 1);
  Eigen::SparseMatrix<char> graph(n, n);
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(graph, order);
  return {order.indices().data(), order.indices().data() + n};
}

/// The lower triangle of A = L Lᵀ becomes L. False if a pivot is not positive.
bool factorise_triangle(double* A, int stride, int size) {
  for (int j = 0; j < size; ++j) {
    double* row_j = A + Index(j) * Index(stride);
    double d = row_j[j];
    for (int k = 0; k < j; ++k) d -= row_j[k] * row_j[k];
    if (!(d > 0)) return false;
    row_j[j] = std::sqrt(d);
    for (int i = j + 1; i < size; ++i) {
      double* row_i = A + Index(i) * Index(stride);
      double sum = row_i[j];
      for (int k = 0; k < j; ++k) sum -= row_i[k] * row_j[k];
      row_i[j] = sum / row_j[j];
    }
  }
  return true;
}

}  // namespace

void BlockCholesky::set_pattern(int n, std::span<const std::pair<int, int>> given) {
  std::vector<std::pair<int, int>> pairs(given.begin(), given.end());
  for (auto& [a, b] : pairs)
    if (a > b) std::swap(a, b);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  if (analyses_ > 0 && n == n_ && pairs == pairs_) return;
  n_ = n, pairs_ = std::move(pairs);
  analyse();
  ++analyses_;
}

void BlockCholesky::analyse() {
  body_ = minimum_degree(n_, pairs_);
  place_.resize(Index(n_));
  for (int k = 0; k < n_; ++k) place_[Index(body_[Index(k)])] = k;
  std::vector<std::vector<int>> below(static_cast<Index>(n_));
  for (const auto& [a, b] : pairs_) {
    const int i = place_[Index(a)], j = place_[Index(b)];
    below[Index(std::min(i, j))].push_back(std::max(i, j));
  }
  std::vector<int> parent;
  const std::vector<std::vector<int>> pattern = column_patterns(below, parent);
  make_supernodes(pattern, parent);
}

/// Rows of L below the diagonal, by column: those of A and those of the column's children in the elimination tree.
std::vector<std::vector<int>> BlockCholesky::column_patterns(const std::vector<std::vector<int>>& below,
                                                             std::vector<int>& parent) const {
  std::vector<std::vector<int>> pattern(below), children(static_cast<Index>(n_));
  parent.assign(Index(n_), -1);
  std::vector<int> seen(Index(n_), -1);
  for (int j = 0; j < n_; ++j) {
    std::vector<int>& rows = pattern[Index(j)];
    seen[Index(j)] = j;
    for (const int i : rows) seen[Index(i)] = j;
    for (const int child : children[Index(j)])
      for (const int i : pattern[Index(child)])
        if (seen[Index(i)] != j) seen[Index(i)] = j, rows.push_back(i);
    std::sort(rows.begin(), rows.end());
    if (rows.empty()) continue;
    parent[Index(j)] = rows.front();
    children[Index(rows.front())].push_back(j);
  }
  return pattern;
}

void BlockCholesky::make_supernodes(const std::vector<std::vector<int>>& pattern, const std::vector<int>& parent) {
  nodes_.clear(), row_.clear();
  node_of_.assign(Index(n_), 0);
  Index values = 0;
  for (int begin = 0; begin < n_;) {
    int end = begin + 1, zeros = 0;
    while (end < n_ && parent[Index(end) - 1] == end) {
      // The pattern of a column but for its first row is part of that of its parent.
      zeros += (end - begin) * static_cast<int>(pattern[Index(end)].size() + 1 - pattern[Index(end) - 1].size());
      if (zeros > kMostZeros) break;
      ++end;
    }
    Supernode node{begin, end, row_.size(), 0, values};
    for (int j = begin; j < end; ++j) row_.push_back(j), node_of_[Index(j)] = static_cast<int>(nodes_.size());
    row_.insert(row_.end(), pattern[Index(end) - 1].begin(), pattern[Index(end) - 1].end());
    node.count = static_cast<int>(row_.size() - node.rows);
    values += Index(kB * node.count) * Index(node.width());
    nodes_.push_back(node);
    begin = end;
  }
  values_.resize(values);
  position_.assign(Index(n_), 0);
}

void BlockCholesky::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

double* BlockCholesky::entry(int row, int column) {
  const Supernode& node = nodes_[Index(node_of_[Index(column)])];
  const auto begin = row_.begin() + static_cast<std::ptrdiff_t>(node.rows);
  const auto found = row < node.end ? begin + (row - node.begin) : std::lower_bound(begin, begin + node.count, row);
  return values_.data() + node.values + Index(found - begin) * Index(kB * node.width()) +
         Index(kB * (column - node.begin));
}

void BlockCholesky::add_diagonal(int i, const double* B) {
  const int k = place_[Index(i)], width = nodes_[Index(node_of_[Index(k)])].width();
  double* to = entry(k, k);
  for (int r = 0; r < kB; ++r)
    for (int c = 0; c <= r; ++c) to[r * width + c] += B[kB * r + c];
}

void BlockCholesky::add_pair(int i, int j, const double* B) {
  const int row = std::max(place_[Index(i)], place_[Index(j)]), column = std::min(place_[Index(i)], place_[Index(j)]);
  const int width = nodes_[Index(node_of_[Index(column)])].width();
  double* to = entry(row, column);
  const bool straight = row == place_[Index(i)];
  for (int r = 0; r < kB; ++r)
    for (int c = 0; c < kB; ++c) to[r * width + c] += straight ? B[kB * r + c] : B[kB * c + r];
}

bool BlockCholesky::factorise() {
  const Index count = nodes_.size();
  head_.assign(count, -1), next_.assign(count, -1), at_.assign(count, 0);
  for (Index k = 0; k < count; ++k) {
    Supernode& node = nodes_[k];
    for (int i = 0; i < node.count; ++i) position_[Index(row_[node.rows + Index(i)])] = i;
    // Supernodes before it with rows among its columns, by a list for each supernode; each moves on to the next one that it changes.
    for (int d = head_[k]; d >= 0;) {
      const int following = next_[Index(d)];
      const Supernode& from = nodes_[Index(d)];
      const int first = at_[Index(d)];
      subtract_descendant(node, from, first);
      int next = first;
      while (next < from.count && row_[from.rows + Index(next)] < node.end) ++next;
      at_[Index(d)] = next;
      if (next < from.count) {
        const Index target = Index(node_of_[Index(row_[from.rows + Index(next)])]);
        next_[Index(d)] = head_[target], head_[target] = d;
      }
      d = following;
    }
    if (!factorise_panel(node)) return false;
    const int own = node.end - node.begin;
    if (node.count == own) continue;
    at_[k] = own;
    const Index target = Index(node_of_[Index(row_[node.rows + Index(own)])]);
    next_[k] = head_[target], head_[target] = static_cast<int>(k);
  }
  return true;
}

/// node −= L_d (L_d of the rows among the node's columns)ᵀ, for the rows of `from` from `first` on.
void BlockCholesky::subtract_descendant(Supernode& node, const Supernode& from, int first) {
  const int width = from.width(), rows = from.count - first;
  const int* row = row_.data() + from.rows + first;
  to_row_.resize(Index(rows)), to_column_.resize(Index(rows));
  int columns = 0;
  for (int i = 0; i < rows; ++i) {
    to_row_[Index(i)] = position_[Index(row[i])];
    if (row[i] < node.end) to_column_[Index(columns++)] = row[i] - node.begin;
  }
  const ConstPanelView below{values_.data() + from.values + Index(kB * first) * Index(width), width};
  const PanelBlocks to{values_.data() + node.values, node.width(), to_row_.data(), to_column_.data()};
  subtract_block_products(below, to, rows, columns, width, packed_);
}

/// L of the panel's own columns and the rows below them, a few columns at a time: products with the columns before, the small triangle, and the rows below it.
bool BlockCholesky::factorise_panel(Supernode& node) {
  const int w = node.width(), rows = kB * node.count;
  double* panel = values_.data() + node.values;
  for (int begin = 0; begin < w; begin += kMostTriangle) {
    const int size = std::min(kMostTriangle, w - begin);
    double* at = panel + Index(begin) * Index(w);  // the first row that has an entry in these columns
    if (begin > 0) subtract_panel_product({at, w}, {at, w}, {at + begin, w}, rows - begin, size, begin, packed_);
    if (!factorise_triangle(at + begin, w, size)) return false;
    const int below = rows - begin - size;
    if (below > 0) solve_panel_rows({at + begin, w}, size, {at + Index(size) * Index(w) + begin, w}, below);
  }
  return true;
}

void BlockCholesky::solve(std::span<double> x) {
  x_.resize(x.size());
  for (int k = 0; k < n_; ++k)
    for (int r = 0; r < kB; ++r) x_[Index(kB * k + r)] = x[Index(kB * body_[Index(k)] + r)];
  for (const Supernode& node : nodes_)
    solve_panel_forward({values_.data() + node.values, node.width()}, node.end - node.begin, row_.data() + node.rows,
                        node.count, x_.data());
  for (Index s = nodes_.size(); s-- > 0;) {
    const Supernode& node = nodes_[s];
    solve_panel_backward({values_.data() + node.values, node.width()}, node.end - node.begin, row_.data() + node.rows,
                         node.count, x_.data());
  }
  for (int k = 0; k < n_; ++k)
    for (int r = 0; r < kB; ++r) x[Index(kB * body_[Index(k)] + r)] = x_[Index(kB * k + r)];
}

}  // namespace rigor
