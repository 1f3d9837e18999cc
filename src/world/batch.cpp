#include "rigor/batch.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>

#include "rigor/interruption.h"
#include "threads/parallel.h"

namespace rigor {

struct Batch::Threads {
  explicit Threads(int count) : pool(count) {}
  ThreadPool pool;
};

Batch::Batch(const Simulation& prototype, std::size_t count, int threads) : start_(prototype.save()) {
  if (count == 0) throw Error("batch", "expected at least one world");
  if (threads < 0 || threads > 1024) throw Error("threads", "expected a number from 0 to 1024");
  threads_ = std::make_unique<Threads>(threads);
  simulations_.assign(count, prototype);
  for (Simulation& simulation : simulations_) simulation.set_threads(1);
}

Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

Batch::Threads& Batch::threads() const {
  if (!threads_) throw Error("batch", "it was moved from and is empty; assign another one to it");
  return *threads_;
}

Simulation& Batch::at(std::size_t world) {
  threads();  // Error if it was moved from
  if (world >= size()) throw Error("world " + std::to_string(world), "there are " + std::to_string(size()));
  return simulations_[world];
}

const Simulation& Batch::at(std::size_t world) const { return const_cast<Batch*>(this)->at(world); }

/// Calls task(world) for every world. Throws the Error of the first world that has one, independent of the threads.
template <class Task> void Batch::for_worlds(const Task& task) const {
  const ThreadPool& pool = threads().pool;
  std::mutex mutex;
  std::size_t first = size();
  std::string why;
  std::exception_ptr interruption;  // of any world
  const std::size_t grain = std::max<std::size_t>(1, size() / 256);
  pool.for_range(size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) try {
        task(k);
      } catch (const Interrupted&) {
        const std::lock_guard lock(mutex);
        interruption = std::current_exception();
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        if (k < first) {
          first = k;
          why = error.what();
        }
      }
  });
  if (interruption) std::rethrow_exception(interruption);
  if (first < size()) throw Error("world " + std::to_string(first), why);
}

void Batch::step(int steps) {
  if (steps < 0) throw Error("steps", "expected at least 0, got " + std::to_string(steps));
  for_worlds([&](std::size_t k) {
    for (int i = 0; i < steps; ++i) simulations_[k].step();
  });
}

void Batch::reset(std::span<const std::size_t> worlds) {
  threads();  // Error if it was moved from
  for (const std::size_t k : worlds) at(k);
  for (const std::size_t k : worlds) simulations_[k].restore(start_);
}

void Batch::reset() {
  for_worlds([&](std::size_t k) { simulations_[k].restore(start_); });
}

void Batch::check(const JointAxisId& axis) const { at(0).world().joint_position(axis.joint, axis.axis); }

void Batch::drive(std::vector<JointAxisId> axes) {
  threads();  // Error if it was moved from
  for (const JointAxisId& axis : axes) check(axis);
  driven_bodies_.clear();
  const World& world = at(0).world();
  for (const JointAxisId& axis : axes)
    for (const BodyId body : {world.joint(axis.joint).a, world.joint(axis.joint).b})
      if (!world.is_fixed(body)) driven_bodies_.push_back(body);
  std::sort(driven_bodies_.begin(), driven_bodies_.end());
  driven_bodies_.erase(std::unique(driven_bodies_.begin(), driven_bodies_.end()), driven_bodies_.end());
  driven_ = std::move(axes);
}

void Batch::observe(std::vector<JointAxisId> axes) {
  threads();  // Error if it was moved from
  for (const JointAxisId& axis : axes) check(axis);
  observed_ = std::move(axes);
}

void Batch::set_forces(std::span<const double> forces) {
  threads();  // Error if it was moved from
  if (forces.size() != size() * driven())
    throw Error("forces",
                "expected " + std::to_string(size() * driven()) + " numbers, got " + std::to_string(forces.size()));
  if (!std::all_of(forces.begin(), forces.end(), [](double f) { return std::isfinite(f); }))
    throw Error("forces", "expected finite numbers");
  for_worlds([&](std::size_t k) {
    World& world = simulations_[k].world();
    for (const BodyId body : driven_bodies_) world.set_user_force(body, {}, {});
    for (std::size_t j = 0; j < driven(); ++j)
      world.add_joint_force(driven_[j].joint, driven_[j].axis, forces[k * driven() + j]);
  });
}

void Batch::read(std::span<double> positions, std::span<double> velocities) const {
  const std::size_t expected = size() * observed();
  if (positions.size() != expected || velocities.size() != expected)
    throw Error("read", "expected " + std::to_string(expected) + " positions and velocities");
  for_worlds([&](std::size_t k) {
    const World& world = simulations_[k].world();
    for (std::size_t j = 0; j < observed(); ++j) {
      positions[k * observed() + j] = world.joint_position(observed_[j].joint, observed_[j].axis);
      velocities[k * observed() + j] = world.joint_velocity(observed_[j].joint, observed_[j].axis);
    }
  });
}

void Batch::read_motion(BodyId body, std::span<double> motion) const {
  if (motion.size() != size() * kMotionColumns)
    throw Error("read_motion", "expected " + std::to_string(size() * kMotionColumns) + " numbers");
  for_worlds([&](std::size_t k) {
    const World& w = simulations_[k].world();
    const Vec3 x = w.position(body), v = w.velocity(body), o = w.angular_velocity(body);
    const Quat q = w.orientation(body);
    const double row[kMotionColumns] = {x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, o.x, o.y, o.z};
    std::copy(std::begin(row), std::end(row), motion.begin() + static_cast<std::ptrdiff_t>(k * kMotionColumns));
  });
}

}  // namespace rigor
