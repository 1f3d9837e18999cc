#include "lab/batch_bench.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <limits>
#include <optional>

#include "lab/cpu_clock.h"
#include "rigor/batch.h"
#include "rigor/joint_space.h"
#include "rigor/model.h"

namespace rigor {

namespace {

/// Steps of the reference per step that is measured. Its error is 16⁴ times smaller than that of a method of order four.
constexpr int kFinerReference = 16;
/// Worlds whose penetration is measured, at most.
constexpr std::size_t kJudged = 16;
/// Actions after whose ends it is measured for runs of equal error.
constexpr int kJudgedActions = 20;
/// Repetitions and their actions that decide which of several steps is the cheapest.
constexpr int kTrials = 5, kTrialActions = 20;
/// Seconds after which bodies that fall have landed.
constexpr double kWarmUp = 1.5;

/// The first moving body if no joint holds it.
BodyId free_root(const World& world, const std::vector<BodyId>& moving) {
  for (const JointId id : world.joints()) {
    const JointDef& joint = world.joint(id);
    if (world.is_fixed(joint.a) || world.is_fixed(joint.b)) return {};
  }
  return moving.empty() ? BodyId{} : moving.front();
}

/// 0 for a slider along x, 3 for a hinge about x: how models are read.
int free_axis(const World& world, JointId id) {
  const auto* axes = std::get_if<AxesJoint>(&world.joint(id).kind);
  for (int k = 0; axes && k < 6; ++k)
    if (axes->axes[static_cast<std::size_t>(k)].motion != AxisMotion::locked) return k;
  throw Error("joint", "it has no free axis");
}

void start_world(std::size_t index, World& world) {
  const std::vector<BodyId> moving = moving_bodies(world);
  const BatchStart start = batch_start(index);
  if (const BodyId root = free_root(world, moving)) {
    for (const BodyId id : moving) {
      const Vec3 r = world.center_of_mass(id) - world.center_of_mass(root);
      world.set_velocity(id, start.velocity + cross(start.angular_velocity, r), start.angular_velocity);
    }
    return;
  }
  JointSpace space(world);
  std::vector<double> rates(space.size());
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = start.rate(i);
  space.set_velocities(rates);
  for (const BodyId id : moving) world.set_velocity(id, space.world().velocity(id), space.world().angular_velocity(id));
}

class RigorBatch final : public BatchEngine {
 public:
  RigorBatch(const BatchModel& model, const Method& method, std::size_t worlds, int threads, double step)
      : batch_(make(model, method, step), worlds, threads), moving_(moving_bodies(batch_.at(0).world())) {
    std::vector<JointAxisId> axes;
    const World& world = batch_.at(0).world();
    for (const std::string& name : model.driven) {
      const JointId id = world.find_joint(name);
      if (!id) throw Error(model.name, "it has no joint '" + name + "'");
      axes.push_back({id, free_axis(world, id)});
    }
    batch_.drive(axes);
    for (std::size_t k = 0; k < worlds; ++k) start_world(k, batch_.at(k).world());
  }

  void set_forces(const std::vector<double>& forces) override { batch_.set_forces(forces); }
  void step(int steps) override { batch_.step(steps); }
  std::vector<BodyPose> poses(std::size_t world) const override {
    std::vector<BodyPose> poses;
    const World& w = batch_.at(world).world();
    for (const BodyId id : moving_) poses.push_back({w.position(id), w.orientation(id)});
    return poses;
  }

 private:
  static Simulation make(const BatchModel& model, const Method& method, double step) {
    Scene scene = parse_model(model.xml);
    scene.method = method;
    scene.time.step = step;
    return make_simulation(scene);
  }

  Batch batch_;
  std::vector<BodyId> moving_;
};

/// Processor time of all threads, s.
double process_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
/// Bytes of memory that the program has touched and not given back.
double resident() {
  malloc_trim(0);  // gives freed memory back
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  file >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// One engine with a number of worlds, and its smallest times per step of a world.
struct Run {
  std::unique_ptr<BatchEngine> engine;
  std::size_t worlds = 0, joints = 0, actions = 0;
  int steps = kStepsPerAction;  // of an action
  std::vector<double> forces;
  double cpu = std::numeric_limits<double>::infinity(), wall = cpu;  // s
  double last_wall = 0;

  void act() {
    forces.resize(worlds * joints);
    for (std::size_t k = 0; k < worlds; ++k)
      for (std::size_t j = 0; j < joints; ++j) forces[k * joints + j] = strength * batch_action(k, j, actions);
    ++actions;
    engine->set_forces(forces);
    engine->step(steps);
  }
  void measure(int times) {
    const double cpu_before = process_seconds(), wall_before = wall_seconds();
    for (int i = 0; i < times; ++i) act();
    const double model_steps = static_cast<double>(worlds) * times * kStepsPerAction;
    last_wall = (wall_seconds() - wall_before) / model_steps;
    cpu = std::min(cpu, (process_seconds() - cpu_before) / model_steps);
    wall = std::min(wall, last_wall);
  }
  double strength = 0;
};

/// The deepest contact points of some worlds at the present poses, on exact shapes; 0: nothing touches.
std::vector<double> deepest_contacts(const BatchModel& model, const Run& run) {
  Scene scene = parse_model(model.xml);
  const std::vector<BodyId> moving = moving_bodies(scene.world);
  Simulation simulation(scene.world);
  std::vector<double> deepest(std::min(run.worlds, kJudged));
  for (std::size_t k = 0; k < deepest.size(); ++k) {
    const std::vector<BodyPose> poses = run.engine->poses(k);
    for (std::size_t i = 0; i < moving.size(); ++i)
      simulation.world().set_pose(moving[i], poses[i].position, poses[i].orientation);
    simulation.find_contacts();
    for (const Contact& contact : simulation.contacts())
      for (int i = 0; i < contact.count; ++i)
        deepest[k] = std::max(deepest[k], -contact.points[static_cast<std::size_t>(i)].separation);
  }
  return deepest;
}

std::vector<BodyPose> flown(const BatchModel& model, const BatchEngineKind& kind, double step) {
  const std::unique_ptr<BatchEngine> engine = kind.make(model, 1, 1, step);
  engine->step(static_cast<int>(std::lround(model.flight / step)));
  return engine->poses(0);
}

double largest_distance(const std::vector<BodyPose>& expected, const std::vector<BodyPose>& actual) {
  double error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    error = std::max(error, length(actual[i].position - expected[i].position));
  return error;
}

/// Actions until bodies that fall have landed.
int landing(const BatchModel& model) { return static_cast<int>(std::ceil(kWarmUp / (model.step * kStepsPerAction))); }

Run start_run(const BatchModel& model, const BatchEngineKind& kind, std::size_t worlds, int threads,
              int steps_per_action) {
  Run run;
  run.worlds = worlds;
  run.joints = model.driven.size();
  run.strength = model.strength;
  run.steps = steps_per_action;
  run.engine = kind.make(model, worlds, threads, model.step * kStepsPerAction / steps_per_action);
  for (int i = 0; i < landing(model); ++i) run.act();
  return run;
}

/// The runs of one engine.
struct EngineRuns {
  BatchBenchRow row;
  Run single, batch, threads;
};

/// What an engine may be off by. Not measured: unbounded.
struct Accuracy {
  double flight = std::numeric_limits<double>::infinity(), depth = flight;  // m
};

Accuracy accuracy_of(const BatchModel& model, const BatchEngineKind& kind) {
  Accuracy accuracy;
  if (model.flight > 0) accuracy.flight = own_flight_error(model, kind, model.step);
  const double depth = depth_after_landing(model, kind, kStepsPerAction);
  if (depth > 0) accuracy.depth = depth;
  return accuracy;
}

/// The number of steps of an action that is cheapest among those that are accurate enough. A long step may be divided, and cost more than a shorter one.
int cheapest_steps(const BatchModel& model, const BatchEngineKind& kind, const Accuracy& wanted) {
  constexpr int kTried[] = {1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 40};
  const auto is_exact_enough = [&](int steps) {
    const double step = model.step * kStepsPerAction / steps;
    if (std::isfinite(wanted.flight) && !(own_flight_error(model, kind, step) <= wanted.flight)) return false;
    return !std::isfinite(wanted.depth) || depth_after_landing(model, kind, steps) <= wanted.depth;
  };
  int cheapest = 0, found = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const int steps : kTried) {
    if (found == 3) break;  // even shorter steps cost more
    if (!is_exact_enough(steps)) continue;
    ++found;
    Run run = start_run(model, kind, 1, 1, steps);
    for (int i = 0; i < kTrials; ++i) run.measure(kTrialActions);
    if (run.cpu < least) {
      least = run.cpu;
      cheapest = steps;
    }
  }
  if (cheapest == 0) throw Error(kind.method, "its error is larger at an eighth of the step");
  return cheapest;
}

EngineRuns prepare(const BatchModel& model, const BatchEngineKind& kind, std::size_t worlds, int threads,
                   const Accuracy* wanted) {
  EngineRuns runs;
  runs.row.model = model.name;
  runs.row.engine = kind.engine;
  runs.row.method = kind.method;
  runs.row.worlds = worlds;
  runs.row.step = model.step;
  try {
    const int steps = wanted ? cheapest_steps(model, kind, *wanted) : kStepsPerAction;
    runs.row.step = model.step * kStepsPerAction / steps;
    if (model.flight > 0)
      runs.row.error = wanted ? own_flight_error(model, kind, runs.row.step) : flight_error(model, kind, model.step);
    runs.single = start_run(model, kind, 1, 1, steps);
    const double before = resident();
    runs.batch = start_run(model, kind, worlds, 1, steps);
    runs.row.bytes = (resident() - before) / static_cast<double>(worlds);
    runs.threads = start_run(model, kind, worlds, threads, steps);
  } catch (const Error& error) {
    runs.row.error_text = error.what();
  }
  return runs;
}

}  // namespace

BatchStart batch_start(std::size_t world) {
  const double k = 1 + static_cast<double>(world);
  return {{0.3 * std::sin(k), 0.3 * std::sin(2 * k), 0},
          {0.5 * std::sin(3 * k), 0.5 * std::sin(4 * k), 0.5 * std::sin(5 * k)}};
}

double batch_action(std::size_t world, std::size_t joint, std::size_t actions) {
  return std::sin(0.7 * static_cast<double>(world) + 1.3 * static_cast<double>(joint) +
                  0.4 * static_cast<double>(actions));
}

BatchEngineKind rigor_batch(const Method& method, const std::string& name) {
  Method awake = method;
  awake.sleep = {"never", {}};  // MuJoCo's bodies do not sleep
  return {"rigor", name.empty() ? method.preset : name,
          [awake](const BatchModel& model, std::size_t worlds, int threads, double step) {
            return std::make_unique<RigorBatch>(model, awake, worlds, threads, step);
          }};
}

double flight_error(const BatchModel& model, const BatchEngineKind& engine, double step) {
  return largest_distance(flown(model, rigor_batch(preset("featherstone")), model.step / kFinerReference),
                          flown(model, engine, step));
}

double own_flight_error(const BatchModel& model, const BatchEngineKind& engine, double step) {
  return largest_distance(flown(model, engine, step / kFinerReference), flown(model, engine, step));
}

double depth_after_landing(const BatchModel& model, const BatchEngineKind& engine, int steps_per_action) {
  Run run = start_run(model, engine, kJudged, 1, steps_per_action);
  double sum = 0;
  for (int i = 0; i < kJudgedActions; ++i) {
    run.act();
    for (const double depth : deepest_contacts(model, run)) sum += depth;
  }
  return sum / static_cast<double>(kJudgedActions * kJudged);
}

std::vector<BatchBenchRow> run_batch_bench(const BatchModel& model, const std::vector<BatchEngineKind>& engines,
                                           const BatchBenchOptions& options) {
  std::vector<EngineRuns> all;
  const std::size_t worlds = options.worlds > 0 ? options.worlds : model.worlds;
  std::optional<Accuracy> wanted;
  if (options.equal_error) {
    const auto measure = std::find_if(engines.begin(), engines.end(), [](const BatchEngineKind& kind) {
      return kind.engine == "mujoco" && kind.method == "RK4";
    });
    if (measure == engines.end()) throw Error("equal error", "MuJoCo's RK4 is the measure and has to take part");
    wanted = accuracy_of(model, *measure);
  }
  for (const BatchEngineKind& kind : engines)
    all.push_back(prepare(model, kind, worlds, options.threads, wanted ? &*wanted : nullptr));
  for (int round = 0; round < options.rounds; ++round)
    for (EngineRuns& runs : all) {
      if (!runs.row.error_text.empty()) continue;
      runs.single.measure(options.actions * 20);
      runs.batch.measure(options.actions);
      runs.threads.measure(options.actions);
      runs.row.scaling = std::max(runs.row.scaling, runs.batch.last_wall / runs.threads.last_wall);
    }
  std::vector<BatchBenchRow> rows;
  for (EngineRuns& runs : all) {
    if (runs.row.error_text.empty()) {
      runs.row.single = 1e6 * runs.single.cpu;
      runs.row.batch = 1e6 * runs.batch.cpu;
      runs.row.threads_wall = 1e6 * runs.threads.wall;
      runs.row.threads_cpu = 1e6 * runs.threads.cpu;
      const std::vector<double> depths = deepest_contacts(model, runs.batch);
      runs.row.penetration = *std::max_element(depths.begin(), depths.end());
    }
    rows.push_back(runs.row);
  }
  return rows;
}

}  // namespace rigor
