// Impulses of contacts, limits and loops give no energy, and no rule of integration does.
//
// An island that moves by impulses is at places other than those at which its velocities were found, and in joint coordinates the same
// rates have another kinetic energy there, T = ½ q̇ᵀ H(q) q̇. Limbs that turn by half a radian in a step gain more by it than impacts take, and
// a doll on stairs ends at infinity. So T is held below what the motion without rows would have had, plus the work of motors, springs and moving
// surfaces; and that motion below what forces F from outside can do in a step, which is Runge–Kutta's own failure at turns of two radians:
//
//   √(2 T_1) ≤ √(2 T_0) + h √(F M⁻¹ F)
//
// Near a singular position of a loop (a straight chain as long as its span) joint forces are nearly unbounded and push
// the bodies in any direction, so that T would rise to this bound in every step. Groups with loops therefore have a
// second bound, the work of the forces from outside along the path: T_1 ≤ T_0 + F·Δx + τ·Δθ. It is applied only if T_1
// exceeds it by more than the discretisation error of an exact motion.
//
// What is above is taken from the motion within the trees: a free one keeps its momentum and its moment exactly, unless these alone
// are too much.
//
//   u ← u_P + s (u − u_P),   T(u) = T(u_P) + s² T(u − u_P)       u_P: the tree as one rigid body with the momentum that it has
#pragma once

#include "articulated/smooth_motion.h"

namespace rigor::articulated {

class EnergyBound {
 public:
  /// With the bodies and forces at the start of the step.
  void begin(const System& system);
  /// Whether the island is above its bound, with the bodies at the end of its motion.
  bool is_exceeded(const System& system, const Island& island) const;
  /// Before impulses: rates at the end of the motion without rows, as they act at the coordinates `start`. Moves the bodies there.
  void limit(const System& system, const std::vector<LinkCoordinates>& start, std::vector<LinkCoordinates>& end);
  /// With the bodies and their coordinates `at` at the end of the step; `elapsed` as in Settle.
  void keep(System& system, double elapsed, std::vector<LinkCoordinates>& at);

 private:
  /// Trees that exchange energy: those of an island, or one by itself.
  struct Group {
    std::vector<int> trees;
    const Island* island = nullptr;
    double allowed = 0;  // J
    // For groups with loops, at the start of the step: kinetic energy in J; then by link, in the order of the trees.
    double kinetic = 0;
    std::vector<Vec3> position{}, force{}, torque{}, turning{};
  };

  static double most_by_forces(const System& s, const Group& group);
  static double work(const System& s, const Island& island);
  static void keep_start(const System& s, Group& group);
  /// J: T_0 plus the work of the forces from outside since the start of the step.
  static double by_way(const System& s, const Group& group);
  /// Returns the energy that is left, J.
  static double slow_down(const System& s, const Group& group, double allowed, std::vector<LinkCoordinates>& at);

  std::vector<Group> groups_;
};

}  // namespace rigor::articulated
