// What is simulated: bodies, materials, forces. A value: copies are independent of each other.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rigor/body.h"
#include "rigor/error.h"
#include "rigor/forces.h"
#include "rigor/ids.h"
#include "rigor/joints.h"
#include "rigor/mass_properties.h"
#include "rigor/state.h"

namespace rigor {

class ByteReader;
class ByteWriter;
struct WorldImage;

class World {
 public:
  /// Holds what reset() leaves.
  World() { reset(); }

  /// Empties the world but for the default objects of 7.5.7: the world body, a ground plane (normal +y, through the origin),
  /// gravity (0, -9.81, 0) and a drag force with zero coefficients.
  void reset();

  // Bodies. Functions that take an id throw Error when the body does not exist any more.
  BodyId add_body(const BodyDef& def);
  void remove_body(BodyId id);
  /// Bodies removed since the last call, in that order; steps take them for their events.
  std::vector<BodyId> take_removed() { return std::exchange(removed_, {}); }
  /// Bodies whose shape, material or collision groups changed since the last call. A null id means that the material
  /// rules changed. Steps call it to wake the bodies that rest on changed ones.
  std::vector<BodyId> take_changed() { return std::exchange(changed_, {}); }
  bool contains(BodyId id) const { return id.index < ids_.size() && ids_[id.index] == id; }
  BodyId find_body(std::string_view name) const;  // null id when there is none
  std::vector<BodyId> bodies() const;             // in the order of creation; world body and ground first
  std::uint32_t body_count() const { return state_.size(); }
  BodyId world_body() const { return world_body_; }
  BodyId ground() const { return ground_; }  // null id once removed

  const BodyDef& body_def(
      BodyId id) const;  // as added; its pose is the one last set, its velocity that of the beginning
  const std::string& name(BodyId id) const { return body_def(id).name; }
  /// Error if another body has the name. Neither names nor user data change the motion or what the methods remember.
  void set_name(BodyId id, std::string name);
  std::uint64_t user_data(BodyId id) const { return body_def(id).user_data; }
  void set_user_data(BodyId id, std::uint64_t data);
  const MassProperties& mass_properties(BodyId id) const;
  /// Numbers instead of what the shape and the density give; none: what they give. The body stays where it is and goes on as it was.
  void set_mass(BodyId id, std::optional<double> mass, std::optional<Mat3> inertia = {},
                std::optional<Vec3> center_of_mass = {});
  /// Also changes the mass of a body that was given none in numbers. Its contacts begin anew and what rests on it wakes.
  void set_shape(BodyId id, ShapePtr shape, ShapePtr collision_shape = nullptr);
  void set_can_collide(BodyId id, bool can_collide);
  void set_groups(BodyId id, std::uint32_t group, std::uint32_t mask);
  bool is_fixed(BodyId id) const { return body_def(id).fixed; }
  bool is_active(BodyId id) const { return body_def(id).active; }
  void set_active(BodyId id, bool active);
  void set_fixed(BodyId id, bool fixed);
  bool is_sensor(BodyId id) const { return body_def(id).sensor; }
  void set_sensor(BodyId id, bool sensor);
  /// 1/s, rates at which velocity and angular momentum decay; not negative. A step takes away all of them at most.
  void set_damping(BodyId id, double linear, double angular);
  void set_gravity_factor(BodyId id, double factor);
  /// Also changes the mass of a body that was given none in numbers.
  void set_material(BodyId id, const Material& material);

  // Motion, in the frame that the body was added with.
  Vec3 position(BodyId id) const;
  Quat orientation(BodyId id) const;
  Vec3 center_of_mass(BodyId id) const;  // m, world
  Vec3 velocity(BodyId id) const;        // m/s, of the center of mass
  Vec3 angular_velocity(BodyId id) const;
  Vec3 momentum(BodyId id) const;          // kg m/s
  Vec3 angular_momentum(BodyId id) const;  // kg m²/s, about the center of mass
  void set_pose(BodyId id, const Vec3& position, const Quat& orientation);
  void set_velocity(BodyId id, const Vec3& velocity, const Vec3& angular_velocity);
  Vec3 to_world(BodyId id, const Vec3& point_in_body) const;
  Vec3 to_body(BodyId id, const Vec3& point_in_world) const;

  /// A force at the center of mass and a torque that act until they are set again.
  void set_user_force(BodyId id, const Vec3& force, const Vec3& torque = {});
  // Forces and torques for the next step alone. They add up and are gone after it. Fixed bodies do not feel them.
  void apply_force(BodyId id, const Vec3& force);  // N, at the center of mass
  void apply_force(BodyId id, const Vec3& force, const Vec3& point_in_world);
  void apply_torque(BodyId id, const Vec3& torque);  // N m
  // Impulses change the velocities at once.
  void apply_impulse(BodyId id, const Vec3& impulse);  // N s, at the center of mass
  void apply_impulse(BodyId id, const Vec3& impulse, const Vec3& point_in_world);
  void apply_angular_impulse(BodyId id, const Vec3& impulse);  // N m s
  /// Gives a fixed body the velocities that bring it to a pose after `dt` seconds. It keeps them until they are set again.
  void set_kinematic_target(BodyId id, const Vec3& position, const Quat& orientation, double dt);

  // Forces.
  ForceId add_force(ForceDef def);
  template <class Effect> ForceId add_force(Effect effect, Affected affected = {}, std::string name = {}) {
    return add_force(ForceDef{.name = std::move(name),
                              .effect = std::make_shared<const Effect>(std::move(effect)),
                              .affected = std::move(affected)});
  }
  void remove_force(ForceId id);
  bool contains(ForceId id) const;
  ForceId find_force(std::string_view name) const;
  std::vector<ForceId> forces() const;
  const ForceDef& force(ForceId id) const;
  void set_force(ForceId id, ForcePtr effect);
  void set_force_active(ForceId id, bool active);
  ForceId gravity() const { return gravity_; }
  ForceId drag() const { return drag_; }
  void set_gravity(const Vec3& acceleration);

  // Joints. A joint goes with its bodies; bodies that a joint connects do not collide with each other unless it says so.
  JointId add_joint(JointDef def);
  void remove_joint(JointId id);
  bool contains(JointId id) const;
  JointId find_joint(std::string_view name) const;
  std::vector<JointId> joints() const;  // in the order of creation
  std::size_t joint_count() const { return joints_.size() - free_joints_.size(); }
  const JointDef& joint(JointId id) const;
  const std::string& name(JointId id) const { return joint(id).name; }
  void set_name(JointId id, std::string name);
  std::uint64_t user_data(JointId id) const { return joint(id).user_data; }
  void set_user_data(JointId id, std::uint64_t data);
  /// Reaction force and torque of the last step, whether it is broken.
  const JointState& joint_state(JointId id) const;
  /// Other limits, motors, springs; the same bodies, frames and alternative of JointKind.
  void set_joint(JointId id, JointKind kind);
  /// N and N m at which it breaks; infinite: never.
  void set_joint_strength(JointId id, double break_force, double break_torque);
  void set_joint_active(JointId id, bool active);
  /// Breaks a joint, or makes it whole again; a broken joint does nothing.
  void set_joint_broken(JointId id, bool broken);
  /// One of the six coordinates of an axes joint (see joints.h), m or rad within one turn, and its rate; Error for others.
  double joint_position(JointId id, int axis) const;  // axis: see joint_axis
  double joint_velocity(JointId id, int axis) const;
  /// Adds a force (N) or torque (N m) along one of those coordinates to the user forces of the joint's bodies: it acts on b, and against
  /// a, until their user forces are set again.
  void add_joint_force(JointId id, int axis, double force);
  /// A world frame in the coordinates of a body, as joints want it.
  Transform frame_in_body(BodyId id, const Transform& frame_in_world) const;

  const MaterialRules& material_rules() const { return material_rules_; }
  void set_material_rules(MaterialRules rules);

  /// Wakes a body if it sleeps. Everything that a user changes about a body does so, too.
  void wake(BodyId id);
  /// Simulation::put_to_sleep() is the other way round.
  bool is_asleep(BodyId id) const;

  /// Fills `state().force` and `torque` with the sum of all active effects and user forces at `time`.
  void evaluate_forces(double time, bool sleeping_too = false);
  bool forces_depend_on_velocity(double time) const;
  /// Every effect that acts is constant; user forces always are.
  bool forces_are_constant(double time) const;
  /// Removes the effects that have ended; the names of those removed.
  std::vector<std::string> remove_ended_forces(double time);
  /// Damping in a step of `h` seconds takes away all of a velocity at most, however large its rate is.
  void limit_damping(double h) { most_damping_ = 1 / h; }
  /// Clears the forces of apply_force() and apply_torque(); every step calls it at its end.
  void clear_step_forces() { step_forces_.clear(); }
  struct StepForce {
    BodyId body;
    Vec3 force, torque;  // N, N m about the center of mass
  };
  const std::vector<StepForce>& step_forces() const { return step_forces_; }
  /// By slot; empty if all of them are 1.
  std::span<const double> gravity_factors() const;

  // What collides with what: groups and masks of the bodies, pairs that are ignored, and a function that has the last word.
  bool may_collide(BodyId a, BodyId b) const;
  bool may_collide(std::uint32_t slot_a, std::uint32_t slot_b) const;
  /// Whether a sensor reports a body, by the same groups, masks, ignored pairs, joints and filter. Sensors do not see each other.
  bool may_sense(std::uint32_t sensor_slot, std::uint32_t slot) const;
  /// Id indices of all sensors, unordered.
  const std::vector<std::uint32_t>& sensors() const { return sensors_; }
  void ignore_collisions(BodyId a, BodyId b, bool ignore = true);
  /// Asked from one thread, in a reproducible order; must not change the world. Null: none.
  using CollisionFilter = std::function<bool(const World&, BodyId, BodyId)>;
  void set_collision_filter(CollisionFilter filter) { collision_filter_ = std::move(filter), definitions_changed(); }

  // For methods.
  /// Calls f(JointId, const JointDef&, JointState&) in the order of the ids' indices.
  template <class F> void for_each_joint(F f) {
    for (std::uint32_t i = 0; i < joints_.size(); ++i)
      if (joints_[i].alive) f(JointId{i, joints_[i].generation}, joints_[i].def, joints_[i].state);
  }
  const BodyState& state() const { return state_; }
  BodyState& state() { return state_; }
  BodyId id_at(std::uint32_t slot) const { return ids_[state_.id_index[slot]]; }
  /// Of the body that is there.
  BodyId id_of(std::uint32_t index) const { return ids_[index]; }
  std::uint32_t slot(BodyId id) const;
  /// One more than the largest id index in use.
  std::uint32_t id_capacity() const { return static_cast<std::uint32_t>(bodies_.size()); }
  void move_to_set(BodyId id, BodySet set);
  const ShapePtr& collision_shape(std::uint32_t slot) const { return collision_shapes_by_slot_[slot]; }
  /// Shape frame in the principal frame.
  const Transform& shape_frame(std::uint32_t slot) const { return shape_frames_by_slot_[slot]; }
  /// Changes with every set_shape() of the body. Caches of shape features compare it.
  std::uint32_t shape_changes(std::uint32_t slot) const { return groups_by_slot_[slot].shape_changes; }
  /// False for sensors, too.
  bool can_collide(std::uint32_t slot) const { return groups_by_slot_[slot].can_collide; }
  /// A sensor that is switched on.
  bool senses(std::uint32_t slot) const { return groups_by_slot_[slot].senses; }

  /// Differs between worlds that were made or reset apart, the same for copies: whoever remembers ids can see whether they
  /// still mean the same bodies.
  std::uint64_t epoch() const { return epoch_; }

  // For snapshots.
  /// Two worlds with the same number have the same definitions: everything but motion, user forces and joint states.
  std::uint64_t definitions_version() const { return definitions_version_; }
  /// Two worlds with the same number have the same names and user data, if they have the same definitions.
  std::uint64_t labels_version() const { return labels_version_; }
  /// Takes names and user data from a world with the same definitions.
  void copy_labels(const World& other);
  /// What changes from step to step: who is where, motion, user forces, joint states.
  void save_motion(ByteWriter& out) const;
  /// Into a world with the same definitions. Checks what the bytes say; half done when they are wrong.
  void restore_motion(ByteReader& in);
  /// All definitions, and the world that they describe, with every id as it was; everything where it was put last. Error
  /// when they contradict each other.
  WorldImage image() const;
  static World from_image(WorldImage image);

  // Sums over all active dynamic bodies.
  double kinetic_energy() const;               // J
  double potential_energy(double time) const;  // J, of forces and of springs in joints
  Vec3 momentum() const;                       // kg m/s
  Vec3 angular_momentum() const;               // kg m²/s, about the world origin
  /// Of poses, velocities and sets in the order of ids: equal bits, equal hash.
  std::uint64_t hash() const;

 private:
  struct Empty {};
  explicit World(Empty);
  void refuse_world_body(BodyId id) const;
  void definitions_changed();

  struct Body {
    BodyDef def;
    MassProperties mass;
    Transform principal;       // principal frame in the body frame
    std::uint64_t serial = 0;  // order of creation
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::uint32_t shape_changes = 0;  // how often set_shape() has changed it
    bool alive = false;
  };
  struct Groups {
    std::uint32_t group = 1, mask = 0xffffffffu;
    bool can_collide = true;  // and is no sensor
    bool senses = false;      // and is a sensor
    std::uint32_t shape_changes = 0;
  };
  static Groups groups_of(const Body& b);
  struct JoinedBody {
    std::uint32_t index = 0;
    int joints = 0;  // how many forbid the pair
  };
  struct Force {
    ForceDef def;
    std::uint32_t generation = 0;
    bool alive = false;
  };

  struct Joint {
    JointDef def;
    JointState state;
    std::uint64_t serial = 0;  // order of creation
    std::uint32_t generation = 0;
    bool alive = false;
  };

  const Body& body(BodyId id) const;
  Body& body(BodyId id);
  /// Calls f with every array that has one entry per slot.
  template <class F> void for_each_array(F f) {
    f(state_.position), f(state_.orientation), f(state_.velocity), f(state_.angular_velocity);
    f(state_.force), f(state_.torque), f(state_.inverse_mass), f(state_.inverse_inertia), f(state_.inertia);
    f(state_.user_force), f(state_.user_torque), f(state_.id_index);
    f(shapes_by_slot_), f(collision_shapes_by_slot_), f(shape_frames_by_slot_), f(groups_by_slot_);
    f(gravity_factors_by_slot_);
  }
  const Force& force_entry(ForceId id) const;
  Force& force_entry(ForceId id);
  const Joint& joint_entry(JointId id) const;
  Joint& joint_entry(JointId id);
  void check_gear(JointDef& def, const std::string& place) const;
  JointState initial_joint_state(const JointDef& def) const;
  /// Counts the joint among those that keep its bodies from colliding, or takes it out again.
  void count_joined_pair(const Joint& joint, int change);
  bool are_joined(std::uint32_t index_a, std::uint32_t index_b) const;
  void remove_joints_of(BodyId id);
  void wake_bodies_of(const Joint& joint);
  bool masks_allow(const Groups& a, const Groups& b) const {
    return (a.group & b.mask) != 0 && (b.group & a.mask) != 0;
  }
  bool is_let_through(std::uint32_t slot_a, std::uint32_t slot_b) const;
  void add_step_force(BodyId id, const Vec3& force, const Vec3& torque);
  void add_damping();
  void labels_changed();
  /// Enters a body into the lists of those that are damped, sense, or weigh more or less than others; or takes it out of them.
  void enter_in_lists(std::uint32_t index);
  void take_out_of_lists(std::uint32_t index);
  BodyId add_checked_body(BodyDef def);
  void replace_def(BodyId id, BodyDef def);
  void append_slot(Body& b, std::uint32_t index);
  void swap_slots(std::uint32_t i, std::uint32_t j);
  void drop_last_slot();
  /// The principal frame of a body at the pose that was last set.
  static Transform state_frame(const Body& b);
  bool is_where_it_was_put(const Body& b) const;
  void write_mass(const Body& b);
  void move_to_natural_set(BodyId id);
  void forget_body_in_forces(BodyId id);
  bool acts(const Force& f, double time) const;
  bool affected_slots(const Affected& affected, bool sleeping_too, std::vector<std::uint32_t>& slots) const;
  /// Puts every body into the slot in which its index stands.
  void arrange_slots(const std::vector<std::uint32_t>& id_index);
  void check_sets() const;
  void add_bodies_of(WorldImage& image);
  void add_forces_of(WorldImage& image);
  void add_joints_of(WorldImage& image);
  void check_force(const ForceDef& def) const;
  static void check_def(BodyDef& def);
  void save_joints(ByteWriter& out) const;
  void restore_joints(ByteReader& in);
  void restore_step_forces(ByteReader& in, bool are_there);

  std::vector<Body> bodies_;  // by id index
  std::vector<BodyId> ids_;   // by id index, empty where no body is; dense, since steps ask for those of many bodies
  std::vector<std::uint32_t> free_bodies_;
  std::unordered_map<std::string, std::uint32_t> body_names_;
  std::vector<Force> forces_;  // by id index
  std::vector<std::uint32_t> free_forces_;
  std::unordered_map<std::string, std::uint32_t> force_names_;
  std::vector<Joint> joints_;  // by id index
  std::vector<std::uint32_t> free_joints_;
  std::unordered_map<std::string, std::uint32_t> joint_names_;
  // By id index: what joints keep a body from colliding with; every pair is with one of the two, which had fewer.
  std::vector<std::vector<JoinedBody>> joined_with_;
  std::vector<BodyId> removed_;
  std::vector<BodyId> changed_;  // see take_changed()
  void note_change(BodyId id) {
    if (changed_.empty() || changed_.back() != id) changed_.push_back(id);
  }
  MaterialRules material_rules_;
  std::uint64_t next_serial_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint64_t definitions_version_ = 0;
  std::uint64_t labels_version_ = 0;
  std::uint32_t first_generation_ = 0;  // ids of before a reset stay unknown
  BodyState state_;
  std::vector<ShapePtr> shapes_by_slot_, collision_shapes_by_slot_;
  std::vector<Transform> shape_frames_by_slot_;  // shape frame in the principal frame
  std::vector<Groups> groups_by_slot_;
  std::vector<double> gravity_factors_by_slot_;
  std::uint32_t other_gravity_factors_ = 0;  // bodies for which it is not 1
  std::vector<std::uint32_t> damped_;        // id indices of bodies with damping
  std::vector<std::uint32_t> sensors_;       // id indices
  std::vector<StepForce> step_forces_;
  double most_damping_ = std::numeric_limits<double>::infinity();  // 1/s
  std::set<std::pair<BodyId, BodyId>> ignored_pairs_;              // the smaller id first
  CollisionFilter collision_filter_;
  std::vector<std::uint32_t> affected_scratch_;
  bool has_user_forces_ = false;
  BodyId world_body_, ground_;
  ForceId gravity_, drag_;
};

}  // namespace rigor
