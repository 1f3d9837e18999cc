// What a Python object holds: a world, alone or within a simulation, shared by all objects that refer to it.
//
// A step releases Python's global lock, so that other Python threads run. They must not see the world meanwhile: every access
// takes the lock of the store, and a thread that finds it taken gets an exception instead of half a step. The lock is recursive,
// so callbacks within a step reach the world.
#pragma once

#include <memory>
#include <mutex>

#include "rigor/error.h"
#include "rigor/simulation.h"

namespace rigor::python {

class Store {
 public:
  explicit Store(World world) : world_(std::make_unique<World>(std::move(world))) {}
  explicit Store(Simulation simulation) : simulation_(std::make_unique<Simulation>(std::move(simulation))) {}

  /// Error if another thread is in a step of it.
  std::unique_lock<std::recursive_mutex> lock() {
    std::unique_lock<std::recursive_mutex> lock(mutex_, std::try_to_lock);
    if (!lock) throw Error("another thread is in a step of this simulation; wait until it has ended");
    return lock;
  }
  World& world() { return simulation_ ? simulation_->world() : *world_; }
  Simulation& simulation() { return *simulation_; }

  bool is_stepping = false;  // a callback runs within a step
  // Which callbacks are written in Python. They name this store, so copies of the simulation do without them.
  bool has_listener = false, has_before_step = false, has_after_step = false, has_validators = false;
  Simulation::StepCallback drives;  // of the scene; they act before a callback of the user's

 private:
  std::recursive_mutex mutex_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Simulation> simulation_;
};
using StorePtr = std::shared_ptr<Store>;

/// The world or simulation of a store, as long as this object lives.
template <class T> class Using {
 public:
  Using(Store& store, T& object) : lock_(store.lock()), object_(&object) {}
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  T* object_;
};

/// Counts the forces written in Python that this thread is in. Who is in a world cannot change meanwhile: the step holds arrays of them.
inline thread_local int forces_in_progress = 0;
inline void refuse_within_force() {
  if (forces_in_progress > 0) throw Error("a force cannot add, remove or change bodies and joints; use before_step");
}

struct PyWorld {
  StorePtr store;
  Using<World> use() const { return {*store, store->world()}; }
};
struct PySimulation {
  StorePtr store;
  Using<Simulation> use() const { return {*store, store->simulation()}; }
};

/// A body, joint or force of a world; it refers to its world.
template <class IdType> struct Handle {
  StorePtr store;
  IdType id;
  Using<World> use() const { return {*store, store->world()}; }
  bool operator==(const Handle&) const = default;
};
using PyBody = Handle<BodyId>;
using PyJoint = Handle<JointId>;
using PyForce = Handle<ForceId>;

/// The id, if the object belongs to this world.
template <class IdType> IdType id_in(const StorePtr& store, const Handle<IdType>& handle, const char* what) {
  if (handle.store != store) throw Error(std::string("this ") + what + " belongs to another world");
  return handle.id;
}

}  // namespace rigor::python
