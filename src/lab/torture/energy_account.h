// An upper bound of a world's energy.
//
// E = K + P is the kinetic energy plus the potential of gravity, forces and springs, from poses and velocities alone. It must stay
// below
//
//   E(0) + W_motor + W_drive + W_lift + W_push + W_step + c R
//
//   R        the energy that the world exchanges: K(0) + springs at the start + the largest Σ mᵢ g·(xᵢ − xᵢ(0)) so far, over the
//            bodies that fell, + the W terms
//   c        0.05; 0.15 for worlds with springs, since a step of a symplectic method changes the energy of an oscillation by ω h / 2
//            and generated springs have ω h ≤ 0.2
//   W_motor  Σ F_max ∫ |q̇| dt over motors with a bound; a velocity motor works only while |q̇| ≤ 1.5 |target|, so |q̇| counts up
//            to that
//   W_drive  Σ ½ mᵢ (4 u)² over all bodies, for motors without a bound and bodies of infinite mass that move; u is the sum of their
//            target speeds, angular ones times the size of everything that is jointed, and of the moving bodies' surface speeds. Bodies
//            on sliders may leave that size: the largest extent so far of the bodies that joints connect with the motor counts then
//   W_lift   Σ mᵢ g min(rᵢ, u t), rᵢ the largest rise of body i so far and u the speeds of the bodies of infinite mass: the work of lifts.
//            A body of infinite mass that holds others by joints pulls with F = M (g + a), M their mass and a the acceleration of
//            their center, and does the work u·∫F dt = M u·(g t + Δv), whether they have risen or swing below it: such bodies count
//            with mᵢ u (g t + vᵢ), vᵢ the largest speed of the body so far
//   W_push   Σ ½ mᵢ p² + mᵢ g D over bodies that overlap something at the start; p = 3 m/s + 0.3 d / h, d the body's deepest
//            overlap, D the sum of the depths of all pairs
//   W_step   Σ mᵢ g h (|vᵢ| + g h), the largest so far: the error of a first-order step in free fall
//
// If bodies of infinite mass move, without motors and springs, a body is also `fast` at
//
//   v > 1 m/s + 3 √(M / m) (v₀ + √(2 g H) + 4 u)
//
//   v₀       the largest speed at the start
//   H        from the highest center so far to its own; of bodies that joints connect, to the lowest of their centers
//   M        the mass of the body and of all that joints connect with it. The end of a chain is a whip: levers can give the energy of
//            the whole chain to one link, so that M is m for bodies without joints only
#pragma once

#include <vector>

#include "lab/torture/verdict.h"
#include "rigor/scene.h"
#include "rigor/simulation.h"

namespace rigor {

class EnergyAccount {
 public:
  /// `contacts` at the start.
  EnergyAccount(const World& world, const std::vector<BodyId>& bodies, const ContactList& contacts, double h);

  /// Finds the verdicts energy and fast. True if the world has blown up; later results are then meaningless.
  bool step_done(const World& world, double time, Judgement& judgement);

 private:
  struct Motor {
    JointId joint;
    int axis = 0;
    double max_force = 0, top_rate = 0;  // N or N m; m/s or rad/s
  };
  /// A motor of an angle without a bound on its force.
  struct Drive {
    double target = 0;           // rad/s
    std::vector<BodyId> bodies;  // that joints connect with it
    double size = 0;             // m
  };
  struct Mass {
    BodyId id;
    double mass = 0, least_inertia = 0;  // kg, kg m²
    Vec3 start;                          // m, center of mass
    double risen = 0;                    // m, against gravity, the most so far
    bool is_hauled = false;              // joints connect it with a body of infinite mass that moves
    double fastest = 0;                  // m/s, the most so far
    double lever = 1;                    // √(M / m)
    std::vector<BodyId> joined = {};     // all bodies of M if joints connect it with others
  };

  void note_motors(const World& world);
  void note_hauled(const World& world);
  void note_joined(const World& world);
  double moved_most(const World& world, const Mass& m) const;
  void note_overlaps(const ContactList& contacts);
  void judge_speeds(const World& world, double time, Judgement& judgement) const;
  void update_work(const World& world);
  void update_drive(const World& world);
  void update_lift(const World& world, double time);

  std::vector<Mass> bodies_;
  std::vector<Motor> motors_;
  std::vector<Drive> drives_;
  double mass_ = 0, drive_speed_ = 0;  // kg, of all bodies; m/s, of bodies and motors along axes
  Vec3 gravity_;
  double h_ = 0;
  double tolerance_ = 0.05;
  double start_ = 0;                                                 // J, E(0)
  double exchange_ = 0;                                              // J, K(0) and springs
  double lift_ = 0;                                                  // J
  double mover_speed_ = 0, start_speed_ = 0;                         // m/s: u of bodies alone, v₀
  double highest_ = 0;                                               // m
  bool moves_only_ = false;                                          // only bodies of infinite mass drive the world
  double fallen_ = 0, motor_ = 0, drive_ = 0, push_ = 0, step_ = 0;  // J
};

}  // namespace rigor
