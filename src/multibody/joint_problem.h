// The problem of all joint impulses at one time, independent of the method that solves it: find Δλ with
//
//   J Δu + γ Δλ = r   where  lo ≤ λ + Δλ ≤ hi,   Δu = M⁻¹ Jᵀ Δλ
//
// The rows are those of the joints' blocks, which come first among all rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "multibody/joint_system.h"
#include "rigor/state.h"
#include "state/rows.h"
#include "state/step_bodies.h"

namespace rigor {

struct JointProblem {
  // By row, m/s or rad/s, 1/kg, N s.
  std::vector<double> r, gamma, lo, hi, lambda;
  /// m or rad: the error that the joint correction aims at; zero unless the joint is far open.
  std::vector<double> target;
  /// Soft rows that the step resolves: each correction applies half of their impulse; `target` is then their error at the start.
  std::vector<char> halves;

  void resize(std::size_t rows) {
    r.assign(rows, 0), gamma.assign(rows, 0), lo.assign(rows, 0), hi.assign(rows, 0), lambda.assign(rows, 0);
    target.assign(rows, 0), halves.assign(rows, 0);
  }
  std::size_t size() const { return r.size(); }
  /// Excludes a row from this problem.
  bool is_out(std::size_t i) const { return lo[i] == 0 && hi[i] == 0; }
  bool is_bounded(std::size_t i) const { return std::isfinite(lo[i]) || std::isfinite(hi[i]); }
  /// The residual of a bounded row as a velocity, as r is for rows without bounds; K is its diagonal.
  double unmet(std::size_t i, double K) const {
    if (!is_bounded(i)) return r[i];
    if (!(K > 0)) return 0;
    return K * (std::clamp(lambda[i] + r[i] / K, lo[i], hi[i]) - lambda[i]);
  }
};

/// u += M⁻¹ Jᵀ λ for rows in blocks, λ and J by row, u by body. Sums by body first, so that JW is not needed. `sums` is scratch.
void apply_impulses(std::span<const RowBlock> blocks, std::span<const Jacobian> J, std::span<const double> lambda,
                    const BodyState& state, std::vector<BodyVelocity>& u, std::vector<BodyVelocity>& sums);

/// What a caller knows about rows, poses and masses since the last prepare().
enum class RowsAre : std::uint8_t {
  unknown,
  same,
  changed,  // and none of them has bounds or is soft
};

/// A method that finds impulses. There are two: joint after joint, and all at once.
class JointImpulses {
 public:
  virtual ~JointImpulses() = default;
  /// Reads Jacobians, J M⁻¹ and diagonals of the first `blocks` blocks, and which rows take part.
  virtual void prepare(const Rows& rows, int blocks, const StepBodies& bodies, const BodyState& state,
                       const JointProblem& problem, RowsAre rows_are) = 0;
  /// One iteration: changes λ and adds Δu to `u`, by body. r is that before the iteration.
  virtual void improve(JointProblem& problem, std::vector<BodyVelocity>& u) = 0;
  /// True if one iteration solves the whole linear problem.
  virtual bool at_once() const = 0;
  /// Marks the rows that the last iteration found to depend on others: their r follows from that of the others, and
  /// impulses cannot change the rest of it. Marks none if the method does not find them.
  virtual void mark_dependent(std::vector<char>& rows) const { std::fill(rows.begin(), rows.end(), char{0}); }
  /// x = M⁻¹ (f + Jᵀ λ) with J x = 0: the accelerations by forces f under the joints, by slot of awake bodies. Returns false without a
  /// system of all joints, or if rows have bounds.
  virtual bool respond(std::span<const BodyVelocity> /*f*/, std::span<BodyVelocity> /*x*/) { return false; }
};

/// Impulses joint by joint, each with the results of those before it: the iterative method (Bender, Finkenzeller, Schmitt 2005). An iteration visits every
/// joint once, or with `accelerated` many times by conjugate gradients.
std::unique_ptr<JointImpulses> impulses_one_by_one(bool accelerated);
/// All at once by the linear system (Bender and Schmitt 2006, 4.5), bounds by an active set.
std::unique_ptr<JointImpulses> impulses_at_once(LoopMethod loops);

}  // namespace rigor
