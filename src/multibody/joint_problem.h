// What the impulses of all joints have to do at one moment, for any way of finding them: find Δλ with
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
  /// Soft rows that the step resolves: each correction gives half of their impulse; `target` is then their error at the start.
  std::vector<char> halves;

  void resize(std::size_t rows) {
    r.assign(rows, 0), gamma.assign(rows, 0), lo.assign(rows, 0), hi.assign(rows, 0), lambda.assign(rows, 0);
    target.assign(rows, 0), halves.assign(rows, 0);
  }
  std::size_t size() const { return r.size(); }
  /// Takes no part in this problem.
  bool is_out(std::size_t i) const { return lo[i] == 0 && hi[i] == 0; }
  bool is_bounded(std::size_t i) const { return std::isfinite(lo[i]) || std::isfinite(hi[i]); }
  /// By how much a bounded row fails, as a velocity; K its diagonal. What r is for rows without bounds.
  double unmet(std::size_t i, double K) const {
    if (!is_bounded(i)) return r[i];
    if (!(K > 0)) return 0;
    return K * (std::clamp(lambda[i] + r[i] / K, lo[i], hi[i]) - lambda[i]);
  }
};

/// u += M⁻¹ Jᵀ λ of rows in blocks, λ and J by row, u by place. Sums up by body first: JW is not needed. `sums` is scratch.
void apply_impulses(std::span<const RowBlock> blocks, std::span<const Jacobian> J, std::span<const double> lambda,
                    const BodyState& state, std::vector<BodyVelocity>& u, std::vector<BodyVelocity>& sums);

/// What a caller knows about rows, poses and masses since the last prepare().
enum class RowsAre : std::uint8_t {
  unknown,
  same,
  changed,  // and none of them has bounds or is soft
};

/// A way to find impulses. Two of them: joint after joint, and all at once.
class JointImpulses {
 public:
  virtual ~JointImpulses() = default;
  /// Takes over Jacobians, J M⁻¹ and diagonals of the first `blocks` blocks as they are now, and which rows take part.
  virtual void prepare(const Rows& rows, int blocks, const StepBodies& bodies, const BodyState& state,
                       const JointProblem& problem, RowsAre rows_are) = 0;
  /// One round: changes λ, and adds Δu to `u`, by place. r is as of before the round.
  virtual void improve(JointProblem& problem, std::vector<BodyVelocity>& u) = 0;
  /// Whether a round solves the whole problem, as far as it is linear.
  virtual bool at_once() const = 0;
  /// Marks the rows that the last round found to depend on others: their r follows from that of the others, and
  /// impulses cannot change what remains of it. Marks none if the method does not know them.
  virtual void mark_dependent(std::vector<char>& rows) const { std::fill(rows.begin(), rows.end(), char{0}); }
  /// x = M⁻¹ (f + Jᵀ λ) with J x = 0: what forces do to bodies whose joints hold, by slot of the awake ones. False: not known without a
  /// system of all of them, or with rows that have bounds.
  virtual bool respond(std::span<const BodyVelocity> /*f*/, std::span<BodyVelocity> /*x*/) { return false; }
};

/// Impulses joint by joint, each seeing those before it: the iterative method (Bender, Finkenzeller, Schmitt 2005). A round visits every
/// joint once, or with `accelerated` many times by conjugate gradients.
std::unique_ptr<JointImpulses> impulses_one_by_one(bool accelerated);
/// All at once by the linear system (Bender and Schmitt 2006, 4.5), bounds by an active set.
std::unique_ptr<JointImpulses> impulses_at_once(LoopMethod loops);

}  // namespace rigor
