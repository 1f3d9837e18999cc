// Sparse Cholesky factorisation P A Pᵀ = L Lᵀ of a matrix in blocks of six: bodies and the pairs that constraints join (Ng, Peyton 1993; Davis 2006, chapter 4).
//
// P is an approximate minimum degree order of the graph of bodies, so a chain or a tree of joints fills nothing. Columns whose patterns below the diagonal
// agree, or nearly so, form a supernode, which is one dense panel: the work is products of dense panels, taken left-looking by supernodes. The symbolic part is kept
// while the same bodies are joined. Cost: O(n) blocks for trees, about n² / 10 products of blocks for heaps of n bodies.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace rigor {

class BlockCholesky {
 public:
  static constexpr int kBlock = 6;

  /// The pattern: n bodies, and pairs a ≠ b, in any order and with repetitions.
  void set_pattern(int n, std::span<const std::pair<int, int>> pairs);
  /// All entries zero.
  void clear();
  /// A(i, i) += B, B being 6 × 6 row by row, of which the lower triangle is read.
  void add_diagonal(int i, const double* B);
  /// A(i, j) += B for a pair of the pattern, and A(j, i) += Bᵀ.
  void add_pair(int i, int j, const double* B);
  /// False when a pivot is not positive.
  bool factorise();
  /// x ← A⁻¹ x, six numbers for each body.
  void solve(std::span<double> x);

  /// Symbolic factorisations so far, and blocks of L.
  int analyses() const { return analyses_; }
  std::size_t blocks() const { return values_.size() / (kBlock * kBlock); }

 private:
  struct Supernode {
    int begin = 0, end = 0;  // columns
    std::size_t rows = 0;    // in row_: first its own columns, then those below
    int count = 0;           // rows, in blocks
    std::size_t values = 0;  // its panel: 6 count rows of 6 (end − begin) numbers
    int width() const { return kBlock * (end - begin); }
  };

  void analyse();
  std::vector<std::vector<int>> column_patterns(const std::vector<std::vector<int>>& below,
                                                std::vector<int>& parent) const;
  void make_supernodes(const std::vector<std::vector<int>>& pattern, const std::vector<int>& parent);
  double* entry(int row, int column);
  void subtract_descendant(Supernode& node, const Supernode& from, int first);
  bool factorise_panel(Supernode& node);

  int n_ = 0, analyses_ = 0;
  std::vector<std::pair<int, int>> pairs_;  // a < b, sorted, without repetitions
  std::vector<int> place_, body_;           // position of a body in the order, and back
  std::vector<Supernode> nodes_;
  std::vector<int> row_, node_of_;  // rows of panels; supernode of a column
  std::vector<double> values_;
  // Scratch.
  std::vector<int> position_;  // of a row in the present panel
  std::vector<int> head_, next_, at_;
  std::vector<int> to_row_, to_column_;  // of the blocks of a product in the present panel
  std::vector<double> packed_, x_;
};

}  // namespace rigor
