// Many copies of one simulation.
#include "rigor/batch.h"

#include <algorithm>
#include <chrono>

#include "parts.h"
#include "released.h"
#include "rigor/joint_types.h"
#include "settings_argument.h"
#include "store.h"

namespace rigor::python {

namespace py = pybind11;
using namespace py::literals;

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// The prototype's store names bodies and joints; the batch holds the worlds.
class PyBatch {
 public:
  PyBatch(StorePtr store, Batch made) : prototype(std::move(store)), batch_(std::move(made)) {}
  /// Error if another thread is in a step of it.
  std::unique_lock<std::mutex> lock() const {
    std::unique_lock<std::mutex> lock(*mutex_, std::try_to_lock);
    if (!lock) throw Error("another thread is in a step of this batch; wait until it has ended");
    return lock;
  }
  /// Calls f with the batch, locked.
  template <class F> auto use(const F& f) {
    const auto held = lock();
    return f(batch_);
  }
  std::size_t size() const { return batch_.size(); }

  StorePtr prototype;

 private:
  Batch batch_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

std::vector<JointAxisId> axes_of(PyBatch& b, const std::vector<std::pair<PyJoint, int>>& axes) {
  std::vector<JointAxisId> out;
  for (const auto& [joint, axis] : axes) out.push_back({id_in(b.prototype, joint, "joint"), axis});
  return out;
}

/// Makes a few steps at a time, so that Ctrl+C is seen soon. The results do not depend on how many.
void make_steps(Batch& batch, int steps) {
  if (steps < 0) throw Error("steps", "expected at least 0, got " + std::to_string(steps));
  constexpr double kSoon = 0.1;  // s
  int at_once = 1;
  while (steps > 0) {
    at_once = std::min(at_once, steps);
    const auto begin = std::chrono::steady_clock::now();
    without_lock([&] { batch.step(at_once); });
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    steps -= at_once;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    if (spent.count() < kSoon / 2) at_once *= 2;
  }
}

std::span<double> all(py::array_t<double>& a) { return {a.mutable_data(), static_cast<std::size_t>(a.size())}; }

void set_forces(PyBatch& b, const Array& forces) {
  b.use([&](Batch& batch) {
    if (forces.ndim() != 2 || static_cast<std::size_t>(forces.shape(0)) != batch.size() ||
        static_cast<std::size_t>(forces.shape(1)) != batch.driven())
      throw Error("forces", "expected an array of shape (" + std::to_string(batch.size()) + ", " +
                                std::to_string(batch.driven()) + ")");
    batch.set_forces({forces.data(), static_cast<std::size_t>(forces.size())});
  });
}

std::pair<py::array_t<double>, py::array_t<double>> read(PyBatch& b) {
  return b.use([](Batch& batch) {
    py::array_t<double> positions({batch.size(), batch.observed()}), velocities({batch.size(), batch.observed()});
    batch.read(all(positions), all(velocities));
    return std::pair(positions, velocities);
  });
}

py::array_t<double> read_motion(PyBatch& b, const PyBody& body) {
  const BodyId id = id_in(b.prototype, body, "body");
  return b.use([&](Batch& batch) {
    py::array_t<double> out({batch.size(), Batch::kMotionColumns});
    batch.read_motion(id, all(out));
    return out;
  });
}

}  // namespace

void add_batch(py::module_& m) {
  py::class_<PyBatch>(m, "Batch", "Copies of one simulation that are stepped on all cores.")
      .def(py::init([](const PySimulation& prototype, std::size_t count, int threads) {
             const Store& from = *prototype.store;
             if (from.has_before_step || from.has_after_step)
               throw Error("batch", "callbacks written in Python before or after a step cannot be copied");
             Simulation plain(*prototype.use());
             if (from.has_listener) plain.set_listener({});
             if (from.has_validators) plain.clear_validators();
             return PyBatch(prototype.store, Batch(plain, count, threads));
           }),
           "prototype"_a, "count"_a, "threads"_a = 0,
           "Bodies and joints of the prototype name those of every world. Listeners and validators are not copied.")
      .def("__len__", &PyBatch::size)
      .def(
          "drive",
          [](PyBatch& b, const std::vector<std::pair<PyJoint, int>>& axes) {
            b.use([&](Batch& batch) { batch.drive(axes_of(b, axes)); });
          },
          "axes"_a, "Chooses the columns of set_forces(): pairs of a joint and an axis from 0 to 5.")
      .def(
          "observe",
          [](PyBatch& b, const std::vector<std::pair<PyJoint, int>>& axes) {
            b.use([&](Batch& batch) { batch.observe(axes_of(b, axes)); });
          },
          "axes"_a, "Chooses the columns of read().")
      .def("set_forces", &set_forces, "forces"_a, "N or N m, of shape (worlds, driven axes), until they are set again.")
      .def(
          "step", [](PyBatch& b, int steps) { b.use([&](Batch& batch) { make_steps(batch, steps); }); }, "steps"_a = 1,
          "Steps every world. Ctrl+C ends it between two steps of all worlds.")
      .def("read", &read, "Positions and velocities of the observed axes, each of shape (worlds, observed axes).")
      .def("read_motion", &read_motion, "body"_a,
           "Position, orientation, velocity and angular velocity of a body, of shape (worlds, 13).")
      .def(
          "reset",
          [](PyBatch& b, const std::optional<std::vector<std::size_t>>& worlds) {
            b.use([&](Batch& batch) { worlds ? batch.reset(*worlds) : batch.reset(); });
          },
          "worlds"_a = py::none(),
          "Puts worlds back into the state of the prototype; all of them unless they are given.")
      .def(
          "set_velocity",
          [](PyBatch& b, std::size_t world, const PyBody& body, const Vec3& v, const Vec3& w) {
            const BodyId id = id_in(b.prototype, body, "body");
            b.use([&](Batch& batch) { batch.at(world).world().set_velocity(id, v, w); });
          },
          "world"_a, "body"_a, "velocity"_a, "angular_velocity"_a = Vec3{})
      .def(
          "set_pose",
          [](PyBatch& b, std::size_t world, const PyBody& body, const Vec3& x, const Quat& q) {
            const BodyId id = id_in(b.prototype, body, "body");
            b.use([&](Batch& batch) { batch.at(world).world().set_pose(id, x, q); });
          },
          "world"_a, "body"_a, "position"_a, "orientation"_a = Quat{})
      .def(
          "set_joint",
          [](PyBatch& b, std::size_t world, const PyJoint& joint, const py::kwargs& parameters) {
            const Settings settings = settings_from(parameters);
            const JointId id = id_in(b.prototype, joint, "joint");
            b.use([&](Batch& batch) { set_joint_parameters(batch.at(world).world(), id, settings); });
          },
          "world"_a, "joint"_a, "Changes parameters of a joint in one world.")
      .def(
          "set_material",
          [](PyBatch& b, std::size_t world, const PyBody& body, const Material& material) {
            const BodyId id = id_in(b.prototype, body, "body");
            b.use([&](Batch& batch) { batch.at(world).world().set_material(id, material); });
          },
          "world"_a, "body"_a, "material"_a)
      .def(
          "hash",
          [](PyBatch& b, std::size_t world) { return b.use([&](Batch& batch) { return batch.at(world).hash(); }); },
          "world"_a)
      .def(
          "copy",
          [](PyBatch& b, std::size_t world) {
            return b.use(
                [&](Batch& batch) { return PySimulation{std::make_shared<Store>(Simulation(batch.at(world)))}; });
          },
          "world"_a, "One of the worlds as a simulation of its own.");
}

}  // namespace rigor::python
