// The motion of several bodies as one rigid body that has their momentum and their angular momentum.
#pragma once

#include "multibody/symmetric3.h"

namespace rigor {

struct RigidMotion {
  double mass = 0;  // kg
  Vec3 center;      // m; Σ m x until find_center()
  Vec3 P, L;        // kg m/s, kg m²/s about the center
  Mat3 inertia;     // kg m², about the center

  void add_mass(double m, const Vec3& x) { mass += m, center += m * x; }
  void find_center() {
    if (mass > 0) center = center / mass;
  }
  /// Adds a body at x with inertia I, momentum p and angular momentum `angular` about its own center of mass. Call it
  /// after find_center().
  void add(double m, const Mat3& I, const Vec3& x, const Vec3& p, const Vec3& angular) {
    const Vec3 r = x - center;
    P += p, L += cross(r, p) + angular;
    inertia = inertia + I + full(point_inertia(m, r));
  }
  Vec3 spin() const { return inverse(inertia) * L; }
  /// Velocity of the rigid motion at x; w is its angular velocity, spin().
  Vec3 velocity(const Vec3& x, const Vec3& w) const { return P / mass + cross(w, x - center); }
};

}  // namespace rigor
