// Figures of truth of a step: how well the result of a method obeys the laws of contact, from poses, velocities, contacts and the impulses that the method reports, by
// one code for all methods. With the poses x₀ at the start of the step, velocities u₀ and u₁ at its start and end, forces f at its start, and reported impulses λ:
//
//   momentum       ‖m Δv − h f − Σ λ‖, N s, and ‖ΔL − h τ − Σ r × λ‖, N m s, of each body: whether the impulses explain the motion
//   natural map    d ‖λ − P_K(λ − û/d)‖, m/s, of each contact point; d is the mean diagonal of its block of J M⁻¹ Jᵀ
//   cone           distance of λ from Coulomb's cone, N s
//   approach       max(−w, 0), m/s: the speed of a forbidden approach
//   Signorini      |λ_n w|, J
//   de Saxcé       |λ · û|, û = (w + μ ‖v_t‖, v_t), J
//   dissipation    μ λ_n ‖v_t‖ + λ_t · v_t, J: the difference to the largest dissipation by friction
//   joints, limits, penetration   errors of position at the end of the step, m (limits of angles: rad)
//
// v = J(x₀) u₁ is the relative velocity at the contact and w = v_n − target, the target being −gap/h while there is a gap (it may close in this step), e times the closing speed
// for impacts, and zero otherwise. μ is the static coefficient below the stick speed. Velocities that a method gives bodies to correct errors of position count as errors here. Each figure has its largest value, the root mean
// square over all contacts (bodies, joints) and steps, and the name and time of the worst.
#pragma once

#include <vector>

#include "lab/truth_figures.h"
#include "rigor/simulation.h"

namespace rigor {

class TruthMeter {
 public:
  /// Call this right before a step, with record_impulses() on: stores the state and its forces.
  void before(const Simulation& simulation);
  /// Call this right after the step.
  void after(const Simulation& simulation);

  /// The figures over the steps so far, with rms.
  std::vector<TruthFigure> figures() const { return figures_.finished(); }
  std::uint64_t steps() const { return steps_; }

 private:
  void measure_momentum(const Simulation& simulation);
  void measure_contacts(const Simulation& simulation, double h);
  TruthPoint point_of(const Contact& c, const ContactPoint& p, std::uint32_t a0, std::uint32_t b0,
                      const World& world) const;
  void measure_positions(const Simulation& simulation);

  TruthFigures figures_;
  BodyState start_;
  std::vector<BodyId> ids_;  // by slot at the start
  double time_ = 0, now_ = 0;
  std::uint64_t steps_ = 0;
};

/// Chooses at most so many steps of a run, evenly spread, and the last one.
class StepChoice {
 public:
  StepChoice(std::uint64_t planned_steps, std::uint64_t most);
  /// Whether to measure the next step.
  bool next();

 private:
  std::uint64_t planned_, stride_, step_ = 0;
};

/// Measures the chosen steps of a run.
class TruthSampler {
 public:
  explicit TruthSampler(std::uint64_t planned_steps, std::uint64_t most = 200);

  void before_step(Simulation& simulation);
  void after_step(Simulation& simulation);
  const TruthMeter& meter() const { return meter_; }
  /// True if the last step was measured.
  bool measured_last() const { return measures_; }

 private:
  TruthMeter meter_;
  StepChoice choice_;
  bool measures_ = false;
};

}  // namespace rigor
