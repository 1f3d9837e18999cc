// Sub-stepped soft constraints with relaxation (Catto 2024, "Solver2D"; Macklin et al. 2019): the fast default.
//
// Contacts are found once; then `count` times with the small step η = h / count:
//
//   v ← v + η M⁻¹ F         forces
//   solve softly            joints and contacts as damped springs (soft_settings.h), up to `iterations` rounds
//   x ← x + η v             the integrator's force-free motion, so rotation keeps energy and momentum
//   solve as it is          as many without correction: takes back the velocity of the springs ("relaxation")
//
// and at the end one pass for restitution. Contacts are solved manifold by manifold in SIMD lanes by graph colour
// (solvers/contact_lanes.h), joints of trees all at once (tree_joints.h) but for their limits (tree_limits.h), others one by one
// (soft_joints.h). Impulses are kept
// from step to step by key. Trees alone, with nothing else that acts, take one sub-step, shallow heaps of them a part of all.
//
// soft_step_plain.cpp is its plain twin.
#include <cmath>
#include <functional>

#include "registry/entry.h"
#include "rigor/profile.h"
#include "solvers/contact_lanes.h"

#include "stepping/contact_depth.h"
#include "stepping/continuous.h"
#include "stepping/soft_joints.h"
#include "stepping/step_parts.h"
#include "stepping/tree_joints.h"
#include "stepping/tree_limits.h"

namespace rigor {

namespace {

/// Velocities that a round has changed by less than this part of what forces have changed in the sub-step are solved; root
/// mean square over all bodies. Chosen: at a hundredth the pyramids of the benchmarks stand as after all rounds.
constexpr double kSettled = 0.01;

/// Bodies upon each other for which half of the sub-steps will do. Chosen: columns of ten boxes of a metre stand as still with two
/// as with four, and sink by 1.4 mm instead of 1.2; those of thirty fall.
constexpr int kShallow = 8;

/// Fewer bodies move sooner by one thread than others wake up; chosen: half a millisecond.
constexpr std::uint32_t kManyBodies = 400;

constexpr const char* kNotSolved =
    "a joint tree could not be solved and moved as one rigid body for a part of a step; smaller steps would help";

class SoftStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    settings_.fields(v);
    v.choice("joints", joint_method_, {"trees", "iterative"},
             "joints: trees of them all at once, or all one after the other");
    v.number("shallow", shallow_,
             {"1", kPositive, 1,
              "part of the sub-steps that is made where all joints are in trees, forces do not change in a step and "
              "bodies lie no deeper than eight, a tree counting as one"});
    v.choice("lanes", lanes_, {"machine", "one"},
             "contacts that are solved at once: as many as the machine can, or one by one with the same result");
  }

  void step(StepContext& c, double h) override {
    const ThreadPool::Awake threads(c.threads, c.world.state().awake() >= kManyBodies);
    find_contacts(c, settings_.keep * c.contact_envelope);
    if (c.world.state().end(BodySet::kinematic) == 0) return c.constraints.clear();
    fast_bodies_.begin(c.world);
    c.constraints.prepare_list(c.world, c.contacts.contacts(), c.solvers, c.settings, c.step, h / settings_.count,
                               c.threads);
    const bool with_trees = joint_method_ == "trees" && !c.constraints.list().joints.empty();
    advance(c, h, with_trees);
    if (trees_.refused() > 0) c.constraints.report_trouble(c.reports, kNotSolved);
    // Some integrators clear the forces when bodies move freely.
    if (contacts_.has_impacts()) c.world.evaluate_forces(c.time);
    contacts_.restitute(c.constraints.list(), c.world.state(), c.constraints.bodies(), h / count_);
    c.constraints.apply_velocities();
    if (fast_bodies_.stop_at_obstacles(c.world, h, c.contact_envelope, &c.threads)) trees_.close(c);
    joints_.finish(c);
    contacts_.finish(c.constraints.list(), c.world.state(), c.constraints.impulses(), c.threads);
    const auto store_trees = [&] { trees_.store(c, h), limits_.store(c, trees_); };
    c.constraints.finish(c.world, c.broken_joints, h, std::ref(store_trees));  // a reference: nothing is allocated
  }

 private:
  /// All sub-steps.
  void advance(StepContext& c, double h, bool with_trees) {
    const double start = c.time;
    c.dynamics.evaluate_outside(start);
    trees_.choose(c, with_trees);
    c.constraints.write_joints(trees_.rows_left());
    count_ = sub_steps(c);
    const double eta = h / count_;
    begin(c, eta);
    for (int k = 0; k < count_; ++k) {
      trees_.start(c, k == 0);
      kick(c, eta, k == 0);
      joints_.factorise(c);
      limits_.find(c, trees_, eta);
      warm_start(c, k == 0);
      trees_.solve(c, eta);
      solve(c, /*correct=*/true);
      move(c, eta);
      c.time = start + eta * (k + 1);
      place(c);
      solve(c, /*correct=*/false);
      c.constraints.apply_velocities();
    }
  }

  /// Sub-steps are there for what is not solved at once: forces that change, loads that go down through many bodies.
  int sub_steps(StepContext& c) {
    const ConstraintList& list = c.constraints.list();
    if (!trees_.trees().has_all() || !c.world.forces_are_constant(c.time)) return settings_.count;
    if (trees_.trees().is_all_plain() && list.contacts.empty()) return 1;
    const int depth = depth_.find(list, trees_.trees(), c.world.state().awake(), kShallow);
    return depth > kShallow ? settings_.count : static_cast<int>(std::ceil(shallow_ * settings_.count));
  }

  void begin(StepContext& c, double eta) {
    const LaneWidth width = lanes_ == "one" ? LaneWidth::one : LaneWidth::machine;
    const Softness soft = settings_.contact(eta);
    step_ = {soft.rate, soft.mass, soft.impulse, settings_.max_push, 1 / eta, false};
    SoftSettings settings = settings_;
    settings.count = count_;
    joints_.begin(c, settings, eta, trees_.rows_left());
    limits_.begin(c, trees_.trees(), count_, width);
    trees_.begin(c, count_, settings_.max_push, width);
    const LaneSettings lanes{c.settings.stick_speed, c.settings.restitution_threshold, count_, eta, width};
    contacts_.begin(c.constraints.list(), c.world.state(), c.constraints.bodies(), lanes, c.constraints.impulses(),
                    c.threads);
  }

  static void take_velocities(StepContext& c) {
    const BodyState& s = c.world.state();
    StepBodies& bodies = c.constraints.bodies();
    c.threads.for_bodies(s.awake(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) bodies.u[i].v = s.velocity[i], bodies.u[i].w = s.angular_velocity[i];
    });
  }

  void warm_start(StepContext& c, bool is_first) {
    joints_.warm_start(c);
    contacts_.warm_start(c.constraints.bodies(), is_first, c.threads);
  }

  /// Up to `iterations` rounds; one that changes next to nothing is the last. Those after the first are for what stacks are made
  /// of: contacts of one point, as round bodies have them, gain nothing by them that the next sub-step would not bring.
  void solve(StepContext& c, bool correct) {
    const StageScope scope(Stage::solve);
    if (joints_.empty() && contacts_.empty()) return;
    StepBodies& bodies = c.constraints.bodies();
    for (int k = 0; k < settings_.iterations; ++k) {
      const bool is_last = k + 1 == settings_.iterations;
      if (!is_last) remember(c);
      joints_.solve(c, correct);
      step_.skips_single = k > 0;
      contacts_.solve(bodies, step_, correct, c.threads);
      if (correct) trees_.couple(c);
      if (!is_last && change(c) <= kSettled * kSettled * kick_) break;
    }
    step_.skips_single = false;
    contacts_.solve_stiff(bodies, step_, correct);
    if (!correct) trees_.couple(c);
  }

  void remember(StepContext& c) {
    const std::vector<BodyVelocity>& u = c.constraints.bodies().u;
    before_.resize(u.size());
    c.threads.for_bodies(u.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) before_[i] = u[i].v;
    });
  }

  /// m²/s², of all bodies, since before_.
  double change(StepContext& c) {
    const StepBodies& bodies = c.constraints.bodies();
    return c.threads.sum_over_bodies(static_cast<std::size_t>(bodies.awake), sums_,
                                     [&](std::size_t begin, std::size_t end) {
                                       double sum = 0;
                                       for (std::size_t i = begin; i < end; ++i)
                                         sum += length_squared(bodies.u[i].v - before_[i]);
                                       return sum;
                                     });
  }

  /// Forces act for a sub-step; those of the first one are known.
  void kick(StepContext& c, double eta, bool is_first) {
    const StageScope scope(Stage::integration);
    if (!is_first) c.dynamics.evaluate_outside(c.time);
    BodyState& s = c.world.state();
    StepBodies& bodies = c.constraints.bodies();
    kick_ = c.threads.sum_over_bodies(s.awake(), sums_, [&](std::size_t begin, std::size_t end) {
      push_bodies(s, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), eta);
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) {
        bodies.u[i].v = s.velocity[i], bodies.u[i].w = s.angular_velocity[i];
        sum += length_squared((eta * s.inverse_mass[i]) * s.force[i]);
      }
      return sum;
    });
  }

  /// Positions by the velocities that the solve has found; velocities afterwards are what the motion has made of them.
  void move(StepContext& c, double eta) {
    const auto drift = [&c](double time) {
      c.constraints.apply_velocities();
      c.dynamics.set_force_free(true);
      integrate(c, time);
      c.dynamics.set_force_free(false);
      take_velocities(c);
    };
    if (trees_.empty()) return drift(eta);
    trees_.move(c, eta, drift);
  }

  /// Joints and contacts at the present poses.
  void place(StepContext& c) {
    const StageScope scope(Stage::rows);
    contacts_.place_bodies(c.world.state(), c.threads);
    joints_.refresh(c);
  }

  SoftSettings settings_;
  std::string lanes_ = "machine";
  std::string joint_method_ = "trees";
  double shallow_ = 0.5;
  SoftJoints joints_;
  TreeJoints trees_;
  TreeLimits limits_;
  ContactLanes contacts_;
  ContactDepth depth_;
  ContinuousCollision fast_bodies_;
  LaneStep step_;
  int count_ = 1;             // sub-steps of this step
  std::vector<Vec3> before_;  // m/s, velocities before a round
  std::vector<double> sums_;  // scratch
  double kick_ = 0;           // m²/s²: what forces have changed in this sub-step, of all bodies
};

}  // namespace

Entry register_soft_step() {
  return {Kind::stepping,
          "soft-step",
          "sub-steps of soft constraints with relaxation, contacts in SIMD lanes; solves contacts and joints itself",
          "Catto 2024; Macklin et al. 2019",
          {"solves-constraints"},
          make_default<SoftStep>,
          {}};
}

}  // namespace rigor
