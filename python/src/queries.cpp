// Rays, overlaps and distances.
#include "rigor/queries.h"
#include "parts.h"
#include "store.h"

namespace rigor::python {

namespace py = pybind11;
using namespace py::literals;

namespace {

/// The picture that C++ queries look at, and whose bodies it shows.
struct PyQueries {
  StorePtr store;
  Queries queries;

  py::dict to_python(const CastHit& hit) const {
    return py::dict("body"_a = PyBody{store, hit.body}, "fraction"_a = hit.fraction, "point"_a = hit.point,
                    "normal"_a = hit.normal);
  }
  std::vector<PyBody> to_python(const std::vector<BodyId>& ids) const {
    std::vector<PyBody> out;
    for (const BodyId id : ids) out.push_back({store, id});
    return out;
  }
};

}  // namespace

void add_queries(py::module_& m) {
  py::class_<PyQueries>(m, "Queries", "A snapshot of the poses of a world's bodies; it does not follow the world.")
      .def(py::init([](const PyWorld& world) {
             return PyQueries{world.store, Queries(*world.use())};
           }),
           "world"_a)
      .def(
          "ray_cast",
          [](const PyQueries& q, const Vec3& origin, const Vec3& displacement) -> py::object {
            const auto hit = q.queries.ray_cast(origin, displacement);
            return hit ? py::object(q.to_python(*hit)) : py::none();
          },
          "origin"_a, "displacement"_a, "The first hit: body, fraction, point, normal; None if the ray hits nothing.")
      .def(
          "ray_cast_all",
          [](const PyQueries& q, const Vec3& origin, const Vec3& displacement) {
            py::list out;
            for (const CastHit& hit : q.queries.ray_cast_all(origin, displacement)) out.append(q.to_python(hit));
            return out;
          },
          "origin"_a, "displacement"_a)
      .def(
          "ray_distances",
          [](const PyQueries& q, const py::array_t<double, py::array::c_style | py::array::forcecast>& origins,
             const py::array_t<double, py::array::c_style | py::array::forcecast>& displacements) {
            if (origins.ndim() != 2 || origins.shape(1) != 3 || displacements.ndim() != 2 ||
                displacements.shape(1) != 3 || displacements.shape(0) != origins.shape(0))
              throw Error("ray_distances", "two arrays of shape (n, 3)");
            py::array_t<double> out(origins.shape(0));
            for (py::ssize_t i = 0; i < origins.shape(0); ++i) {
              const Vec3 o{origins.at(i, 0), origins.at(i, 1), origins.at(i, 2)},
                  d{displacements.at(i, 0), displacements.at(i, 1), displacements.at(i, 2)};
              const auto hit = q.queries.ray_cast(o, d);
              out.mutable_at(i) = hit ? hit->fraction * length(d) : std::numeric_limits<double>::infinity();
            }
            return out;
          },
          "origins"_a, "displacements"_a, "Casts many rays: m to the first body, infinite if there is none.")
      .def(
          "overlap",
          [](const PyQueries& q, const std::shared_ptr<Shape>& shape, const Vec3& position, const Quat& orientation) {
            return q.to_python(q.queries.overlap(*shape, Transform{position, orientation}));
          },
          "shape"_a, "position"_a = Vec3{}, "orientation"_a = Quat{}, "Bodies that a shape touches.")
      .def(
          "closest_points",
          [](const PyQueries& q, const PyBody& a, const PyBody& b) {
            const ClosestPoints found = q.queries.closest_points(id_in(q.store, a, "body"), id_in(q.store, b, "body"));
            return py::dict("distance"_a = found.distance, "on_a"_a = found.on_a, "on_b"_a = found.on_b,
                            "normal"_a = found.normal);
          },
          "a"_a, "b"_a, "Distance in m, negative if they overlap, and the nearest points.");
}

}  // namespace rigor::python
