// The joint trees of a world in their own coordinates: what robotics calls joint space.
//
//   M(q) q̈ + b(q, v) = τ          b: Coriolis, centrifugal and outer forces (gravity and all other forces of the world)
//
// Coordinates, link by link in the order of coordinates():
//   a joint with one or two free angles   its translations along frame a, then its angles, as World::joint_position() has them
//   a joint with three free angles        translations, then the rotation vector from frame a to frame b; the rates are those of the
//                                         angular velocity of b relative to a, along the axes of frame a
//   a body without a parent joint           center of mass, then the rotation vector of its orientation; the rates are its velocity and
//                                         angular velocity in the world
// Joints that close loops, give way or have no axes (distance, path, gear) do not belong to a tree: cut_joints() lists them. Limits, motors,
// springs, damping and friction in joints act on coordinates; they are not part of b but of τ.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rigor/world.h"

namespace rigor {

class JointSpace {
 public:
  struct Coordinate {
    BodyId body;    // the link that it moves
    JointId joint;  // that carries it; null: the body moves freely
    int axis = 0;   // 0…2 translations, 3…5 angles, of the joint or of the free body
  };

  /// Copies the world as it is. All active bodies count, sleeping ones too.
  explicit JointSpace(const World& world);
  ~JointSpace();
  JointSpace(JointSpace&&) noexcept;
  JointSpace& operator=(JointSpace&&) noexcept;

  const std::vector<Coordinate>& coordinates() const;
  std::size_t size() const { return coordinates().size(); }
  /// The index of a joint's first coordinate, or −1.
  int index_of(JointId joint, int axis) const;
  std::vector<JointId> cut_joints() const;

  std::vector<double> positions() const;
  std::vector<double> velocities() const;
  /// Moves the bodies of the copy. Error unless there are size() finite numbers.
  void set_positions(std::span<const double> q);
  void set_velocities(std::span<const double> v);
  /// The copy, with all bodies where the coordinates put them.
  const World& world() const;

  /// Symmetric, positive definite; row by row.
  std::vector<double> mass_matrix() const;
  /// b(q, v) at `time`, s.
  std::vector<double> bias_forces(double time = 0) const;
  /// τ = M q̈ + b, by the recursive Newton–Euler algorithm in linear time.
  std::vector<double> inverse_dynamics(std::span<const double> acceleration, double time = 0) const;
  /// q̈ = M⁻¹ (τ − b).
  std::vector<double> forward_dynamics(std::span<const double> force, double time = 0) const;
  /// τ that holds all bodies at rest in their present poses.
  std::vector<double> gravity_compensation(double time = 0) const;
  /// The Jacobian of a point that a body carries: six rows, the velocity of the point (world) and the angular velocity of the body, by size() columns.
  std::vector<double> jacobian(BodyId body, const Vec3& point_in_world) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rigor
