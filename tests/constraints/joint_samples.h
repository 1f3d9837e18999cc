// A pair of bodies with a joint of any type between them, and its rows, without a step.
#pragma once

#include <random>

#include "constraints/joint_rows.h"
#include "constraints/row_math.h"
#include "constraints/write_rows.h"
#include "support.h"

namespace rigor::test {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Vec3 vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Quat orientation() { return normalized(Quat{number(-1, 1), number(-1, 1), number(-1, 1), number(-1, 1)}); }

 private:
  std::mt19937 engine_;
};

/// Two bodies of unequal masses whose centers of mass are not their origins, somewhere in space.
struct JointPair {
  World world = empty_world();
  BodyId a, b;
  ContactList contacts;

  explicit JointPair(Random& random) {
    BodyDef def = body_with_inertia("a", 2, {0.5, 0.7, 0.9});
    def.center_of_mass = Vec3{0.1, -0.2, 0.05};
    def.position = random.vector(2), def.orientation = random.orientation();
    a = world.add_body(def);
    def = body_with_inertia("b", 0.8, {0.2, 0.1, 0.25});
    def.center_of_mass = Vec3{-0.15, 0.1, 0.1};
    def.position = random.vector(2), def.orientation = random.orientation();
    b = world.add_body(def);
  }

  /// Velocities that the tests move the bodies with.
  void set_velocities(Random& random) {
    for (const BodyId id : {a, b}) world.set_velocity(id, random.vector(1), random.vector(1));
  }

  /// Moves both bodies along their velocities for t seconds, rotations exactly.
  void drift(double t) {
    BodyState& s = world.state();
    for (std::uint32_t i = 0; i < s.awake(); ++i) {
      s.position[i] += t * s.velocity[i];
      s.orientation[i] = normalized(quaternion_from_rotation_vector(t * s.angular_velocity[i]) * s.orientation[i]);
    }
  }

  /// All rows of all joints at the present state, also of limits that are far away.
  std::vector<Row> rows(bool every_limit = true) {
    ConstraintList list;
    list.collect(world, contacts);
    const JointContext context{world.state(), list, 0.01, every_limit};
    std::vector<Row> all, of_joint;
    for (const StepJoint& joint : list.joints) {
      write_joint(joint, context, of_joint);
      all.insert(all.end(), of_joint.begin(), of_joint.end());
    }
    return all;
  }

  double rate(const Row& row) const {
    const std::uint32_t i = world.slot(a), j = world.slot(b);
    const BodyState& s = world.state();
    return dot(part(row.J, 0), s.velocity[i]) + dot(part(row.J, 3), s.angular_velocity[i]) +
           dot(part(row.J, 6), s.velocity[j]) + dot(part(row.J, 9), s.angular_velocity[j]);
  }
};

/// Parameters that switch on everything that an axis can have; `prefix` as the type has it.
inline void add_everything(Settings& s, const std::string& prefix) {
  s[prefix + "lower"] = -0.4, s[prefix + "upper"] = 0.7;
  s[prefix + "motor"] = std::string("servo"), s[prefix + "motor_target"] = 0.3;
  s[prefix + "motor_proportional"] = 20.0, s[prefix + "motor_derivative"] = 3.0;
  s[prefix + "spring_stiffness"] = 50.0, s[prefix + "spring_rest"] = 0.1;
}

/// A joint of the named type between the two bodies at a random place, with everything switched on that its type has.
inline JointDef sample_joint(const JointPair& pair, const std::string& type, Random& random, bool everything) {
  const BodyId a = pair.a, b = pair.b;
  const World& w = pair.world;
  const Vec3 anchor = random.vector(2), axis = normalized(random.vector(1));
  Vec3 axis2 = random.vector(1);
  if (type != "two-axis-rotation") axis2 = cross(axis, axis2);
  Settings s;
  if (everything) {
    if (type == "hinge" || type == "slider" || type == "orientation" || type == "point-on-line") add_everything(s, "");
    if (type == "cylindrical") add_everything(s, "slide_"), add_everything(s, "turn_");
    if (type == "universal") add_everything(s, "axis_"), add_everything(s, "axis2_");
    if (type == "planar") add_everything(s, "y_"), add_everything(s, "z_"), add_everything(s, "turn_");
    if (type == "ball") s = {{"max_swing", 0.5}, {"min_twist", -0.3}, {"max_twist", 0.6}};
    if (type == "car-wheel")
      s = {{"suspension_lower", -0.2},      {"suspension_upper", 0.3}, {"suspension_spring_stiffness", 1e3},
           {"suspension_spring_rest", 0.1}, {"steering_lower", -0.5},  {"steering_upper", 0.5}};
    if (type == "six-dof")
      for (const char* n : {"x", "y", "z", "rx", "ry", "rz"}) {
        s[n] = std::string("limited");
        add_everything(s, std::string(n) + "_");
      }
    if (type == "rope") s = {{"lower", 0.2}, {"upper", 3.0}};
  }
  if (type == "distance") return distance_joint(w, a, b, anchor, anchor + random.vector(1), s);
  if (type == "rope") return rope_joint(w, a, b, anchor, anchor + random.vector(1), s);
  if (type == "path") {
    // The bead is in the middle of a bent segment: (9 p1 + 9 p2 - p0 - p3) / 16 of a Catmull-Rom spline.
    const Vec3 p[4] = {-3 * axis, -1 * axis, axis + 0.3 * axis2, 2 * axis + 2 * axis2};
    const Vec3 to_bead = anchor - (9 * p[1] + 9 * p[2] - p[0] - p[3]) / 16;
    return path_joint(w, a, b, anchor, {p[0] + to_bead, p[1] + to_bead, p[2] + to_bead, p[3] + to_bead}, false);
  }
  return make_joint(w, type, a, b, {anchor, axis, axis2}, s);
}

inline std::vector<std::string> pair_joint_types() {
  std::vector<std::string> types = names_of(Kind::joint);
  std::erase(types, "gear");  // acts on two other joints
  return types;
}

/// True for joints that constrain velocities: rows that are not locked have no position error C.
inline bool is_non_holonomic(const std::string& type) { return type == "knife-edge" || type == "rolling-ball"; }

}  // namespace rigor::test
