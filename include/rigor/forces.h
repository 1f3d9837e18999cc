// Force effects: what pushes bodies around (2.6, 7.4.2). Each is one batch function over the arrays.
//
// An effect is an immutable value that worlds share; to change one, replace it by a changed copy.
// A user's own effect derives from ForceEffect and is added like the built-in ones.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/fields.h"
#include "rigor/ids.h"
#include "rigor/math.h"
#include "rigor/shape.h"
#include "rigor/state.h"

namespace rigor {

/// What an effect may read, and the two arrays it adds to.
struct ForceContext {
  double time = 0;                               // s
  const BodyState& state;                        // poses and velocities at `time`
  std::span<const std::uint32_t> bodies;         // slots of the affected bodies; for a pair exactly a and b
  std::span<const ShapePtr> shapes;              // by slot
  std::span<const Transform> shape_frames;       // by slot: shape frame in the principal frame
  std::span<Vec3> force;                         // by slot, N
  std::span<Vec3> torque;                        // by slot, N m, about the center of mass
  std::span<const double> gravity_factors = {};  // by slot; empty: all of them are 1

  /// World position of a point given in the coordinates of the body's shape frame.
  Vec3 world_point(std::uint32_t slot, const Vec3& point_in_body) const;
  /// World components of a direction given in the axes of the body's shape frame.
  Vec3 world_direction(std::uint32_t slot, const Vec3& direction_in_body) const;
  /// Velocity of the material point of the body that is at the world position p.
  Vec3 point_velocity(std::uint32_t slot, const Vec3& p) const {
    return state.velocity[slot] + cross(state.angular_velocity[slot], p - state.position[slot]);
  }
  /// Adds a force that acts at the world position p.
  void add_force_at(std::uint32_t slot, const Vec3& f, const Vec3& p) const {
    force[slot] += f;
    torque[slot] += cross(p - state.position[slot], f);
  }
};

class ForceEffect : public Configurable {
 public:
  /// The name in scene files and in the registry.
  virtual std::string_view type() const = 0;
  virtual void apply(const ForceContext& context) const = 0;
  /// J; zero for forces without a potential.
  virtual double potential_energy(const ForceContext&) const { return 0; }
  /// True for effects between exactly two bodies.
  virtual bool needs_pair() const { return false; }
  /// False lets some integrators save an evaluation.
  virtual bool depends_on_velocity() const { return false; }
  /// True if the force on a body depends neither on its pose nor on its velocity nor on time. Some methods then take fewer sub-steps.
  virtual bool is_constant() const { return false; }
};
using ForcePtr = std::shared_ptr<const ForceEffect>;

/// F = m g, or anything given as an acceleration. (2.83)
class Gravity final : public ForceEffect {
 public:
  Gravity() = default;
  explicit Gravity(const Vec3& g) : acceleration(g) {}
  Vec3 acceleration{0, -9.81, 0};  // m/s²

  std::string_view type() const override { return "gravity"; }
  bool is_constant() const override { return true; }
  void fields(FieldVisitor& v) override;
  void apply(const ForceContext& context) const override;
  double potential_energy(const ForceContext& context) const override;
};

/// F = -(c1 + c2 |v|) v relative to the fluid, τ = -(d1 + d2 |ω|) ω. (2.84–2.86)
class Drag final : public ForceEffect {
 public:
  double linear = 0;             // N s/m
  double quadratic = 0;          // N s²/m²
  double angular = 0;            // N m s
  double angular_quadratic = 0;  // N m s²
  Vec3 fluid_velocity;           // m/s

  std::string_view type() const override { return "drag"; }
  void fields(FieldVisitor& v) override;
  void apply(const ForceContext& context) const override;
  bool depends_on_velocity() const override {
    return linear != 0 || quadratic != 0 || angular != 0 || angular_quadratic != 0;
  }
  bool is_constant() const override { return !depends_on_velocity(); }
};

/// A damped spring between a point on body a and a point on body b; acts on a pair. (2.87–2.92)
class Spring final : public ForceEffect {
 public:
  double stiffness = 100;     // N/m
  double damping = 0;         // N s/m
  double rest_length = 0;     // m
  Vec3 point_a, point_b;      // m, body coordinates
  bool tension_only = false;  // a rubber band: never pushes

  std::string_view type() const override { return "spring"; }
  bool needs_pair() const override { return true; }
  void fields(FieldVisitor& v) override;
  void apply(const ForceContext& context) const override;
  double potential_energy(const ForceContext& context) const override;
  bool depends_on_velocity() const override { return damping != 0; }
};

/// Pushes bodies away from its center, F = strength · falloff(d / radius). (7.4.2)
class Explosion final : public ForceEffect {
 public:
  Vec3 center;          // m
  double strength = 1;  // N, at the center
  double radius = 10;   // m, the force is zero beyond it
  // A function of s = d / radius < 1: "none" is 1, "linear" 1 - s, "quadratic" (1 - s)².
  std::string falloff = "linear";

  std::string_view type() const override { return "explosion"; }
  void fields(FieldVisitor& v) override;
  void apply(const ForceContext& context) const override;
};

/// Buoyancy in the half-space below a level: lift at the center of the displaced volume, and drag on the submerged part.
class Buoyancy final : public ForceEffect {
 public:
  double density = 1000;    // kg/m³, of the fluid
  Vec3 normal{0, 1, 0};     // up, out of the fluid
  double level = 0;         // m, surface at normal·p = level
  double gravity = 9.81;    // m/s²
  double linear_drag = 0;   // 1/s, per displaced mass of fluid
  double angular_drag = 0;  // 1/s, per displaced mass times the mean squared half extent
  Vec3 flow;                // m/s, of the fluid

  std::string_view type() const override { return "buoyancy"; }
  void fields(FieldVisitor& v) override;
  void apply(const ForceContext& context) const override;
  double potential_energy(const ForceContext& context) const override;
  bool depends_on_velocity() const override { return linear_drag != 0 || angular_drag != 0; }
};

/// Newton's mutual attraction of all affected bodies, F = G m₁ m₂ r / (r² + ε²)^(3/2). Fixed bodies have no mass
/// in the arrays and take no part.
class Gravitation final : public ForceEffect {
 public:
  double constant = 6.67430e-11;  // N m²/kg²
  double softening = 0;           // m

  std::string_view type() const override { return "gravitation"; }
  void fields(FieldVisitor& v) override;
  void apply(const ForceContext& context) const override;
  double potential_energy(const ForceContext& context) const override;
};

/// Every affected body carries the same magnetic dipole, fixed in its body frame; they act on each other and feel a uniform
/// outer field.
class Magnets final : public ForceEffect {
 public:
  Vec3 moment{0, 1, 0};            // A m², body coordinates
  Vec3 field;                      // T, uniform outer field
  double minimum_distance = 1e-3;  // m, d: distances enter as √(r² + d²), so nothing is singular

  std::string_view type() const override { return "magnets"; }
  void fields(FieldVisitor& v) override;
  void apply(const ForceContext& context) const override;
  double potential_energy(const ForceContext& context) const override;
};

/// A force at a point of each affected body and a torque, both in world or body directions.
class PointForce final : public ForceEffect {
 public:
  Vec3 force;                  // N
  Vec3 torque;                 // N m
  Vec3 point;                  // m, body coordinates
  bool in_body_frame = false;  // force and torque turn with the body

  std::string_view type() const override { return "point-force"; }
  void fields(FieldVisitor& v) override;
  void apply(const ForceContext& context) const override;
  double potential_energy(const ForceContext& context) const override;
};

/// A function of the program; it cannot be saved in scene files.
class CustomForce final : public ForceEffect {
 public:
  explicit CustomForce(std::function<void(const ForceContext&)> function, bool uses_velocity = true)
      : function_(std::move(function)), uses_velocity_(uses_velocity) {}

  std::string_view type() const override { return "custom"; }
  void apply(const ForceContext& context) const override { function_(context); }
  bool depends_on_velocity() const override { return uses_velocity_; }

 private:
  std::function<void(const ForceContext&)> function_;
  bool uses_velocity_;
};

/// Which bodies an effect acts on: all but some, a pair, or a list. (7.4.2, ExclusionBodySet and BodyPair)
struct Affected {
  enum class Kind { all_except, pair, list };
  Kind kind = Kind::all_except;
  std::vector<BodyId> bodies;

  static Affected all() { return {}; }
  static Affected all_except(std::vector<BodyId> ids) { return {Kind::all_except, std::move(ids)}; }
  static Affected pair(BodyId a, BodyId b) { return {Kind::pair, {a, b}}; }
  static Affected list(std::vector<BodyId> ids) { return {Kind::list, std::move(ids)}; }
};

/// A force effect in a world.
struct ForceDef {
  std::string name;  // unique among forces, or empty: it is then called force<N>
  ForcePtr effect;
  Affected affected;
  double end_time = std::numeric_limits<double>::infinity();  // s
  bool remove_automatically = true;                           // once it has ended
  bool active = true;
};

}  // namespace rigor
