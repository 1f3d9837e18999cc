// The compiled part of the Python module. rigor/__init__.py is what users import.
#include <chrono>
#include <thread>

#include "parts.h"
#include "released.h"
#include "rigor/error.h"

namespace rigor::python {

void wait_for_steps_at_exit() {
  namespace py = pybind11;
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    ReleasedCalls& calls = ReleasedCalls::all();
    calls.is_closing = true;
    while (calls.running > 0) {
      const py::gil_scoped_release release;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }));
}

}  // namespace rigor::python

PYBIND11_MODULE(_rigor, m) {
  namespace py = pybind11;
  using namespace rigor::python;
  m.doc() = "Rigid-body dynamics whose methods are values; the compiled part of the package rigor.";
  m.attr("__version__") = RIGOR_VERSION;
  py::register_exception<rigor::Error>(m, "Error", PyExc_ValueError).doc() =
      "Raised for invalid input and for steps that fail; the message names the place. After a failed step, restore a "
      "snapshot.";
  add_materials_and_shapes(m);
  add_methods(m);
  add_world(m);
  add_simulation(m);
  add_scenes(m);
  add_queries(m);
  add_joint_space(m);
  add_batch(m);
  wait_for_steps_at_exit();
}
