// Rows as functions of the poses within one (sub-)step: shared by the methods that move bodies until the constraints hold and
// derive velocities from the displacements (Jakobsen 2001; Müller et al. 2020; Giles et al. 2025).
//
//   D        the displacement of a body since the sub-step began: the free motion, and the corrections d of the constraints
//   C(x)     evaluated at every change of the poses;  J D stands for η Ċ in rows that constrain velocities
//   u        = (velocity of the free motion) + d / η at the end of the sub-step
//
// The integrator makes the free motion, so a free body conserves energy and momentum as well as with any other step.
#pragma once

#include <vector>

#include "stepping/step_parts.h"

namespace rigor {

class PoseRows {
 public:
  /// Begins a step of `count` sub-steps: contacts, rows, surfaces. Initial errors are corrected at most at `max_push` m/s
  /// or rad/s, and at most by the fraction `taken` in one sub-step. A step that finds contacts in each of
  /// `parts` parts of h calls this for each of them; the impulses that are carried from step to step are those of a whole step.
  void begin_step(StepContext& c, double h, int count, double max_push, double taken = 1, int parts = 1);
  /// Moves the bodies freely for one sub-step; goals and speeds of impact are those of its start.
  void move_freely(StepContext& c);
  /// Updates C, J, J M⁻¹ of a block at the present poses.
  void refresh(StepContext& c, int b) const;

  /// The residual of a row, m or rad: goal − C, or η·bias − J D for rows that constrain velocities.
  double missing(const Rows& rows, const RowBlock& block, int i) const;
  /// J D of a row.
  double displacement(const Rows& rows, const RowBlock& block, int i) const {
    return row_velocity(rows, i, block, moved_);
  }

  /// Moves a body if it is awake. Returns the distance, m or rad.
  double move(StepContext& c, int place, BodyVelocity change);
  /// d of a body, m and rad.
  const BodyVelocity& correction(int place) const { return corrected_[static_cast<std::size_t>(place)]; }

  /// Computes velocities from the corrections. `rows.lambda` (N s) is then changed for contacts and limits that push:
  /// they separate according to restitution, and the speed from correcting an overlap is removed.
  void set_velocities(StepContext& c);
  /// Adds `rows.lambda` to the impulses of the step.
  void sum_impulses(const Rows& rows);
  /// Passes on the sum and ends the step.
  void end_step(StepContext& c);

  double eta() const { return eta_; }

 private:
  void find_goals(StepContext& c);
  void find_rebounds(StepContext& c);
  double settle_pushes(StepContext& c, const RowBlock& block);
  void settle_all_pushes(StepContext& c);
  void settle_rebounds(StepContext& c);
  void settle_row(StepContext& c, const RowBlock& block, int i, double wanted);
  void limit_friction(StepContext& c, const RowBlock& block);
  void settle_friction(StepContext& c, const RowBlock& block);

  double h_ = 0, eta_ = 0, max_push_ = 0, taken_ = 1;
  double parts_ = 1;
  std::vector<double> goals_;            // by row
  std::vector<double> rebound_;          // m/s by block: speed after an impact
  std::vector<int> rebounding_;          // blocks with an impact in this sub-step
  std::vector<int> pushing_;             // blocks that have pushed an overlap apart in this sub-step
  std::vector<double> closing_;          // m/s by block, at the start of the sub-step
  std::vector<double> sum_;              // N s by row
  std::vector<BodyVelocity> moved_;      // D by body, m and rad
  std::vector<BodyVelocity> corrected_;  // d by body
  std::vector<Vec3> start_position_;     // by slot
  std::vector<Quat> start_orientation_;
};

}  // namespace rigor
