#include "lab/joint_bench.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "constraints/joint_survey.h"
#include "lab/cpu_clock.h"
#include "lab/quantile.h"
#include "rigor/joint_types.h"
#include "rigor/method.h"
#include "world/stages.h"

namespace rigor {

namespace {

constexpr double kStep = 1.0 / 30;                                  // s
constexpr double kLongest = 11.4, kShortest = 1, kThickness = 0.2;  // m
constexpr double kSpread = 0.6, kTurn = 0.5;                        // rad, rad/s

/// A rod from `top` along the unit vector `down`, hung on `parent`; the tree below it follows.
class TreeBuilder {
 public:
  TreeBuilder(World& world, JointBenchShape shape, int levels) : world_(world), shape_(shape), levels_(levels) {}

  void build() { add(world_.world_body(), {}, {0, -1, 0}, 0); }

 private:
  double length_of(int level) const {
    return kLongest * std::pow(kShortest / kLongest, level / std::max(levels_ - 1.0, 1.0));
  }

  void add(BodyId parent, const Vec3& top, const Vec3& down, int level) {
    const double length = length_of(level);
    BodyDef def;
    def.shape = box({length, kThickness, kThickness});
    def.orientation = quaternion_between({1, 0, 0}, down);
    def.position = top + (0.5 * length) * down;
    def.velocity = cross({0, kTurn, 0}, def.position);
    def.angular_velocity = {0, kTurn, 0};
    def.can_collide = false;
    const BodyId rod = world_.add_body(def);
    world_.add_joint(ball_joint(world_, shape_ == JointBenchShape::spread && level > 0 ? first_ : parent, rod, top));
    if (level == 0) first_ = rod;
    if (level + 1 == levels_) return;
    // The branching planes turn from level to level, so that the tree fills space.
    const Vec3 aside = normalized(cross(down, level % 2 == 0 ? Vec3{0, 0, 1} : Vec3{1, 0, 0.3}));
    for (const double sign : {-1.0, 1.0}) {
      const Vec3 next = normalized(down + sign * kSpread * aside);
      // In the star all rods hang on the tip of the first one.
      if (shape_ == JointBenchShape::star)
        add(first_, {0, -kLongest, 0}, next, level + 1);
      else
        add(rod, top + length * down, next, level + 1);
    }
  }

  World& world_;
  JointBenchShape shape_;
  int levels_;
  BodyId first_;
};

/// The step without the rest of a Simulation, with the reports of the solvers.
class StepRunner {
 public:
  StepRunner(World world, const Method& method)
      : world_(std::move(world)),
        stepping_(create<Stepping>(Kind::stepping, method.stepping, "stepping")),
        integrator_(create<Integrator>(Kind::integrator, method.integrator, "integrator")),
        broadphase_(create<Broadphase>(Kind::broadphase, method.broadphase, "broadphase")),
        narrowphase_(create<Narrowphase>(Kind::narrowphase, method.narrowphase, "narrowphase")),
        sleep_rule_(create<SleepRule>(Kind::sleep, method.sleep, "sleep")),
        solvers_(make_solvers(method)),
        method_(method) {}

  void step(double h) {
    std::vector<JointId> broken;
    std::vector<std::string> reports;
    Dynamics dynamics(world_, method_.gyroscopic, memory_);
    StepContext context{.world = world_,
                        .dynamics = dynamics,
                        .integrator = *integrator_,
                        .contacts = contacts_,
                        .search = {.broadphase = *broadphase_,
                                   .narrowphase = *narrowphase_,
                                   .sleep = sleep_,
                                   .sleep_rule = *sleep_rule_,
                                   .step = h},
                        .solvers = solvers_,
                        .constraints = constraints_,
                        .settings = {method_.restitution_threshold, method_.stick_speed},
                        .threads = threads_,
                        .contact_envelope = method_.contact_envelope,
                        .time = time_,
                        .step = steps_++,
                        .broken_joints = broken,
                        .reports = reports};
    stepping_->step(context, h);
    time_ += h;
  }
  const World& world() const { return world_; }
  const SolverReports& reports() const { return constraints_.reports(); }

 private:
  World world_;
  std::unique_ptr<Stepping> stepping_;
  std::unique_ptr<Integrator> integrator_;
  std::unique_ptr<Broadphase> broadphase_;
  std::unique_ptr<Narrowphase> narrowphase_;
  std::unique_ptr<SleepRule> sleep_rule_;
  SolverSet solvers_;
  Method method_;
  IntegratorMemory memory_;
  ContactFinder contacts_;
  ConstraintStage constraints_;
  SleepStage sleep_;
  ThreadPool threads_{1};
  double time_ = 0;
  std::uint64_t steps_ = 0;
};

Method method_for(const JointBenchCase& what) {
  Method m = preset(what.at_once ? "bender-schmitt" : "bender");
  if (!what.at_once) m.stepping.settings["accelerate"] = false;  // the paper's iterations are counted
  m.broadphase.name = "none";
  m.stepping.settings["tolerance"] = m.stepping.settings["velocity_tolerance"] = what.tolerance;
  m.stepping.settings["iterations"] = std::int64_t{100000};
  m.stepping.settings["work"] = std::int64_t{10000000};
  return m;
}

}  // namespace

World bender_world(JointBenchShape shape, int levels) {
  World world;
  world.remove_body(world.ground());
  world.remove_force(world.drag());
  TreeBuilder(world, shape, levels).build();
  return world;
}

namespace {

/// Iterations and errors of the steps of a case, without timing: the survey of the joints leaves caches cold.
JointBenchRow survey(const JointBenchCase& what) {
  StepRunner runner(bender_world(what.shape, what.levels), method_for(what));
  JointBenchRow row;
  row.what = what;
  row.joints = static_cast<int>(runner.world().joint_count());
  for (int i = 0; i < what.steps; ++i) {
    runner.step(kStep);
    row.joint_iterations += runner.reports().joint.iterations;
    row.velocity_iterations += runner.reports().correction.iterations;
    row.joint_error = std::max(row.joint_error, joint_errors(runner.world()).linear);
  }
  row.joint_iterations /= what.steps, row.velocity_iterations /= what.steps;
  return row;
}

/// Milliseconds by step; smaller values replace earlier ones.
void time_steps(const JointBenchCase& what, std::vector<double>& times) {
  StepRunner runner(bender_world(what.shape, what.levels), method_for(what));
  times.resize(static_cast<std::size_t>(what.steps), std::numeric_limits<double>::infinity());
  for (double& time : times) {
    const double before = thread_seconds();
    runner.step(kStep);
    time = std::min(time, 1e3 * (thread_seconds() - before));
  }
}

}  // namespace

std::vector<JointBenchRow> run_joint_bench(std::span<const JointBenchCase> cases, int rounds) {
  std::vector<JointBenchRow> rows;
  for (const JointBenchCase& what : cases) rows.push_back(survey(what));
  std::vector<std::vector<double>> times(cases.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < cases.size(); ++i) time_steps(cases[i], times[i]);
  for (std::size_t i = 0; i < cases.size(); ++i) rows[i].ms_per_step = quantile(times[i], 0.5);
  return rows;
}

JointBenchRow run_joint_bench(const JointBenchCase& what) { return run_joint_bench({&what, 1}, 1).front(); }

std::vector<JointBenchCase> bender_tables(int steps) {
  std::vector<JointBenchCase> cases;
  for (const int levels : {5, 6, 7, 8})
    for (const double tolerance : {1e-2, 1e-4, 1e-6})
      for (const bool at_once : {false, true})
        cases.push_back({JointBenchShape::tree, levels, tolerance, at_once, steps});
  for (const JointBenchShape shape : {JointBenchShape::star, JointBenchShape::spread})
    for (const double tolerance : {1e-4, 1e-6})
      for (const bool at_once : {false, true}) cases.push_back({shape, 7, tolerance, at_once, steps});
  return cases;
}

double fitted_exponent(const std::vector<JointBenchRow>& rows) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(rows.size());
  for (const JointBenchRow& row : rows) {
    const double lx = std::log(row.joints), ly = std::log(row.ms_per_step);
    x += lx, y += ly, xx += lx * lx, xy += lx * ly;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace rigor
