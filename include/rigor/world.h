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
  /// Makes a world with the default objects of reset().
  World() { reset(); }

  /// Removes everything except the default objects of 7.5.7: the world body, a ground plane (normal +y, through the origin),
  /// gravity (0, -9.81, 0) and a drag force with zero coefficients.
  void reset();

  // Bodies. Functions that take an id throw Error if the body no longer exists.
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

  /// As added, with the pose that was last set and the initial velocity.
  const BodyDef& body_def(BodyId id) const;
  const std::string& name(BodyId id) const { return body_def(id).name; }
  /// Error if another body has the name. Neither names nor user data change the motion or the caches of the methods.
  void set_name(BodyId id, std::string name);
  std::uint64_t user_data(BodyId id) const { return body_def(id).user_data; }
  void set_user_data(BodyId id, std::uint64_t data);
  const MassProperties& mass_properties(BodyId id) const;
  /// Replaces the mass that follows from shape and density; without a value: restores it. Pose and velocity do not change.
  void set_mass(BodyId id, std::optional<double> mass, std::optional<Mat3> inertia = {},
                std::optional<Vec3> center_of_mass = {});
  /// Also changes the mass of a body that was given none in numbers. Its cached contacts are dropped and bodies that rest on it wake.
  void set_shape(BodyId id, ShapePtr shape, ShapePtr collision_shape = nullptr);
  void set_can_collide(BodyId id, bool can_collide);
  void set_groups(BodyId id, std::uint32_t group, std::uint32_t mask);
  bool is_fixed(BodyId id) const { return body_def(id).fixed; }
  bool is_active(BodyId id) const { return body_def(id).active; }
  void set_active(BodyId id, bool active);
  void set_fixed(BodyId id, bool fixed);
  bool is_sensor(BodyId id) const { return body_def(id).sensor; }
  void set_sensor(BodyId id, bool sensor);
  /// 1/s, rates at which velocity and angular momentum decay; not negative. A step never reverses a velocity by damping.
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

  /// Sets a force at the center of mass and a torque that act until they are set again.
  void set_user_force(BodyId id, const Vec3& force, const Vec3& torque = {});
  // Adds forces and torques for the next step only. They have no effect on fixed bodies.
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

  // Joints. A joint goes with its bodies; bodies that a joint connects do not collide with each other unless the joint allows it.
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
  /// Changes limits, motors and springs; bodies, frames and the alternative of JointKind stay the same.
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
  /// A world frame in the coordinates of a body, as joints need it.
  Transform frame_in_body(BodyId id, const Transform& frame_in_world) const;

  const MaterialRules& material_rules() const { return material_rules_; }
  void set_material_rules(MaterialRules rules);

  /// Wakes a body if it sleeps. Every change of a body by the user does so, too.
  void wake(BodyId id);
  /// See Simulation::put_to_sleep() for the opposite.
  bool is_asleep(BodyId id) const;

  /// Fills `state().force` and `torque` with the sum of all active effects and user forces at `time`.
  void evaluate_forces(double time, bool sleeping_too = false);
  /// Adds the forces and torques of one effect at `time` to arrays by slot; nothing if it does not act.
  void evaluate_force(ForceId id, double time, std::span<Vec3> force, std::span<Vec3> torque) const;
  bool forces_depend_on_velocity(double time) const;
  /// True if every active effect is constant; user forces always are.
  bool forces_are_constant(double time) const;
  /// Removes the effects that have ended and returns their names.
  std::vector<std::string> remove_ended_forces(double time);
  /// Damps velocities over `h` seconds. However large the rate, a velocity does not change its sign.
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

  // Collision filtering: groups and masks of the bodies, ignored pairs, and a function that decides last.
  bool may_collide(BodyId a, BodyId b) const;
  bool may_collide(std::uint32_t slot_a, std::uint32_t slot_b) const;
  /// True if a sensor reports a body, by the same groups, masks, ignored pairs, joints and filter. Sensors do not see each other.
  bool may_sense(std::uint32_t sensor_slot, std::uint32_t slot) const;
  /// Id indices of all sensors, unordered.
  const std::vector<std::uint32_t>& sensors() const { return sensors_; }
  void ignore_collisions(BodyId a, BodyId b, bool ignore = true);
  /// The filter is called from one thread, in a reproducible order, and must not change the world. Null: none.
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
  /// The id of the body with this index.
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

  /// A number that is equal for copies and differs between worlds that were made or reset separately. Caches of ids compare it to see
  /// whether the ids still mean the same bodies.
  std::uint64_t epoch() const { return epoch_; }

  // For snapshots.
  /// Two worlds with the same number have the same definitions: everything but motion, user forces and joint states.
  std::uint64_t definitions_version() const { return definitions_version_; }
  /// Two worlds with the same number have the same names and user data, if they have the same definitions.
  std::uint64_t labels_version() const { return labels_version_; }
  /// Takes names and user data from a world with the same definitions.
  void copy_labels(const World& other);
  /// Writes what changes from step to step: slots, motion, user forces, joint states.
  void save_motion(ByteWriter& out) const;
  /// Reads into a world with the same definitions. Checks the bytes; the world is half changed if they are wrong.
  void restore_motion(ByteReader& in);
  /// Writes all definitions, and reads the world that they describe, with the same ids; bodies have the poses last set. Error
  /// if the definitions contradict each other.
  WorldImage image() const;
  static World from_image(WorldImage image);

  // Sums over all active dynamic bodies.
  double kinetic_energy() const;               // J
  double potential_energy(double time) const;  // J, of forces and of springs in joints
  Vec3 momentum() const;                       // kg m/s
  Vec3 angular_momentum() const;               // kg m²/s, about the world origin
  /// A hash of poses, velocities and sets in the order of ids. Equal bits give equal hashes.
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
  /// Adds a joint to those that keep its bodies from colliding, or removes it.
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
  /// Adds a body to the lists of bodies with damping, sensors and bodies with a gravity factor, or removes it from them.
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
  /// Rebuilds the slot of every body from the slots' indices.
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
  // By id index: the bodies that joints keep a body from colliding with. Each pair is stored with the body that had fewer.
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
  std::uint32_t first_generation_ = 0;  // ids from before a reset stay invalid
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
