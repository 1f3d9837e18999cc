// Jointed bodies that lie too deep in something are moved out of it at the end of a step, by position alone.
//
// Contacts and joints of an island are solved in turns, so a link that its joints press into something may stay there: each turn takes
// back most of what the other one has done. Here both are in one system. A *mechanism* is a set of bodies that joints connect, with the
// loose bodies that touch it. For displacements δ of its bodies, with M their masses and inertias:
//
//   minimise  ½ δᵀ M δ
//   joints    J δ = −C           rigid equations; limits  C + J δ ≥ 0
//   contacts  gap + G δ ≥ bound  bound: less deep by the excess over what is allowed, at most max_shift; elsewhere not deeper than now
//
// an active set finds δ (bounded_joint_system.h). It is scaled so that no body moves by more than max_shift, and is
// halved, or dropped, if it does not bring the contacts apart or opens joints far: equations are linear, bodies turn. Joints that are left
// open are closed by further systems in which contacts only become no deeper; so a body may move by several max_shift in all.
//
// A displacement carries no momentum. Velocities that have gathered against it, s = −u·M δ / δ·M δ > 0, are taken back,
// u ← u + min(s, 1/h) δ, which lowers the energy and obeys the joints as δ does. As in deep_contacts.h, depth that the velocities remove
// is left to them, only islands that rest on something are corrected, and contacts with a body that is
// faster than corrections are left alone: an impact is under way.
//
// Neighbours take part only where a mechanism cannot be corrected without them: a table under a load cannot be lifted alone. A system that has
// no solution, and a displacement that is much larger than the depth that it removes, are dropped.
//
// Cost: nothing where no jointed body lies too deep; elsewhere some factorisations of the mechanism.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "constraints/joint_rows.h"
#include "math/disjoint_sets.h"
#include "rigor/state.h"
#include "soft_step/bounded_joint_system.h"
#include "soft_step/deep_contacts.h"
#include "soft_step/soft_islands.h"

namespace rigor {

class DeepMechanisms {
 public:
  /// As DeepContacts::separate(), for bodies with joints and the loose ones that touch them.
  void separate(const ConstraintList& list, const SoftIslands& islands, std::span<const DeepContact> deep,
                const DeepContacts::Options& options, BodyState& state);

 private:
  /// What one solve sees of the step.
  struct Task {
    const ConstraintList& list;
    const DeepContacts::Options& options;
    BodyState& state;
  };
  struct Mechanism {
    std::vector<std::uint32_t> slots;             // in the order of ids
    std::vector<std::uint32_t> joints, contacts;  // indices in the list
    std::size_t points = 0;
  };
  /// How far the rows are from where they should be.
  struct Errors {
    double joints = 0, depth = 0;  // m or rad; m
  };

  bool find_jointed(const Task& task, const SoftIslands& islands, std::span<const DeepContact> deep);
  void connect(const Task& task, bool with_neighbours);
  void collect(const Task& task);
  static bool is_fast(const Task& task, const StepContact& contact);
  bool correct(const Task& task, const Mechanism& mechanism, bool closes);
  void write_rows(const Task& task, const Mechanism& mechanism, bool closes);
  void add_joint(const Task& task, std::uint32_t joint);
  void add_contact(const Task& task, std::uint32_t contact, bool closes);
  void add_row(const Jacobian& J, double r, double lo);
  Errors errors(const Task& task, const Mechanism& mechanism, double moved) const;
  double linear_change(std::size_t row, const TreeEdge& edge) const;
  bool is_solved() const;
  double reach() const;
  double scale(const Task& task) const;
  bool move(const Task& task, const Mechanism& mechanism, bool closes);
  void take_back_velocities(const Task& task, const Mechanism& mechanism, double moved) const;

  std::vector<std::uint8_t> has_joint_, is_deep_, is_moved_;  // by slot
  std::vector<const DeepContact*> deep_of_;                   // by contact of the list
  DisjointSets sets_{0};
  std::vector<Mechanism> mechanisms_;
  std::vector<int> number_;  // by slot: index in the mechanism that is being solved, -1: not in it
  std::vector<TreeEdge> edges_;
  BoundedRows rows_;
  std::vector<BodyMass> masses_;
  std::vector<BodyVelocity> delta_;  // m, rad by body
  BoundedJointSystem system_;
  double joint_error_ = 0;  // m or rad, after the last displacement
};

}  // namespace rigor
