#include "viewer/measure.h"

#include <algorithm>
#include <limits>

#include "lab/metrics.h"
#include "world/joint_gap.h"

namespace rigor::viewer {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double largest_gap(const World& world) {
  double largest = 0;
  for (const JointId id : world.joints())
    if (world.joint(id).active && !world.joint_state(id).broken)
      largest = std::max(largest, length(joint_gap(world, world.joint(id))));
  return largest;
}

/// ms of the last step in some of its stages.
double spent(const Profile* profile, std::initializer_list<Stage> stages) {
  if (!profile) return kNone;
  double sum = 0;
  for (const Stage stage : stages) sum += 1e3 * profile->seconds(stage);
  return sum;
}

int iterations(const StepStatistics& s) {
  return std::max({s.collision.iterations, s.contact.iterations, s.joint.iterations});
}

}  // namespace

void StepTruth::before(Simulation& simulation) {
  meter_.reset();
  const bool measures = simulation.world().bodies().size() <= kMostBodies;
  simulation.record_impulses(measures);
  if (!measures) return;
  meter_.emplace();
  meter_->before(simulation);
}

void StepTruth::after(const Simulation& simulation) {
  if (meter_) meter_->after(simulation);
}

double StepTruth::of(std::string_view name) const {
  if (!meter_) return kNone;
  for (const TruthFigure& f : meter_->figures())
    if (f.name == name && f.figure.count > 0) return f.figure.max;
  return kNone;
}

std::array<double, kChannelCount> measure(const Simulation& s, const Profile* profile, const StepTruth* truth) {
  const Energy energy = s.energy();
  const StepStatistics statistics = s.statistics();
  return {energy.kinetic,
          energy.potential,
          energy.total(),
          length(s.world().momentum()),
          length(s.world().angular_momentum()),
          summarize(s.contacts()).max_depth,
          largest_gap(s.world()),
          profile ? 1e3 * profile->total() : kNone,
          spent(profile, {Stage::broad_phase}),
          spent(profile, {Stage::narrow_phase, Stage::continuous}),
          spent(profile, {Stage::rows}),
          spent(profile, {Stage::solve, Stage::correction}),
          spent(profile, {Stage::forces, Stage::integration}),
          spent(profile, {Stage::sleep, Stage::validation, Stage::events, Stage::step}),
          static_cast<double>(s.contacts().size()),
          static_cast<double>(s.world().state().awake()),
          static_cast<double>(iterations(statistics)),
          statistics.residual.value_or(kNone),
          truth ? truth->of("natural_map") : kNone,
          truth ? truth->of("momentum") : kNone};
}

}  // namespace rigor::viewer
