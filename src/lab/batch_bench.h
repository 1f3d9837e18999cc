// Measures batches of small worlds, optionally beside MuJoCo's with the same MJCF text: one world, all worlds on one thread, and all
// worlds on several threads.
//
// All runs are interleaved and repeated, and the smallest time counts, because others disturb the machine. Times of one thread are processor
// time; those of several threads are wall-clock time, with the processor time of all threads beside it.
//
//   error        largest distance of a body from its reference after the flight of the model, without forces of actuators, m. The reference is
//                the preset `featherstone` with a step 16 times smaller, which has order four.
//   equal error  every engine takes the cheapest step at which neither its error in flight nor its mean penetration is larger than that of MuJoCo's RK4
//                at the step of the model. The error is then that of the step alone: the reference is the same engine with a step 16 times smaller.
//   penetration  depth of the deepest contact point that special-pairs finds on the exact shapes at the end, over some of the worlds, m
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/scene_bench.h"

namespace rigor {

/// A model that both engines read.
struct BatchModel {
  std::string name;
  std::string xml;                  // MJCF
  std::size_t worlds = 256;         // of its batch
  double step = 0.01;               // s
  double flight = 0;                // s without contacts from the start on; 0: its accuracy is not measured
  std::vector<std::string> driven;  // hinges and sliders that forces act on
  double strength = 0;              // N or N m, their amplitude
};
/// Cart-pole (2 bodies), ant (9 bodies, 8 hinges) and humanoid (13 bodies, 17 hinges).
std::vector<BatchModel> batch_models();
/// MJCF text without `armature`, which Rigor does not have. No joint is driven.
BatchModel batch_model(std::string name, std::string xml);

/// The motion of a world at the start, different for each: of a free root with all bodies that it carries, or the rates of its joints.
struct BatchStart {
  Vec3 velocity, angular_velocity;  // m/s of the root's center of mass, rad/s
  double rate(std::size_t joint) const { return joint % 2 == 0 ? velocity.x : angular_velocity.y; }
};
BatchStart batch_start(std::size_t world);
/// The force on driven joint `joint` in a world after `actions` actions, from −1 to 1.
double batch_action(std::size_t world, std::size_t joint, std::size_t actions);

/// Many worlds of a model in one engine.
class BatchEngine {
 public:
  virtual ~BatchEngine() = default;
  /// Forces on the driven joints; worlds × joints, row by row.
  virtual void set_forces(const std::vector<double>& forces) = 0;
  virtual void step(int steps) = 0;
  /// Poses of the bodies in `moving_bodies()` of the parsed model, in that order.
  virtual std::vector<BodyPose> poses(std::size_t world) const = 0;
};

struct BatchEngineKind {
  std::string engine;  // "rigor" or "mujoco"
  std::string method;  // preset, or MuJoCo's integrator
  std::function<std::unique_ptr<BatchEngine>(const BatchModel&, std::size_t worlds, int threads, double step)> make;
};
/// Called `name`, the method's preset unless given.
BatchEngineKind rigor_batch(const Method& method, const std::string& name = "");
/// `integrator`: "RK4" or "Euler". Throws PeerMissing if the program was built without MuJoCo.
BatchEngineKind mujoco_batch(const std::string& integrator);

struct BatchBenchOptions {
  std::size_t worlds = 0;  // instead of the model's number; 0: the model's
  int threads = 2;         // of the third run
  int rounds = 5;
  int actions = 10;          // of a round; each lasts kStepsPerAction steps of the model
  bool equal_error = false;  // needs MuJoCo's RK4 among the engines
};
inline constexpr int kStepsPerAction = 5;

struct BatchBenchRow {
  std::string model, engine, method;
  std::string error_text;  // why it takes no part; empty: it does
  std::size_t worlds = 0;
  double step = 0;         // s; with `equal_error` the chosen one
  double error = -1;       // m; negative: not measured
  double penetration = 0;  // m
  double bytes = 0;        // of memory per world
  // µs per step of a world; with `equal_error` per step of the model, whatever steps were taken.
  double single = 0;        // one world alone
  double batch = 0;         // all worlds, one thread
  double threads_wall = 0;  // all worlds, several threads
  double threads_cpu = 0;   // the same, sum over the threads
  double scaling = 0;       // wall-clock time of one thread ÷ that of several threads, the largest of the rounds
};
std::vector<BatchBenchRow> run_batch_bench(const BatchModel& model, const std::vector<BatchEngineKind>& engines,
                                           const BatchBenchOptions& options);

/// The error of a method at a step; see above.
double flight_error(const BatchModel& model, const BatchEngineKind& engine, double step);
/// The same against this engine itself.
double own_flight_error(const BatchModel& model, const BatchEngineKind& engine, double step);
/// The mean over some worlds and the ends of some actions after landing of the deepest contact of a world, m.
double depth_after_landing(const BatchModel& model, const BatchEngineKind& engine, int steps_per_action);

}  // namespace rigor
