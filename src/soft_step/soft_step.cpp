// Sub-stepped soft constraints with relaxation (Catto 2024, "Solver2D"; Macklin et al. 2019): the fast default.
//
// Contacts are found once. Every island decides for itself how many sub-steps it takes (soft_islands.h); islands with the same
// number are advanced together, as a pace, with the small step η = h / count:
//
//   v ← v + η M⁻¹ F         forces
//   solve softly            joints and contacts as damped springs (soft_settings.h), `iterations` sweeps
//   x ← x + η v             the integrator's force-free motion, so rotation keeps energy and momentum
//   solve as it is          as many without correction: takes back the velocity of the springs ("relaxation")
//   limit the energy        no island keeps what nothing has put in (island_energy.h)
//
// The step ends with one pass for restitution and one that moves apart bodies that overlap too deeply
// (deep_contacts.h). Contacts are solved manifold by manifold in SIMD lanes by graph colour
// (soft_step/contact_lanes.h), joints of trees all at once (tree_joints.h) but for their limits (tree_limits.h),
// islands of other joints all at once as well (joint_islands.h), large nets one by one (soft_joints.h). Impulses are cached
// from step to step by key.
//
// soft_step_plain.cpp is its plain twin.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "integrators/rotation.h"
#include "narrowphase/shape_pieces.h"
#include "registry/entry.h"
#include "rigor/profile.h"
#include "soft_step/contact_lanes.h"
#include "soft_step/deep_contacts.h"
#include "soft_step/deep_mechanisms.h"
#include "soft_step/island_energy.h"
#include "soft_step/joined_momentum.h"
#include "soft_step/joint_islands.h"
#include "soft_step/result_watch.h"
#include "soft_step/soft_islands.h"
#include "soft_step/soft_joints.h"
#include "soft_step/tree_joints.h"
#include "soft_step/tree_limits.h"
#include "soft_step/turning_contacts.h"
#include "stepping/continuous.h"
#include "stepping/leg_collision.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

/// Fewer bodies move sooner by one thread than others wake up; chosen: half a millisecond.
constexpr std::uint32_t kManyBodies = 400;

/// Contacts that rest at max_sag are up to this many times as deep, because sweeps do not converge fully.
constexpr double kSagging = 1.1;

/// The part of the creep of sticking surfaces that is undone in a step; steps shorter than kFrame undo less. Chosen: the usual value of
/// Baumgarte's correction.
constexpr double kPull = 0.2, kFrame = 1.0 / 60;  // -, s

constexpr std::uint8_t kNoPace = 255;

/// The joints of one pace.
struct PaceJoints {
  std::vector<std::uint8_t> included;  // by joint of the list
  TreeJoints trees;
  TreeLimits limits;
  TreeRecord record;                 // of the trees, on request
  JointIslands islands;              // what is in no tree
  SoftJoints iterative;              // nets, and friction of joints in trees; all joints with joints = iterative
  std::vector<std::uint32_t> loose;  // slots of awake bodies that are in no tree
};

class SoftStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    settings_.fields(v);
    v.choice("joints", joint_method_, {"trees", "iterative"},
             "joints: all at once, in trees and in islands, or all one after the other and softly");
    v.number(
        "shallow", shallow_,
        {"1", kPositive, 1,
         "part of the sub-steps that an island takes if all of its joints are in trees, forces do not change in a step "
         "and bodies lie no deeper than eight, a tree counting as one"});
    v.number(
        "max_turn", max_turn_,
        {"rad", kPositive, 1e6,
         "angle that a body with contacts may turn in a sub-step; its island takes up to 16 times as many otherwise"});
    v.choice("lanes", lanes_, {"machine", "one"},
             "contacts that are solved at once: as many as the machine can, or one by one with the same result");
  }

  void step(StepContext& c, double h) override {
    const ThreadPool::Awake threads(c.threads, c.world.state().awake() >= kManyBodies);
    const int parts = settings_.parts(h);
    const double start = c.time;
    for (int k = 0; k < parts; ++k) {
      c.time = start + h * k / parts;
      step_part(c, h / parts, parts > 1);
    }
    if (parts == 1) return;
    std::sort(c.broken_joints.begin(), c.broken_joints.end());
    c.broken_joints.erase(std::unique(c.broken_joints.begin(), c.broken_joints.end()), c.broken_joints.end());
  }

 private:
  void step_part(StepContext& c, double h, bool is_part) {
    find_contacts(c, settings_.keep * c.contact_envelope, h);
    if (c.world.state().end(BodySet::kinematic) == 0) return c.constraints.clear();
    fast_bodies_.begin(c.world);
    c.constraints.prepare_list(c.world, c.contacts.contacts(), c.solvers, c.settings, c.step,
                               h / settings_.sub_steps(h), c.threads);
    begin(c, h);
    const double start = c.time;
    for (std::size_t k = 0; k < islands_.paces().size(); ++k) {
      c.time = start;
      advance(c, islands_.paces()[k], static_cast<int>(k));
    }
    c.time = start + h;
    restitute(c);
    for (std::size_t k = 0; k < islands_.paces().size(); ++k) record_impulses(c, static_cast<int>(k));
    c.constraints.apply_velocities();
    separate_deep_contacts(c, h);
    stop_fast_bodies(c, h);
    report(c);
    watch_result(c, h);
    store(c, h, is_part);
  }

  void begin(StepContext& c, double h) {
    const ConstraintList& list = c.constraints.list();
    const BodyState& s = c.world.state();
    c.dynamics.evaluate_outside(c.time);
    forces_are_constant_ = c.world.forces_are_constant(c.time);
    if (forces_are_constant_) force_ = s.force, torque_ = s.torque;
    none_.assign(list.joints.size(), 0);
    const bool has_trees = joint_method_ == "trees";
    trees_.find(c.world, list, has_trees ? std::span<const std::uint8_t>() : none_);
    islands_.find(list, s, trees_,
                  {settings_.sub_steps(h), shallow_, max_turn_, h, settings_.contact_stiffness, settings_.max_sag,
                   settings_.max_depth, forces_are_constant_, has_trees});
    sweeps_.find_deep(islands_, list, settings_.max_depth);
    gains_ = 0, not_converged_ = 0, not_solved_ = false;
    choose_joints(c);
    has_nets_ = std::find(left_.begin(), left_.end(), JointRows::all) != left_.end();
    if (!list.contacts.empty() || has_nets_) energy_.begin(list, islands_, left_, s);
    c.constraints.write_joints(left_);
    begin_joints(c);
    begin_contacts(c, h);
    legs_.begin(fast_bodies_, c.world, list, islands_.pace_of(), h, c.contact_envelope);
  }

  /// Which joints each pace has, and who solves them.
  void choose_joints(StepContext& c) {
    const ConstraintList& list = c.constraints.list();
    const std::span<const Pace> paces = islands_.paces();
    const bool with_trees = joint_method_ == "trees";
    if (!find_paces_of_joints(list, with_trees)) return;
    while (joints_.size() < paces.size()) joints_.push_back(std::make_unique<PaceJoints>());
    joints_.resize(paces.size());
    left_.assign(list.joints.size(), JointRows::none);
    for (std::size_t k = 0; k < paces.size(); ++k) {
      PaceJoints& joints = *joints_[k];
      joints.included.resize(list.joints.size());
      for (std::size_t j = 0; j < list.joints.size(); ++j) joints.included[j] = pace_of_joint_[j] == k;
      joints.trees.choose(c, trees_, with_trees ? joints.included : none_);
      const std::span<const JointRows> no_tree = joints.trees.rows_left();
      for_islands_.assign(list.joints.size(), JointRows::none);
      for (std::size_t j = 0; j < list.joints.size(); ++j)
        if (no_tree[j] == JointRows::all) for_islands_[j] = JointRows::all;
      joints.islands.choose(c, for_islands_, with_trees);
      for (std::size_t j = 0; j < list.joints.size(); ++j) {
        if (!joints.included[j]) continue;
        const bool has_friction = no_tree[j] == JointRows::no_locked;
        left_[j] = !with_trees ? JointRows::all : has_friction ? JointRows::no_locked : joints.islands.rows_left()[j];
      }
    }
  }

  /// Which pace each joint belongs to; false: to the same as in the last step, and all else is as it was.
  bool find_paces_of_joints(const ConstraintList& list, bool with_trees) {
    const std::span<const std::uint8_t> pace_of = islands_.pace_of();
    const std::size_t paces = islands_.paces().size();
    next_pace_of_joint_.resize(list.joints.size());
    for (std::size_t j = 0; j < list.joints.size(); ++j) {
      const std::uint32_t slot = std::min(list.joints[j].slot_a, list.joints[j].slot_b);
      next_pace_of_joint_[j] = slot < pace_of.size() ? pace_of[slot] : kNoPace;
    }
    const bool is_same = joints_.size() == paces && joints_version_ == list.version() && had_trees_ == with_trees &&
                         next_pace_of_joint_ == pace_of_joint_;
    pace_of_joint_.swap(next_pace_of_joint_);
    joints_version_ = list.version(), had_trees_ = with_trees;
    return !is_same || list.joints.empty();
  }

  /// The bodies of a pace that are in no tree.
  void find_loose(const Pace& pace, PaceJoints& joints) {
    joints.loose.clear();
    const std::span<const TreeLink> links = joints.trees.trees().links();
    if (links.empty() || links.size() == pace.awake) return;
    is_in_tree_.assign(islands_.island_of().size(), 0);
    for (const TreeLink& link : links) is_in_tree_[link.body] = 1;
    for (std::size_t k = 0; k < pace.awake; ++k)
      if (!is_in_tree_[pace.slots[k]]) joints.loose.push_back(pace.slots[k]);
  }

  void begin_joints(StepContext& c) {
    const std::span<const Pace> paces = islands_.paces();
    for (std::size_t k = 0; k < paces.size(); ++k) {
      PaceJoints& joints = *joints_[k];
      SoftSettings settings = settings_;
      settings.count = paces[k].count;
      joints.iterative.begin(c, settings, paces[k].sub_step, left_, joints.included, /*with_balls=*/true);
      joints.islands.begin(c, paces[k].sub_step, paces[k].count, settings_.max_push);
      joints.limits.begin(c, joints.trees.trees(), paces[k].count, width());
      joints.trees.begin(paces[k].count, paces[k].sub_step, settings_.max_push, width());
      joints.record.begin(joints.trees.trees());
      find_loose(paces[k], joints);
    }
  }

  void begin_contacts(StepContext& c, double h) {
    const std::span<const Pace> paces = islands_.paces();
    groups_.clear();
    for (std::size_t k = 0; k < paces.size(); ++k)
      groups_.push_back({paces[k].count, paces[k].sub_step, static_cast<int>(k)});
    group_of_.assign(islands_.pace_of().begin(), islands_.pace_of().end());
    if (!c.constraints.list().contacts.empty()) find_surfaces(c.world);
    const double pull_rate = kPull / std::max(h, kFrame);
    const LaneSettings lanes{
        c.settings.stick_speed, c.settings.restitution_threshold, pull_rate, groups_, group_of_, is_surface_, width()};
    contacts_.begin(c.constraints.list(), c.world.state(), c.constraints.bodies(), lanes, c.constraints.impulses(),
                    c.threads);
    contacts_.choose_direct(c.constraints.list(), c.world.state(), islands_);
    turning_.choose(c.constraints.list(), c.world, islands_.pace_of(), h, c.contact_envelope);
  }

  static bool is_surface(const World& world, std::uint32_t slot) {
    return world.collision_shape(slot) && has_surface(*world.collision_shape(slot));
  }

  /// Most worlds have none, which holds as long as their definitions stay.
  void find_surfaces(const World& world) {
    const std::uint32_t size = world.state().size();
    if (surfaces_version_ != world.definitions_version()) {
      surfaces_version_ = world.definitions_version();
      has_surfaces_ = false;
      for (std::uint32_t i = 0; i < size && !has_surfaces_; ++i) has_surfaces_ = is_surface(world, i);
    }
    is_surface_.assign(size, 0);
    if (!has_surfaces_) return;
    for (std::uint32_t i = 0; i < size; ++i) is_surface_[i] = world.can_collide(i) && is_surface(world, i);
  }

  LaneWidth width() const { return lanes_ == "one" ? LaneWidth::one : LaneWidth::machine; }

  /// All sub-steps of the islands of a pace.
  void advance(StepContext& c, const Pace& pace, int number) {
    const double start = c.time;
    const Softness soft = settings_.contact(pace.sub_step);
    step_ = {soft.rate, soft.mass, soft.impulse, settings_.max_push, 1 / pace.sub_step, false, settings_.max_sag};
    PaceJoints& joints = *joints_[static_cast<std::size_t>(number)];
    const bool has_contacts = contacts_.has_contacts(number), is_alone = !has_contacts && joints.iterative.empty();
    const bool is_watched = has_contacts || (has_nets_ && !joints.iterative.empty());
    for (int k = 0; k < pace.count; ++k) {
      joints.trees.start(c, k == 0);
      joints.islands.start(c);
      kick(c, pace, k == 0);
      if (is_watched) energy_.remember(pace, c.world.state(), force(), contacts_.has_impacts());
      if (!is_alone) sweeps_.begin(islands_, pace, c.world.state(), force());
      joints.iterative.start(c);
      if (is_watched)
        joints.iterative.for_closing(c,
                                     [&](std::uint32_t slot, double energy) { energy_.allow_closing(slot, energy); });
      joints.islands.start_correction(c);
      joints.limits.find(c, joints.trees, pace.sub_step);
      joints.iterative.warm_start(c);
      contacts_.warm_start(number, c.constraints.bodies(), k == 0, c.threads);
      if (is_watched) limit_warm_start(c, pace, number);
      by_trees(c, joints, [&] { joints.trees.solve(c, pace.sub_step, is_alone); });
      joints.islands.solve(c, /*again=*/false);
      solve(c, number, LaneVisit::correct);
      if (is_watched) gains_ += energy_.limit_motion(pace, c.world.state(), settings_.max_push, c.constraints.bodies());
      if (is_watched) gains_ += energy_.limit_hits(pace, c.world.state(), settings_.max_push, c.constraints.bodies());
      joints.islands.close(c, is_watched ? energy_.is_limited() : std::span<const std::uint8_t>());
      if (is_watched)
        gains_ += energy_.limit_corrections(pace, c.world.state(), settings_.max_push, c.constraints.bodies());
      legs_.start(c.world, awake(pace), c.constraints.bodies(), pace.sub_step * k, c.threads);
      move(c, pace, joints, is_alone);
      legs_.stop(c.world, pace.sub_step, c.constraints.bodies());
      joints.islands.arrive(c);
      c.time = start + pace.sub_step * (k + 1);
      contacts_.place_bodies(pace.slots, c.world.state(), c.threads);
      follow_turning(c, number, k, pace.count);
      joints.iterative.refresh(c);
      joints.islands.refresh(c);
      joints.islands.solve(c, /*again=*/false);
      solve(c, number, LaneVisit::follow);
      joints.islands.limit_energy(c);
      if (is_watched)
        joints.islands.for_drives(c.constraints.bodies().u, [&](std::uint32_t slot, const JointIsland::Drive& drive) {
          energy_.allow_drive(slot, drive);
        });
      if (is_watched) {
        gains_ += energy_.limit(pace, c.world.state(), c.constraints.bodies());
        gains_ += energy_.limit_hits(pace, c.world.state(), settings_.max_push, c.constraints.bodies());
      }
      apply_velocities(c, pace);
      if (k + 1 < pace.count) record_impulses(c, number);  // rebounds come after the last one
    }
  }

  /// Calls `act`, in which only trees change velocities, and records the impulses of their joints.
  template <class Act> static void by_trees(StepContext& c, PaceJoints& joints, const Act& act) {
    if (!c.constraints.impulses().records) return act();
    joints.record.start(c.world.state(), c.constraints.bodies().u);
    act();
    joints.record.stop(c.world.state(), c.constraints.bodies().u);
  }

  void couple_trees(StepContext& c, PaceJoints& joints) {
    by_trees(c, joints, [&] { joints.trees.couple(c); });
  }

  /// Contacts that are found again act along other normals from then on. Their impulses so far are recorded with the old normals: they are
  /// added before and subtracted after the search.
  void follow_turning(StepContext& c, int pace, int k, int count) {
    const auto record = [&](double sign) {
      if (!c.constraints.impulses().records || !turning_.has_pairs()) return;
      std::vector<ConstraintImpulse>& to = c.constraints.impulses().by_constraint();
      const std::size_t before = to.size();
      contacts_.record(pace, c.constraints.list(), to);
      for (std::size_t i = before; i < to.size(); ++i)
        for (Vec3* part : {&to[i].linear_a, &to[i].angular_a, &to[i].linear_b, &to[i].angular_b}) *part = sign * *part;
    };
    record(1);
    turning_.follow(pace, k, count, c.constraints.list(), c.world, c.search.narrowphase, c.contact_envelope, contacts_);
    record(-1);
  }

  void record_impulses(StepContext& c, int pace) {
    StepImpulses& impulses = c.constraints.impulses();
    if (!impulses.records) return;
    PaceJoints& joints = *joints_[static_cast<std::size_t>(pace)];
    contacts_.record(pace, c.constraints.list(), impulses.by_constraint());
    joints.record.write(c.constraints.list(), c.world.state(), impulses.by_constraint());
    joints.iterative.record(c, impulses.by_constraint());
  }

  void limit_warm_start(StepContext& c, const Pace& pace, int number) {
    const auto part = energy_.limit_warm_start(pace, c.world.state(), c.constraints.bodies());
    if (part.empty()) return;
    contacts_.scale_impulses(number, islands_.island_of(), part);
    joints_[static_cast<std::size_t>(number)]->iterative.scale_impulses(c, islands_.island_of(), part);
  }

  std::span<const Vec3> force() const { return force_; }
  static std::span<const std::uint32_t> awake(const Pace& pace) {
    return std::span<const std::uint32_t>(pace.slots).first(pace.awake);
  }

  /// Forces act for a sub-step; those of the first one are known.
  void kick(StepContext& c, const Pace& pace, bool is_first) {
    const StageScope scope(Stage::integration);
    BodyState& s = c.world.state();
    if (!forces_are_constant_) {
      if (!is_first) c.dynamics.evaluate_outside(c.time);
      force_ = s.force, torque_ = s.torque;
    }
    StepBodies& bodies = c.constraints.bodies();
    const double eta = pace.sub_step;
    c.threads.for_bodies(pace.awake, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const std::uint32_t i = pace.slots[k];
        s.velocity[i] += (eta * s.inverse_mass[i]) * force_[i];
        if (torque_[i] != Vec3{})
          s.angular_velocity[i] += eta * angular_velocity_of(s.orientation[i], s.inverse_inertia[i], torque_[i]);
        bodies.u[i].v = s.velocity[i], bodies.u[i].w = s.angular_velocity[i];
      }
    });
  }

  /// Up to `iterations` sweeps, as many as each island needs. Those after the first are for what stacks are made of: contacts of one point, as round bodies have them,
  /// gain nothing by them that the next sub-step would not bring.
  void solve(StepContext& c, int pace, LaneVisit first) {
    const StageScope scope(Stage::solve);
    PaceJoints& joints = *joints_[static_cast<std::size_t>(pace)];
    if (joints.iterative.empty() && !contacts_.has_contacts(pace)) return;
    StepBodies& bodies = c.constraints.bodies();
    const bool correct = first == LaneVisit::correct;
    const LaneVisit next = correct ? LaneVisit::correct : LaneVisit::relax;
    const Pace& own = islands_.paces()[static_cast<std::size_t>(pace)];
    bool has_chosen = false;
    const int most = sweeps_.most_sweeps(settings_.iterations);
    if (most > 1) sweeps_.remember(own, bodies);
    contacts_.save_start_impulses(pace);
    for (int k = 0; k < most; ++k) {
      const bool is_last = k + 1 == most;
      if (k < settings_.iterations) joints.iterative.solve(c, correct);
      step_.skips_single = k > 0;
      contacts_.solve(pace, bodies, step_, k == 0 ? first : next, c.threads);
      if (correct) couple_trees(c, joints), joints.islands.solve(c, /*again=*/true);
      if (is_last) break;
      const IslandSweeps::Next need = sweeps_.find_unsettled(islands_, own, bodies, k + 1, settings_.iterations);
      if (need == IslandSweeps::Next::none && (joints.iterative.empty() || k + 1 >= settings_.iterations)) break;
      if (need != IslandSweeps::Next::all) {
        contacts_.choose_lanes(pace, islands_.island_of(), sweeps_.needs());
        has_chosen = true;
      }
    }
    if (has_chosen) contacts_.choose_all_lanes(pace);
    not_converged_ += contacts_.solve_direct(pace, bodies, step_, correct);
    if (contacts_.solve_clusters(pace, bodies, step_, correct) && correct)
      couple_trees(c, joints), joints.islands.solve(c, /*again=*/true);
    step_.skips_single = false;
    if (!correct) couple_trees(c, joints);
    joints.islands.solve(c, /*again=*/true);
  }

  /// Positions by the velocities that the solve has found; velocities afterwards are what the motion has made of them.
  void move(StepContext& c, const Pace& pace, PaceJoints& joints, bool is_alone) {
    if (joints.trees.empty()) {
      apply_velocities(c, pace);
      move_pace(c, pace, pace.sub_step);
      return take_velocities(c, pace);
    }
    if (!is_alone) joints.limits.find_reached(c, joints.trees, pace.sub_step);
    by_trees(c, joints, [&] { joints.trees.move(c, pace.sub_step, [&] { move_loose(c, pace, joints.loose); }); });
    not_solved_ = not_solved_ || joints.trees.refused() > 0;
  }

  /// All bodies of a pace, by their velocities alone.
  void move_pace(StepContext& c, const Pace& pace, double time) {
    BodyState& s = c.world.state();
    if (pace.slots.size() == s.end(BodySet::kinematic)) {
      c.dynamics.set_force_free(true);
      integrate(c, time);
      c.dynamics.set_force_free(false);
      return;
    }
    const StageScope scope(Stage::integration);
    move_some(c, std::span(pace.slots).first(pace.awake), time);
    move_kinematic(s, pace, time);
  }

  /// The bodies of a pace that are in no tree.
  static void move_loose(StepContext& c, const Pace& pace, std::span<const std::uint32_t> loose) {
    const StageScope scope(Stage::integration);
    BodyState& s = c.world.state();
    StepBodies& bodies = c.constraints.bodies();
    for (const std::uint32_t i : loose) s.velocity[i] = bodies.u[i].v, s.angular_velocity[i] = bodies.u[i].w;
    if (!loose.empty()) move_some(c, loose, pace.sub_step);
    for (const std::uint32_t i : loose) bodies.u[i].v = s.velocity[i], bodies.u[i].w = s.angular_velocity[i];
    move_kinematic(s, pace, pace.sub_step);
  }

  static void move_kinematic(BodyState& s, const Pace& pace, double time) {
    for (const std::uint32_t i : std::span(pace.slots).subspan(pace.awake)) {
      s.position[i] += time * s.velocity[i];
      s.orientation[i] = turned(s.orientation[i], s.angular_velocity[i], time);
    }
  }

  static void apply_velocities(StepContext& c, const Pace& pace) {
    BodyState& s = c.world.state();
    const StepBodies& bodies = c.constraints.bodies();
    c.threads.for_bodies(pace.awake, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const std::uint32_t i = pace.slots[k];
        s.velocity[i] = bodies.u[i].v, s.angular_velocity[i] = bodies.u[i].w;
      }
    });
  }

  static void take_velocities(StepContext& c, const Pace& pace) {
    const BodyState& s = c.world.state();
    StepBodies& bodies = c.constraints.bodies();
    c.threads.for_bodies(pace.awake, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const std::uint32_t i = pace.slots[k];
        bodies.u[i].v = s.velocity[i], bodies.u[i].w = s.angular_velocity[i];
      }
    });
  }

  void restitute(StepContext& c) {
    if (!contacts_.has_impacts()) return;
    BodyState& s = c.world.state();
    // Some integrators clear the forces when bodies move freely.
    if (!forces_are_constant_) {
      c.world.evaluate_forces(c.time);
      force_ = s.force, torque_ = s.torque;
    }
    s.force = force_, s.torque = torque_;
    contacts_.restitute(c.constraints.list(), s, c.constraints.bodies());
    contacts_.for_impacts(c.constraints.list(), [&](const StepContact& contact) {
      const auto points = std::span(contact.contact->points).first(static_cast<std::size_t>(contact.points));
      const bool pushed =
          std::any_of(points.begin(), points.end(), [](const ContactPoint& p) { return p.normal_impulse > 0; });
      energy_.mark_rebound(std::min(contact.slot_a, contact.slot_b), contact.contact->restitution, !pushed);
    });
    gains_ += energy_.limit_rebounds(s, force(), c.constraints.bodies());
  }

  void separate_deep_contacts(StepContext& c, double h) {
    contacts_.find_deep(std::min(settings_.max_depth, kSagging * settings_.max_sag), deep_);
    if (deep_.empty()) return;
    const StageScope scope(Stage::solve);
    thickness_.resize(c.world.state().awake());
    for (std::uint32_t i = 0; i < thickness_.size(); ++i) thickness_[i] = 2 * fast_bodies_.known(c.world, i).half_width;
    const DeepContacts::Options options{
        kSagging * settings_.max_sag,   settings_.max_depth, settings_.max_push * h, h, thickness_,
        energy_.frames(c.world.state())};
    deep_mechanisms_.separate(c.constraints.list(), islands_, deep_, options, c.world.state());
    deep_contacts_.separate(c.constraints.list(), islands_, deep_, options, c.world.state());
  }

  /// Accounts for the work of what legs_ has set back, then follows what legs_ leaves out: bodies on joints, and
  /// obstacles that cannot move.
  void stop_fast_bodies(StepContext& c, double h) {
    BodyState& s = c.world.state();
    if (legs_.has_stopped()) legs_.account(s, forces_from_outside(c.world, c.time));
    if (!fast_bodies_.has_fast(c.world, c.threads)) return;
    const auto remember = [&] { joined_.remember(c.constraints.list(), s); };
    if (!fast_bodies_.stop_others(c.world, h, c.contact_envelope, c.time, remember)) return;
    joined_.take_velocities(s);
    for (const auto& joints : joints_) joints->trees.close(c), joints->islands.follow(c);
    joined_.restore(s);
  }

  void report(StepContext& c) const {
    report_failures({not_solved_, gains_ > 0, not_converged_ > 0, islands_.is_too_fast()}, c);
  }

  void watch_result(StepContext& c, double h) {
    watch_.begin();
    for (const auto& joints : joints_) watch_.see_joints(c, joints->islands, joints->iterative, fast_bodies_);
    watch_.see_deep(c.constraints.list(), deep_, thickness_);
    watch_.report(c.world, h, c.reports);
  }

  void store(StepContext& c, double h, bool is_part) {
    for (const auto& joints : joints_) joints->iterative.finish(c);
    contacts_.finish(c.constraints.list(), c.world.state(), c.constraints.impulses(), c.threads, is_part);
    const auto store_trees = [&] {
      for (const auto& joints : joints_)
        joints->trees.store(c, h), joints->limits.store(c, joints->trees), joints->islands.store(c, h);
    };
    c.constraints.finish(c.world, c.broken_joints, h, std::ref(store_trees));  // a reference: nothing is allocated
  }

  SoftSettings settings_;
  std::string lanes_ = "machine";
  std::string joint_method_ = "trees";
  double shallow_ = 0.5;
  double max_turn_ = 0.25;  // rad

  JointTrees trees_;  // of all joints: which of them trees can take
  SoftIslands islands_;
  IslandEnergy energy_;
  IslandSweeps sweeps_;
  std::vector<std::unique_ptr<PaceJoints>> joints_;  // by pace
  ContactLanes contacts_;
  TurningContacts turning_;
  DeepContacts deep_contacts_;
  DeepMechanisms deep_mechanisms_;
  std::vector<DeepContact> deep_;  // scratch
  std::vector<double> thickness_;  // m, by slot; scratch
  ContinuousCollision fast_bodies_;
  LegCollision legs_;
  JoinedMomentum joined_;
  LaneStep step_;
  ResultWatch watch_;
  int gains_ = 0;          // islands whose energy was limited, in all sub-steps
  int not_converged_ = 0;  // solves of islands of unlike masses
  bool not_solved_ = false;
  bool forces_are_constant_ = false;
  std::vector<Vec3> force_, torque_;  // N, N m by slot
  std::vector<LaneGroup> groups_;
  std::vector<std::uint32_t> group_of_;   // by slot
  std::vector<std::uint8_t> is_surface_;  // by slot: meshes and height fields
  bool has_surfaces_ = false;             // any body is one
  std::uint64_t surfaces_version_ = 0;    // of the definitions for which that was found
  std::vector<std::uint8_t> none_;        // by joint
  std::vector<JointRows> left_;           // by joint: rows that are solved one after the other
  bool has_nets_ = false;                 // some of them are all rows of a joint
  std::vector<JointRows> for_islands_;    // by joint, of a pace: what is in no tree
  // The input of choose_joints() in the last step: it decides again only when this changes.
  std::vector<std::uint8_t> pace_of_joint_, next_pace_of_joint_;
  std::uint64_t joints_version_ = 0;
  bool had_trees_ = false;
  std::vector<std::uint8_t> is_in_tree_;  // by slot
};

}  // namespace

Entry register_soft_step() {
  return {Kind::stepping,
          "soft-step",
          "sub-steps of soft constraints with relaxation, contacts in SIMD lanes; solves contacts and joints itself",
          "Catto 2024; Macklin et al. 2019",
          {"solves-constraints", "lacks:extreme-bodies", "lacks:mass-ratios", "lacks:error-reduction"},
          make_default<SoftStep>,
          {}};
}

}  // namespace rigor
