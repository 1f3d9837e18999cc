// Every constraint equation of a step, in blocks. Written by constraints/, read by all solvers.
//
//   Ċ = J u            u = (v_a, ω_a, v_b, ω_b)
//   lo ≤ λ ≤ hi        λ pulls along Jᵀ; where it is inside its bounds Ċ equals its target, at a bound Ċ may exceed it
//
// A block is one joint or one contact point with its friction: its rows are contiguous and share two bodies.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "rigor/extend/jacobian.h"
#include "rigor/math.h"

namespace rigor {

/// One row as a constraint writes it.
struct Row {
  Jacobian J{};
  double C = 0;     // m or rad: position error; the gap of an inequality (negative: violated)
  double bias = 0;  // m/s or rad/s: the target Ċ (restitution, motor, moving surface)
  double lo = -std::numeric_limits<double>::infinity(), hi = std::numeric_limits<double>::infinity();  // N or N m
  double mu = 0;         // with friction_of: the bounds are ∓ mu λ[friction_of]; -, or m for rolling and spinning
  int friction_of = -1;  // offset in the block of the row that scales the bounds, -1: none
  double stiffness = std::numeric_limits<double>::infinity();  // N/m; infinite: rigid, `damping` is then ignored
  double damping = 0;                                          // N s/m
  RowKind kind = RowKind::locked;
  std::uint8_t key = 0;  // unique within the block, the same from step to step
};

struct RowBlock {
  enum class Source : std::uint8_t { joint, contact };
  int a = -1, b = -1;  // indices into the velocities of StepBodies
  int begin = 0, end = 0;
  Source source = Source::joint;
  bool colliding = false;   // a contact that closes faster than the resting threshold
  std::uint32_t index = 0;  // in ConstraintList::joints or ::contacts
  std::uint32_t point = 0;  // of a contact
  double erp = -1;          // of a joint with an error reduction of its own; −1: that of the method
  double acceleration = 0;  // m/s², of a contact: relative acceleration of approach by external forces
  Vec3 arm_b;               // m, of a joint: from b's center of mass to the joint frame at the pose where J was written

  int size() const { return end - begin; }
};

struct Rows {
  std::vector<RowBlock> blocks;

  // One entry per row, written by constraints/.
  std::vector<Jacobian> J;
  std::vector<double> C, bias, lo, hi, mu, stiffness, damping;
  std::vector<int> friction_of;  // row, -1: none
  std::vector<RowKind> kind;
  std::vector<std::uint8_t> key;

  // Written by prepare_rows().
  std::vector<Jacobian> JW;      // J M⁻¹
  std::vector<double> diagonal;  // J M⁻¹ Jᵀ, one number per row

  // Written by solvers; filled from the last step before they begin.
  std::vector<double> lambda;  // N s

  int size() const { return static_cast<int>(J.size()); }
  /// Rows overwrite those of the step before: begin_block(), append(), …, and finish() at the end. Until then the
  /// arrays may be longer than the rows written. No array is cleared first, because all of its numbers are overwritten.
  void restart();
  /// Begins a block; its rows follow by append().
  void begin_block(const RowBlock& block);
  /// Returns the row's index. Its multiplier is zero; prepare_rows() writes JW and diagonal.
  std::size_t append(const Row& row);
  /// Cuts the arrays to the rows that were written.
  void finish();

 private:
  void grow();

  std::size_t written_ = 0;
};

}  // namespace rigor
