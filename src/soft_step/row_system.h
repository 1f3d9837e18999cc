// The linear system of joints with loops in the rows themselves, as a sparse matrix of blocks.
//
//   K λ = r − J M⁻¹ f,   K = J M⁻¹ Jᵀ + Γ,   x = M⁻¹ (f + Jᵀ λ)
//
// K has a block for every two joints that share a body. K = L D Lᵀ by blocks, joints in an order of least degree (the one with the
// fewest rows left among its neighbours is next; George and Liu 1989), which is found once as long as the graph stays the same.
// Loops cost fill only where they are: mechanisms of many small loops stay nearly linear, where a Schur complement of all loops
// (joint_system.h) grows with the cube of their number.
//
// K is positive semidefinite: a pivot that vanishes belongs to a row that depends on others, all that is left of its column
// vanishes with it, and it gets λ = 0. Stars are dense: trees without loops are better served by tree_system.h.
#pragma once

#include <span>
#include <vector>

#include "multibody/tree_system.h"
#include "soft_step/row_kernels.h"

namespace rigor {

class RowSystem {
 public:
  /// Edges with their rows in the order of J; masses by body, J and γ by row.
  void factorise(int bodies, std::span<const TreeEdge> edges, std::span<const BodyMass> masses,
                 std::span<const Jacobian> J, std::span<const double> gamma);
  /// r by row; f by body. Writes every λ, and x of every body.
  void solve(std::span<const double> r, std::span<const BodyVelocity> f, std::span<double> lambda,
             std::span<BodyVelocity> x);

 private:
  /// A joint in the order of elimination. Its panel: rows of itself, then of the later joints that it couples with, by its columns.
  struct Node {
    int edge = 0, begin = 0, size = 0;  // begin: of its rows in the order of elimination
    std::size_t stride = 0;             // from one row of its panel to the next: `size`, padded
    std::size_t panel = 0;              // in panels_, row-major
    std::size_t height = 0;             // rows of the panel
    std::size_t first_later = 0;        // in later_
    std::size_t later_count = 0;
    std::size_t first_target = 0;  // in targets_: where the update of each pair of later joints goes
  };
  struct Later {
    int node = 0;
    std::size_t row = 0;  // of the panel
  };

  void analyse();
  std::vector<int> order_by_degree(std::vector<std::vector<int>>& neighbours) const;
  void place_targets();
  std::size_t row_of(const Node& column, int node) const;
  void fill();
  void place_products();
  void add_product(int edge_a, int edge_b, int body);
  void factorise_node(const Node& node);
  void solve_below(const Node& node);
  void update_later(const Node& node);
  template <class Visit> void for_rows(const Visit& visit) const;
  template <class Visit> void for_later(const Node& node, const Visit& visit) const;
  void substitute_forward();
  void substitute_backward();

  int bodies_ = 0;
  std::vector<TreeEdge> edges_;
  std::vector<std::vector<int>> joints_of_;  // by body: edges
  std::vector<Node> nodes_;
  std::vector<int> node_of_;  // by edge
  std::vector<Later> later_;
  std::vector<std::size_t> targets_;  // in panels_
  /// What one body contributes to the block of two joints: rows of J, at the column `at`, times (J M⁻¹)ᵀ.
  struct Product {
    std::size_t row = 0, rows = 0, at = 0;
    std::size_t transposed = 0;  // in transposed_
    std::size_t target = 0;      // in panels_
    std::size_t stride = 0;
  };
  std::vector<Product> products_;
  std::vector<std::size_t> first_transposed_;  // by edge: its (J M⁻¹)ᵀ of both bodies, six rows each
  std::vector<double> transposed_;
  std::vector<double> panels_, inverse_D_, own_;  // own: K_ii before elimination
  std::vector<Jacobian> J_, JW_;                  // by row as given
  std::vector<double> gamma_;
  std::vector<BodyInverseMass> inverse_;
  std::vector<double> y_;                      // by row in the order of elimination
  std::vector<double> below_, scale_, upper_;  // scratch: (L D)ᵀ of the later joints, 1 / D and Lᵀ of a node
  RowKernels kernels_ = row_kernels();
};

}  // namespace rigor
