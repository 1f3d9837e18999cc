// The linear system of joint trees with the bodies' velocities eliminated at the pivots, in linear time: the articulated
// inertias of Featherstone (1983) for bodies in maximal coordinates.
//
//   M̃ u − Jᵀ λ = f          M̃ = diag(m 1, I + η K_g): masses with the geometric stiffness of the joint forces
//   J u        = r           what each joint wants of the relative velocity at its pivot
//
// A body is described by the velocity a of its pivot and its ω, v = a + r × ω with r from the center of mass to the pivot:
//
//   [ A  B ] [ a ]   [ b_a ]      A = m 1,  B = m [r],  C = I + η K_g + m [r]ᵀ[r]
//   [ Bᵀ C ] [ ω ] = [ b_ω ]      plus what the children hand over
//
// From the leaves to the roots, what the joint leaves free is eliminated and the rest is handed to the parent, shifted by
// e = (pivot − own pivot of the parent):
//
//   ball       ω free:           K = A − B C⁻¹ Bᵀ: a 3 × 3 matrix, A += K, B −= K [e], C −= [e] K [e]
//   others     directions s:     M ← M − U Uᵀ / D,  U = M s,  D = sᵀ U, one after the other; then all of M
//   root       nothing holds it: all six
//
// The multipliers are not needed: the impulse of a joint is what its subtree lacks of momentum. Cost about 60 ns per body and
// ball joint; children cost an addition each. Fails for nothing that has positive definite M̃.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "multibody/symmetric3.h"
#include "state/step_bodies.h"

namespace rigor {

/// A direction that a joint leaves free: velocity of the pivot and angular velocity of the child relative to the parent.
struct FreeDirection {
  Vec3 v, w;
};

/// A body of a tree with the joint to its parent.
struct PivotNode {
  enum class Joint : std::uint8_t { none, ball, other };

  // What the tree is; parents come before their children.
  int parent = -1;  // node; -1: the ground, or none
  Joint joint = Joint::none;
  std::uint8_t free_count = 0;  // of another joint: directions
  std::uint32_t first_free = 0;

  // What is wanted.
  double mass = 0;  // kg
  Sym3 inertia;     // kg m², world frame, with η K_g
  Vec3 own;         // m, from the center of mass to the pivot; zero without joint
  Vec3 at_parent;   // m, from the parent's center of mass to the pivot
  Vec3 r, r_w;      // m/s, rad/s: velocity of the child relative to the parent at the pivot
};

class PivotTree {
 public:
  /// Nodes may be changed in all but `parent` and `joint` between solves.
  std::vector<PivotNode> nodes;
  std::vector<FreeDirection> free;  // those of a node lie together

  void resize();
  /// Nodes [begin, end): whole trees. f: impulses by node. Writes the velocities that solve the system.
  void factorise_and_solve(std::size_t begin, std::size_t end, std::span<const BodyVelocity> f,
                           std::span<BodyVelocity> u);
  enum class Wanted : std::uint8_t { zero, as_given };
  /// With the last factors; r may be taken for zero.
  void solve(std::size_t begin, std::size_t end, std::span<const BodyVelocity> f, Wanted r, std::span<BodyVelocity> u);

 private:
  struct Factor {
    // While children are added: M; afterwards of a ball joint K, G = B C⁻¹ and C⁻¹, of a root K⁻¹, G and C⁻¹, of others
    // what is left of M.
    Sym3 A, C;
    Mat3 B;
    Vec3 b_a, b_w;
  };
  struct FreeFactor {
    FreeDirection U;
    double inverse_D, beta;
  };

  void begin_node(std::size_t i, const BodyVelocity& f);
  void begin_right_side(std::size_t i, const BodyVelocity& f);
  void factorise_node(std::size_t i);
  void hand_over_ball(std::size_t i, const Sym3& K, const Vec3& b);
  void factorise_other(std::size_t i);
  void eliminate(std::size_t i, Wanted r);
  BodyVelocity substitute(std::size_t i, const BodyVelocity* parent, bool with_r) const;

  std::vector<Factor> factors_;           // by node
  std::vector<FreeFactor> free_factors_;  // by free direction
};

}  // namespace rigor
