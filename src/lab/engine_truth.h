// Figures of truth of other engines: the same figures by the same code as truth.h, from the poses and velocities at both ends of a step and the impulses that the engine reports.
// Contacts are those that the engine found itself, with the coefficients of friction that it used.
#pragma once

#include "lab/scene_bench.h"
#include "lab/truth_figures.h"

namespace rigor {

class EngineTruthMeter {
 public:
  explicit EngineTruthMeter(const Scene& scene);

  /// Call this right before a step.
  void before(const SceneEngine& engine);
  /// Call this right after the step, with the time at its end. Without a report of the engine it does nothing.
  void after(const SceneEngine& engine, double time);

  std::vector<TruthFigure> figures() const { return figures_.finished(); }
  std::uint64_t steps() const { return steps_; }

 private:
  struct State {
    std::vector<BodyPose> poses;
    std::vector<BodyVelocities> velocities;
  };

  void read(const SceneEngine& engine, State& state) const;
  std::size_t index_of(BodyId body) const;
  Mat3 inverse_inertia(std::size_t body) const;
  Vec3 angular_momentum(std::size_t body, const State& state) const;
  /// Velocity of a body's point; zero for fixed bodies.
  Vec3 velocity(std::size_t body, const Vec3& r, const State& state) const;
  Vec3 arm(std::size_t body, const Vec3& point) const;
  double mobility(std::size_t body, const Vec3& r) const;
  void measure_momentum(double time);
  void measure_contacts(double time);

  const Scene scene_;
  std::vector<BodyId> bodies_;              // those that move, in the order of the engine's poses
  std::vector<std::uint32_t> index_of_id_;  // into bodies_, by the index of the id
  std::vector<double> mass_;                // kg
  std::vector<Vec3> inertia_;               // kg m², about the axes of the body frame
  State start_, end_;
  EngineImpulses impulses_;
  TruthFigures figures_;
  std::uint64_t steps_ = 0;
};

}  // namespace rigor
