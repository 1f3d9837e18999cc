// Methods as values, the registry, and integrators written in Python.
#include "method_argument.h"
#include "parts.h"
#include "released.h"
#include "rigor/error.h"
#include "rigor/extend/integrator.h"
#include "rigor/extend/registrar.h"
#include "rigor/queries.h"
#include "rigor/registry.h"

namespace rigor::python {

namespace py = pybind11;
using namespace py::literals;

namespace {

py::object to_python(const Value& value) {
  return std::visit([](const auto& v) -> py::object { return py::cast(v); }, value);
}

py::dict to_python(const Settings& settings) {
  py::dict out;
  for (const auto& [name, value] : settings) out[py::str(name)] = to_python(value);
  return out;
}

py::dict to_python(const Parameter& p) {
  py::dict out("name"_a = p.name, "type"_a = p.type, "unit"_a = p.unit, "default"_a = to_python(p.default_value),
               "description"_a = p.description);
  if (p.type == "number" || p.type == "integer") out["min"] = p.min, out["max"] = p.max;
  if (!p.choices.empty()) out["choices"] = p.choices;
  return out;
}

template <class T> py::array_t<double> copied(std::span<const T> values) {
  constexpr std::size_t kWidth = sizeof(T) / sizeof(double);
  py::array_t<double> out({values.size(), kWidth});
  std::copy_n(reinterpret_cast<const double*>(values.data()), values.size() * kWidth, out.mutable_data());
  return out;
}

template <class T> void copy_back(const py::object& source, std::span<T> to, const char* what) {
  constexpr std::size_t kWidth = sizeof(T) / sizeof(double);
  const auto values = py::array_t<double, py::array::c_style | py::array::forcecast>(source);
  if (values.ndim() != 2 || static_cast<std::size_t>(values.shape(0)) != to.size() ||
      static_cast<std::size_t>(values.shape(1)) != kWidth)
    throw Error(std::string(what) + " has another shape than before");
  std::copy_n(values.data(), to.size() * kWidth, reinterpret_cast<double*>(to.data()));
}

/// What a Python integrator works with: copies of the arrays, which evaluate() and the end of the step write back.
class PyMotion {
 public:
  PyMotion(extend::Motion& motion, double begin) : motion_(&motion), time(begin) { read(); }

  void evaluate(double at) {
    if (motion_ == nullptr) throw Error("the step of this integrator has ended");
    write();
    motion_->evaluate(at);
    read();
  }
  void write() {
    const extend::Bodies& b = motion_->bodies();
    copy_back(position, b.position, "position"), copy_back(orientation, b.orientation, "orientation");
    copy_back(velocity, b.velocity, "velocity"), copy_back(angular_velocity, b.angular_velocity, "angular_velocity");
  }
  void end() { motion_ = nullptr; }

  py::object position, orientation, velocity, angular_velocity, force, torque, inverse_mass, inertia;

 private:
  void read() {
    const extend::Bodies& b = motion_->bodies();
    position = copied<Vec3>(b.position), orientation = copied<Quat>(b.orientation);
    velocity = copied<Vec3>(b.velocity), angular_velocity = copied<Vec3>(b.angular_velocity);
    force = copied<Vec3>(b.force), torque = copied<Vec3>(b.torque);
    inverse_mass = copied<double>(b.inverse_mass), inertia = copied<Vec3>(b.inertia);
  }
  extend::Motion* motion_;

 public:
  double time;
};

/// The registry never forgets a method, so the function is never released.
class PyIntegrator final : public extend::Integrator {
 public:
  PyIntegrator(PyObject* function, double lag) : function_(function), lag_(lag) {}
  void integrate(extend::Motion& motion, double time, double h) override {
    const py::gil_scoped_acquire gil;
    const auto arrays = std::make_shared<PyMotion>(motion, time);
    try {
      py::reinterpret_borrow<py::function>(function_)(arrays, h);
      arrays->write();
    } catch (const py::error_already_set& error) {
      arrays->end();
      if (!error.matches(PyExc_Exception)) end_step_with(std::current_exception());
      throw Error("integrator", error.what());
    } catch (...) {
      arrays->end();
      throw;
    }
    arrays->end();
  }
  double velocity_lag() const override { return lag_; }

 private:
  PyObject* function_;
  double lag_;
};

void register_integrator(const std::string& name, const py::function& function, const std::string& description,
                         int order, double velocity_lag) {
  PyObject* kept = function.ptr();
  const extend::About about{name, description, "written in Python", {"order:" + std::to_string(order)}};
  enroll([&](extend::Registrar& registrar) {
    registrar.add(Kind::integrator, about, [kept, velocity_lag] {
      return std::unique_ptr<Configurable>(std::make_unique<PyIntegrator>(kept, velocity_lag));
    });
  });
  Py_INCREF(kept);
}

}  // namespace

void add_methods(py::module_& m) {
  py::class_<MethodInfo>(m, "MethodInfo", "An entry of the registry, which can be chosen by name.")
      .def_property_readonly("kind", [](const MethodInfo& i) { return std::string(to_string(i.kind)); })
      .def_readonly("name", &MethodInfo::name)
      .def_readonly("description", &MethodInfo::description)
      .def_readonly("reference", &MethodInfo::reference)
      .def_readonly("capabilities", &MethodInfo::capabilities)
      .def_readonly("limitations", &MethodInfo::limitations)
      .def_property_readonly(
          "parameters",
          [](const MethodInfo& i) {
            py::list out;
            for (const Parameter& p : i.parameters) out.append(to_python(p));
            return out;
          },
          "dictionaries with name, type, unit, default, description, and min and max or choices")
      .def("__repr__", [](const MethodInfo& i) {
        return "<rigor.MethodInfo " + std::string(to_string(i.kind)) + " '" + i.name + "': " + i.description + ">";
      });
  m.def(
      "methods",
      [](const std::string& kind) {
        std::vector<MethodInfo> out;
        for (const MethodInfo& info : methods())
          if (kind.empty() || to_string(info.kind) == kind) out.push_back(info);
        if (out.empty()) throw Error("no methods of the kind '" + kind + "'");
        return out;
      },
      "kind"_a = "", "The registry, or its entries of one kind: 'preset', 'integrator', 'solver', 'joint', …");

  py::class_<Method>(m, "Method",
                     "How a world is simulated: names and numbers that can be copied, compared and changed.")
      .def(py::init([](const std::string& name) { return name.empty() ? default_method() : preset(name); }),
           "preset"_a = "", "The complete method of a preset; the default one if no name is given.")
      .def_readonly("preset", &Method::preset, "the preset it was made from")
      .def(
          "set",
          [](Method& method, const std::string& key, const Value& value) {
            Method changed = method;
            set(changed, key, value);
            check(changed);
            method = std::move(changed);
          },
          "key"_a, "value"_a,
          "Changes one part by the keys that scene files and --set use: 'integrator', 'stepping.count', 'gyroscopic', "
          "…")
      .def(
          "with_",
          [](Method method, const std::string& key, const Value& value) {
            set(method, key, value);
            check(method);
            return method;
          },
          "key"_a, "value"_a, "A copy with one part changed.")
      .def_property_readonly(
          "parts",
          [](const Method& method) {
            py::dict out;
            for (const MethodSlot& slot : method_slots()) {
              const Choice& choice = method.*slot.member;
              out[slot.key] = py::make_tuple(choice.name, to_python(choice.settings));
            }
            return out;
          },
          "{slot: (name, {parameter: value that differs from its default})}")
      .def(
          "honours", [](const Method& method, const std::string& feature) { return honours(method, feature); },
          "feature"_a, "True if it simulates a feature, such as 'static-friction'.")
      .def("__eq__", [](const Method& a, const Method& b) { return a == b; })
      .def("__copy__", [](const Method& method) { return method; })
      .def(
          "__deepcopy__", [](const Method& method, const py::dict&) { return method; }, "memo"_a)
      .def("__repr__", [](const Method& method) {
        return "<rigor.Method " + (method.preset.empty() ? method.stepping.name : method.preset) + ">";
      });

  py::class_<PyMotion, std::shared_ptr<PyMotion>>(
      m, "Motion", "The awake bodies as an integrator written in Python sees them: arrays, one row per body.")
      .def_readwrite("position", &PyMotion::position, "m, centers of mass")
      .def_readwrite("orientation", &PyMotion::orientation, "w, x, y, z; principal frame to world")
      .def_readwrite("velocity", &PyMotion::velocity, "m/s")
      .def_readwrite("angular_velocity", &PyMotion::angular_velocity, "rad/s, world frame")
      .def_readonly("force", &PyMotion::force, "N, as of the last evaluate()")
      .def_readonly("torque", &PyMotion::torque, "N m, world frame")
      .def_readonly("inverse_mass", &PyMotion::inverse_mass, "1/kg, one column")
      .def_readonly("inertia", &PyMotion::inertia, "kg m², principal moments")
      .def_readonly("time", &PyMotion::time, "s, when the step began")
      .def("evaluate", &PyMotion::evaluate, "time"_a, "Computes force and torque for the present arrays.");
  m.def(
      "register_integrator", &register_integrator, "name"_a, "function"_a, "description"_a = "written in Python",
      "order"_a = 1, "velocity_lag"_a = 0.0,
      "Adds an integrator to the registry: function(motion, h) moves the bodies of `motion` by h seconds. It is slow, "
      "and stays registered until the program ends.");
  m.def("load_plugin", &load_plugin, "file"_a, "Registers the methods, joints and shapes of a shared library.");
}

}  // namespace rigor::python
