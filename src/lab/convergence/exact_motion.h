// Motions to compare simulations with, as ordinary differential equations in the fewest coordinates, solved to 1e-11 or better by the
// classical Runge–Kutta method in small steps. Nothing here uses the engine.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "rigor/math.h"

namespace rigor::convergence {

using State = std::vector<double>;

/// y' = f(y), from 0 to each of `times` (ascending), in steps of at most `h`.
std::vector<State> solve_motion(State y, const std::function<State(const State&)>& f, const std::vector<double>& times,
                                double h);

/// Angles from the downward vertical of `count` hanging rods of the given length, released at `angle` each: y = (θ, θ').
/// Σⱼ aᵢⱼ (cos(θᵢ-θⱼ) θⱼ'' + sin(θᵢ-θⱼ) θⱼ'²) + (n - i + ½) g/l sin θᵢ = 0, aᵢⱼ = n - max(i, j) + ½, aᵢᵢ = n - i + ⅓, i from 1.
std::vector<State> hanging_rods(std::size_t count, double length, double angle, double gravity,
                                const std::vector<double>& times);

/// A mechanism with one coordinate q that never comes to a stop: ½ m(q) q'² + V(q) = E, so that q' = √(2 (E - V)/m).
struct TurningMechanism {
  double mass = 0;    // m(q), kg m²
  double height = 0;  // V(q), J
};
std::vector<double> turning_mechanism(const std::function<TurningMechanism(double)>& at, double q, double rate,
                                      const std::vector<double>& times);

/// A body of revolution whose lowest point does not slip on a floor (normal +y) that turns about the y axis, or that is held at one point.
///   m a = F + m g,  I ω' + ω × I ω = r × F,  d/dt (v + ω × r) = d/dt (Ω × p),  p = x + r
/// with r from the center of mass to the point.
struct RollingBody {
  double mass = 1;
  Vec3 inertia;                           // kg m², about the axes of the body; y is the axis of revolution
  Vec3 gravity{0, -9.81, 0};              // m/s²
  double floor_rate = 0;                  // Ω, rad/s
  bool held = false;                      // at `held_at`, in the frame of the body, instead of rolling
  Vec3 held_at;                           // m
  double radius = 0, half_thickness = 0;  // m, of a disk
  bool ball = false;                      // the lowest point is below the center

  struct Pose {
    Vec3 position;
    Quat orientation;
    Vec3 velocity, angular_velocity;
  };
  /// From the center of mass to the lowest or the held point.
  Vec3 arm(const Quat& orientation) const;
  std::vector<Pose> motion(const Pose& start, const std::vector<double>& times) const;

 private:
  Vec3 arm_rate(const Quat& orientation, const Vec3& angular_velocity) const;
  State derivative(const State& y) const;
};

}  // namespace rigor::convergence
