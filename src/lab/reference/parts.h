// Building blocks of the reference cases.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

#include "lab/reference/reference.h"
#include "rigor/rigor.h"

namespace rigor::reference {

inline constexpr double kG = 9.81;  // m/s²
constexpr double degrees(double angle) { return angle * kPi / 180; }

/// Ends a run: any report of the simulation, or only the loss of a body.
enum class Ends { at_reports, at_losses };

/// A simulation that stops with std::runtime_error as soon as it reports something, or only when a body is lost.
class Run {
 public:
  Run(World world, const Method& method, double dt, Ends ends = Ends::at_reports)
      : sim_(std::move(world), method), dt_(dt), ends_(ends), active_(active_bodies()) {}

  void step();
  /// In steps of the given size, or slightly smaller ones so that they end at `time`.
  void to(double time);
  const World& world() const { return sim_.world(); }
  World& world() { return sim_.world(); }
  const Simulation& simulation() const { return sim_; }
  double time() const { return sim_.time(); }
  double dt() const { return last_; }
  double energy() const { return sim_.energy().total(); }

 private:
  void step(double h);
  std::size_t active_bodies() const;

  Simulation sim_;
  double dt_, last_ = 0;
  Ends ends_;
  std::size_t active_;
};

/// A world without ground and drag; gravity along -y unless it is turned off.
World space(bool gravity);

Material surface(double friction, double restitution = 0);

/// A thin uniform rod between two points of the xy plane: its x axis runs from the first to the second. It does not collide.
BodyId add_rod(World& world, const Vec3& from, const Vec3& to, double mass);
/// Angle of a rod from the downward vertical, x = sin, y = -cos; in (-pi, pi].
double rod_angle(const World& world, BodyId rod);

/// Connects two bodies at `point` at their present poses.
JointId add_hinge(World& world, BodyId a, BodyId b, const Vec3& point, const Vec3& axis = {0, 0, 1});
JointId add_ball_joint(World& world, BodyId a, BodyId b, const Vec3& point);
JointId add_joint(World& world, BodyId a, BodyId b, const Transform& frame, JointKind kind);

/// Difference of two angles, in [0, pi].
double angle_difference(double a, double b);
inline double relative(double value, double expected) { return std::abs(value - expected) / std::abs(expected); }
/// Stores the larger value.
inline void raise(double& largest, double value) {
  if (!(value <= largest)) largest = value;  // also when it is not a number
}

/// Sum of the normal forces between two bodies in the last step, N.
double normal_force(const Run& run, BodyId a, BodyId b);
/// Length of the sum of the friction forces.
double friction_force(const Run& run, BodyId a, BodyId b);

}  // namespace rigor::reference
