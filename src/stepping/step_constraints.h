// The constraints of the present step as rows. Solvers get these rows and no access to the world.
//
// begin() collects joints and contacts, write() and write_joints() make rows of them, rewrite() evaluates the same rows at changed
// poses, store() gives their multipliers back to contacts and joints. Memory is reused from step to step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "constraints/write_rows.h"
#include "rigor/state.h"
#include "solvers/solver.h"
#include "state/rows.h"
#include "state/step_impulses.h"

namespace rigor {

/// A cache of joint rows from the end of a step: rows of rigidly locked axes depend on poses only, so that the next step can
/// reuse them while the bodies have not moved.
class RowCache {
 public:
  /// Stores the state at which the rows were written; all of them belong to joints. Caches nothing if rows depend on more than poses.
  void keep(const ConstraintList& list, const BodyState& state);
  void forget() { list_ = 0; }
  /// True if the same rows would be written, and the bodies' masses are unchanged.
  bool hold(const ConstraintList& list, const BodyState& state) const;
  /// True if the joints of the list can only have rows of rigidly locked axes; checks them once.
  bool follow_from_poses(const ConstraintList& list);

 private:
  std::uint64_t list_ = 0;  // version; 0: none
  std::uint64_t seen_ = 0;  // version that locked_only_ belongs to
  bool locked_only_ = false;
  std::vector<Vec3> position_, inverse_inertia_;
  std::vector<Quat> orientation_;
  std::vector<double> inverse_mass_;
};

struct StepConstraints {
  ConstraintList list;   // written by begin()
  RowSettings settings;  // written by begin()
  StepBodies bodies;     // velocities and masses at the time of the rows; velocities also by prediction and solvers
  Rows rows;             // written by write(), write_joints(), rewrite(); multipliers by solvers
  // Indices of blocks, written with the rows.
  std::vector<int> colliding, contacts, joints, all;

  /// Collects the joints and contacts of awake bodies.
  void begin(World& world, ContactList& found, const RowSettings& row_settings, const ThreadPool& threads);
  /// Removes all joints, contacts and rows.
  void clear();
  /// Writes all rows at the present state. External forces have to be in the arrays.
  void write(const BodyState& state);
  /// Writes rows of the joints only; `which` by joint has to stay valid until store().
  void write_joints(const BodyState& state, std::span<const JointRows> which);
  /// Evaluates all rows again at changed poses and velocities; multipliers and bounds stay.
  void rewrite(const BodyState& state);
  /// Sorts the blocks into those of collisions, contacts and joints.
  void classify();

  /// Call this at the end of a step whose rows are those of the bodies' last poses: the next reuse() may find them valid.
  void keep(const BodyState& state);
  /// True if the rows are those of the last step, with JW, diagonals and masses; multipliers are filled in. Otherwise write()
  /// has to follow.
  bool reuse(const BodyState& state);
  /// True if the rows were reused and have not been written since.
  bool were_reused() const { return were_reused_; }
  /// True if the only rows are those of joints' locked axes, and no others can appear.
  bool has_plain_joints_only() { return contacts.empty() && cache_.follow_from_poses(list); }

  /// True if a contact separates fast enough to leave its overlap within a few steps.
  bool parts(const RowBlock& block) const;
  /// Excludes contacts that rebound or separate from the correction of position errors.
  void leave_parting_contacts();
  /// Scales warm-start impulses so that warm starting and error correction by the part `erp` per step are stable together.
  void fade_joint_impulses(const Baumgarte& correction);
  /// True if velocities remove a part of the error of some joint.
  bool joints_are_corrected(const Baumgarte& correction) const;

  /// Adds the blocks' impulses to those of the step: those of contacts for events, all of them where they are recorded.
  void add_impulses(std::span<const int> blocks, const BodyState& state, StepImpulses& impulses) const;
  void record_impulses(std::span<const int> blocks, StepImpulses& impulses) const;
  /// Adds the impulses of contacts that were solved without these rows: sums of normal multipliers by block, N s.
  void add_normal_impulses(std::span<const double> by_block, const BodyState& state, StepImpulses& impulses) const;
  /// Stores multipliers of `time` seconds in contacts and joints, for warm starting and reaction forces.
  void store(double time) { store_multipliers(rows, list, time, which_, were_reused_); }

 private:
  RowCache cache_;
  bool were_reused_ = false;
  std::span<const JointRows> which_;
};

}  // namespace rigor
