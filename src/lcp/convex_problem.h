// A step with compliant contact as the minimum of a convex function of the velocities, without side conditions (Castro, Permenter, Han 2022,
// arXiv 2110.10107, eq. 15; Castro, Han, Masterjohn 2023, arXiv 2312.03908). Nothing here knows a world.
//
//   ℓ(v) = ½ (v − v*)ᵀ M (v − v*) + Σ ℓ_c(v_c),   v_c = J v
//   y = R⁻¹ (v̂ − v_c),   γ = P(y),   ∂ℓ_c/∂v_c = −γ,   G = −∂γ/∂v_c ≥ 0
//
// v* are the velocities without constraints, v̂ the target velocities of the rows, R > 0 their regularisation in 1/kg. P is the projection in the norm of R, so that
// γ are the impulses of Newton's law M (v − v*) = Jᵀ γ at the minimum. Rows with limits: γ = clamp(y, lo, hi). A contact has a normal n and up to three
// groups g of rows (slip, rolling, spinning) with ‖γ_g‖ ≤ μ_g γ_n. Its projection is piecewise linear in y_n and ‖y_g‖: with the set A of groups that slip,
//
//   γ_n = (R_n y_n + Σ_A R_g μ_g ‖y_g‖) / (R_n + Σ_A R_g μ_g²),   γ_g = μ_g γ_n y_g / ‖y_g‖ in A, y_g otherwise
//
// For one group these are the three cases of the paper: stick, slip, open. The minimum is unique, because M is positive definite. It obeys
// K* ∋ v_c + R γ − v̂ ⊥ γ ∈ K: Coulomb's law but for the term μ ‖v_t‖ of de Saxcé, without which what slides at v_t hovers. `shift` brings the term back: a
// contact's v̂_n is lowered by it. `slack` is the speed that
// contact may open with beyond its target: an overlap that slides may be left faster than its target asks for, since hovering only means something at the surface. Whatever the value of the shift, it only lessens the energy, γ_n v_n + γ_t·v_t = −γ_n shift for what slips.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "lcp/cone_problem.h"
#include "rigor/extend/jacobian.h"
#include "rigor/math.h"

namespace rigor {

struct ConvexBlock {
  int a = -1, b = -1;       // bodies; -1: one that does not move
  int begin = 0, size = 0;  // rows
  bool contact = false;     // false: rows with limits
  int groups = 0;
  std::array<FrictionGroup, 3> group{};
  // Contacts only, m/s.
  double shift = 0;
  double slack = 0;  // how much faster than its target the contact may open
};

struct ConvexMass {
  double linear = 0;  // kg
  Mat3 angular;       // kg m², world frame
};

struct ConvexProblem {
  std::vector<ConvexMass> mass;  // by body
  std::vector<double> v_free;    // v*, six numbers for each body: velocity, angular velocity
  std::vector<ConvexBlock> blocks;
  // By row.
  std::vector<Jacobian> J;                // six numbers of a, six of b
  std::vector<double> target, R, lo, hi;  // v̂ in m/s, R in 1/kg, limits in N s (not read for contacts)
  std::vector<double> inverse_mass;       // 1/kg, the diagonal of J M⁻¹ Jᵀ: what R is smoothed by

  int bodies() const { return static_cast<int>(mass.size()); }
  int rows() const { return static_cast<int>(J.size()); }
  void clear();
};

/// The largest number of rows of a block with friction: normal, two of slip, two of rolling, one of spinning.
inline constexpr int kContactRows = 6;

/// ℓ_c of one block at its velocities v_c; writes γ. `G`, where not null, receives −∂γ/∂v_c: size × size numbers of a contact, the diagonal of other blocks.
double convex_block(const ConvexProblem& problem, const ConvexBlock& block, const double* v_c, double* gamma,
                    double* G);
/// De Saxcé's term of a contact: Σ μ_g ‖v_g − v̂_g + R_g γ_g‖, zero for what sticks, less the slack, within which the convex law alone acts.
double slip_term(const ConvexProblem& problem, const ConvexBlock& block, const double* v_c, const double* gamma);
/// v_c of every row.
void row_velocities(const ConvexProblem& problem, std::span<const double> v, std::span<double> v_c);
/// p ← p + Jᵀ γ.
void add_impulses(const ConvexProblem& problem, std::span<const double> gamma, std::span<double> p);
/// p = M v of one body: six numbers.
void multiply_mass(const ConvexMass& mass, const double* v, double* p);

}  // namespace rigor
