// The joints that no joint tree takes (tree_joints.h), island by island: sliders, loops, springs, motors, gears …
//
// An island is a set of bodies that joints connect. What is decided about one — which rows hold, what is done where no solution
// is found — follows from that island alone. joint_island.h has the equations. Large nets, islands with very many joints and loops, are
// left to soft_joints.h.
#pragma once

#include <vector>

#include "constraints/write_rows.h"
#include "soft_step/joint_island.h"
#include "stepping/stepping.h"

namespace rigor {

/// What would help joints that are open or not solved. `is_driven`: an unbounded motor is among them.
const char* advice_on(bool is_driven);

class JointIslands {
 public:
  /// Once a step: takes the joints of the list that remain in `left` (by joint; empty: all). Takes none if `wanted` is false.
  void choose(StepContext& c, std::span<const JointRows> left, bool wanted);
  /// By joint of the list: the rows that remain for other solvers. Valid until the next choose().
  std::span<const JointRows> rows_left() const { return left_; }
  bool empty() const { return islands_.empty(); }

  /// Once a step, after choose(): rows of the present poses.
  void begin(StepContext& c, double eta, int count, double max_push);
  /// Once a sub-step, before forces change the velocities.
  void start(StepContext& c);
  /// After that: the solves that follow correct errors.
  void start_correction(StepContext& c);
  /// Changes the velocities by the joints' impulses. `again`: only in islands that contacts push.
  void solve(StepContext& c, bool again);
  /// After the last solve before bodies move.
  /// `is_limited`, by slot or empty: islands with such a body are left as they are, since their velocities are no longer those that joints and contacts have found.
  void close(StepContext& c, std::span<const std::uint8_t> is_limited);
  /// After bodies have moved: corrects the poses of bodies that moved in parts.
  void arrive(StepContext& c);
  /// Afterwards: writes rows of the new poses. The following solves do not correct errors.
  void refresh(StepContext& c);
  /// After the last solve of a sub-step: visit(slot of one of its bodies, JointIsland::Drive) for every island.
  template <class Visit> void for_drives(const std::vector<BodyVelocity>& u, const Visit& visit) const {
    for (const JointIsland& island : islands_) visit(island.slots().front(), island.drive(u));
  }
  std::span<const JointIsland> islands() const { return islands_; }
  /// After the last solve of a sub-step.
  void limit_energy(StepContext& c);
  /// After the sub-steps, when others have moved bodies: joints that this has opened are closed.
  void follow(StepContext& c);
  /// After the sub-steps: stores impulses and reactions in the joints. `time` is that of the whole step.
  void store(StepContext& c, double time) const;

 private:
  void find(StepContext& c, std::span<const JointRows> left);
  void find_contacts(const ConstraintList& list, std::size_t bodies);
  IslandStep step(StepContext& c) const;
  template <class Visit> void for_islands(StepContext& c, const Visit& visit);

  std::uint64_t version_ = 0;     // of the list
  std::vector<JointRows> given_;  // `left` of the last choose()
  std::vector<JointIsland> islands_;
  std::vector<JointRows> left_;
  std::vector<int> island_of_;  // by slot, -1: none
  double eta_ = 0, max_push_ = 0;
  int count_ = 1;
};

}  // namespace rigor
