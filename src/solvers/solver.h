// Constraint solvers: all read the same rows (design §3) and differ in what they change.
//
//   force      find multipliers that are forces, from accelerations        (penalty, Lagrange multipliers, Baraff's LCP)
//   velocity   find impulses that give the velocities J u their targets   (sequential and simultaneous impulses)
//   position   move bodies so that the errors C vanish                     (error correction)
//   bias       solves nothing: lets velocity-level solvers correct errors  (Baumgarte)
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "constraints/write_rows.h"
#include "rigor/fields.h"
#include "threads/parallel.h"

namespace rigor {

enum class SolverLevel : std::uint8_t { off, force, velocity, position, bias };

/// Position errors corrected by velocity: target Ċ = −erp C / h, (5.3).
struct Baumgarte {
  double erp = 0;   // -, the part of the error removed in one step
  double slop = 0;  // m or rad, depth of a contact or limit that is left alone
  double max_speed = std::numeric_limits<double>::infinity();  // m/s or rad/s
  double compliance = 0;                                       // m/N, softness of rigid rows (CFM = compliance / h²)
  bool split = false;      // contacts are moved apart by displacements of their own instead; see contact_displacement.h
  bool per_joint = false;  // a joint's own error reduction takes the place of `erp`

  /// The correction of one block.
  Baumgarte of(const RowBlock& block) const {
    Baumgarte own = *this;
    if (per_joint && block.erp >= 0) own.erp = block.erp;
    return own;
  }
};

/// What a solver sees. `blocks` are those it has to solve; it writes their multipliers `rows.lambda` in N s.
struct SolverContext {
  Rows& rows;
  std::span<const int> blocks;
  StepBodies& bodies;  // velocity level: u is predicted without the constraints, solvers add their impulses to it
  BodyState& state;    // force level: forces and torques from outside; position level: poses are changed
  const ConstraintList& list;  // for rewrite_block() at a changed state
  RowSettings settings;
  Baumgarte correction;
  std::uint64_t step;  // number of the step, for orders that are random and reproducible
  const ThreadPool& threads;
  bool gyroscopic = true;  // whether ω̇ has the term −I⁻¹ (ω × Iω); force level
  bool begins = true;      // the first evaluation of the step; force level

  double h() const { return settings.h; }
};

/// What a solver says about its work.
struct SolverReport {
  int iterations = 0;
  double residual = 0;  // of the solver's own problem; see velocity_residual() for one that compares all
  bool converged = true;
  const char* trouble = "";  // a sentence when there is something to say; empty otherwise
  bool no_solution = false;  // force level: there are no valid forces, the step has to continue with impulses
  bool cut_short = false;    // by the limit on the work of a solve
  /// Velocity level: the multipliers acted on changed inertias, so that forces have to be read from the velocities.
  bool changes_inertia = false;
  /// The solver failed and projected Gauss–Seidel went on (lcp/guarded.h); then also where the result is worst.
  bool fell_back = false;
  int worst_row = -1;
  double worst_error = 0;  // m/s or rad/s; position level: m or rad
};

class Solver : public Configurable {
 public:
  virtual SolverLevel level() const = 0;
  virtual SolverReport solve(SolverContext& context) = 0;
  /// Force level only: whether forces alone stop what approaches. Otherwise impulses of the collision slot come before.
  virtual bool stops_impacts() const { return true; }
  /// Level `bias` only: what velocity-level solvers shall correct.
  virtual Baumgarte correction() const { return {}; }
  /// Collision slot: whether an impact may make contacts collide that rest. The solver is then given all contacts.
  virtual bool spreads_impacts() const { return false; }
};

}  // namespace rigor
