// Rows of joints that the end of a step has left as the next one needs them: those of rigidly locked axes follow from the poses
// alone, and nothing has to be written again while the bodies stay where they are.
#pragma once

#include <cstdint>
#include <vector>

#include "constraints/constraint_list.h"
#include "rigor/state.h"

namespace rigor {

class KeptRows {
 public:
  /// The rows were written at this state, all of them of joints; forgotten where they depend on more than poses.
  void keep(const ConstraintList& list, const BodyState& state);
  void forget() { list_ = 0; }
  /// Whether the same rows would be written, and the bodies' masses are the same, too.
  bool hold(const ConstraintList& list, const BodyState& state) const;
  /// Whether all that joints of the list can ever have are rigidly locked axes; looks at them once.
  bool follow_from_poses(const ConstraintList& list);

 private:
  std::uint64_t list_ = 0;  // version; 0: none
  std::uint64_t seen_ = 0;  // version that locked_only_ is about
  bool locked_only_ = false;
  std::vector<Vec3> position_, inverse_inertia_;
  std::vector<Quat> orientation_;
  std::vector<double> inverse_mass_;
};

}  // namespace rigor
