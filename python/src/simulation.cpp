// Simulations: steps, events, contacts, snapshots, and the arrays of all bodies.
#include "method_argument.h"
#include "parts.h"
#include "released.h"
#include "rigor/snapshot_file.h"
#include "store.h"

namespace rigor::python {

namespace py = pybind11;
using namespace py::literals;

namespace {

/// Marks a step, so that a second one within its callbacks is refused.
class Stepping {
 public:
  explicit Stepping(Store& store) : store_(store) {
    if (store.is_stepping) throw Error("a callback of a step cannot make another step of the same simulation");
    store.is_stepping = true;
  }
  ~Stepping() { store_.is_stepping = false; }
  Stepping(const Stepping&) = delete;
  Stepping& operator=(const Stepping&) = delete;

 private:
  Store& store_;
};

/// The lock of Python is released in between; callbacks take it again.
void make_steps(const PySimulation& s, int count, std::optional<double> h) {
  if (count < 0) throw Error("step", "count: expected at least 0, got " + std::to_string(count));
  const auto simulation = s.use();
  const Stepping mark(*s.store);
  for (int k = 0; k < count; ++k) {
    without_lock([&] { h ? simulation->step(*h) : simulation->step(); });
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();  // Ctrl+C
  }
}

int advance(const PySimulation& s, double dt) {
  const auto simulation = s.use();
  const Stepping mark(*s.store);
  return without_lock([&] { return simulation->advance(dt); });
}

TimeSettings time_of(const std::optional<double>& step) {
  TimeSettings settings;
  if (step) settings.step = *step;
  return settings;
}

/// All bodies' arrays as they lie in memory. They are valid as long as the bodies stay in their places.
class StateArrays {
 public:
  explicit StateArrays(StorePtr store) : store_(std::move(store)) {
    const auto lock = store_->lock();
    order_ = store_->world().state().id_index;
  }

  StateArrays(const StateArrays&) = delete;
  StateArrays& operator=(const StateArrays&) = delete;
  StateArrays(StateArrays&&) = default;
  StateArrays& operator=(StateArrays&&) = default;

  bool is_valid() const {
    const auto lock = store_->lock();
    return is_same();
  }
  /// Keeps other threads out of the simulation until release(); Error if one of them is in a step.
  void acquire() { locks_.push_back(store_->lock()); }
  void release() { locks_.pop_back(); }
  /// An array that shares the memory. It is for use between acquire() and release() only.
  py::array_t<double> raw(const std::string& name) const {
    const auto lock = store_->lock();
    if (!is_same())
      throw Error("bodies were added, removed, put to sleep or woken since these arrays were taken; take them again");
    BodyState& s = store_->world().state();
    if (name == "position") return of(s.position);
    if (name == "orientation") return of(s.orientation);
    if (name == "velocity") return of(s.velocity);
    if (name == "angular_velocity") return of(s.angular_velocity);
    if (name == "force") return of(s.force);
    if (name == "torque") return of(s.torque);
    if (name == "user_force") return of(s.user_force);
    if (name == "user_torque") return of(s.user_torque);
    if (name == "inverse_mass") return of(s.inverse_mass);
    throw Error(unknown_name("array", name,
                             {"position", "orientation", "velocity", "angular_velocity", "force", "torque",
                              "user_force", "user_torque", "inverse_mass"}));
  }
  /// After positions, orientations or velocities were written: quaternions become unit ones, and the world body stays as it is.
  void settle() const {
    const auto lock = store_->lock();
    World& world = store_->world();
    BodyState& s = world.state();
    for (Quat& q : s.orientation) {
      const double size = std::sqrt(dot(q, q));
      q = size > 0 ? q * (1 / size) : Quat{};
    }
    const std::uint32_t fixed = world.slot(world.world_body());
    s.position[fixed] = s.velocity[fixed] = s.angular_velocity[fixed] = {}, s.orientation[fixed] = {};
  }
  /// After user_force or user_torque were written: the world has to know of them.
  void note_user_forces() const {
    const auto lock = store_->lock();
    World& world = store_->world();
    for (const std::uint32_t index : order_) {
      const BodyId id = world.id_of(index);
      const std::uint32_t slot = world.slot(id);
      const Vec3 force = world.state().user_force[slot], torque = world.state().user_torque[slot];
      if (force == Vec3{} && torque == Vec3{}) continue;
      world.set_user_force(id, force, torque);
      if (!is_same()) return note_user_forces();  // it has woken a body, which moved others to other places
    }
  }
  std::vector<PyBody> bodies() const {
    const auto lock = store_->lock();
    std::vector<PyBody> out;
    for (const std::uint32_t index : order_) out.push_back({store_, store_->world().id_of(index)});
    return out;
  }
  std::size_t size() const { return order_.size(); }
  std::size_t awake() const {
    const auto lock = store_->lock();
    return store_->world().state().awake();
  }

 private:
  bool is_same() const { return store_->world().state().id_index == order_; }
  template <class T> py::array_t<double> of(std::vector<T>& values) const {
    constexpr auto kWidth = static_cast<py::ssize_t>(sizeof(T) / sizeof(double));
    const auto size = static_cast<py::ssize_t>(values.size());
    std::vector<py::ssize_t> shape{size};
    if (kWidth > 1) shape.push_back(kWidth);
    return py::array_t<double>(shape, reinterpret_cast<double*>(values.data()),
                               py::capsule(new StorePtr(store_), [](void* p) { delete static_cast<StorePtr*>(p); }));
  }
  StorePtr store_;
  std::vector<std::uint32_t> order_;  // id index by slot, when the arrays were taken
  std::vector<std::unique_lock<std::recursive_mutex>> locks_;
};

py::dict to_python(const Event& event, const StorePtr& store) {
  py::dict out("kind"_a = to_string(event.kind), "time"_a = event.time);
  if (event.a) out["a"] = PyBody{store, event.a};
  if (event.b) out["b"] = PyBody{store, event.b};
  if (event.joint) out["joint"] = PyJoint{store, event.joint};
  if (event.kind >= Event::Kind::contact_begin && event.kind <= Event::Kind::contact_end)
    out["impulse"] = event.impulse, out["speed"] = event.speed, out["point"] = event.point,
    out["normal"] = event.normal;
  return out;
}

/// Points of all contacts, one row per point.
py::dict contact_arrays(const PySimulation& s) {
  const auto simulation = s.use();
  std::vector<std::uint32_t> index_of(simulation->world().id_capacity(), 0);
  const std::vector<BodyId> bodies = simulation->world().bodies();
  for (std::uint32_t k = 0; k < bodies.size(); ++k) index_of[bodies[k].index] = k;
  std::size_t count = 0;
  for (const Contact& c : simulation->contacts()) count += static_cast<std::size_t>(c.count);
  py::array_t<std::int64_t> pair({count, std::size_t{2}});
  py::array_t<double> point({count, std::size_t{3}}), normal({count, std::size_t{3}}), impulse({count, std::size_t{3}}),
      separation(static_cast<py::ssize_t>(count));
  py::ssize_t row = 0;
  for (const Contact& c : simulation->contacts()) {
    const World& world = simulation->world();
    if (!world.contains(c.a) || !world.contains(c.b)) continue;
    const std::uint32_t slot = world.slot(c.a);
    for (int i = 0; i < c.count; ++i, ++row) {
      const ContactPoint& p = c.points[static_cast<std::size_t>(i)];
      const Vec3 x = world.state().position[slot] + rotate(world.state().orientation[slot], p.local_a);
      const Vec3 P = p.normal_impulse * c.normal + p.tangent_impulse[0] * c.tangent +
                     p.tangent_impulse[1] * cross(c.normal, c.tangent);
      pair.mutable_at(row, 0) = index_of[c.a.index], pair.mutable_at(row, 1) = index_of[c.b.index];
      for (int k = 0; k < 3; ++k)
        point.mutable_at(row, k) = x[k], normal.mutable_at(row, k) = c.normal[k], impulse.mutable_at(row, k) = P[k];
      separation.mutable_at(row) = p.separation;
    }
  }
  const py::slice used(0, row, 1);
  const auto part = [&](const py::array& a) { return a[used]; };
  return py::dict("bodies"_a = part(pair), "point"_a = part(point), "normal"_a = part(normal),
                  "separation"_a = part(separation), "impulse"_a = part(impulse));
}

/// Motion of all bodies in the order of World.bodies, as copies.
py::dict motion(const PySimulation& s) {
  const auto simulation = s.use();
  const World& w = simulation->world();
  const std::vector<BodyId> bodies = w.bodies();
  const std::size_t n = bodies.size(), three = 3, four = 4;
  py::array_t<double> x({n, three}), q({n, four}), v({n, three}), o({n, three});
  double *px = x.mutable_data(), *pq = q.mutable_data(), *pv = v.mutable_data(), *po = o.mutable_data();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 position = w.position(bodies[i]), velocity = w.velocity(bodies[i]), spin = w.angular_velocity(bodies[i]);
    const Quat turn = w.orientation(bodies[i]);
    for (int k = 0; k < 3; ++k) *px++ = position[k], *pv++ = velocity[k], *po++ = spin[k];
    *pq++ = turn.w, *pq++ = turn.x, *pq++ = turn.y, *pq++ = turn.z;
  }
  return py::dict("position"_a = x, "orientation"_a = q, "velocity"_a = v, "angular_velocity"_a = o);
}

py::dict statistics(const PySimulation& s) {
  const StepStatistics got = s.use()->statistics();
  const auto slot = [](const SolverStatistics& x) {
    return py::dict("iterations"_a = x.iterations, "residual"_a = x.residual, "converged"_a = x.converged);
  };
  return py::dict("collision"_a = slot(got.collision), "contact"_a = slot(got.contact), "joint"_a = slot(got.joint),
                  "correction"_a = slot(got.correction), "residual"_a = got.residual);
}

using Listener = std::function<void(PySimulation, py::dict)>;
using Callback = std::function<void(PySimulation)>;
using Validator = std::function<std::vector<std::string>(PyWorld, double)>;

Simulation::StepCallback guarded(const PySimulation& s, const std::optional<Callback>& callback) {
  if (!callback) return {};
  return [function = *callback, store = std::weak_ptr<Store>(s.store)](Simulation&) {
    const py::gil_scoped_acquire gil;
    if (StorePtr own = store.lock()) function(PySimulation{own});
  };
}

void set_before_step(const PySimulation& s, const std::optional<Callback>& callback) {
  Simulation::StepCallback own = guarded(s, callback), drives = s.store->drives;
  s.store->has_before_step = callback.has_value();
  if (!own || !drives) return s.use()->set_before_step(own ? own : drives);
  s.use()->set_before_step([own, drives](Simulation& simulation) { drives(simulation), own(simulation); });
}

void set_after_step(const PySimulation& s, const std::optional<Callback>& callback) {
  s.store->has_after_step = callback.has_value();
  s.use()->set_after_step(guarded(s, callback));
}

/// Without callbacks written in Python: they belong to the simulation that they were given to.
PySimulation copied(const PySimulation& s) {
  Simulation made(*s.use());
  const Store& from = *s.store;
  if (from.has_listener) made.set_listener({});
  if (from.has_before_step) made.set_before_step(from.drives);
  if (from.has_after_step) made.set_after_step({});
  if (from.has_validators) made.clear_validators();
  PySimulation out{std::make_shared<Store>(std::move(made))};
  out.store->drives = from.drives;
  return out;
}

void add_callbacks(py::class_<PySimulation>& c) {
  c.def(
      "on_event",
      [](const PySimulation& s, const std::optional<Listener>& listener) {
        s.store->has_listener = listener.has_value();
        if (!listener) return s.use()->set_listener({});
        s.use()->set_listener(
            [function = *listener, store = std::weak_ptr<Store>(s.store)](Simulation&, const Event& event) {
              const py::gil_scoped_acquire gil;
              if (StorePtr own = store.lock()) function(PySimulation{own}, to_python(event, own));
            });
      },
      "listener"_a, "Calls listener(simulation, event) for every event after each step; None removes it.");
  c.def("before_step", &set_before_step, "callback"_a,
        "Calls callback(simulation) before every step; None removes it. Drives of a scene act before it.");
  c.def("after_step", &set_after_step, "callback"_a, "Calls callback(simulation) after every step; None removes it.");
  c.def(
      "add_validator",
      [](const PySimulation& s, const Validator& validator) {
        s.store->has_validators = true;
        s.use()->add_validator(
            [validator, store = std::weak_ptr<Store>(s.store)](World&, double time, std::vector<std::string>& reports) {
              const py::gil_scoped_acquire gil;
              StorePtr own = store.lock();
              if (!own) return;
              try {
                for (std::string& sentence : validator(PyWorld{own}, time)) reports.push_back(std::move(sentence));
              } catch (const py::cast_error&) {
                throw Error("a validator written in Python has to return a list of sentences");
              }
            });
      },
      "function"_a,
      "function(world, time) at the end of every step: may change the world, and returns a list of sentences.");
}

}  // namespace

void add_simulation(py::module_& m) {
  py::class_<Snapshot>(m, "Snapshot", "The complete state of a simulation at one moment.")
      .def_property_readonly("size", &Snapshot::size, "bytes that it does not share with others")
      .def(py::pickle(
          [](const Snapshot& s) {
            return py::bytes(write_snapshot({s, "", "", 10}));
          },
          [](const py::bytes& bytes) { return read_snapshot(std::string(bytes)).snapshot; }));

  py::class_<StateArrays>(m, "StateArrays", "The arrays of all bodies; see rigor.State.")
      .def("raw", &StateArrays::raw, "name"_a)
      .def("acquire", &StateArrays::acquire)
      .def("release", &StateArrays::release)
      .def("note_user_forces", &StateArrays::note_user_forces)
      .def("settle", &StateArrays::settle)
      .def_property_readonly("is_valid", &StateArrays::is_valid)
      .def_property_readonly("bodies", &StateArrays::bodies)
      .def_property_readonly("awake", &StateArrays::awake)
      .def("__len__", &StateArrays::size);

  py::class_<PySimulation> c(m, "Simulation", "One world, one method, and time.");
  c.def(py::init(
            [](const std::optional<PyWorld>& world, const py::object& method, std::optional<double> step, int threads) {
              Simulation made(world ? World(*world->use()) : World(), method_of(method), time_of(step));
              made.set_threads(threads);
              return PySimulation{std::make_shared<Store>(std::move(made))};
            }),
        "world"_a = py::none(), "method"_a = py::none(), "step"_a = py::none(), "threads"_a = 1,
        "Copies the world. The method is a Method or the name of a preset; the step is in seconds, 1/60 unless given.");
  c.def("step", &make_steps, "count"_a = 1, "h"_a = py::none(),
        "Makes steps: of the fixed size, or of h seconds each.");
  c.def("advance", &advance, "dt"_a,
        "Simulates dt seconds in fixed steps; the rest is carried over. Returns the number of steps.");
  c.def_property_readonly("world", [](const PySimulation& s) { return PyWorld{s.store}; });
  c.def_property(
      "method", [](const PySimulation& s) { return s.use()->method(); },
      [](const PySimulation& s, const py::object& method) { s.use()->set_method(method_of(method)); },
      "may be changed between two steps");
  c.def_property(
      "time_step", [](const PySimulation& s) { return s.use()->time_settings().step; },
      [](const PySimulation& s, double step) {
        const auto simulation = s.use();
        TimeSettings settings = simulation->time_settings();
        settings.step = step;
        simulation->set_time_settings(settings);
      },
      "s");
  c.def_property(
      "threads", [](const PySimulation& s) { return s.use()->threads(); },
      [](const PySimulation& s, int threads) { s.use()->set_threads(threads); },
      "number of threads that a step may use; 0: one per core");
  c.def_property_readonly(
      "time", [](const PySimulation& s) { return s.use()->time(); }, "s");
  c.def_property_readonly("steps", [](const PySimulation& s) { return s.use()->steps(); });
  c.def_property_readonly(
      "energy",
      [](const PySimulation& s) {
        const Energy e = s.use()->energy();
        return py::dict("kinetic"_a = e.kinetic, "potential"_a = e.potential, "total"_a = e.total());
      },
      "J");
  c.def_property_readonly(
      "hash", [](const PySimulation& s) { return s.use()->hash(); }, "of everything that the next steps depend on");
  c.def_property_readonly("statistics", &statistics, "of the solvers in the last step");
  c.def_property_readonly(
      "events",
      [](const PySimulation& s) {
        py::list out;
        for (const Event& event : s.use()->events()) out.append(to_python(event, s.store));
        return out;
      },
      "of the last step: dictionaries with kind, time, and the bodies or the joint");
  c.def_property_readonly("contacts", &contact_arrays,
                          "of the last step, one row per point: bodies (indices into World.bodies), point, normal, "
                          "separation (m), impulse (N s) on the second body");
  c.def_property_readonly(
      "motion", &motion,
      "copies of position, orientation, velocity and angular_velocity of all bodies, in the order of "
      "World.bodies");
  c.def("arrays", [](const PySimulation& s) { return StateArrays(s.store); });
  c.def("find_contacts", [](const PySimulation& s) { s.use()->find_contacts(); });
  c.def("save", [](const PySimulation& s) { return s.use()->save(); });
  c.def(
      "restore",
      [](const PySimulation& s, const Snapshot& snapshot) {
        if (s.store->is_stepping) throw Error("a callback of a step cannot restore a snapshot");
        s.use()->restore(snapshot);
      },
      "snapshot"_a, "Restores a snapshot; the run continues bit for bit.");
  c.def(
      "reset", [](const PySimulation& s) { s.use()->reset(); }, "Resets the world and sets the time to 0.");
  c.def(
      "take_reports", [](const PySimulation& s) { return s.use()->take_reports(); },
      "Reports since the last call, a sentence each.");
  c.def(
      "why_awake", [](const PySimulation& s, const PyBody& b) { return s.use()->why_awake(id_in(s.store, b, "body")); },
      "body"_a);
  c.def(
      "is_asleep",
      [](const PySimulation& s, const PyBody& b) { return s.use()->sleep_state(id_in(s.store, b, "body")).asleep; },
      "body"_a);
  add_callbacks(c);
  c.def("copy", &copied, "An independent copy. Callbacks written in Python are not copied.").def("__copy__", &copied);
  c.def(
      "__deepcopy__", [](const PySimulation& s, const py::dict&) { return copied(s); }, "memo"_a);
  c.def(py::pickle(
      [](const PySimulation& s) {
        const auto simulation = s.use();
        return py::bytes(write_snapshot({simulation->save(), "", "", 10}));
      },
      [](const py::bytes& bytes) {
        return PySimulation{std::make_shared<Store>(Simulation(read_snapshot(std::string(bytes)).snapshot))};
      }));
  c.def("__repr__", [](const PySimulation& s) {
    const auto simulation = s.use();
    return "<rigor.Simulation at " + std::to_string(simulation->time()) + " s, " +
           std::to_string(simulation->world().body_count()) + " bodies>";
  });
}

}  // namespace rigor::python
