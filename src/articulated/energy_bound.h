// Bounds the energy of trees: impulses of contacts, limits and loops add none, and integration must not either.
//
// An island that moves by impulses ends at other poses than those for which its velocities were computed, and in joint coordinates the same
// rates have another kinetic energy there, T = ½ q̇ᵀ H(q) q̇. Limbs that turn by half a radian in a step gain more by it than impacts remove, and
// a ragdoll on stairs flies off to infinity. So T is kept below that of the motion without rows, plus the work of motors, springs and moving
// surfaces, and that motion below what external forces F can do in a step, since Runge–Kutta fails at rotations of two radians per step:
//
//   √(2 T_1) ≤ √(2 T_0) + h √(F M⁻¹ F)
//
// Near a singular position of a loop (a straight chain as long as its span) joint forces are nearly unbounded and push
// the bodies in any direction, so that T would rise to this bound in every step. Groups with loops therefore have a
// second bound, the work of the external forces along the path: T_1 ≤ T_0 + F·Δx + τ·Δθ. It is applied only if T_1
// exceeds it by more than the discretisation error of an exact motion.
//
// The excess is removed from the motion within the trees: a free tree keeps its momentum and angular momentum exactly, unless these alone
// exceed the bound.
//
//   u ← u_P + s (u − u_P),   T(u) = T(u_P) + s² T(u − u_P)       u_P: the tree as one rigid body with the momentum that it has
#pragma once

#include <span>

#include "articulated/smooth_motion.h"

namespace rigor::articulated {

class EnergyBound {
 public:
  /// Call this with the bodies and forces at the start of the step.
  void begin(const System& system);
  /// True if the island exceeds its bound, with the bodies at the end of its motion.
  bool is_exceeded(const System& system, const Island& island) const;
  /// Before impulses: bounds the rates at the end of the motion without rows, for the coordinates `start`. Moves the bodies there.
  void limit(const System& system, const std::vector<LinkCoordinates>& start, std::vector<LinkCoordinates>& end);
  /// Bounds the energy at the end of the step, with the bodies and their coordinates `at` there; `elapsed` as in Settle.
  void keep(System& system, double elapsed, std::vector<LinkCoordinates>& at);

 private:
  /// Trees that exchange energy: those of an island, or a single one.
  struct Group {
    std::vector<int> trees;
    const Island* island = nullptr;
    double allowed = 0;  // J
    // For groups with loops, at the start of the step: kinetic energy in J; then by link, in the order of the trees.
    double kinetic = 0;
    std::vector<Vec3> position{}, force{}, torque{}, turning{};
  };
  std::span<Group> groups() { return std::span(groups_).first(group_count_); }
  std::span<const Group> groups() const { return std::span(groups_).first(group_count_); }
  void add_group(std::span<const int> trees, const Island* island);

  static double most_by_forces(const System& s, const Group& group);
  static double work(const System& s, const Island& island);
  static void keep_start(const System& s, Group& group);
  /// J: T_0 plus the work of the external forces since the start of the step.
  static double by_way(const System& s, const Group& group);
  /// Returns the remaining energy, J.
  static double slow_down(const System& s, const Group& group, double allowed, std::vector<LinkCoordinates>& at);

  std::vector<Group> groups_;  // of the present step the first `group_count_`; the others keep their memory
  std::size_t group_count_ = 0;
  std::vector<std::uint8_t> listed_;  // by tree: it is in an island
};

}  // namespace rigor::articulated
