// Many copies of one simulation, stepped on all cores: for learning, sampling and sweeps over initial states.
//
//   Batch batch(make_simulation(open_scene("cart-pole.json")), 4096);
//   batch.drive({{cart_slider, 0}});                 // columns of forces
//   batch.observe({{cart_slider, 0}, {pole, 3}});    // columns of positions and velocities
//   batch.set_forces(forces);                        // 4096 × 1, row by row
//   batch.step();
//   batch.read(positions, velocities);               // 4096 × 2 each
//
// The worlds are independent: the motion of one depends neither on how many there are nor on the number of threads. Every
// simulation may be changed on its own between two steps (at()). Ids of the prototype are valid in every world.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rigor/simulation.h"

namespace rigor {

/// A coordinate of a joint; see joints.h.
struct JointAxisId {
  JointId joint;
  int axis = 0;
};

/// A batch that was moved from is empty: all but size(), assigning and destroying it is an Error.
class Batch {
 public:
  /// Makes `count` copies and steps them on `threads` threads; 0: one per core. Error if `count` is 0. Callbacks of the prototype are
  /// copied, and those of different worlds run at the same time.
  Batch(const Simulation& prototype, std::size_t count, int threads = 0);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  std::size_t size() const { return simulations_.size(); }
  /// Error if there is no such world.
  Simulation& at(std::size_t world);
  const Simulation& at(std::size_t world) const;

  /// Steps every world. If worlds fail, it throws an Error that names the first of them, after all others have finished.
  void step(int steps = 1);
  /// Puts worlds back into the state of the prototype.
  void reset(std::span<const std::size_t> worlds);
  void reset();

  /// Chooses the coordinates that set_forces() acts on, and those that read() reads. Error if one does not exist.
  void drive(std::vector<JointAxisId> axes);
  void observe(std::vector<JointAxisId> axes);
  std::size_t driven() const { return driven_.size(); }
  std::size_t observed() const { return observed_.size(); }

  /// N or N m, size() rows of driven() columns; they act until they are set again and replace other user forces of the bodies. Error
  /// unless all are finite numbers.
  void set_forces(std::span<const double> forces);
  /// m or rad, m/s or rad/s, size() rows of observed() columns.
  void read(std::span<double> positions, std::span<double> velocities) const;
  /// Position, orientation (w, x, y, z), velocity and angular velocity of a body: size() rows of 13 columns.
  static constexpr std::size_t kMotionColumns = 13;
  void read_motion(BodyId body, std::span<double> motion) const;

 private:
  struct Threads;
  /// Error if the batch was moved from.
  Threads& threads() const;
  template <class Task> void for_worlds(const Task& task) const;
  void check(const JointAxisId& axis) const;

  Snapshot start_;
  std::vector<Simulation> simulations_;
  std::vector<JointAxisId> driven_, observed_;
  std::vector<BodyId> driven_bodies_;  // each once
  std::unique_ptr<Threads> threads_;
};

}  // namespace rigor
