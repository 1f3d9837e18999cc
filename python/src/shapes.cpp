// Materials and shapes.
#include "parts.h"
#include "rigor/error.h"
#include "rigor/material.h"
#include "rigor/shape.h"

namespace rigor::python {

namespace py = pybind11;
using namespace py::literals;

namespace {

/// The parts of a composite: a shape, (shape, position) or (shape, position, orientation).
std::vector<Composite::Part> parts_of(const std::vector<py::object>& parts) {
  std::vector<Composite::Part> out;
  for (const py::object& part : parts) {
    Composite::Part made;
    if (py::isinstance<Shape>(part)) {
      made.shape = std::const_pointer_cast<const Shape>(part.cast<std::shared_ptr<Shape>>());
    } else {
      const auto tuple = part.cast<py::tuple>();
      if (tuple.empty() || tuple.size() > 3) throw Error("composite", "a part is (shape, position, orientation)");
      made.shape = std::const_pointer_cast<const Shape>(tuple[0].cast<std::shared_ptr<Shape>>());
      if (tuple.size() > 1) made.transform.translation = tuple[1].cast<Vec3>();
      if (tuple.size() > 2) made.transform.rotation = tuple[2].cast<Quat>();
    }
    out.push_back(std::move(made));
  }
  return out;
}

/// pybind11 holds shapes by a pointer to non-const; nothing in the module changes one.
std::shared_ptr<Shape> shared(ShapePtr shape) { return std::const_pointer_cast<Shape>(std::move(shape)); }

}  // namespace

void add_materials_and_shapes(py::module_& m) {
  py::class_<Material>(m, "Material", "The density of a body and the properties of its surface.")
      .def(py::init([](std::string name, double density, double friction, double static_friction, double restitution,
                       double rolling_friction, double spinning_friction, const Vec3& surface_velocity) {
             Material made;
             made.name = std::move(name), made.density = density, made.friction = friction;
             made.static_friction = static_friction, made.restitution = restitution;
             made.rolling_friction = rolling_friction, made.spinning_friction = spinning_friction;
             made.surface_velocity = surface_velocity;
             check(made, "material");
             return made;
           }),
           "name"_a = "default", py::kw_only(), "density"_a = 1000.0, "friction"_a = 0.5, "static_friction"_a = -1.0,
           "restitution"_a = 0.0, "rolling_friction"_a = 0.0, "spinning_friction"_a = 0.0,
           "surface_velocity"_a = Vec3{})
      .def_readwrite("name", &Material::name)
      .def_readwrite("density", &Material::density, "kg/m³")
      .def_readwrite("friction", &Material::friction, "Coulomb's coefficient of a surface that slides")
      .def_readwrite("static_friction", &Material::static_friction,
                     "the same of a surface that sticks; negative: the same as friction")
      .def_readwrite("restitution", &Material::restitution, "Newton's coefficient, 0 to 1")
      .def_readwrite("rolling_friction", &Material::rolling_friction, "m")
      .def_readwrite("spinning_friction", &Material::spinning_friction, "m")
      .def_readwrite("surface_velocity", &Material::surface_velocity, "m/s, in the body's frame: a conveyor belt")
      .def("__eq__", [](const Material& a, const Material& b) { return a == b; })
      .def("__repr__", [](const Material& a) {
        return "<rigor.Material '" + a.name + "' density " + std::to_string(a.density) + " friction " +
               std::to_string(a.friction) + " restitution " + std::to_string(a.restitution) + ">";
      });

  py::class_<Shape, std::shared_ptr<Shape>>(m, "Shape", "A shape; it never changes, and bodies may share it.")
      .def_property_readonly("type", [](const Shape& s) { return std::string(s.type()); })
      .def_property_readonly("has_volume", &Shape::has_volume)
      .def_property_readonly(
          "bounds", [](const Shape& s) { return std::pair(s.local_bounds().lower, s.local_bounds().upper); },
          "lower and upper corner of the box around it, in its own frame")
      .def("__repr__", [](const Shape& s) { return "<rigor.Shape " + std::string(s.type()) + ">"; });

  m.def(
      "plane", [] { return shared(plane()); }, "The solid half-space y <= 0, for fixed bodies.");
  m.def(
      "sphere", [](double radius) { return shared(sphere(radius)); }, "radius"_a);
  m.def(
      "box", [](const Vec3& sides) { return shared(box(sides)); }, "sides"_a, "A box of these full side lengths.");
  m.def(
      "box", [](double x, double y, double z) { return shared(box(x, y, z)); }, "x"_a, "y"_a, "z"_a);
  m.def(
      "capsule", [](double radius, double length) { return shared(capsule(radius, length)); }, "radius"_a, "length"_a,
      "Along y; the length is that of the cylindrical part.");
  m.def(
      "cylinder", [](double radius, double height) { return shared(cylinder(radius, height)); }, "radius"_a, "height"_a,
      "Along y.");
  m.def(
      "cone", [](double radius, double height) { return shared(cone(radius, height)); }, "radius"_a, "height"_a,
      "Along y, its apex up.");
  m.def(
      "convex_hull", [](const std::vector<Vec3>& points) { return shared(convex_hull(points)); }, "points"_a,
      "The convex hull of at least four points that do not lie in a plane; an (n, 3) array works.");
  m.def(
      "mesh",
      [](std::vector<Vec3> vertices, std::vector<std::array<int, 3>> triangles) {
        return shared(mesh(std::move(vertices), std::move(triangles)));
      },
      "vertices"_a, "triangles"_a, "Triangles by the indices of their vertices, counter-clockwise from outside.");
  m.def(
      "rectangle", [](double x, double z, double thickness) { return shared(rectangle(x, z, thickness)); }, "size_x"_a,
      "size_z"_a, "thickness"_a = 0.001, "A thin card in the xz plane.");
  m.def(
      "height_field",
      [](const py::array_t<double, py::array::c_style | py::array::forcecast>& heights, double spacing_x,
         double spacing_z) {
        if (heights.ndim() != 2) throw Error("height_field", "heights: an array of two dimensions, rows along z");
        std::vector<double> values(heights.data(), heights.data() + heights.size());
        return shared(height_field(static_cast<int>(heights.shape(1)), static_cast<int>(heights.shape(0)), spacing_x,
                                   spacing_z, std::move(values)));
      },
      "heights"_a, "spacing_x"_a, "spacing_z"_a, "Heights over a grid, heights[row along z][column along x].");
  m.def(
      "transformed",
      [](const std::shared_ptr<Shape>& shape, const Vec3& position, const Quat& orientation) {
        return shared(transformed(shape, {position, orientation}));
      },
      "shape"_a, "position"_a = Vec3{}, "orientation"_a = Quat{});
  m.def(
      "composite", [](const std::vector<py::object>& parts) { return shared(composite(parts_of(parts))); }, "parts"_a,
      "Parts as shapes, (shape, position) or (shape, position, orientation).");
}

}  // namespace rigor::python
