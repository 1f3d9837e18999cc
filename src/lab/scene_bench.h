// Compares whole steps of a scene with other engines: time and quality. All engines of a comparison run in one process,
// interleaved a few steps at a time, because timings are noisy; the cost of a step is the thread's processor time.
//
// Quality is computed from the bodies' poses on the exact shapes, by the same code for every engine:
//   penetration   depth of the contact points that special-pairs finds at the last poses, m
//   drift         largest distance that a body has moved across gravity since the start, m (in any direction without gravity)
//   joint_error   largest distance of two points that a joint should hold together, over the run, m
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rigor/error.h"
#include "rigor/scene.h"

namespace rigor {

struct BodyPose {
  Vec3 position;  // m, of the body frame's origin
  Quat orientation;
};

struct BodyVelocities {
  Vec3 linear, angular;  // m/s of the center of mass, rad/s; world frame
};

/// A contact point of the last step, where the engine solved it.
struct EngineContact {
  BodyId a, b;
  Vec3 on_a, on_b;  // m, the points at which the impulse acts on the bodies
  Vec3 normal;      // from a to b
  double gap = 0;   // m, at the start of the step
  Vec3 impulse;     // N s, on b
  double friction = 0, restitution = 0;
};
/// What a joint did to one of its bodies in the last step.
struct EngineJointImpulse {
  BodyId body;
  Vec3 linear, angular;  // N s; N m s about its center of mass
};
struct EngineImpulses {
  Vec3 gravity;  // m/s²
  std::vector<EngineContact> contacts;
  std::vector<EngineJointImpulse> joints;
  bool has_all_joints = true;  // false: the engine does not report the impulses of its joints
};

/// An engine with one scene.
class SceneEngine {
 public:
  virtual ~SceneEngine() = default;
  virtual void step() = 0;
  /// Contact points of the last step.
  virtual std::size_t contacts() const = 0;
  /// Poses of the bodies in `moving_bodies(scene.world)`, in that order.
  virtual void read_poses(std::vector<BodyPose>& poses) const = 0;
  /// Velocities of the same bodies.
  virtual void read_velocities(std::vector<BodyVelocities>& velocities) const = 0;
  /// The name of a body that the engine has removed; empty: none.
  virtual std::string lost_body() const { return {}; }
  /// The impulses of the last step, added to an empty report. False if the engine does not report them.
  virtual bool read_impulses(EngineImpulses&) const { return false; }
  /// The simulation behind it, for figures that need more than poses; null for other engines.
  virtual Simulation* simulation() { return nullptr; }
  /// Reports about the steps since the last call.
  virtual std::vector<std::string> take_reports() { return {}; }
};
/// The bodies with a mass, in the order of creation.
std::vector<BodyId> moving_bodies(const World& world);

/// A method or engine to measure.
struct BenchEngine {
  std::string name;    // "rigor" or that of a peer
  std::string method;  // what it does, in a few words
  std::function<std::unique_ptr<SceneEngine>(const Scene&)> make;
};
BenchEngine rigor_engine(std::string method, int threads);

struct PeerSettings {
  int iterations = 0;  // of its constraint solver; 0: the engine's own number
};
/// Thrown if the program was built without an engine.
class PeerMissing : public Error {
 public:
  using Error::Error;
};
/// Another engine by name; Error if it is unknown, PeerMissing if the program was built without it.
BenchEngine peer_engine(const std::string& name, const PeerSettings& settings);
std::vector<std::string> peer_names();

struct SceneBenchOptions {
  std::uint64_t steps = 0;  // of each round
  int rounds = 3;
  int threads = 1;  // with more than one, time is wall-clock time
};

struct SceneBenchRow {
  struct Ratio {
    double median = 1, low = 1, high = 1;
  };

  std::string engine, method;
  std::string trouble;                           // why it takes no part or ended early; empty: neither
  std::uint64_t steps = 0;                       // of a round
  double median = 0, p95 = 0;                    // ms per step, medians over the rounds
  std::optional<Ratio> ratio;                    // median time ÷ that of the first engine; none: one of them failed
  std::size_t bodies = 0, contacts = 0;          // contact points at the end
  double penetration = 0, mean_penetration = 0;  // m; this and the following are undefined if there is an error
  double drift = 0, joint_error = 0;             // m
};
/// One row per engine, in the order given. The row of an engine that refuses the scene holds the reason.
std::vector<SceneBenchRow> run_scene_bench(const Scene& scene, const std::vector<BenchEngine>& engines,
                                           const SceneBenchOptions& options);

}  // namespace rigor
