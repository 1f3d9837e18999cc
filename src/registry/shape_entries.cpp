#include "registry/shape_entries.h"

namespace rigor {

namespace {

Parameter length_parameter(const std::string& name, const std::string& description) {
  return {name, "number", "m", 1.0, kPositive, kUnbounded, {}, description};
}

Entry shape(const std::string& name, const std::string& description, const std::string& reference,
            std::vector<Parameter> parameters, std::vector<std::string> capabilities) {
  return {Kind::shape, name, description, reference, std::move(capabilities), nullptr, std::move(parameters)};
}

}  // namespace

std::vector<Entry> shape_entries() {
  const std::string thesis = "Garstenauer 2006, 7.4.1";
  const std::vector<std::string> solid = {"volume", "convex"};
  const Parameter radius = length_parameter("radius", "radius");
  return {
      shape("plane", "solid half-space below the local xz plane; fixed bodies only", thesis, {}, {"convex"}),
      shape("sphere", "ball around the origin", thesis, {radius}, solid),
      shape("box", "cuboid around the origin", thesis,
            {{"sides", "vector", "m", Vec3{1, 1, 1}, kPositive, kUnbounded, {}, "full side lengths"}}, solid),
      shape("capsule", "cylinder along y with round ends", thesis,
            {radius, length_parameter("length", "length of the cylindrical part")}, solid),
      shape("cylinder", "cylinder along y", thesis, {radius, length_parameter("height", "full height")}, solid),
      shape("cone", "cone along y, apex up, origin at half height", thesis,
            {radius, length_parameter("height", "full height")}, solid),
      shape("hull", "convex hull of points", "Barber, Dobkin, Huhdanpaa 1996 (Qhull)", {}, solid),
      shape("mesh", "triangles; a closed mesh has a volume",
            "Mirtich 1996, Fast and Accurate Computation of Polyhedral "
            "Mass Properties",
            {}, {"volume"}),
      shape("rectangle", "thin card in the local xz plane", thesis,
            {length_parameter("x", "side along x"),
             length_parameter("z", "side along z"),
             {"thickness", "number", "m", 0.001, kPositive, kUnbounded, {}, "counts for the mass only"}},
            solid),
      shape("heightfield", "heights over a grid, solid below; fixed bodies only", thesis, {}, {}),
      shape("transformed", "a shape moved and turned", thesis + " (TransformGeo)", {}, {}),
      shape("composite", "several shapes as one, optionally with a material each", thesis + " (CompositeGeo)", {}, {}),
  };
}

}  // namespace rigor
