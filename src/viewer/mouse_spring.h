// A body held by the mouse: a damped spring between a point of the body and the mouse, integrated implicitly so that no
// stiffness and no time step can make it explode.
//
// With C = p − target and k = m ω², c = 2 ζ m ω the spring's impulse over a step h is (Catto 2011, "Soft Constraints")
//
//   P = −(K + γ 1)⁻¹ (v_p + β C),   γ = 1 / (h (c + h k)),   β = k / (c + h k)
//
// where K = m⁻¹ 1 − [r] I⁻¹ [r] maps an impulse at p to the change of its velocity v_p. |P| is at most max_force · h.
#pragma once

#include "rigor/world.h"

namespace rigor::viewer {

struct MouseSpring {
  BodyId body;
  Vec3 point;            // m, where the body is held, in its frame
  Vec3 target;           // m, the mouse in the world
  double frequency = 3;  // Hz, of the undamped spring
  double damping_ratio = 1;
  double max_acceleration = 2000;  // m/s², times the mass: the largest force of the mouse
  double force = 0;                // N, of the last step

  /// Pulls for a step of h seconds. False if the body does not exist or has no finite mass.
  bool apply(World& world, double h);
};

}  // namespace rigor::viewer
