// Metrics of a run: energy, momentum, and the time of its steps.
//
// Relative energy drift is (E(t) − E(0)) / E_ref with E = K + P and
//
//   E_ref = max(|E(0)|, K(0), X),   X = max over t of min(|K(t) − K(0)|, |P(t) − P(0)|)
//
// X is the energy that went from kinetic to potential or back. It keeps the drift meaningful where E(0) is nearly zero,
// as in a pendulum let go at the height where P = 0. A moment counts for X only while |E − E(0)| is at most half of its
// exchange, so that a simulation that blows up cannot hide behind its own growth. If E_ref is zero nothing ever moved and
// the drift is zero.
//
// Drift of the angular momentum is |L(t) − L(0)| / L_ref, L_ref being Σ|xᵢ × pᵢ| + |Lᵢ| at the first moment at which it is
// not zero: bodies that turn against each other have a small total, but not a small error. The same for p with Σ|pᵢ|.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "constraints/joint_survey.h"
#include "rigor/simulation.h"

namespace rigor {

struct Sample {
  double time = 0;        // s
  double kinetic = 0;     // J
  double potential = 0;   // J
  Vec3 momentum;          // kg m/s
  Vec3 angular_momentum;  // kg m²/s, about the world origin

  double total() const { return kinetic + potential; }
};

struct StepTimes {
  double median = 0, p95 = 0, max = 0;  // ms
};

/// False once any pose or velocity, the energy or the magnitude of a momentum is not finite.
bool is_finite(const Simulation& simulation);

/// Penetration of the contacts that the last step found; points with a gap have no depth.
struct ContactSummary {
  std::size_t contacts = 0;              // pairs of parts that touch or nearly do
  double max_depth = 0, mean_depth = 0;  // m, over the points that penetrate
};
ContactSummary summarize(const ContactList& contacts);

/// Iterations and shared residual of the solvers, over the sampled steps.
struct SolverSummary {
  int most_iterations = 0;      // of a slot in a step
  double largest_residual = 0;  // m/s or rad/s
  bool has_residual = false;    // a solver of velocity level ran
};

class RunMetrics {
 public:
  /// Very long runs are sampled only every n-th step, which bounds the memory.
  explicit RunMetrics(std::uint64_t planned_steps);

  /// Takes the first sample.
  void start(const Simulation& simulation);
  /// Call this after each step.
  void step_done(const Simulation& simulation, double milliseconds);

  const std::vector<Sample>& samples() const { return samples_; }
  StepTimes step_times() const;
  const SolverSummary& solvers() const { return solvers_; }

  // Over the run so far.
  std::vector<double> energy_drift() const;  // one per sample
  double final_energy_drift() const;         // signed
  double largest_energy_drift() const;       // absolute value
  double largest_momentum_drift() const;
  double largest_angular_momentum_drift() const;

 private:
  void take(const Simulation& simulation);
  void take_statistics(const Simulation& simulation);

  std::uint64_t stride_ = 1, steps_ = 0, planned_ = 0;
  std::vector<Sample> samples_;
  std::vector<double> milliseconds_;
  double longest_ = 0;  // ms
  SolverSummary solvers_;
  double momentum_ref_ = 0, angular_momentum_ref_ = 0;
};

/// E_ref of these samples.
double reference_energy(const std::vector<Sample>& samples);

}  // namespace rigor
