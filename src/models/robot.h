// What URDF and MJCF have in common: links that hang on each other, with joints, shapes and masses. Readers fill it,
// build_scene() makes bodies and joints of it.
//
// A link's pose is that in its parent's frame with all joint coordinates zero. Its joints act in their order, as in MJCF: each in
// the frame of the link that the ones before have moved. URDF's single joint is the special case of one, at the link's origin.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/ledger.h"
#include "rigor/joints.h"
#include "rigor/mass_properties.h"
#include "rigor/scene.h"

namespace rigor::models {

inline constexpr int kWorld = -1;
inline constexpr std::size_t kMaxLinks = 200'000;

struct JointSpec {
  enum class Type { hinge, slide, ball, free };
  Type type = Type::hinge;
  std::string name;
  Vec3 axis{0, 0, 1};  // unit, in the link's frame
  Vec3 anchor;         // m, in the link's frame
  bool limited = false;
  // In terms of the coordinate that is zero in the link's pose.
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  double rest = 0;                      // of the spring
  double ref = 0;                       // what a file counts the coordinate from in the link's pose
  double start = 0;                     // where the scene begins
  Quat start_rotation;                  // of a ball
  std::optional<Transform> start_pose;  // of a free link, in the world
  double start_rate = 0;                // m/s or rad/s, of a hinge or slide
  Vec3 start_velocity;                  // m/s, of a free link's origin, in the world
  Vec3 start_spin;                      // rad/s, of a ball or free link, in the link's frame
  double stiffness = 0, damping = 0, friction = 0;
  double armature = 0;      // kg m² or kg, of a rotor
  Element armature_source;  // the element that gives it
  AxisMotor motor;
  std::optional<double> actuator_force;  // N or N m: what its actuators push with together
  Element where;
};

struct Geom {
  std::string name;
  ShapePtr shape;      // as it is drawn
  ShapePtr collision;  // null: `shape`
  Transform pose;      // in the link's frame
  Material material;
  bool drawn = true, collides = true;
  std::uint32_t contype = 1, conaffinity = 1;  // MJCF: two collide if one's type and the other's affinity share a bit
  int condim = 3, priority = 0;                // MJCF: see contact_rules()
  bool has_mass_of_hull = false;               // MJCF: the surface of its mesh encloses no volume
  int texture = -1;                            // index in Robot::textures; -1: none
  Element where;
};

struct Link {
  std::string name;
  int parent = kWorld;
  Transform pose;
  std::vector<JointSpec> joints;  // none: welded to the parent
  std::vector<Geom> geoms;
  MassProperties mass;        // in the link's frame; no mass: none
  double gravity_factor = 1;  // of its weight
  Element where;

  bool has_speed() const {
    for (const JointSpec& j : joints)
      if (j.start_rate != 0 || j.start_velocity != Vec3{} || j.start_spin != Vec3{}) return true;
    return false;
  }
};

/// One coordinate follows another: q = offset + ratio q_leader.
struct Mimic {
  std::string joint, leader;
  double ratio = 1, offset = 0;
  Element where;
};
/// Holds a point of one link at a point of another, or with `rigid` its orientation as well.
struct Tie {
  std::string name;
  int a = kWorld, b = kWorld;
  Transform frame_a, frame_b;
  bool rigid = false;
  Element where;
};
struct Rope {
  std::string name;
  int a = kWorld, b = kWorld;
  Vec3 point_a, point_b;
  DistanceJoint kind;
  Element where;
};

/// Cameras, lights and sensors at frames that links carry. build_scene() fills in the names of bodies and joints.
struct CameraMount {
  MountedCamera camera;
  int link = kWorld;
  Transform pose;
  std::optional<int> target;  // link that it looks at
  Element where;
};
struct LightMount {
  Light light;
  int link = kWorld;
  Transform pose;  // it shines along −z
  Element where;
};
struct SensorMount {
  SceneSensor sensor;  // `joint` is the name of a joint in the file
  int link = kWorld;
  Transform pose;
  Element where;
};

/// Two geoms with a friction of their own, by their names.
struct GeomPair {
  std::string first, second;
  double friction = 1;
};

/// Two links that collide although their geoms do not by contype and conaffinity.
struct LinkPair {
  int a = kWorld, b = kWorld;
  std::string geom_a, geom_b;
  Element where;
};

struct Robot {
  std::string name;
  std::vector<Link> links;  // parents before children
  std::vector<Mimic> mimics;
  std::vector<Tie> ties;
  std::vector<Rope> ropes;
  std::vector<std::pair<int, int>> exclusions;
  std::vector<GeomPair> geom_pairs;
  std::vector<LinkPair> colliding_pairs;
  std::vector<Texture> textures;
  std::vector<CameraMount> cameras;
  std::vector<LightMount> lights;
  std::vector<SensorMount> sensors;
  std::optional<Sky> sky;
  std::optional<Headlight> headlight;
  SceneCamera view;  // without names of bodies
  Vec3 gravity{0, 0, -9.81};
  std::optional<double> step;            // s
  bool static_parents_collide = false;   // MJCF: what is fixed in the world collides with the links it carries
  bool ground_under_it = false;          // URDF: a robot that nothing holds stands on the ground
  bool smaller_friction_counts = false;  // URDF with frictions of Gazebo: the larger one otherwise
  bool separate_overlaps = false;        // URDF: links that overlap in the file's pose do not collide

  int add(Link link);
};

/// One coordinate of a scene's joint. The file's coordinate is `sign` times it.
struct JointPlace {
  JointId id;
  int axis = 0;
  double sign = 1;
};
using JointPlaces = std::map<std::string, JointPlace>;  // by the name of the joint in the file

/// The scene of a robot. Notes about what it cannot express go to the ledger.
Scene build_scene(Robot robot, Ledger& ledger, JointPlaces* places = nullptr);

/// The index of the texture in Robot::textures, where equal ones are stored once. Returns -1, with a warning, if the pictures would exceed kMaxImagesSize.
int add_texture(Robot& robot, Texture texture, Ledger& ledger);
/// Gives materials with one name and different numbers names of their own, since rules go by names, and puts their textures into `appearance`.
void name_materials(Robot& robot, Appearance& appearance, Ledger& ledger);

/// Makes a capsule of three geoms in a row, from `from` on, that are a cylinder with a sphere at each end.
void join_capsules(std::vector<Geom>& geoms, std::size_t from);

// Its parts.
/// Gives the moving links the masses of their shapes if no link has one.
void fill_links(Robot& robot, Ledger& ledger);
/// Moves what has no mass into a neighbour that moves with it; see massless.cpp.
void absorb_massless_links(Robot& robot, Ledger& ledger);
/// Adds the inertia of rotors to a link.
void add_armature(const Robot& robot, Link& link, Ledger& ledger);
/// An inertia that a body can have, with a note when it had to be changed.
void repair_mass(Link& link, Ledger& ledger);
/// Where every link is in the world, at the start coordinates.
std::vector<Transform> world_poses(const Robot& robot);
/// The pose of a frame in the world, the velocity of its origin and its angular velocity.
struct FrameMotion {
  Transform pose;
  Vec3 velocity, spin;
};
/// The motion of a frame that another one carries at `pose`.
FrameMotion carried(const FrameMotion& parent, const Transform& pose);
/// The motion of a link's frame after one of its joints.
FrameMotion moved_by(const FrameMotion& before, const JointSpec& joint);
/// Poses and velocities of all links at the start.
std::vector<FrameMotion> start_motions(const Robot& robot);
/// Joints that follow others start where their leaders put them, and leaders where those that follow them are within their limits. It is a mistake of the file if a joint follows itself, also through others, or would
/// start beyond 1e12 m or rad.
void start_followers(Robot& robot, Ledger& ledger);
/// A quaternion of length 1; one that has it already keeps its bits.
Quat unit(const Quat& q);
/// The motion of one joint at its start coordinate, in the link's frame.
Transform joint_transform(const JointSpec& joint);

/// Joints of a link that one joint of six axes can stand for. Coordinates of `specs` are those of the axes times `sign`.
struct JointGroup {
  std::vector<const JointSpec*> specs;
  std::vector<int> axis;     // of each
  std::vector<double> sign;  // of each
  Transform frame;           // of the joint, in the link's frame
};
std::vector<JointGroup> group_joints(const std::vector<JointSpec>& joints);
/// The axes of a group, and the name of the joint type.
AxesJoint axes_of(const JointGroup& group, Ledger& ledger);
std::string type_of(const JointGroup& group);

}  // namespace rigor::models
