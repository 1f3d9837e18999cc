// Joint trees inside the soft steps, solved at once to a tolerance of positions (the findings that it follows are in
// docs/methods/stepping/soft-step.md).
//
// Over a sub-step η, from poses q₀ and velocities u₀, with u* what forces and contacts make of them:
//
//   M (u₁ − u*) = Jᵀ(q₁) λ,   C(q₁) = 0,   q₁ = the integrator's free motion of q₀ with u₁
//
// Impulses act along the arms at the END of the sub-step. Newton's method begins with u₀ and the last λ:
//
//   (M + η K_g) δ − J₁ᵀ λ = M (u* − u),   J₁ δ = −C₁ / η,   u ← u + δ          by multibody/pivot_tree.h
//   K_g = ½ (|r||λ| + r·λ) 1 − ½ (r λᵀ + λ rᵀ)   per joint impulse λ at the arm r of a body
//
// K_g is the geometric stiffness of the joint forces: without it a chain under tension has modes faster than the step and blows
// up, however exactly its joints are solved. It is shifted by ½ (|r||λ| − r·λ) 1 to be positive semidefinite, so that the system
// can always be solved. One iteration is the rule; turns of second order are taken into account with its factors. More follow
// while a gap exceeds the tolerance. A sub-step that does not converge is taken in halves; one that still does not is refused,
// and the caller takes the step back.
//
// Contacts, limits and motors change velocities in between: couple() lets the trees answer, with the last factors.
#pragma once

#include <functional>
#include <vector>

#include "multibody/joint_trees.h"
#include "multibody/pivot_tree.h"
#include "stepping/stepping.h"

namespace rigor {

class TreeJoints {
 public:
  /// Once a step: the trees among the joints of the list. Without `wanted`: none.
  void choose(StepContext& c, bool wanted);
  bool empty() const { return trees_.links().empty(); }
  /// By joint of the list: what is left for others.
  std::span<const JointRows> rows_left() const { return trees_.rows_left(); }
  /// Nothing but the trees' own equations acts on any joint.
  bool is_all_plain() const { return trees_.is_all_plain(); }

  /// After choose(): impulses of the last step, of which the sub-step is 1 / count. Overlaps are left at `max_push` at most.
  void begin(StepContext& c, int count, double max_push);
  /// Before forces act: the velocities that the sub-step begins with.
  void start(StepContext& c, bool is_first);
  /// After forces and warm starts have changed the velocities.
  void solve(StepContext& c, double eta);
  /// After others have changed the velocities.
  void couple(StepContext& c);
  /// Moves all bodies, which `drift` does for a part of the sub-step; false when no part of it would do.
  bool move(StepContext& c, double eta, const std::function<void(double)>& drift);
  /// After others have moved bodies: the trees follow them.
  void close(StepContext& c);
  /// Everything as it was at begin().
  void take_back_step(StepContext& c) const;
  /// After the sub-steps: impulses and reactions to the joints. `time` is that of the whole step.
  void store(StepContext& c, double time) const;

 private:
  struct Pose {
    Vec3 x;
    Quat q;
  };

  template <class Visit> void for_trees(StepContext& c, const Visit& visit);
  Pose parent_pose(StepContext& c, const TreeLink& link, double eta) const;
  void predict_exactly(StepContext& c, TreeRange tree, double eta);
  void add_change(StepContext& c, TreeRange tree);
  bool bends(TreeRange tree, double eta) const;
  void refine(StepContext& c, TreeRange tree, double eta);
  void predict(StepContext& c, TreeRange tree, double eta);
  void assemble(StepContext& c, TreeRange tree, double eta);
  void set_joint(const TreeLink& link, const Pose& parent, double eta, std::size_t i);
  void add_stiffness(std::size_t i, double eta);
  void newton(StepContext& c, TreeRange tree, double eta);
  void leave_open(StepContext& c, TreeRange tree, double eta);
  double observe(StepContext& c, TreeRange tree);
  bool settle(StepContext& c, double eta, const std::function<void(double)>& drift);
  bool move_part(StepContext& c, double eta, const std::function<void(double)>& drift, int depth);
  bool move_halves(StepContext& c, double eta, const std::function<void(double)>& drift, int depth);
  void go_back(StepContext& c);
  bool is_where_it_was(const BodyState& s, TreeRange tree) const;
  void close_tree(StepContext& c, TreeRange tree);
  void displace(StepContext& c, TreeRange tree);
  void find_impulses(TreeRange tree);
  void take_back_closing(StepContext& c);

  JointTrees trees_;
  PivotTree system_;
  double max_push_ = 0;
  int count_ = 1;
  bool has_open_ = false;  // a joint was far from closed when the sub-step began
  // By link.
  std::vector<Pose> pose_;             // at the end of the sub-step, as far as is known
  std::vector<Sym3> inertia_;          // kg m², at its start
  std::vector<Vec3> goal_;             // m: gap that may be left; of joints that were far from closed
  std::vector<Vec3> lambda_, torque_;  // N s, N m s, on the body at the pivot
  std::vector<BodyVelocity> start_;    // u₀
  std::vector<BodyVelocity> star_;     // u*
  std::vector<BodyVelocity> u_;        // last iterate
  std::vector<BodyVelocity> f_, delta_;
  std::vector<double> gap_;  // m, by tree: largest
  // By slot of what moves: at the begin of the step, and before the move.
  std::vector<Pose> begin_pose_;
  std::vector<BodyVelocity> begin_u_;
  std::vector<Vec3> saved_x_;
  std::vector<Quat> saved_q_;
  std::vector<BodyVelocity> saved_u_;
};

}  // namespace rigor
