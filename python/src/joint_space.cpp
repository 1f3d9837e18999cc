// Joint coordinates, mass matrices, inverse and forward dynamics.
#include "rigor/joint_space.h"

#include "parts.h"
#include "store.h"

namespace rigor::python {

namespace py = pybind11;
using namespace py::literals;

namespace {

struct PyJointSpace {
  StorePtr store;
  JointSpace space;
};

py::array_t<double> vector(const std::vector<double>& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}
py::array_t<double> matrix(const std::vector<double>& values, std::size_t rows) {
  const std::size_t columns = rows == 0 ? 0 : values.size() / rows;
  return py::array_t<double>({rows, columns}, values.data());
}

}  // namespace

void add_joint_space(py::module_& m) {
  py::class_<PyJointSpace>(m, "JointSpace",
                           "The joint trees of a copy of a world in their own coordinates: M q'' + b = tau.")
      .def(py::init([](const PyWorld& world) {
             return PyJointSpace{world.store, JointSpace(*world.use())};
           }),
           "world"_a)
      .def("__len__", [](const PyJointSpace& j) { return j.space.size(); })
      .def_property_readonly(
          "coordinates",
          [](const PyJointSpace& j) {
            py::list out;
            for (const JointSpace::Coordinate& c : j.space.coordinates())
              out.append(py::make_tuple(PyBody{j.store, c.body},
                                        c.joint ? py::cast(PyJoint{j.store, c.joint}) : py::none(), c.axis));
            return out;
          },
          "(body that it moves, joint or None, axis)")
      .def_property(
          "positions", [](const PyJointSpace& j) { return vector(j.space.positions()); },
          [](PyJointSpace& j, const std::vector<double>& q) { j.space.set_positions(q); })
      .def_property(
          "velocities", [](const PyJointSpace& j) { return vector(j.space.velocities()); },
          [](PyJointSpace& j, const std::vector<double>& v) { j.space.set_velocities(v); })
      .def("mass_matrix", [](const PyJointSpace& j) { return matrix(j.space.mass_matrix(), j.space.size()); })
      .def(
          "bias_forces", [](const PyJointSpace& j, double time) { return vector(j.space.bias_forces(time)); },
          "time"_a = 0.0)
      .def(
          "inverse_dynamics",
          [](const PyJointSpace& j, const std::vector<double>& a, double time) {
            return vector(j.space.inverse_dynamics(a, time));
          },
          "acceleration"_a, "time"_a = 0.0)
      .def(
          "forward_dynamics",
          [](const PyJointSpace& j, const std::vector<double>& f, double time) {
            return vector(j.space.forward_dynamics(f, time));
          },
          "force"_a, "time"_a = 0.0)
      .def(
          "gravity_compensation",
          [](const PyJointSpace& j, double time) { return vector(j.space.gravity_compensation(time)); }, "time"_a = 0.0)
      .def(
          "jacobian",
          [](const PyJointSpace& j, const PyBody& body, const Vec3& point) {
            return matrix(j.space.jacobian(id_in(j.store, body, "body"), point), 6);
          },
          "body"_a, "point"_a,
          "Six rows: the velocity of a world point that the body carries, and its angular velocity.");
}

}  // namespace rigor::python
