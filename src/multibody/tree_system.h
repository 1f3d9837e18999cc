// The system of linear equations of all joints of a forest, factorised along it in linear time without fill-in.
//
//   [ M  −Jᵀ ] [ x ]   [ f ]        x   change of velocity (or acceleration) of the bodies
//   [ J   Γ  ] [ λ ] = [ r ]        λ   impulses (or forces) of the joints,  Γ = diag(γ) ≥ 0
//
// which for f = 0 is Bender and Schmitt's (14), (J M⁻¹ Jᵀ + Γ) λ = r, with the bodies as additional unknowns (Baraff 1996): joints of
// one body then do not couple with each other, and a star costs no more than a chain. From the leaves to the roots, for a
// body c, its joint j with Jacobians G_c, G_p, and its parent p:
//
//   M̂_c = M_c + terms of its children                       = L D Lᵀ
//   S_j = G_c M̂_c⁻¹ G_cᵀ + Γ = Z D⁻¹ Zᵀ + Γ                  = L_s D_s L_sᵀ,   Z = G_c L⁻ᵀ
//   M̂_p += G_pᵀ S_j⁻¹ G_p    = Vᵀ D_s⁻¹ V,                   V = L_s⁻¹ G_p
//
// Pivots of S that vanish belong to rows that depend on others of the same joint: they get λ = 0. Cost about 0.4 µs per body
// and joint of three rows for a factorisation, 0.15 µs for a solve. It works for all positive masses.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "multibody/joint_forest.h"
#include "rigor/state.h"
#include "state/rows.h"
#include "state/step_bodies.h"

namespace rigor {

struct BodyMass {
  double linear = 0;  // kg
  Mat3 angular;       // kg m², world frame; symmetric

  bool operator==(const BodyMass&) const = default;
};

/// Computes mass and inertia of one body, or of all awake bodies, at the present orientations.
BodyMass body_mass(const BodyState& state, std::uint32_t slot);
void body_masses(const BodyState& state, std::vector<BodyMass>& masses);

class TreeSystem {
 public:
  /// Reuses the graph of the last call if it is the same.
  void set_graph(int bodies, std::span<const TreeEdge> edges);
  /// Edges outside of the forest; their rows are not changed.
  const std::vector<int>& loops() const { return forest_.loops(); }
  const std::vector<TreeEdge>& edges() const { return edges_; }

  /// Masses by body, J and γ by row.
  void factorise(std::span<const BodyMass> masses, std::span<const Jacobian> J, std::span<const double> gamma);
  /// r by row; f by body, or empty for none. Writes λ of the forest's rows and x of bodies with joints; adds to neither.
  void solve(std::span<const double> r, std::span<const BodyVelocity> f, std::span<double> lambda,
             std::span<BodyVelocity> x);

 private:
  using Vec6 = std::array<double, 6>;
  struct Factor {
    std::array<double, 36> L;  // lower triangle of M̂, then of its factor; strictly below the diagonal
    Vec6 inverse_D;
    std::size_t begin;   // of its rows in the pools Z_, V_, inverse_Ds_
    std::size_t square;  // of L_s in the pool Ls_, row-major
    int rows;
    bool is_leaf;  // M̂ is the body's own mass
  };

  void reserve();
  // N rows, 0: any number; First: where M̂ begins to be more than diagonal; kPushed: there is an f.
  template <std::size_t N, std::size_t First>
  void factorise_joint(std::size_t node, std::span<const Jacobian> J, std::span<const double> gamma);
  template <bool kPushed> void solve(std::span<const double> r, std::span<double> lambda, std::span<BodyVelocity> x);
  template <std::size_t N, std::size_t First, bool kPushed> void eliminate(std::size_t node, std::span<const double> r);
  template <std::size_t N, std::size_t First, bool kPushed>
  void substitute(std::size_t node, std::span<double> lambda, std::span<BodyVelocity> x);

  int bodies_ = 0;
  std::vector<TreeEdge> edges_;
  JointForest forest_;
  std::vector<Factor> factors_;              // by node
  std::vector<Vec6> Z_, V_;                  // by row of the forest
  std::vector<double> inverse_Ds_, Ls_, t_;  // t: r after elimination
  std::vector<Vec6> y_;                      // by node: f after elimination
  std::vector<Vec6> x_;                      // by node
};

}  // namespace rigor
