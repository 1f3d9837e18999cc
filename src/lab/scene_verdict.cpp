#include "lab/scene_verdict.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "constraints/closing_energy.h"
#include "rigor/error.h"
#include "rigor/forces.h"
#include "rigor/interruption.h"
#include "rigor/simulation.h"
#include "state/object_names.h"

namespace rigor {

namespace {

/// A method has created energy if it gains more than the default method does, by more than this fraction of
/// the default method's largest kinetic energy. Chosen: restitution and friction let chaotic scenes differ by some
/// percent.
constexpr double kUnexplained = 0.25;

double total(const Simulation& sim) { return sim.energy().kinetic + sim.energy().potential; }

/// Finds the first report of a problem. A step reports also that a part of the scene did what its definition asks for: a force reached its
/// end time, a joint broke under its largest load. How many such reports a step makes is known from the world; only more are a problem.
class ProblemFinder {
 public:
  explicit ProblemFinder(const World& world) {
    for (const ForceId id : world.forces()) {
      const ForceDef& def = world.force(id);
      if (def.remove_automatically && std::isfinite(def.end_time)) ending_.push_back({id, def.name, def.end_time});
    }
  }
  void step_done(Simulation& sim) {
    const std::vector<std::string> expected = expected_names(sim), reports = sim.take_reports();
    if (!first_.empty() || reports.size() <= expected.size()) return;
    const auto is_expected = [&](const std::string& report) {
      return std::any_of(expected.begin(), expected.end(),
                         [&](const std::string& name) { return report.find(quoted(name)) != std::string::npos; });
    };
    const auto found = std::find_if_not(reports.begin(), reports.end(), is_expected);
    first_ = found == reports.end() ? reports.front() : *found;
  }
  /// Empty: there is none.
  const std::string& first() const { return first_; }

 private:
  struct EndingForce {
    ForceId id;
    std::string name;
    double end;  // s
  };

  /// Names of the forces that ended and the joints that broke in the last step, each of which it reports once.
  std::vector<std::string> expected_names(const Simulation& sim) {
    std::vector<std::string> names;
    std::erase_if(ending_, [&](const EndingForce& force) {
      if (sim.world().contains(force.id)) return false;
      if (sim.time() >= force.end) names.push_back(force.name);
      return true;
    });
    for (const Event& event : sim.events())
      if (event.kind == Event::Kind::joint_broken)
        names.push_back(sim.world().contains(event.joint) ? sim.world().joint(event.joint).name : "");
    return names;
  }

  std::vector<EndingForce> ending_;
  std::string first_;
};

/// Runs to the end, or until interrupted; calls f after every step.
template <class F> void run(Simulation& sim, const Scene& scene, double seconds, F f) {
  const auto steps = static_cast<int>(std::lround(seconds / scene.time.step));
  try {
    for (int i = 0; i < steps; ++i) {
      throw_if_interrupted();
      sim.step(scene.time.step);
      f();
    }
  } catch (const Interrupted&) {  // as far as it came
  }
}

/// Σ ½ m (3 m/s + 0.3 d / h)² over the bodies that overlap by d.
double push_of_overlaps(const Simulation& sim, double h) {
  std::map<BodyId, double> deepest;
  for (const Contact& c : sim.contacts())
    for (int i = 0; i < c.count; ++i)
      if (const double d = -c.points[static_cast<std::size_t>(i)].separation;
          d > 1e-4)  // m, chosen: more than touching
        for (const BodyId id : {c.a, c.b}) deepest[id] = std::max(deepest[id], d);
  double sum = 0;
  for (const auto& [id, d] : deepest)
    if (!sim.world().body_def(id).fixed)
      sum += 0.5 * sim.world().mass_properties(id).mass * (3 + 0.3 * d / h) * (3 + 0.3 * d / h);
  return sum;
}

double gravity_of(const World& world) {
  if (!world.contains(world.gravity())) return 0;
  const auto* gravity = dynamic_cast<const Gravity*>(world.force(world.gravity()).effect.get());
  return gravity ? length(gravity->acceleration) : 0;
}

/// The energy that closing the joints may give which are open.
double closing_energy_of(const Simulation& sim, double h) {
  const World& world = sim.world();
  double mass = 0;
  for (const BodyId id : world.bodies())
    if (id != world.world_body() && !world.body_def(id).fixed) mass += world.mass_properties(id).mass;
  return closing_energy(world, h, mass, gravity_of(world));
}

/// The energy that bodies at rest may gain legitimately, the largest so far: Σ m g h (v + g h), the error of a step of first
/// order, and Σ m g d for the deepest contact d, since bodies may be pushed out of penetration.
class Lift {
 public:
  explicit Lift(const Simulation& sim) : g_(gravity_of(sim.world())) {}
  void step_done(const Simulation& sim, double h) {
    double deepest = 0, sum = 0;
    for (const Contact& c : sim.contacts())
      for (int i = 0; i < c.count; ++i) deepest = std::max(deepest, -c.points[static_cast<std::size_t>(i)].separation);
    for (const BodyId id : sim.world().bodies()) {
      if (id == sim.world().world_body() || sim.world().body_def(id).fixed) continue;
      const double v = std::min(length(sim.world().velocity(id)), kFast);
      sum += sim.world().mass_properties(id).mass * g_ * (h * (v + g_ * h) + deepest);
    }
    most_ = std::max(most_, sum);
  }
  double most() const { return most_; }

 private:
  static constexpr double kFast = 1;  // m/s, chosen: faster bodies are not at rest
  double g_ = 0, most_ = 0;
};

}  // namespace

const char* to_string(SceneOutcome outcome) {
  switch (outcome) {
    case SceneOutcome::fine: return "fine";
    case SceneOutcome::refused: return "refused";
    case SceneOutcome::reported: return "reported";
    case SceneOutcome::lost: return "lost";
  }
  return "";
}

SceneMeasure measure_scene(const Scene& scene, double seconds) {
  Simulation sim(scene.world, default_method());
  const double start = total(sim);
  SceneMeasure measure;
  measure.kinetic = sim.energy().kinetic;
  const double closing = closing_energy_of(sim, scene.time.step);
  run(sim, scene, seconds, [&] {
    if (sim.steps() == 1) measure.push = push_of_overlaps(sim, scene.time.step) + closing;
    measure.gain = std::max(measure.gain, total(sim) - start);
    measure.kinetic = std::max(measure.kinetic, sim.energy().kinetic);
  });
  return measure;
}

SceneVerdict judge_scene(const Scene& scene, const Method& method, const SceneMeasure& measure, double seconds) {
  std::optional<Simulation> sim;
  try {
    sim.emplace(scene.world, method);
  } catch (const Error& error) {
    return {SceneOutcome::refused, error.what(), 0, 0};
  }
  SceneVerdict verdict;
  // What a preset does not honour says nothing about energy that appears later.
  const std::vector<std::string> when_configured = sim->take_reports();
  const double start = total(*sim);
  Lift lift(*sim);
  ProblemFinder problems(sim->world());
  try {
    run(*sim, scene, seconds, [&] {
      lift.step_done(*sim, scene.time.step);
      problems.step_done(*sim);
      verdict.reached = sim->time();
      const double gain = total(*sim) - start - measure.gain;
      if (!(gain <= verdict.gain)) verdict.gain = gain;  // also when it is not a number
    });
  } catch (const Error& error) {
    verdict.outcome = SceneOutcome::reported, verdict.sentence = error.what();
    return verdict;
  }
  const double unexplained = kUnexplained * measure.kinetic + measure.push + lift.most() + 1e-6 * std::abs(start);
  if (!problems.first().empty()) {
    verdict.outcome = SceneOutcome::reported;
    verdict.sentence = problems.first();
  } else if (!(verdict.gain <= unexplained)) {
    verdict.outcome = SceneOutcome::lost;
    verdict.sentence = "gains " + std::to_string(verdict.gain) + " J more than under the default method";
  } else if (!when_configured.empty()) {
    verdict.outcome = SceneOutcome::reported;
    verdict.sentence = when_configured.front();
  }
  return verdict;
}

}  // namespace rigor
