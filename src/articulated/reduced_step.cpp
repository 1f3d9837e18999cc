// Reduced coordinates (Featherstone 1983, 2008; contacts after Kokkevis 2004 and Mirtich 1996, 4): the step of the preset `featherstone`.
//
// The trees of the joint graph (articulated/forest.h) move in the coordinates of their joints, so that their joints cannot open. The
// remaining rows (contacts, limits, motors, springs, loops, cut joints) couple them through J H⁻¹ Jᵀ:
//
//   1. coordinates from the bodies; changes by the user are projected, velocities with the least kinetic energy
//   2. islands of trees; smooth ones by the method's integrator, with loop forces at every stage
//   3. if that violates an inequality, or motors and friction act: impulses at the velocity level, one LCP per island
//   4. loops closed, momentum of free trees corrected, excess energy removed (articulated/energy_bound.h), bodies
//      placed: only the state of the bodies is carried to the next step
//
// It has the order of the integrator for trees and loops in smooth motion, order one where impulses act. Cost linear in bodies, cubic in the rows of an
// island.
#include <algorithm>
#include <cmath>
#include <limits>

#include "articulated/coupled_impulses.h"
#include "articulated/energy_bound.h"
#include "articulated/reactions.h"
#include "articulated/settle.h"
#include "articulated/spring_parts.h"
#include "registry/entry.h"
#include "solvers/acceleration_rows.h"
#include "solvers/geometric_stiffness.h"
#include "solvers/velocity_rows.h"
#include "stepping/continuous.h"
#include "stepping/max_step.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

using namespace articulated;

/// Most parts of a step with links under great tension, bodies that spin fast or stiff springs; chosen.
constexpr int kMostParts = 64;
/// The largest turn of a body in a part, rad. Chosen: Runge–Kutta of order four changes an oscillation by x⁶/144 per step of the phase x,
/// here by 1e-4, and gains energy without bound beyond x = 2.8; a contact point stays a contact point for about as long.
constexpr double kTurn = 0.5;

class ReducedStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    impulses_.fields(v);
    contact_step_.fields(v);
  }

  void step(StepContext& c, double h) override {
    const double start = c.time;
    const int smooth_parts = std::max(parts_for_tension(c, h), parts_for_turning(c.world.state(), h));
    begin_part(c);
    const int spring_parts = springs_.count(list_, c.world.state(), forest_, at_start_, h, kMostParts);
    const int contact_parts = c.contacts.contacts().empty() ? 1 : std::min(contact_step_.parts(h), kMostParts);
    const int parts = std::max({smooth_parts, spring_parts, contact_parts});
    for (int k = 0; k < parts; ++k) {
      c.time = start + h * k / parts;
      if (k > 0) begin_part(c);
      move_part(c, h / parts);
    }
  }

 private:
  /// Balls do not count: their rotation is exact at any speed, and so are their contacts.
  static int parts_for_turning(const BodyState& s, double h) {
    double fastest = 0;
    for (std::uint32_t i = 0; i < s.awake(); ++i)
      if (!is_ball(s.inertia[i])) fastest = std::max(fastest, length_squared(s.angular_velocity[i]));
    const double parts = std::ceil(h * std::sqrt(fastest) / kTurn);
    return parts < kMostParts ? std::max(1, static_cast<int>(parts)) : kMostParts;
  }

  static bool is_ball(const Vec3& inertia) {
    constexpr double kSame = 1e-6;
    return std::abs(inertia.x - inertia.y) <= kSame * inertia.x && std::abs(inertia.x - inertia.z) <= kSame * inertia.x;
  }

  /// Links under great tension oscillate faster than a step resolves (geometric_stiffness.h). Runge–Kutta of order four is stable up to h ω = 2.8; √2
  /// about each of two axes leaves a margin.
  int parts_for_tension(StepContext& c, double h) {
    ContactList none;
    list_.collect(c.world, none);
    stiffness_.collect(list_, c.world.state(), h);
    return std::min(static_cast<int>(std::ceil(std::sqrt(std::max(stiffness_.largest_ratio(), 4.0) / 4))), kMostParts);
  }

  void begin_part(StepContext& c) {
    read_state(c);
    const std::uint32_t awake = c.world.state().awake();
    find_contacts(c);
    if (c.world.state().awake() != awake) read_state(c);
  }

  void move_part(StepContext& c, double h) {
    fast_bodies_.begin(c.world);
    const CoordinateRule rule = *c.integrator.coordinate_rule();
    write_rows(c, h, rule.velocities_first);
    islands_ = find_islands(c.constraints.rows(), forest_);
    stiffness_.collect(list_, c.world.state(), h);
    System system{c,         h, forest_, islands_, kinematic_start_, stiffness_.added_inertia(c.world.state().awake()),
                  placement_};
    capture(c.world.state(), kinematic_start_);
    move(system, rule);
    restore_rows(c.constraints.rows());
    reactions_.write(system, at_start_, motion_.bias_at_start);
    stop_fast_bodies(c, h);
    if (const SolverReport& report = c.constraints.reports().contact; report.fell_back)
      c.constraints.note_fallback(c.constraints.rows(), report, SolverLevel::velocity);
    c.constraints.report_trouble(c.reports, springs_.unresolved());
    c.constraints.sum_impulses();
    c.constraints.finish(c.world, c.broken_joints, h);
  }

  /// Reads coordinates from the bodies. Velocities that violate the joints are projected: the missing momentum of
  /// each body acts on the tree as an impulse.
  void read_state(StepContext& c) {
    BodyState& s = c.world.state();
    ContactList none;
    list_.collect(c.world, none);
    if (forest_version_ != list_.version()) forest_.build(list_.joints, s);
    forest_version_ = list_.version();
    read_poses(forest_, list_.joints, s, start_, placement_.poses);
    read_rates(forest_, list_.joints, s, placement_.poses, start_);
    at_start_.factorise(forest_, placement_.poses, s);
    u_.resize(forest_.links.size());
    p_.resize(forest_.links.size());
    for (int t = 0; t < forest_.tree_count(); ++t) {
      at_start_.velocities(t, start_, s, u_);
      for (int i = forest_.begin(t); i < forest_.begin(t + 1); ++i) p_[static_cast<std::size_t>(i)] = lacking(s, i, u_);
      at_start_.propagate(t, false, p_, u_);
      for (int i = forest_.begin(t); i < forest_.begin(t + 1); ++i) {
        const std::array<double, 6> change = at_start_.rates(i);
        for (std::size_t k = 0; k < 6; ++k) start_[static_cast<std::size_t>(i)].rate[k] += change[k];
      }
    }
    place_again(forest_, list_.joints, start_, s, placement_.poses);
    placement_.at = start_;
    // Kinematic bodies have not been placed.
    const bool has_kinematic = s.begin(BodySet::kinematic) != s.end(BodySet::kinematic);
    placement_.elapsed = has_kinematic ? std::numeric_limits<double>::quiet_NaN() : 0;
  }

  /// A link that continuous collision has moved back satisfies its joints again.
  void stop_fast_bodies(StepContext& c, double h) {
    position_ = c.world.state().position;
    fast_bodies_.stop_at_obstacles(c.world, h, c.contact_envelope, c.time);
    if (c.world.state().position != position_)
      read_poses(forest_, c.constraints.list().joints, c.world.state(), start_, placement_.poses);
  }

  /// Minus the excess momentum of a link over that of its coordinates' velocity.
  Wrench lacking(const BodyState& s, int link, const std::vector<Twist>& u) const {
    const auto i = static_cast<std::size_t>(link);
    const std::uint32_t slot = forest_.links[i].slot;
    const Quat& q = s.orientation[slot];
    const Vec3 v = s.velocity[slot] - u[i].v, w = s.angular_velocity[slot] - u[i].w;
    return -1.0 * Wrench{v / s.inverse_mass[slot], rotate(q, scale(s.inertia[slot], rotate_inverse(q, w)))};
  }

  /// Writes rows at the start, with the targets of impacts.
  void write_rows(StepContext& c, double h, bool velocities_first) {
    BodyState& s = c.world.state();
    c.dynamics.evaluate_outside(c.time);
    // Contact rows assume velocities that lag by half a step, as they do if velocities are updated before positions.
    StepSettings settings = c.settings;
    if (!velocities_first) {
      velocity_ = s.velocity;
      angular_velocity_ = s.angular_velocity;
      push_bodies(s, -0.5 * h);
      settings.forces_acted = -0.5 * h;
    }
    c.constraints.prepare(c.world, c.contacts.contacts(), c.solvers, settings, c.step, h, c.threads);
    Rows& rows = c.constraints.rows();
    before_ = c.constraints.bodies().u;
    if (!velocities_first) {
      s.velocity = velocity_;
      s.angular_velocity = angular_velocity_;
    }
    c.constraints.bodies().capture_velocities(s);
    for (const RowBlock& block : rows.blocks) {
      if (!block.colliding) continue;
      const double half = row_velocity(rows, block.begin, block, before_) -
                          row_velocity(rows, block.begin, block, c.constraints.bodies().u);
      double& bias = rows.bias[static_cast<std::size_t>(block.begin)];
      bias = std::max(bias - half, 0.0);  // and the rebound speed for that of a whole step later
    }
    J_ = rows.J, C_ = rows.C, bias_ = rows.bias, warm_ = rows.lambda;
  }

  void restore_rows(Rows& rows) const { rows.J = J_, rows.C = C_, rows.bias = bias_; }

  void move(System& s, const CoordinateRule& rule) {
    if (try_to_move(s, rule)) return;
    // Loops that could not be closed take a step of implicit Euler.
    s.place(start_, 0);
    restore_rows(s.rows());
    s.c.constraints.bodies().capture(s.state());
    try_to_move(s, rule);
  }

  /// Returns false if loops near a singular position could not be closed; they are marked taut.
  bool try_to_move(System& s, const CoordinateRule& rule) {
    for (Island& island : islands_) {
      island.large = impulses_.is_large(island);
      island.smooth = !island.large && !island.taut && may_be_smooth(s, island);
    }
    energy_.begin(s);
    do {
      std::fill(s.rows().lambda.begin(), s.rows().lambda.end(), 0.0);
      motion_.begin(s, rule, at_start_, start_);
      if (will_begin_again(s)) {
        restore_rows(s.rows());
        std::fill(s.rows().lambda.begin(), s.rows().lambda.end(), 0.0);
        motion_.begin(s, rule, at_start_, start_);
      }
      motion_.finish(s, rule, start_);
      restore_rows(s.rows());
    } while (has_to_begin_again(s));
    energy_.limit(s, start_, motion_.end);
    for (const Island& island : islands_) {
      if (island.smooth) continue;
      s.place(start_, 0);
      for (const RowRef& ref : island.rows)
        s.rows().lambda[static_cast<std::size_t>(ref.row)] = warm_[static_cast<std::size_t>(ref.row)];
      keep_worst(impulses_.solve(s, island, at_start_, start_, motion_), s.c.constraints.reports().contact);
    }
    const bool is_closed = settle_.run(s, motion_.balance, s.h, motion_.end);
    energy_.keep(s, s.h, motion_.end);
    return is_closed;
  }

  /// The same as below, foreseen from the first stage: islands with springs that press on a contact or limit. It saves the other stages of a motion that
  /// would be made again.
  bool will_begin_again(System& s) {
    bool again = false;
    for (Island& island : islands_) {
      if (!island.smooth || !island.has(RowClass::soft) || island.has(RowClass::equation)) continue;
      if (!impulses_.will_forbid(s, island, at_start_, start_, motion_.rates_at_start())) continue;
      island.smooth = false;
      again = true;
    }
    return again;
  }

  /// Islands whose motion violates an inequality, or whose loops are taut, are not smooth; those that moved with forces of their rows move again without them.
  bool has_to_begin_again(System& s) {
    bool again = false;
    // Loops that start to move by their own forces: the first step of a straight chain.
    for (Island& island : islands_) {
      if (!island.smooth || !island.has_loops() || island.has(RowClass::soft)) continue;
      s.place(motion_.end, s.h);
      if (energy_.is_exceeded(s, island)) island.taut = true;
    }
    if (!islands_.empty()) s.place(start_, 0);
    for (Island& island : islands_) {
      if (!island.smooth || (!island.taut && impulses_.allows(s, island, at_start_, motion_))) continue;
      island.smooth = false;
      again = again || island.has(RowClass::equation) || island.has(RowClass::soft);
    }
    return again;
  }

  static void keep_worst(const SolverReport& report, SolverReport& worst) {
    const int iterations = std::max(worst.iterations, report.iterations);
    const bool is_worse = report.fell_back != worst.fell_back ? report.fell_back : !(report.residual < worst.residual);
    if (is_worse) worst = report;
    worst.iterations = iterations;
  }

  bool may_be_smooth(System& s, const Island& island) {
    const Rows& rows = s.rows();
    for (const RowRef& ref : island.rows) {
      const RowBlock& block = rows.blocks[static_cast<std::size_t>(ref.block)];
      const bool of_contact = block.source == RowBlock::Source::contact;
      if (ref.kind == RowClass::bounded && !of_contact) return false;
      if (ref.kind == RowClass::soft && !is_soft_enough(s, ref)) return false;
    }
    return true;
  }

  bool is_soft_enough(System& s, const RowRef& ref) {
    const auto i = static_cast<std::size_t>(ref.row);
    const double A = RowCoupling::diagonal(at_start_, s.rows(), ref);
    return s.h * (s.h * s.rows().stiffness[i] + s.rows().damping[i]) * A < kSoftEnough;
  }

  MaxStepField contact_step_{"max_contact_step", "longer steps with contacts are taken in equal parts, 64 at most"};
  ConstraintList list_;
  Forest forest_;
  std::uint64_t forest_version_ = 0;  // of the list that it was built from
  std::vector<LinkCoordinates> start_;
  Placement placement_;
  Motion kinematic_start_;
  ContinuousCollision fast_bodies_;
  // Scratch.
  std::vector<Twist> u_;                                      // by link
  std::vector<Wrench> p_;                                     // by link
  std::vector<Vec3> position_, velocity_, angular_velocity_;  // by slot
  std::vector<BodyVelocity> before_;                          // by body of the rows
  ArticulatedBodies at_start_;
  std::vector<Island> islands_;
  SmoothMotion motion_;
  CoupledImpulses impulses_;
  Settle settle_;
  EnergyBound energy_;
  Reactions reactions_;
  GeometricStiffness stiffness_;
  SpringParts springs_;
  std::vector<Jacobian> J_;
  std::vector<double> C_, bias_, warm_;  // of the rows at the start; multipliers of the last step
};

}  // namespace

Entry register_reduced_step() {
  return {Kind::stepping,
          "reduced",
          "joint coordinates of the trees in the joint graph, contacts and loops coupled by an LCP",
          "Featherstone 1983, 2008; Mirtich 1996; Kokkevis 2004",
          {"solves-constraints", "joint-coordinates", "lacks:error-reduction"},
          make_default<ReducedStep>,
          {},
          {kMeetsFirst}};
}

}  // namespace rigor
