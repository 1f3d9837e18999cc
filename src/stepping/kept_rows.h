// A cache of joint rows from the end of a step: rows of rigidly locked axes depend on poses
// only, so that the next step can reuse them while the bodies have not moved.
#pragma once

#include <cstdint>
#include <vector>

#include "constraints/constraint_list.h"
#include "rigor/state.h"

namespace rigor {

class KeptRows {
 public:
  /// Stores that the rows, all of joints, were written at this state. Does not cache rows that depend on more than poses.
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

}  // namespace rigor
