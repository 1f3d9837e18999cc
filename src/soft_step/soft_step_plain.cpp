// Sub-stepped soft constraints with relaxation (Catto 2024, "Solver2D"; Macklin et al. 2019): the plain form, point by point
// and one contact after the other, that the fast one (soft_step.cpp) is compared with.
//
// Contacts are found once; then `count` times with the small step η = h / count:
//
//   v ← v + η M⁻¹ F         forces
//   solve softly            each rigid row as a damped spring (soft_settings.h), one round
//   x ← x + η v             the integrator's force-free motion, so rotation keeps energy and momentum
//   solve as it is          one round without correction: takes back the velocity of the springs ("relaxation")
//
// and at the end one pass for restitution. Rows are written anew at every sub-step. Overlaps are left at `max_push` at most
// and their speed is taken back, so nothing is thrown. Impulses are kept from step to step by key.
#include <algorithm>

#include "constraints/contact_rows.h"
#include "constraints/row_math.h"
#include "registry/entry.h"
#include "soft_step/soft_joints.h"
#include "stepping/continuous.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

/// Where a contact was at the start of the step.
struct Anchor {
  Vec3 point, x_a, x_b;  // m: the contact, and the centers of mass
  Quat q_a, q_b;
  double gap = 0;  // m
};

class SoftStepPlain final : public Stepping {
 public:
  void fields(FieldVisitor& v) override { settings_.fields(v); }

  void step(StepContext& c, double h) override {
    const double eta = h / settings_.count, start = c.time;
    find_contacts(c, settings_.keep * c.contact_envelope);
    measure_separations(c.contacts.contacts(), c.world);
    const ContinuousCollision fast_bodies(c.world);
    c.dynamics.evaluate_outside(c.time);
    c.constraints.prepare(c.world, c.contacts.contacts(), c.solvers, c.settings, c.step, eta, c.threads);
    begin(c, eta);
    for (int k = 0; k < settings_.count; ++k) {
      update_velocities(c, eta);
      c.constraints.bodies().capture(c.world.state());
      refresh(c);
      joints_.start(c);
      joints_.factorise(c);
      warm_start(c);
      solve(c, eta, /*correct=*/true);
      move(c, eta);
      c.time = start + eta * (k + 1);
      refresh(c);
      joints_.factorise(c);
      solve(c, eta, /*correct=*/false);
      if (k + 1 == settings_.count) restitute(c, eta);
      c.constraints.apply_velocities();  // the next sub-step goes on from the relaxed velocities
      sum_impulses(c);
    }
    fast_bodies.stop_at_obstacles(c.world, h, c.contact_envelope, c.time);
    for (double& lambda : c.constraints.rows().lambda) lambda *= settings_.count;  // as impulses of the whole step
    c.constraints.sum_impulses(total_);
    c.constraints.finish(c.world, c.broken_joints, h);
  }

 private:
  void begin(StepContext& c, double eta) {
    Rows& rows = c.constraints.rows();
    contact_ = settings_.contact(eta);
    joints_.begin(c, settings_, eta);
    for (const RowBlock& block : rows.blocks)
      if (block.source == RowBlock::Source::contact)
        for (int i = block.begin; i < block.end; ++i) rows.lambda[static_cast<std::size_t>(i)] /= settings_.count;
    impact_.assign(rows.blocks.size(), 0);
    pushed_.assign(rows.blocks.size(), 0);
    total_.assign(rows.blocks.size(), 0);
    anchors_.assign(rows.blocks.size(), {});
    const BodyState& s = c.world.state();
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
      const RowBlock& block = rows.blocks[b];
      if (block.source != RowBlock::Source::contact) continue;
      // Restitution has its own pass; all speeds of approach are those seen at the step's start.
      const StepContact& sc = c.constraints.list().contacts[block.index];
      const Contact& contact = *sc.contact;
      const ContactPoint& p = contact.points[block.point];
      const Vec3 x_a = s.position[sc.slot_a], x_b = s.position[sc.slot_b];
      const Vec3 on_a = x_a + rotate(s.orientation[sc.slot_a], p.local_a);
      const Vec3 on_b = x_b + rotate(s.orientation[sc.slot_b], p.local_b);
      anchors_[b] = {0.5 * (on_a + on_b),
                     x_a,
                     x_b,
                     s.orientation[sc.slot_a],
                     s.orientation[sc.slot_b],
                     dot(contact.normal, on_b - on_a)};
      if (contact.restitution > 0 && p.closing_speed > c.settings.restitution_threshold)
        impact_[b] = speed_at_surface(p.closing_speed + 0.5 * eta * block.acceleration, block.acceleration,
                                      rows.C[static_cast<std::size_t>(block.begin)]);
      rows.bias[static_cast<std::size_t>(block.begin)] = 0;
    }
  }

  /// Rows and masses at the present poses.
  void refresh(StepContext& c) const {
    Rows& rows = c.constraints.rows();
    for (int b = 0; b < static_cast<int>(rows.blocks.size()); ++b) {
      const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
      rewrite_block(c.constraints.list(), c.world.state(), c.constraints.row_settings(), b, rows);
      if (block.source == RowBlock::Source::contact) place_contact(c, block, anchors_[static_cast<std::size_t>(b)]);
    }
    c.constraints.bodies().capture_masses(c.world.state());
    prepare_rows(c.constraints.bodies(), rows);
  }

  /// The rotation since the start of the step, as a small vector.
  static Vec3 turn_since(const Quat& start, const Quat& now) {
    const Quat turn = now * conjugate(start);
    return (turn.w < 0 ? -2.0 : 2.0) * Vec3{turn.x, turn.y, turn.z};
  }

  /// The point where a contact pushes moves along with the bodies but does not turn with them, as the contact of a wheel
  /// does; so does its gap. It is one point for both bodies, so the total angular momentum stays.
  static void place_contact(StepContext& c, const RowBlock& block, const Anchor& anchor) {
    Rows& rows = c.constraints.rows();
    const BodyState& s = c.world.state();
    const StepContact& contact = c.constraints.list().contacts[block.index];
    const Vec3 &x_a = s.position[contact.slot_a], &x_b = s.position[contact.slot_b];
    const bool a_moves = contact.slot_a < s.awake(), b_moves = contact.slot_b < s.awake();
    const Vec3 moved_a = x_a - anchor.x_a, moved_b = x_b - anchor.x_b;
    const Vec3 moved = a_moves && b_moves ? 0.5 * (moved_a + moved_b) : a_moves ? moved_a : moved_b;
    const Vec3 point = anchor.point + moved, n = contact.contact->normal, t = contact.contact->tangent;
    const Vec3 axes[3] = {n, t, cross(n, t)};
    for (int i = block.begin; i < std::min(block.end, block.begin + 3); ++i)
      rows.J[static_cast<std::size_t>(i)] = linear_jacobian(axes[i - block.begin], point - x_a, point - x_b);
    rows.bias[static_cast<std::size_t>(block.begin)] = 0;
    const Vec3 turned_a = turn_since(anchor.q_a, s.orientation[contact.slot_a]),
               turned_b = turn_since(anchor.q_b, s.orientation[contact.slot_b]);
    const Vec3 apart = moved_b - moved_a + cross(turned_b, point - x_b) - cross(turned_a, point - x_a);
    rows.C[static_cast<std::size_t>(block.begin)] = anchor.gap + dot(n, apart);
  }

  static void warm_start(StepContext& c) {
    const Rows& rows = c.constraints.rows();
    for (const RowBlock& block : rows.blocks)
      for (int i = block.begin; i < block.end; ++i)
        if (const double lambda = rows.lambda[static_cast<std::size_t>(i)]; lambda != 0)
          apply_row(rows, i, block, lambda, c.constraints.bodies().u);
  }

  void solve(StepContext& c, double eta, bool correct) {
    for (int k = 0; k < settings_.iterations; ++k) solve_round(c, eta, correct);
  }

  void solve_round(StepContext& c, double eta, bool correct) {
    joints_.solve(c, correct);
    const Rows& rows = c.constraints.rows();
    for (std::size_t b = 0; b < rows.blocks.size(); ++b)
      if (rows.blocks[b].source == RowBlock::Source::contact)
        solve_contact(c, static_cast<int>(b), rows.blocks[b], eta, correct);
  }

  double velocity(StepContext& c, const RowBlock& block, int i) const {
    return row_velocity(c.constraints.rows(), i, block, c.constraints.bodies().u);
  }

  /// Both tangential impulses, brought back to Coulomb's disk (or ellipse), then rolling and spinning.
  void solve_friction(StepContext& c, const RowBlock& block, double eta) {
    Rows& rows = c.constraints.rows();
    if (block.size() < 3) return;
    const int i = block.begin + 1, j = block.begin + 2;
    const auto r = static_cast<std::size_t>(i), q = static_cast<std::size_t>(j);
    double x = rows.lambda[r] + (rows.bias[r] - velocity(c, block, i)) / rows.diagonal[r];
    double y = rows.lambda[q] + (rows.bias[q] - velocity(c, block, j)) / rows.diagonal[q];
    clamp_to_ellipse(x, y, impulse_bounds(rows, i, eta).hi, impulse_bounds(rows, j, eta).hi);
    change_multiplier(c, block, i, x);
    change_multiplier(c, block, j, y);
    for (int k = block.begin + 3; k < block.end; ++k)
      solve_soft_row(c, block, k, eta, false, contact_, settings_.max_push);
  }

  void solve_contact(StepContext& c, int b, const RowBlock& block, double eta, bool correct) {
    Rows& rows = c.constraints.rows();
    solve_soft_row(c, block, block.begin, eta, correct, contact_, settings_.max_push);
    solve_friction(c, block, eta);
    const auto at = static_cast<std::size_t>(b);
    pushed_[at] = std::max(pushed_[at], rows.lambda[static_cast<std::size_t>(block.begin)]);
  }

  /// Positions by the velocities that the solve has found; u afterwards is what the motion has made of them.
  static void move(StepContext& c, double eta) {
    c.constraints.apply_velocities();
    c.dynamics.set_force_free(true);
    integrate(c, eta);
    c.dynamics.set_force_free(false);
    const BodyState& s = c.world.state();
    StepBodies& bodies = c.constraints.bodies();
    for (std::uint32_t i = 0; i < s.awake(); ++i) bodies.u[i] = {s.velocity[i], s.angular_velocity[i]};
  }

  void sum_impulses(StepContext& c) {
    const Rows& rows = c.constraints.rows();
    for (std::size_t b = 0; b < rows.blocks.size(); ++b)
      total_[b] += rows.lambda[static_cast<std::size_t>(rows.blocks[b].begin)];
  }

  void restitute(StepContext& c, double eta) {
    Rows& rows = c.constraints.rows();
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
      if (!(impact_[b] > 0 && pushed_[b] > 0)) continue;
      const RowBlock& block = rows.blocks[b];
      const auto r = static_cast<std::size_t>(block.begin);
      const double e = c.constraints.list().contacts[block.index].contact->restitution;
      const double wanted =
          speed_of_rebound(e, impact_[b], block.acceleration, rows.C[r]) + 0.5 * eta * block.acceleration;
      const double missing = wanted - velocity(c, block, block.begin);
      change_multiplier(c, block, block.begin, std::max(rows.lambda[r] + missing / rows.diagonal[r], 0.0));
      solve_friction(c, block, eta);
    }
  }

  SoftSettings settings_;
  SoftJoints joints_;
  Softness contact_;
  std::vector<Anchor> anchors_;  // by block, contacts only
  std::vector<double> impact_;   // m/s by block: speed at the surface of what is to bounce
  std::vector<double> pushed_;   // N s by block: largest normal impulse of the step
  std::vector<double> total_;    // N s by block: normal impulses of all sub-steps
};

}  // namespace

Entry register_soft_step_plain() {
  return {Kind::stepping,
          "soft-step-plain",
          "soft-step in its plain form: contact points one after the other, rows anew in every sub-step",
          "Catto 2024; Macklin et al. 2019",
          {"solves-constraints", "lacks:error-reduction"},
          make_default<SoftStepPlain>,
          {}};
}

}  // namespace rigor
