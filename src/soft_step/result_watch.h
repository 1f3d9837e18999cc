// Reports what a soft step leaves undone, in a sentence each: joints that are open and limits that are exceeded at its end, motors without a bound
// that do not reach their speed, and bodies that stay deep in each other.
//
// A joint counts as open beyond half the width of its smaller body or half a radian, as for all other methods (stepping/constraint_reports.h), a limit as
// exceeded beyond kExceeded or half that width. Joints that are open in the first step are not reported unless their error grows. Two bodies are deep where a
// point lies deeper than half the thickness of the thinner one: from there on contacts push it out on the other side. That is reported when it has lasted
// for kLasting.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "rigor/world.h"
#include "soft_step/deep_contacts.h"
#include "soft_step/joint_islands.h"
#include "soft_step/soft_joints.h"
#include "stepping/continuous.h"

namespace rigor {

/// What went wrong within a step, for which smaller steps would help.
struct StepFailures {
  bool tree_not_solved = false;      // a joint tree moved as one rigid body
  bool energy_limited = false;       // of some island
  bool contacts_not_solved = false;  // of an island of unlike masses
  bool too_fast = false;             // bodies with contacts turn too fast for the sub-steps
};
/// Reports each of them in a sentence.
void report_failures(const StepFailures& failures, StepContext& c);

class ResultWatch {
 public:
  /// At the end of a step, before all that follows.
  void begin();
  /// Joints at the poses of now. Those of trees are not looked at: they are closed to rounding, or reported.
  void see_joints(StepContext& c, const JointIslands& islands, const SoftJoints& iterative,
                  const ContinuousCollision& widths);
  /// Contacts that may be deep; `thickness` in m by slot of awake bodies.
  void see_deep(const ConstraintList& list, std::span<const DeepContact> deep, std::span<const double> thickness);
  /// After a step of h seconds.
  void report(const World& world, double h, std::vector<std::string>& reports);

 private:
  enum class Fault : std::uint8_t { open, exceeded, motor };
  struct Finding {
    const StepJoint* joint = nullptr;
    Fault fault = Fault::open;
    double error = 0;
    double relative = 0;     // to what is tolerated
    bool turns = false;      // error in rad
    bool is_driven = false;  // the joint's island has a motor without a bound on its force
  };
  void note(const Finding& finding);
  void see_row(const StepJoint& joint, const Row& row, double width);
  void see_gap(const StepJoint& joint, const BodyState& state, double width);
  void see_motor(const StepJoint& joint, double target, double missing);

  std::vector<Finding> found_;  // of this step, with relative > 1
  std::map<std::uint32_t, double>
      said_;  // by index of the joint's id: the relative error that was reported, or was there in the first step
  const StepContact* deepest_ = nullptr;   // of this step
  double depth_ = 0, relative_depth_ = 0;  // m; to what is tolerated
  double deep_for_ = 0, said_depth_ = 0;   // s; relative
  bool has_watched_ = false;
};

}  // namespace rigor
