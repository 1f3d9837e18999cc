// The rows of a step as convex problems (lcp/convex_problem.h), one for each island: the groups of bodies that constraints connect. What a row's target velocity v̂ and
// regularisation R are is the method's own; everything else is shared by the methods that minimise that problem.
//
// A contact is one block: normal, slip, and rolling and spinning where it has them. Anisotropic friction becomes a disk by λ_i = f_i γ_i, f_i = μ_i / max μ. The first guess has the impulses of the last step and the
// velocity at its end, or that without constraints where ℓ is smaller there. Multipliers go back to the rows, velocities are those that the multipliers
// cause: action equals reaction to rounding.
#pragma once

#include <functional>

#include "lcp/convex_newton.h"
#include "solvers/geometric_stiffness.h"
#include "solvers/row_islands.h"

namespace rigor {

/// The softness of a row.
struct ConvexTarget {
  double velocity;        // v̂, m/s or rad/s
  double R;               // 1/kg or 1/(kg m²)
  double correction = 0;  // the part of v̂ whose work is limited: it takes back an error of position, or is a rebound
  double slack = 0;       // of a normal row: how much faster than v̂ a sliding contact may open
};

/// The mean of the diagonal of J M⁻¹ Jᵀ over the rows of the same kind in a block, which R is relative to: 1/kg.
double inverse_mass_of(const Rows& rows, const RowBlock& block, int row);

class ConvexRows {
 public:
  using Law = std::function<ConvexTarget(const RowBlock& block, int row)>;

  /// Solves all blocks of the context with the softness that `law` gives each row.
  SolverReport solve(SolverContext& context, const Law& law, const ConvexSettings& settings);
  /// What the last solve() found: the sum of Newton iterations of the worst island.
  const BlockCholesky& factors() const { return newton_.factors(); }

 private:
  void assemble(SolverContext& context, std::span<const int> blocks, const Law& law);
  void add_stiffness(SolverContext& context);
  Vec3 gyroscopic_part(const SolverContext& context, std::size_t slot) const;
  int local_body(const SolverContext& context, int place);
  void append_velocities(const SolverContext& context, std::size_t slot);
  void add_half_turn(const Jacobian& J, const ConvexBlock& block, ConvexTarget& target) const;
  void note_mover(const SolverContext& context, int place);
  void append(SolverContext& context, int block, const Law& law);
  BodyVelocity path_velocity(const SolverContext& context, int place, int local) const;
  void find_path_errors(SolverContext& context, int block, const ConvexBlock& convex);
  void guess(const SolverContext& context, std::span<const int> blocks);
  double harmless_part() const;
  bool has_corrections() const;
  double energy_beyond_forces(std::span<const double> v, std::span<const double> gamma) const;
  double allowed_energy(const SolverContext& context, std::span<const int> blocks) const;
  void limit_energy(const SolverContext& context, std::span<const int> blocks, const ConvexSettings& settings,
                    ConvexResult& result);
  double driven_speed(const SolverContext& context, std::size_t body) const;
  double driven_energy(const SolverContext& context, std::span<const int> blocks) const;
  bool is_driven() const;
  void find_own_targets();
  void shorten_impulses(double allowed);
  bool is_held() const;
  Vec3 center_of_mass(const SolverContext& context) const;
  std::vector<double> rigid_motion(const SolverContext& context, const Vec3& P, const Vec3& L) const;
  struct InternalDamping {
    double taken;                // part of the motion
    std::vector<double> motion;  // six numbers for each body
  };
  InternalDamping internal_damping(const SolverContext& context, std::span<const double> velocities,
                                   double allowed) const;
  bool damp_internal_motion(const SolverContext& context, double allowed);
  void add_velocities(SolverContext& context, std::span<const double> change) const;
  void give_back_turn(SolverContext& context, std::span<const int> blocks);
  void add(const ConvexResult& result, const SolverContext& context, std::span<const int> blocks,
           SolverReport& report) const;

  ConvexProblem problem_;
  ConvexNewton newton_;
  GeometricStiffness stiffness_;
  std::vector<int> local_, place_;             // body of the problem by place, and back
  std::vector<double> factor_;                 // f by row of the problem
  std::vector<double> own_target_;             // v̂', by row
  std::vector<double> correction_;             // by row: the part of v̂ whose work is limited
  std::vector<double> start_;                  // u, velocities at the start of the step, six numbers for each body
  std::vector<double> forced_;                 // h M⁻¹ F, the same
  std::vector<Vec3> gyroscopic_;               // g, the gyroscopic change of angular velocities, by body
  std::vector<BodyInverseMass> inverse_mass_;  // by place, without geometric stiffness
  std::vector<Vec3> taken_turn_;    // kg m²/s, by place: angular momentum that geometric stiffness takes from v*
  std::vector<ConvexMass> mass_;    // by body of the problem, the same
  std::vector<double> path_error_;  // by row of the present joint
  std::vector<double> v_, gamma_;
  std::vector<double> damping_;  // change of velocities that takes a small excess of energy, six numbers for each body
  std::vector<int> movers_;    // places of the moving bodies of infinite mass that touch or hold a body of the problem
  std::vector<double> moved_;  // m/s, by row of the problem: velocity that bodies of infinite mass give it
  double running_speed_ = 0;   // m/s, of the fastest running surface
};

}  // namespace rigor
