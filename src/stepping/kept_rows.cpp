#include "stepping/kept_rows.h"

#include <algorithm>
#include <cmath>

#include "constraints/joint_rows.h"
#include "math/same_bits.h"

namespace rigor {

namespace {

bool is_rigid_and_plain(const JointDef& def) {
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  return axes && std::isinf(axes->stiffness) && has_locked_rows_only(*axes);
}

}  // namespace

void KeptRows::keep(const ConstraintList& list, const BodyState& state) {
  list_ = follow_from_poses(list) ? list.version() : 0;
  if (list_ == 0) return;
  position_ = state.position;
  orientation_ = state.orientation;
  inverse_mass_ = state.inverse_mass;
  inverse_inertia_ = state.inverse_inertia;
}

bool KeptRows::hold(const ConstraintList& list, const BodyState& state) const {
  return list_ != 0 && list_ == list.version() && list.contacts.empty() && same_bits(state.position, position_) &&
         same_bits(state.orientation, orientation_) && same_bits(state.inverse_mass, inverse_mass_) &&
         same_bits(state.inverse_inertia, inverse_inertia_);
}

bool KeptRows::follow_from_poses(const ConstraintList& list) {
  if (seen_ == list.version() && seen_ != 0) return locked_only_;
  seen_ = list.version();
  locked_only_ = std::all_of(list.joints.begin(), list.joints.end(),
                             [](const StepJoint& joint) { return is_rigid_and_plain(*joint.def); });
  return locked_only_;
}

}  // namespace rigor
