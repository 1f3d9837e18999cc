// The motion of the trees in their coordinates by a Runge–Kutta rule: q̈ from the articulated-body algorithm at every stage.
//
// In islands that are marked smooth, soft rows are forces, and equations (loops, cut joints) are satisfied by forces,
//
//   A λ = −(J a + J̇ u)       a without them, A = J H⁻¹ Jᵀ
//
// computed at every stage, so that the order of the rule is preserved. Rows of other islands are skipped.
#pragma once

#include <vector>

#include "articulated/reduced_rows.h"
#include "articulated/tree_momentum.h"
#include "integrators/motion.h"
#include "stepping/stepping.h"

namespace rigor::articulated {

/// Where the bodies of the trees are. Placing them at the same coordinates again is skipped.
struct Placement {
  std::vector<LinkCoordinates> at;
  double elapsed = 0;           // s, since the start of the step
  std::vector<LinkPose> poses;  // by link, at the present poses
};

/// Data that the parts of a step share.
struct System {
  StepContext& c;
  double h;
  const Forest& forest;
  std::vector<Island>& islands;
  const Motion& kinematic_start;  // for place_kinematic()
  std::vector<Mat3> tension;      // by slot, kg m²: h² K of links under great tension; empty if there are none
  Placement& placement;           // changed by place() only

  BodyState& state() const { return c.world.state(); }
  Rows& rows() const { return c.constraints.rows(); }
  const std::vector<StepJoint>& joints() const { return c.constraints.list().joints; }
  const std::vector<LinkPose>& poses() const { return placement.poses; }
  /// Sets the bodies to the given coordinates, `elapsed` seconds after the start.
  void place(std::span<const LinkCoordinates> at, double elapsed) const;
};

/// Adds a part of an island's moment of inertia to each of its links, for Newton's method on its loops.
///
/// The ends of a nearly straight chain are closer than its length by ½ Σ l θ², where θ are the angles of its n links. In the kinetic energy the moments
/// of inertia of the modes of θ differ by n⁴. So the path of least kinetic energy, which Newton's method follows, turns the fastest modes
/// first and misses the solution. A moment of inertia added to each link, which is also the effect of tension (geometric_stiffness.h), makes the modes similar.
void stiffen(const System& system, const Island& island, double part, std::vector<Mat3>& added);

/// Writes J̇ u of the island's rows at the present poses and velocities, by row of the step. `first`: at the start of the step.
void find_row_drift(System& system, const Island& island, bool first, std::vector<double>& jdot_u);

class SmoothMotion {
 public:
  /// The first stage. `at_start` is factorised at the start of the step.
  void begin(System& system, const CoordinateRule& rule, ArticulatedBodies& at_start,
             const std::vector<LinkCoordinates>& start);
  /// The derivatives of the coordinates there.
  const std::vector<LinkCoordinates>& rates_at_start() const { return stages_.front().rate; }
  /// The other stages and the end.
  void finish(System& system, const CoordinateRule& rule, const std::vector<LinkCoordinates>& start);

  // Results of the last finish().
  std::vector<LinkCoordinates> end;
  std::vector<TreeMomentum> balance;  // by tree: momentum of the free ones at the end; the others have no mass
  std::vector<TreeMomentum> balance_begin;
  std::vector<Wrench> bias_at_start;  // by link: gyroscopic force − external forces

 private:
  struct Stage {
    std::vector<LinkCoordinates> rate;
    std::vector<Wrench> total;  // by tree: of free ones, about their centers of mass
  };
  void evaluate(System& s, ArticulatedBodies& bodies, std::span<const LinkCoordinates> at, double elapsed, bool first,
                Stage& stage);
  void collect_forces(System& s, bool first);
  static void rewrite_rows(System& s, const Island& island);
  void push_by_springs(System& s, const Island& island, bool first);
  void close_loops(System& s, ArticulatedBodies& bodies, Island& island, bool first);
  bool are_taut(const System& s, double limit, std::vector<double> wanted);
  void accelerate(System& s, ArticulatedBodies& bodies, int tree);
  void finish_coordinates(System& s, const CoordinateRule& rule, const std::vector<LinkCoordinates>& start);
  void finish_balance(System& s, const CoordinateRule& rule);

  std::vector<Stage> stages_;
  std::vector<LinkCoordinates> at_;
  std::vector<Wrench> applied_, gyroscopic_, p_;
  std::vector<Twist> a_;
  std::vector<double> jdot_u_, lambda_;
  std::vector<RowRef> equations_;
  ArticulatedBodies moving_;
  RowCoupling coupling_;
};

}  // namespace rigor::articulated
