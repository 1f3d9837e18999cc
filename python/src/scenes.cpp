// Scene files, models of other programs, and figures of a run.
#include "lab/metrics.h"
#include "lab/truth.h"
#include "method_argument.h"
#include "parts.h"
#include "released.h"
#include "rigor/model.h"
#include "rigor/scene.h"
#include "store.h"

namespace rigor::python {

namespace py = pybind11;
using namespace py::literals;

namespace {

/// A scene with its world in a store, so that its bodies can be reached and changed.
struct PyScene {
  Scene scene;  // its world is empty
  StorePtr store;
  std::vector<ModelNote> notes;

  explicit PyScene(Scene read) : scene(std::move(read)), store(std::make_shared<Store>(std::move(scene.world))) {
    scene.world = World();
  }
  Scene complete() const {
    Scene out = scene;
    const auto lock = store->lock();
    out.world = store->world();
    return out;
  }
};

PyScene load(const std::string& name, bool strict, bool fix_base) {
  if (!is_model_file(name)) return PyScene(open_scene(name));
  ModelReport report;
  ModelOptions options;
  options.strict = strict;
  options.fix_base = fix_base;
  PyScene out(load_model(name, options, &report));
  out.notes = std::move(report.notes);
  return out;
}

PySimulation simulate(const PyScene& scene, const py::object& method, std::optional<double> step, int threads) {
  Scene own = scene.complete();
  if (!method.is_none()) own.method = method_of(method);
  if (step) own.time.step = *step;
  Simulation made = make_simulation(own);
  made.set_threads(threads);
  PySimulation out{std::make_shared<Store>(std::move(made))};
  if (!own.drives.empty()) out.store->drives = driven_by(own.drives, own.world);
  return out;
}

py::dict sampled(const RunMetrics& metrics) {
  const auto& samples = metrics.samples();
  const auto n = static_cast<py::ssize_t>(samples.size());
  py::array_t<double> time(n), kinetic(n), potential(n), momentum({n, py::ssize_t{3}}), angular({n, py::ssize_t{3}});
  for (py::ssize_t i = 0; i < n; ++i) {
    const Sample& s = samples[static_cast<std::size_t>(i)];
    time.mutable_at(i) = s.time, kinetic.mutable_at(i) = s.kinetic, potential.mutable_at(i) = s.potential;
    for (int k = 0; k < 3; ++k)
      momentum.mutable_at(i, k) = s.momentum[k], angular.mutable_at(i, k) = s.angular_momentum[k];
  }
  return py::dict("time"_a = time, "kinetic"_a = kinetic, "potential"_a = potential, "momentum"_a = momentum,
                  "angular_momentum"_a = angular);
}

/// Records impulses as long as it lives.
class ImpulseRecording {
 public:
  ImpulseRecording(Simulation& simulation, bool wanted) : simulation_(simulation) {
    simulation_.record_impulses(wanted);
  }
  ~ImpulseRecording() { simulation_.record_impulses(false); }
  ImpulseRecording(const ImpulseRecording&) = delete;
  ImpulseRecording& operator=(const ImpulseRecording&) = delete;

 private:
  Simulation& simulation_;
};

/// Steps a simulation and measures it: energies over time, drifts, contact depth, figures of truth, time per step.
py::dict measure(const PySimulation& s, int steps, bool truth) {
  if (steps < 0) throw Error("measure", "steps: expected at least 0, got " + std::to_string(steps));
  const auto simulation = s.use();
  RunMetrics metrics(static_cast<std::uint64_t>(steps));
  TruthMeter meter;
  double deepest = 0;
  without_lock([&] {
    const ImpulseRecording recording(*simulation, truth);
    metrics.start(*simulation);
    for (int k = 0; k < steps; ++k) {
      if (truth) meter.before(*simulation);
      const auto begin = std::chrono::steady_clock::now();
      simulation->step();
      const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
      if (truth) meter.after(*simulation);
      metrics.step_done(*simulation, spent.count());
      deepest = std::max(deepest, summarize(simulation->contacts()).max_depth);
    }
  });
  py::dict out = sampled(metrics);
  out["energy_drift"] = metrics.final_energy_drift(), out["largest_energy_drift"] = metrics.largest_energy_drift();
  out["largest_momentum_drift"] = metrics.largest_momentum_drift();
  out["largest_angular_momentum_drift"] = metrics.largest_angular_momentum_drift();
  out["largest_penetration"] = deepest;
  const StepTimes times = metrics.step_times();
  out["milliseconds"] = py::dict("median"_a = times.median, "p95"_a = times.p95, "max"_a = times.max);
  if (truth) {
    py::dict figures;
    for (const TruthFigure& f : meter.figures())
      figures[f.name] = py::dict("unit"_a = f.unit, "max"_a = f.figure.max, "rms"_a = f.figure.rms, "worst"_a = f.worst,
                                 "time"_a = f.time);
    out["truth"] = figures;
  }
  return out;
}

}  // namespace

void add_scenes(py::module_& m) {
  py::class_<PyScene>(m, "Scene", "A world, a method and a duration.")
      .def(py::init([](const std::string& name, bool strict, bool fix_base) { return load(name, strict, fix_base); }),
           "name"_a, "strict"_a = false, "fix_base"_a = false,
           "A built-in scene by name, a scene file (.json), or a model (.urdf, .xml, .mjcf, .obj, .stl, .dae, .gltf, "
           ".glb). "
           "`strict` refuses models with unsupported elements, `fix_base` holds the root of a URDF robot.")
      .def_static(
          "parse", [](const std::string& text) { return PyScene(parse_scene(text)); }, "text"_a,
          "From the text of a scene file.")
      .def_static(
          "parse_model",
          [](const std::string& text, bool strict) {
            ModelReport report;
            ModelOptions options;
            options.strict = strict;
            PyScene out(parse_model(text, options, &report));
            out.notes = std::move(report.notes);
            return out;
          },
          "text"_a, "strict"_a = false, "From the text of a URDF or MJCF model.")
      .def_property_readonly("name", [](const PyScene& s) { return s.scene.name; })
      .def_property_readonly("description", [](const PyScene& s) { return s.scene.description; })
      .def_property_readonly("world", [](const PyScene& s) { return PyWorld{s.store}; })
      .def_property_readonly("method", [](const PyScene& s) { return s.scene.method; })
      .def_property_readonly(
          "step", [](const PyScene& s) { return s.scene.time.step; }, "s")
      .def_property_readonly(
          "duration", [](const PyScene& s) { return s.scene.duration; }, "s")
      .def_property_readonly(
          "notes",
          [](const PyScene& s) {
            std::vector<std::string> out;
            for (const ModelNote& note : s.notes) out.push_back(to_text(note));
            return out;
          },
          "elements of a model that the scene does not express exactly, with file and line")
      .def("simulate", &simulate, "method"_a = py::none(), "step"_a = py::none(), "threads"_a = 1,
           "A simulation of it with its drives, by its own method and step unless others are given.")
      .def("to_json", [](const PyScene& s) { return write_scene(s.complete()); })
      .def("__repr__", [](const PyScene& s) { return "<rigor.Scene '" + s.scene.name + "'>"; });
  m.def("scenes", &builtin_scene_names, "The names of the built-in scenes.");
  m.def(
      "world_to_json",
      [](const PyWorld& world, const py::object& method, double step) {
        Scene scene;
        scene.world = *world.use();
        scene.method = method_of(method), scene.time.step = step;
        return write_scene(scene);
      },
      "world"_a, "method"_a = py::none(), "step"_a = 1.0 / 60, "The text of a scene file.");
  m.def("measure", &measure, "simulation"_a, "steps"_a, "truth"_a = false,
        "Makes steps and measures them: arrays of time, kinetic, potential, momentum and angular_momentum, and figures "
        "of "
        "the run. `truth` adds how well the impulses obey the laws of contact.");
}

}  // namespace rigor::python
