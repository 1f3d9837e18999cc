// A custom constraint solver: it finds impulses for the rows of joints and contacts, at velocity level.
//
//   J u + γ λ = w       where lo < λ < hi; at a bound, J u + γ λ may lie on the far side of w
//   u = u₀ + M⁻¹ Jᵀ λ   u₀: the velocities without the constraints
//   |λ_t| ≤ μ λ_n       of a friction row t whose normal row is n = friction_of[t]
//
// Softness, restitution, motors and the correction of errors are in w and γ already. A block is one joint or one contact
// point; its rows are contiguous and share two bodies. The friction of a contact point is two rows after its normal row,
// and their bounds are a disc (an ellipse if the two μ differ): √((λ₁/μ₁)² + (λ₂/μ₂)²) ≤ λ_n.
//
// The solver's only result is λ: the step computes the velocities from λ. It measures the residual by the
// definition that all solvers share, and reports a solve that did not converge.
//
// Rules. solve() is called once per step and slot, by one thread per simulation; several simulations may run at once, each
// with an instance of its own. λ has to follow from the problem and the parameters alone, in the same bits each time: no
// random numbers (take the step's number as a seed), no clock, no memory of the last step but the λ that the problem brings.
// If solve() throws, or leaves a λ that is not finite, Simulation::step() throws an Error that names the solver.
// Capabilities say what it can do: "collision", "contact", "joint"; "warm-start" if it reads λ; "soft" if it reads γ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "rigor/extend/jacobian.h"
#include "rigor/fields.h"
#include "rigor/registry.h"

namespace rigor::extend {

/// One joint, or one contact point with its friction.
struct ImpulseBlock {
  int a = 0, b = 0;        // indices into `velocity`; bodies that do not move share one index
  int begin = 0, end = 0;  // its rows
  bool is_contact = false;
  bool collides = false;  // a contact that closes faster than the restitution threshold
  int island = 0;         // blocks of different islands share no body that can move
};

struct Velocity {
  Vec3 v, w;  // m/s of the center of mass, rad/s in the world frame
};

struct ImpulseProblem {
  double h = 0;            // s
  std::uint64_t step = 0;  // number of the step
  int islands = 0;

  std::span<const ImpulseBlock> blocks;

  // One entry per row.
  std::span<const Jacobian> J;
  std::span<const Jacobian> JW;      // J M⁻¹: an impulse λ changes u by λ JW
  std::span<const double> diagonal;  // J M⁻¹ Jᵀ + γ; 0 if neither body can move
  std::span<const double> target;    // w, m/s or rad/s
  std::span<const double> softness;  // γ, 1/kg or 1/(kg m²)
  std::span<const double> lo, hi;    // N s; of a friction row: not read
  std::span<const int> friction_of;  // normal row, or -1
  std::span<const double> mu;
  std::span<const RowKind> kind;

  // One entry per body.
  std::span<Velocity> velocity;  // u₀ at first; the solver may update it while it works

  // One entry per row: the impulses of the last step at first, the solution afterwards.
  std::span<double> lambda;

  std::size_t rows() const { return J.size(); }
};

/// J u of a row.
inline double row_speed(const Jacobian& J, const Velocity& a, const Velocity& b) {
  return dot(part(J, 0), a.v) + dot(part(J, 3), a.w) + dot(part(J, 6), b.v) + dot(part(J, 9), b.w);
}
/// u += M⁻¹ Jᵀ impulse.
inline void apply_impulse(const Jacobian& JW, double impulse, Velocity& a, Velocity& b) {
  a.v += impulse * part(JW, 0), a.w += impulse * part(JW, 3);
  b.v += impulse * part(JW, 6), b.w += impulse * part(JW, 9);
}

/// Memory that is reused from step to step. Every array is returned filled with zeros, so nothing is carried over.
class Scratch {
 public:
  template <class T> std::span<T> take(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= alignof(double));
    const std::size_t doubles = (count * sizeof(T) + sizeof(double) - 1) / sizeof(double);
    if (used_ == pieces_.size()) pieces_.emplace_back();
    std::vector<double>& piece = pieces_[used_++];
    piece.assign(doubles, 0.0);
    T* first = reinterpret_cast<T*>(piece.data());
    std::uninitialized_value_construct_n(first, count);
    return {first, count};
  }
  /// Reclaims all memory; spans from earlier calls become invalid.
  void reset() { used_ = 0; }

 private:
  std::vector<std::vector<double>> pieces_;
  std::size_t used_ = 0;
};

struct SolveResult {
  int iterations = 0;
  bool converged = true;  // by the solver's own tolerance
};

class Solver : public Configurable {
 public:
  static constexpr Kind kKind = Kind::solver;
  virtual SolveResult solve(ImpulseProblem& problem, Scratch& scratch) = 0;
};

}  // namespace rigor::extend
