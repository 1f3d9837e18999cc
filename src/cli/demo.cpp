// The demo of `rigor` without arguments: one body that spins about its intermediate axis, under every integrator.
//
// Such a rotation is unstable, so the body turns over again and again (Dzhanibekov's effect) while energy and angular momentum
// are constant. How well an integrator conserves the two is the most important thing about it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "cli/numbers.h"
#include "cli/verbs.h"
#include "lab/metrics.h"
#include "rigor/registry.h"
#include "rigor/scene.h"

namespace rigor::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kScene = "dzhanibekov";
constexpr double kSeconds = 60, kStep = 1.0 / 60;
constexpr double kBudget = 2.5;  // s of wall-clock time for the whole table

/// Counts how often the initial spin axis of the body turns over.
class FlipCounter {
 public:
  explicit FlipCounter(const World& world) {
    for (const BodyId id : world.bodies()) {
      const Vec3 spin = world.angular_velocity(id);
      if (world.is_fixed(id) || length(spin) == 0) continue;
      body_ = id;
      axis_ = normalized(spin);
      axis_in_body_ = rotate_inverse(world.orientation(id), axis_);
      return;
    }
  }
  void look(const World& world) {
    if (!body_ || !world.contains(body_)) return;
    const double up = side_ * dot(axis_, rotate(world.orientation(body_), axis_in_body_));
    if (up > -0.5) return;  // more than the wobble between two flips
    side_ = -side_;
    ++flips_;
  }
  int flips() const { return flips_; }

 private:
  BodyId body_;
  Vec3 axis_, axis_in_body_;
  double side_ = 1;
  int flips_ = 0;
};

struct Row {
  std::string integrator;
  bool stable = false;
  double energy_drift = 0, angular_momentum_drift = 0;
  int flips = 0;
  double microseconds = 0;  // per step, median
  double simulated = 0;     // s
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Row measure(const Scene& scene, const std::string& integrator, double budget) {
  Row row{.integrator = integrator};
  Method method = scene.method;
  set(method, "integrator", integrator);
  TimeSettings time = scene.time;
  time.step = kStep;
  Simulation simulation(scene.world, method, time);
  const std::uint64_t steps = steps_for(kSeconds, kStep);
  RunMetrics metrics(steps);
  FlipCounter counter(simulation.world());
  metrics.start(simulation);

  const auto start = Clock::now();
  for (std::uint64_t i = 0; i < steps && seconds_since(start) < budget; ++i) {
    const auto before = Clock::now();
    simulation.step();
    const double elapsed = seconds_since(before);
    // A report means that a validator had to remove a body.
    if (!is_finite(simulation) || !simulation.take_reports().empty()) return row;
    metrics.step_done(simulation, 1e3 * elapsed);
    counter.look(simulation.world());
  }
  row.stable = true;
  row.energy_drift = metrics.largest_energy_drift();
  row.angular_momentum_drift = metrics.largest_angular_momentum_drift();
  row.flips = counter.flips();
  row.microseconds = 1e3 * metrics.step_times().median;
  row.simulated = simulation.time();
  return row;
}

std::string row_text(const Row& row, std::size_t width, const Style& style) {
  const std::string name = fmt::format("  {:<{}}", row.integrator, width);
  if (!row.stable) return name + "  " + style.bad("    unstable") + "\n";
  const auto drift = [&](double value) {
    const std::string text = fmt::format("{:>12.1e}", value);
    return value < 1e-9 ? style.good(text) : value > 0.1 ? style.bad(text) : text;
  };
  std::string text = fmt::format("{}  {}  {}  {:>5}  {:>11.2f}", name, drift(row.energy_drift),
                                 drift(row.angular_momentum_drift), row.flips, row.microseconds);
  if (row.simulated < kSeconds - kStep) text += fmt::format("  (first {:.0f} s only)", row.simulated);
  return text + "\n";
}

/// The command that the user typed: the script `run` of the source tree passes it; else the program's name.
std::string started_as() {
  const char* script = std::getenv("RIGOR_STARTED_AS");
  return script ? printable_text(script) : "rigor";
}

}  // namespace

int demo(const Arguments& arguments) {
  Command command("demo", "Simulates one tumbling body under every integrator and compares them.", "  rigor demo");
  if (!command.parse(arguments)) return kSuccess;

  const Scene scene = open_scene(kScene);
  std::vector<std::string> integrators;
  std::size_t width = 10;
  for (const MethodInfo& info : rigor::methods())
    if (info.kind == Kind::integrator) {
      integrators.push_back(info.name);
      width = std::max(width, info.name.size());
    }

  const Style style;
  print(fmt::format(
      "Rigor simulates one world under any method you pick. Here a body spins about its intermediate axis,\n"
      "which makes it turn over again and again, for {:.0f} s in steps of 1/60 s (scene {}):\n\n",
      kSeconds, kScene));
  print(style.bold(fmt::format("  {:<{}}  {:>12}  {:>12}  {:>5}  {:>11}", "integrator", width, "energy drift",
                               "ang. mom.", "flips", "µs per step")) +
        "\n");
  for (const std::string& integrator : integrators)
    print(row_text(measure(scene, integrator, kBudget / static_cast<double>(integrators.size())), width, style));
  print(
      fmt::format("\nDrifts are relative and the largest of the run; an exact method has none. Try next:\n\n"
                  "  {0} run {1} --set integrator=rk4 --plot run.svg\n"
                  "  {0} methods\n  {0} scenes\n  {0} --help\n",
                  started_as(), kScene));
  return kSuccess;
}

}  // namespace rigor::cli
