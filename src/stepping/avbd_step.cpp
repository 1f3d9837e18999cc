// Augmented vertex block descent (Giles, Diaz, Yuksel 2025): implicit Euler as a minimisation, one body after the other.
//
//   minimise over all poses   Σ ½ |x − y|²_M / h² + Σ over rows of their energies            y: the free motion
//
// A visit of one body, with all others fixed (section 3.1), solves six equations, H Δx = f, with
//
//   f = −M (x − y) / h² + Σ Jᵀ λ⁺        λ⁺: force of a row, avbd_rows.h
//   H = M / h² + Σ k Jᵀ J + G            G: |λ⁺| times the second derivative of C, as a diagonal        (section 3.5)
//                                        for the turn of lever arms, and exactly for that of ropes and rods
//
// Sweeps go from bodies that are attached to fixed ones outwards and back. Of an initial error C₀ the fraction α remains: C − α C₀
// replaces C, and multipliers begin with α γ times those of the last step (section 3.6): they have to decay faster than errors are
// corrected, or the two oscillate together.
//
// Sweeps that end before the minimum may leave an island with more kinetic energy than its rows can have given (avbd_islands.h); such islands
// get further sweeps, and what is in excess after `most_iterations` is taken from their inner motion and reported.
//
// Not in the paper: this; multipliers change by half (ρ); restitution changes velocities after the step; and each island without a fixed body is finally visited as one rigid
// block, which conserves its momentum however few sweeps there were (momentum_blocks.h).
//
// Cost: 6×6 factorisations bodies × iterations. Mass ratios cost little; long chains and high stacks need many sweeps.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "constraints/joint_pose.h"
#include "constraints/row_math.h"
#include "math/ldlt6.h"
#include "registry/entry.h"
#include "state/object_names.h"
#include "stepping/avbd_islands.h"
#include "stepping/avbd_rows.h"
#include "stepping/continuous.h"
#include "stepping/max_step.h"
#include "stepping/momentum_blocks.h"

namespace rigor {

namespace {

class AvbdStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    v.integer("iterations", iterations_, {"1", 1, 1000, "sweeps over all bodies"});
    v.integer("most_iterations", most_iterations_,
              {"1", 1, 100000, "sweeps over an island that has more energy than its forces can have given"});
    v.number("tolerance", tolerance_, {"m", 0, 1, "stops when no visit moves a body by more (angles: rad)"});
    v.number("penalty", settings_.penalty,
             {"1", kPositive, 1e9, "stiffness of rigid rows at first, in units of mass / h²"});
    v.number("growth", settings_.growth, {"1/m", 0, 1e12, "growth β of that stiffness per sweep and error"});
    v.number("give", settings_.give,
             {"m", kPositive, 1e6, "displacement of a rigid row under the load of the last step (angles: rad)"});
    v.number("max_penalty", settings_.max_penalty, {"1", kPositive, 1e12, "largest stiffness"});
    v.number("kept_error", settings_.kept_error, {"1", 0, 1, "fraction α of an initial error that a step leaves"});
    v.number("kept_force", settings_.kept_force,
             {"1", 0, 1, "the step begins with α γ times the forces of the last step"});
    v.number("dual_step", settings_.dual_step,
             {"1", kPositive, 1, "fraction ρ of their change that multipliers make in a sweep"});
    v.number("max_push", max_push_, {"m/s", kPositive, 1e6, "largest speed at which initial errors are corrected"});
    max_step_.fields(v);
  }

  void step(StepContext& c, double h) override {
    const int parts = std::max(max_step_.parts(h), parts_for_turning(c.world.state(), h));
    for (int i = 0; i < parts; ++i) take_part(c, h, parts);
  }

 private:
  /// Contact points are found once and turn with their bodies: beyond about half a radian bodies no longer touch there,
  /// and forces at these points add spin. Chosen: a box that falls on an edge at 3 m/s and 1/50 s turns by one radian per step.
  static int parts_for_turning(const BodyState& s, double h) {
    constexpr double kTurn = 0.5;  // rad
    constexpr int kMostParts = 8;
    double fastest = 0;
    for (std::uint32_t i = 0; i < s.awake(); ++i) fastest = std::max(fastest, length_squared(s.angular_velocity[i]));
    const double parts = std::ceil(h * std::sqrt(fastest) / kTurn);
    return parts < kMostParts ? std::max(1, static_cast<int>(parts)) : kMostParts;
  }

  void take_part(StepContext& c, double h, int parts) {
    pose_.begin_step(c, h, 1, max_push_, 1 - settings_.kept_error, parts);
    const ContinuousCollision fast_bodies(c.world);
    find_order(c);
    islands_.begin(c, order_);
    forces_ = c.world.state().force;  // some integrators clear them when bodies move freely
    pose_.move_freely(c);
    rows_.begin(c, pose_, settings_);
    momentum_.begin(c);
    begin_with_last_forces(c);
    for (int k = 0; k < iterations_; ++k) {
      const double farthest = visit_bodies(c, order_, k % 2 != 0);
      rows_.update(c);
      if (farthest <= tolerance_) break;
    }
    for (const AvbdIslands::Island& island : islands_.islands()) bound_energy(c, island);
    momentum_.visit(c, pose_);
    rows_.write_impulses(c.constraints.rows());
    pose_.set_velocities(c);
    pose_.sum_impulses(c.constraints.rows());
    fast_bodies.stop_at_obstacles(c.world, pose_.eta(), c.contact_envelope, c.time);
    pose_.end_step(c);
  }

  /// Collects the blocks of each body, and sorts bodies by their distance, in blocks, from fixed ones.
  void find_order(StepContext& c) {
    const Rows& rows = c.constraints.rows();
    const auto bodies = static_cast<std::size_t>(c.constraints.bodies().awake);
    blocks_of_.resize(bodies);
    for (std::vector<int>& blocks : blocks_of_) blocks.clear();
    order_.clear();
    is_listed_.assign(bodies, false);
    const auto list = [&](int place) {
      if (place >= static_cast<int>(bodies) || is_listed_[static_cast<std::size_t>(place)]) return;
      is_listed_[static_cast<std::size_t>(place)] = true;
      order_.push_back(place);
    };
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
      const RowBlock& block = rows.blocks[b];
      for (const int place : {block.a, block.b})
        if (place < static_cast<int>(bodies))
          blocks_of_[static_cast<std::size_t>(place)].push_back(static_cast<int>(b));
      if (std::max(block.a, block.b) >= static_cast<int>(bodies)) {
        list(block.a);
        list(block.b);
      }
    }
    std::size_t next = 0;
    const auto list_neighbours = [&] {
      for (; next < order_.size(); ++next)
        for (const int b : blocks_of_[static_cast<std::size_t>(order_[next])])
          list(rows.blocks[static_cast<std::size_t>(b)].a), list(rows.blocks[static_cast<std::size_t>(b)].b);
    };
    list_neighbours();
    for (std::size_t i = 0; i < bodies; ++i)
      if (!blocks_of_[i].empty()) {
        list(static_cast<int>(i));
        list_neighbours();
      }
  }

  /// The first guess of the poses: the external force moves a body only as far as the forces of the last step would have allowed, so
  /// that a body at rest begins at rest, with the friction of its weight and not of a fall (section 3.7).
  void begin_with_last_forces(StepContext& c) {
    const Rows& rows = c.constraints.rows();
    change_.assign(c.constraints.bodies().u.size(), {});
    for (const RowBlock& block : rows.blocks)
      for (int i = block.begin; i < block.end; ++i)
        apply_row(rows, i, block, pose_.eta() * rows.lambda[static_cast<std::size_t>(i)], change_);
    const BodyState& s = c.world.state();
    for (const int place : order_) {
      const auto i = static_cast<std::size_t>(place);
      const Vec3 fall = (pose_.eta() * pose_.eta() * s.inverse_mass[i]) * forces_[i];
      const double way = length_squared(fall);
      if (way > 0) pose_.move(c, place, {std::clamp(dot(change_[i].v, fall) / way, -1.0, 0.0) * fall, {}});
    }
  }

  double visit_bodies(StepContext& c, const std::vector<int>& order, bool inwards) {
    double farthest = 0;
    for (std::size_t k = 0; k < order.size(); ++k)
      farthest = std::max(farthest, visit(c, order[inwards ? order.size() - 1 - k : k]));
    return farthest;
  }

  /// Further sweeps for an island that has gained energy which nothing has given; if they do not end, its bodies are slowed down.
  void bound_energy(StepContext& c, const AvbdIslands::Island& island) {
    double excess = islands_.excess(c, pose_, rows_, island);
    for (int k = iterations_; excess > 0 && k < most_iterations_;) {
      double farthest = 0;
      for (int last = k + iterations_; k < last; ++k) {
        farthest = visit_bodies(c, island.places, k % 2 != 0);
        rows_.update(c, island.blocks);
      }
      excess = islands_.excess(c, pose_, rows_, island);
      if (farthest <= tolerance_) break;
    }
    if (!(excess > 0)) return;
    AvbdIslands::slow_down(c, pose_, island, excess);
    report_slowed(c, island, excess);
  }

  /// Reported at the first, the tenth, the hundredth time …
  void report_slowed(StepContext& c, const AvbdIslands::Island& island, double excess) {
    constexpr double kNoticeable = 0.1;  // m/s, chosen: the speed of the island with that energy
    double mass = 0;
    for (const int place : island.places) mass += 1 / c.world.state().inverse_mass[static_cast<std::size_t>(place)];
    if (!(excess > 0.5 * mass * kNoticeable * kNoticeable)) return;
    if (++slowed_ != next_report_) return;
    next_report_ *= 10;
    const auto slot = static_cast<std::uint32_t>(island.places.front());
    char joules[32];
    std::snprintf(joules, sizeof joules, "%.3g", excess);
    c.reports.push_back("block descent left the bodies connected with " + report_name(c.world, c.world.id_at(slot)) +
                        " with " + joules + " J too much after " + std::to_string(most_iterations_) +
                        " sweeps; they were slowed down by that" +
                        (slowed_ > 1 ? " (time number " + std::to_string(slowed_) + ")" : ""));
  }

  double visit(StepContext& c, int place) {
    Mat6 H;
    Vec6 f;
    add_inertia(c.world.state(), place, H, f);
    for (const int b : blocks_of_[static_cast<std::size_t>(place)]) {
      const RowBlock& block = c.constraints.rows().blocks[static_cast<std::size_t>(b)];
      pose_.refresh(c, b);
      rows_.find_forces(c.constraints.rows(), block);
      add_block(c.constraints.rows(), block, place == block.a ? 0 : 6, H, f);
      add_turn_of_line(c, block, place == block.a, H);
    }
    Vec6 x{};
    if (!solve_ldlt6(H, f, x)) return 0;
    return pose_.move(c, place, {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
  }

  /// M / h² and −M d / h².
  void add_inertia(const BodyState& s, int place, Mat6& H, Vec6& f) const {
    const auto body = static_cast<std::size_t>(place);
    const double per_time = 1 / (pose_.eta() * pose_.eta()), m = per_time / s.inverse_mass[body];
    const BodyVelocity& d = pose_.correction(place);
    const Mat3 R = rotation_matrix(s.orientation[body]);
    const Mat3 I = R * Mat3::diagonal(s.inertia[body]) * transpose(R) * per_time;
    const Vec3 turning = I * d.w;
    for (int i = 0; i < 3; ++i) {
      const auto k = static_cast<std::size_t>(i);
      H(k, k) = m;
      f[k] = -m * d.v[i];
      f[k + 3] = -turning[i];
      for (int j = 0; j < 3; ++j) H(k + 3, static_cast<std::size_t>(j) + 3) = I(i, j);
    }
  }

  /// Jᵀ λ⁺, k Jᵀ J and the diagonal for the turning of the arm. `part_at`: 0 for body a, 6 for b.
  void add_block(const Rows& rows, const RowBlock& block, std::size_t part_at, Mat6& H, Vec6& f) const {
    double arms = 0, pull = 0;
    int lines = 0;
    for (int i = block.begin; i < block.end; ++i) {
      const double force = rows_.force(i), stiffness = rows_.stiffness(i);
      Vec6 J;
      for (std::size_t k = 0; k < 6; ++k) J[k] = rows.J[static_cast<std::size_t>(i)][part_at + k];
      for (std::size_t k = 0; k < 6; ++k) f[k] += J[k] * force;
      if (stiffness > 0) add_outer(H, J, stiffness);
      if (J[0] == 0 && J[1] == 0 && J[2] == 0) continue;
      ++lines;
      arms += J[3] * J[3] + J[4] * J[4] + J[5] * J[5];
      pull += force * force;
    }
    // For three orthogonal directions Σ |r × n|² = 2 |r|²; a force F that turns with the arm r has at most the stiffness |F| |r|.
    const double turning = std::sqrt(pull * arms / std::max(lines - 1, 1));
    for (std::size_t k = 3; k < 6; ++k) H(k, k) += turning;
  }

  /// The tension T of a rope or rod of length l turns with its line: T/l across the line, at the point where it pulls. Without it a visit
  /// overshoots where T/l is above M / h², which is so for ropes shorter than g h².
  void add_turn_of_line(StepContext& c, const RowBlock& block, bool is_a, Mat6& H) const {
    if (block.source != RowBlock::Source::joint) return;
    const StepJoint& joint = c.constraints.list().joints[block.index];
    if (!std::holds_alternative<DistanceJoint>(joint.def->kind)) return;
    const Rows& rows = c.constraints.rows();
    const JointPose p = joint_pose(joint, c.world.state());
    const Vec3 line = p.p_b - p.p_a, r = is_a ? p.p_a - p.x_a : p.p_b - p.x_b;
    const double squared = length_squared(line);
    if (!(squared > 0)) return;
    double tension = 0;  // T / l
    for (int i = block.begin; i < block.end; ++i)
      tension -= rows_.force(i) * dot(part(rows.J[static_cast<std::size_t>(i)], 6), line) / squared;
    if (!(tension > 0)) return;
    Vec3 across, other;
    tangents(line / std::sqrt(squared), across, other);
    for (const Vec3& t : {across, other}) {
      const Vec3 turn = cross(r, t);
      add_outer(H, {t.x, t.y, t.z, turn.x, turn.y, turn.z}, tension);
    }
  }

  int iterations_ = 20, most_iterations_ = 400;
  double tolerance_ = 1e-14, max_push_ = 3;
  MaxStepField max_step_;
  AvbdSettings settings_;

  PoseRows pose_;
  AvbdRows rows_;
  AvbdIslands islands_;
  std::int64_t slowed_ = 0, next_report_ = 1;  // islands that were slowed down so far
  MomentumBlocks momentum_;
  std::vector<std::vector<int>> blocks_of_;  // by place
  std::vector<int> order_;                   // places, outwards
  std::vector<bool> is_listed_;              // by place
  std::vector<Vec3> forces_;                 // N, external, at the start of the step
  std::vector<BodyVelocity> change_;         // by place, m and rad: of the first guess
};

}  // namespace

Entry register_avbd_step() {
  return {Kind::stepping,
          "avbd",
          "block descent over bodies, hard constraints by augmented Lagrangian",
          "Giles, Diaz, Yuksel 2025",
          {"solves-constraints", "level:position", "order-dependent", "lacks:error-reduction"},
          make_default<AvbdStep>,
          {},
          {"the order of contacts only to the accuracy of the sweeps"}};
}

}  // namespace rigor
