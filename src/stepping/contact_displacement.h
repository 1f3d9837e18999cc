// Moves penetrating contacts apart by separate displacements ("split impulses").
//
// Baumgarte's correction by velocities leaves an impulse that no load requires. Warm starting carries it into the next step,
// which adds another one for the remaining depth: the multipliers integrate the depth, and stacks gain energy until they
// fall. So the rows of contacts have no correction in the velocities u; a second problem with rows of the same J requires
//
//   J u_c ≥ erp · (depth beyond the slop) / h,   or, at a gap, J u_c ≥ −gap / h,      λ_c ≥ 0
//
// without friction, from u_c = 0, by the same solver. u_c moves the bodies in this step only and is dropped, as is λ_c: the
// cached multipliers belong to forces, and a correction adds no kinetic energy. Joints take part as equations
// J u_c = 0, so that pushing one body does not tear it off another.
#pragma once

#include <vector>

#include "solvers/solver.h"

namespace rigor {

/// Memory is reused from step to step.
class ContactDisplacement {
 public:
  /// Solves the second problem, with `joints`; false if no contact is deeper than the slop.
  bool collect(const Rows& rows, const std::vector<BodyVelocity>& u, const Baumgarte& correction,
               const RowSettings& settings, bool joints);

  Rows& rows() { return rows_; }
  const std::vector<int>& blocks() const { return blocks_; }

  /// Moves the awake bodies with the velocities u_c for h seconds.
  static void move(const std::vector<BodyVelocity>& u_c, double h, BodyState& state);

 private:
  void append_joint(const Rows& rows, const RowBlock& block);
  void append_contact(const Rows& rows, const RowBlock& block, double room, double speed);
  void append(const Rows& rows, int row, double C, double bias);

  Rows rows_;
  std::vector<int> blocks_;  // all of them
};

}  // namespace rigor
