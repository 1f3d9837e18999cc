// Contacts that are too deep, moved apart by displacements of their own ("split impulses").
//
// Baumgarte's correction as a velocity leaves an impulse that no weight asks for. Warm starting carries it into the next step,
// where the depth is still there and adds another one: the multipliers integrate the depth, and stacks gain energy until they
// fall. So the rows of contacts ask for no correction of the velocities u; a second problem with rows of the same J asks for
//
//   J u_c ≥ erp · (depth beyond the slop) / h,   or, where there is room, J u_c ≥ −(room) / h,      λ_c ≥ 0
//
// without friction, from u_c = 0, by the same solver. u_c moves the bodies for this one step and is forgotten, as is λ_c: the
// multipliers that are kept belong to forces, and no kinetic energy comes from a correction. Joints take part as equations
// J u_c = 0, so that pushing at one body does not tear it off another.
#pragma once

#include <vector>

#include "solvers/solver.h"

namespace rigor {

/// Keeps its memory from step to step.
class ContactDisplacement {
 public:
  /// The second problem, `joints` included; false when no contact is deeper than the slop.
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
