// Building blocks of stepping methods.
#pragma once

#include <vector>

#include "stepping/stepping.h"

namespace rigor {

/// Declares the options that every step with constraints has.
class StepOptionFields {
 public:
  void fields(FieldVisitor& v);
  StepOptions options() const;

 private:
  bool shock_propagation_ = false;
  std::string evaluation_ = "automatic";
};

/// Broad phase, narrow phase, manifolds: `context.contacts` holds those of the present state afterwards. `keep_within`: m,
/// and `ahead`, s: see ContactFinder.
void find_contacts(StepContext& c, double keep_within = 0, double ahead = 0);
/// The parameter of steps that may reuse contacts, and the search with it.
class KeepField {
 public:
  void fields(FieldVisitor& v);
  /// Contacts of the present state, their separations included. Force-level solvers need exact points.
  void find_contacts(StepContext& c) const;

 private:
  double keep_ = 0.1;
};

/// The same at the predicted poses after h seconds: with the present velocities, or with those that the forces give.
/// The bodies do not move.
void find_contacts_ahead(StepContext& c, double h, bool with_forces);

/// The same at given poses of the moving bodies, by slot; so no body wakes.
void find_contacts_at(StepContext& c, const std::vector<Vec3>& position, const std::vector<Quat>& orientation);

/// Everything after collision detection: collisions, forces, constraints, velocities and positions, error correction. Bodies
/// that are fast for their size are stopped by continuous collision.
void solve_and_move(StepContext& c, double h, const StepOptions& options);

/// The integrator moves the bodies from the context's time on.
void integrate(StepContext& c, double h);

/// Moves some awake bodies by their velocities only, whatever the integrator.
void move_some(StepContext& c, std::span<const std::uint32_t> slots, double h);

/// The velocity update of 3.8.1: external forces, evaluated at the context's time, act for h seconds.
void update_velocities(StepContext& c, double h);
/// The forces that are in the arrays act for h seconds, which may be negative.
void push_bodies(BodyState& state, double h);
void push_bodies(BodyState& state, std::uint32_t begin, std::uint32_t end, double h);

/// Everything that a step changes, for methods that undo a step.
class StepSave {
 public:
  explicit StepSave(StepContext& c);
  void restore(StepContext& c) const;

 private:
  BodyState state_;
  ContactFinder contacts_;
  std::vector<JointState> joints_;
  IntegratorMemory memory_;
  StepImpulses impulses_;
  std::size_t reports_, broken_joints_;
  ReportsSoFar reported_;
};

/// The deepest overlap of the last contacts, m; negative: the smallest gap.
double deepest(const ContactList& contacts);

}  // namespace rigor
