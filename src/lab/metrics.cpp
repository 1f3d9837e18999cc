#include "lab/metrics.h"

#include <algorithm>
#include <cmath>

#include "lab/quantile.h"

namespace rigor {

namespace {

constexpr std::uint64_t kMostSamples = 200'000;

/// Σ|pᵢ| and Σ|xᵢ × pᵢ| + |Lᵢ| over the dynamic bodies.
struct MomentumScale {
  double linear = 0, angular = 0;
};
MomentumScale momentum_scale(const BodyState& s) {
  MomentumScale sum;
  for (std::uint32_t i = 0; i < s.size(); ++i) {
    if (s.inverse_mass[i] <= 0 || i >= s.end(BodySet::still)) continue;
    const Vec3 p = s.velocity[i] / s.inverse_mass[i];
    sum.linear += length(p);
    sum.angular += length(cross(s.position[i], p)) + length(angular_momentum(s, i));
  }
  return sum;
}

double largest_drift(const std::vector<Sample>& samples, Vec3 Sample::*member, double reference) {
  double largest = 0;
  for (const Sample& s : samples) largest = std::max(largest, length(s.*member - samples.front().*member));
  return largest == 0 ? 0 : largest / reference;
}

}  // namespace

bool is_finite(const Simulation& simulation) {
  const BodyState& s = simulation.world().state();
  for (std::uint32_t i = 0; i < s.size(); ++i)
    if (!is_finite(s.position[i]) || !is_finite(s.orientation[i]) || !is_finite(s.velocity[i]) ||
        !is_finite(s.angular_velocity[i]))
      return false;
  const World& world = simulation.world();
  const double squares = length_squared(world.momentum()) + length_squared(world.angular_momentum());
  return std::isfinite(simulation.energy().total()) && std::isfinite(squares);
}

ContactSummary summarize(const ContactList& contacts) {
  ContactSummary summary{contacts.size(), 0, 0};
  double sum = 0;
  int count = 0;
  for (const Contact& contact : contacts)
    for (int i = 0; i < contact.count; ++i) {
      const double depth = -contact.points[static_cast<std::size_t>(i)].separation;
      if (depth <= 0) continue;
      summary.max_depth = std::max(summary.max_depth, depth);
      sum += depth;
      ++count;
    }
  if (count > 0) summary.mean_depth = sum / count;
  return summary;
}

double reference_energy(const std::vector<Sample>& samples) {
  if (samples.empty()) return 0;
  const Sample& first = samples.front();
  double reference = std::max(std::abs(first.total()), first.kinetic);
  for (const Sample& s : samples) {
    const double exchange = std::min(std::abs(s.kinetic - first.kinetic), std::abs(s.potential - first.potential));
    if (std::abs(s.total() - first.total()) <= 0.5 * exchange) reference = std::max(reference, exchange);
  }
  return reference;
}

RunMetrics::RunMetrics(std::uint64_t planned_steps)
    : stride_(std::max<std::uint64_t>(1, (planned_steps + kMostSamples - 1) / kMostSamples)), planned_(planned_steps) {
  samples_.reserve(planned_steps / stride_ + 2);
  milliseconds_.reserve(planned_steps / stride_ + 1);
}

void RunMetrics::start(const Simulation& simulation) { take(simulation); }

void RunMetrics::step_done(const Simulation& simulation, double milliseconds) {
  ++steps_;
  longest_ = std::max(longest_, milliseconds);
  if (steps_ % stride_ == 0) milliseconds_.push_back(milliseconds);
  if (steps_ % stride_ == 0 || steps_ == planned_) take(simulation);
}

void RunMetrics::take_statistics(const Simulation& simulation) {
  const StepStatistics s = simulation.statistics();
  for (const SolverStatistics& slot : {s.collision, s.contact, s.joint, s.correction})
    solvers_.most_iterations = std::max(solvers_.most_iterations, slot.iterations);
  if (!s.residual) return;
  solvers_.has_residual = true;
  solvers_.largest_residual = std::max(solvers_.largest_residual, *s.residual);
}

void RunMetrics::take(const Simulation& simulation) {
  take_statistics(simulation);
  const World& world = simulation.world();
  const Energy energy = simulation.energy();
  samples_.push_back({simulation.time(), energy.kinetic, energy.potential, world.momentum(), world.angular_momentum()});
  if (momentum_ref_ > 0 && angular_momentum_ref_ > 0) return;
  const MomentumScale scale = momentum_scale(world.state());
  if (momentum_ref_ == 0) momentum_ref_ = scale.linear;
  if (angular_momentum_ref_ == 0) angular_momentum_ref_ = scale.angular;
}

StepTimes RunMetrics::step_times() const {
  std::vector<double> sorted = milliseconds_;
  return {quantile(sorted, 0.5), quantile(sorted, 0.95), longest_};
}

std::vector<double> RunMetrics::energy_drift() const {
  const double reference = reference_energy(samples_);
  std::vector<double> drift;
  drift.reserve(samples_.size());
  for (const Sample& s : samples_)
    drift.push_back(reference > 0 ? (s.total() - samples_.front().total()) / reference : 0);
  return drift;
}

double RunMetrics::final_energy_drift() const {
  const std::vector<double> drift = energy_drift();
  return drift.empty() ? 0 : drift.back();
}

double RunMetrics::largest_energy_drift() const {
  double largest = 0;
  for (const double d : energy_drift()) largest = std::max(largest, std::abs(d));
  return largest;
}

double RunMetrics::largest_momentum_drift() const { return largest_drift(samples_, &Sample::momentum, momentum_ref_); }
double RunMetrics::largest_angular_momentum_drift() const {
  return largest_drift(samples_, &Sample::angular_momentum, angular_momentum_ref_);
}

}  // namespace rigor
