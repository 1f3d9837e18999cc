// What the soft steps are set up by, and what a frequency and a damping ratio mean in one sub-step.
//
// The springs belong to the solver, not to the world: their frequency is a part of the sub-steps' rate, so that what they give way
// by, g / ω² at rest, goes to zero with the square of the step.
//
// A column of n cubes of side a on springs of stiffness k = m ω² buckles under its own weight when n³ m g a > 7.84 k (a/2)²
// (Greenhill 1881). Thirty boxes of a metre at 1/60 s and four sub-steps are at that limit with 0.25 oscillations per sub-step, so that
// tall islands take more sub-steps (soft_islands.h). With 0.35 two sweeps no longer hold pyramids.
#pragma once

#include <algorithm>
#include <cmath>

#include "rigor/fields.h"
#include "rigor/math.h"

namespace rigor {

/// A rigid row as a damped spring of angular frequency ω and damping ratio ζ, over a sub-step η (Catto 2011, "Soft
/// Constraints"):  λ ← −m (J u − w) s_m − s_λ λ,  w = −r C,  a = η ω (2ζ + η ω).
struct Softness {
  double rate = 0, mass = 1, impulse = 0;  // r = ω / (2ζ + η ω), s_m = a / (1 + a), s_λ = 1 / (1 + a)

  static Softness of(double hertz, double ratio, double step) {
    const double omega = 2 * kPi * hertz, a = step * omega * (2 * ratio + step * omega);
    return {omega / (2 * ratio + step * omega), a / (1 + a), 1 / (1 + a)};
  }
};

struct SoftSettings {
  int count = 4, iterations = 2;
  double max_sub_step = 1.0 / 240, max_step = 1.0 / 30;  // s
  double contact_stiffness = 0.25, contact_damping = 5, joint_stiffness = 0.25, joint_damping = 2, max_push = 3,
         max_sag = 3e-3, max_depth = 1e-3, keep = 0.1;

  void fields(FieldVisitor& v) {
    v.integer("count", count, {"1", 1, 1000, "sub-steps, at least"});
    v.number("max_sub_step", max_sub_step, {"s", kPositive, 1e6, "largest sub-step of bodies with contacts"});
    v.number("max_step", max_step,
             {"s", kPositive, 1e6, "a larger step is taken in equal parts, each of which finds its own contacts"});
    v.integer("iterations", iterations, {"1", 1, 1000, "rounds over all constraints in each solve"});
    v.number("contact_stiffness", contact_stiffness,
             {"1", kPositive, 1e6,
              "frequency of contacts as springs, in oscillations per sub-step: it vanishes with the step"});
    v.number("contact_damping", contact_damping, {"1", 0, 1000, "damping ratio of contacts"});
    v.number("joint_stiffness", joint_stiffness, {"1", kPositive, 1e6, "the same of joints"});
    v.number("joint_damping", joint_damping, {"1", 0, 1000, "damping ratio of joints"});
    v.number("max_push", max_push, {"m/s", kPositive, 1e6, "speed at which overlapping bodies are moved apart"});
    v.number("max_sag", max_sag, {"m", kPositive, 1e6, "depth by which a contact under load gives way, at most"});
    v.number("max_depth", max_depth,
             {"m", kPositive, 1e6,
              "depth beyond which bodies that much heavier ones squeeze are moved apart at the end of the step"});
    v.number("keep", keep,
             {"1", 0, 1,
              "contacts of polyhedra are kept while the bodies move against each other by less than this part of the "
              "contact envelope"});
  }
  /// Parts that a step of h seconds is taken in, and sub-steps of such a part.
  int parts(double h) const { return at_most(h, max_step, 1000); }
  /// A part is longer than `max_step` only if a step would need more than 1000 of them. No number of sub-steps resolves contacts then.
  int sub_steps(double h) const {
    if (h > max_step * (1 + 1e-9)) return count;
    return std::max(count, at_most(h, max_sub_step, 100));
  }
  Softness contact(double step) const { return Softness::of(contact_stiffness / step, contact_damping, step); }
  Softness joint(double step) const { return Softness::of(joint_stiffness / step, joint_damping, step); }

 private:
  /// Equal pieces of h that are no longer than `most`, but for rounding; `pieces`, how many there may be, keeps a step finite.
  static int at_most(double h, double most, double pieces) {
    return static_cast<int>(std::clamp(std::ceil(h / most * (1 - 1e-9)), 1.0, pieces));
  }
};

}  // namespace rigor
