// Shapes of scene files: an object with one key, the name of the shape.
#include <algorithm>
#include <array>

#include "io/mesh_file.h"
#include "io/scene_parts.h"
#include "registry/entry.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor {

namespace {

using ReadShape = ShapePtr (*)(const JsonReader&, const Materials&);

/// Two lengths of an object.
std::array<double, 2> lengths_at(const JsonReader& object, std::string_view first, std::string_view second) {
  std::array<double, 2> lengths{};
  PartReader parts(object);
  parts.read([&] { lengths[0] = object.at(first).number(kLengthRange); });
  parts.read([&] { lengths[1] = object.at(second).number(kLengthRange); });
  parts.finish();
  return lengths;
}

ShapePtr read_plane(const JsonReader& r, const Materials&) {
  if (!r.flag()) r.fail_expected("true");
  return plane();
}

ShapePtr read_sphere(const JsonReader& r, const Materials&) { return sphere(r.number(kLengthRange)); }

ShapePtr read_box(const JsonReader& r, const Materials&) { return box(r.vector(kLengthRange)); }

ShapePtr read_capsule(const JsonReader& r, const Materials&) {
  r.only({"radius", "length"});
  const auto [radius, length] = lengths_at(r, "radius", "length");
  return capsule(radius, length);
}

ShapePtr read_cylinder(const JsonReader& r, const Materials&) {
  r.only({"radius", "height"});
  const auto [radius, height] = lengths_at(r, "radius", "height");
  return cylinder(radius, height);
}

ShapePtr read_cone(const JsonReader& r, const Materials&) {
  r.only({"radius", "height"});
  const auto [radius, height] = lengths_at(r, "radius", "height");
  return cone(radius, height);
}

std::vector<Vec3> read_points(const JsonReader& r) {
  std::vector<Vec3> points(r.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = r.item(i).vector(kPositionRange);
  return points;
}

/// {"file": …, "scale": one number or three, "repair": …}: a mesh from a file.
models::MeshData read_mesh_object(const JsonReader& r) {
  r.only({"file", "scale", "repair", "decompose"});
  const JsonReader file = r.at("file");
  const std::string name = file.text(kMaxTextLength);
  const models::FileAccess none{.forbidden = true};
  models::MeshData mesh = located(file, [&] { return models::read_mesh_file(name, r.files() ? *r.files() : none); });
  if (const auto scale = r.find("scale")) {
    const Range range{-kLengthRange.max, kLengthRange.max};
    const Vec3 factors = scale->is_list() ? scale->vector(range) : scale->number(range) * Vec3{1, 1, 1};
    if (factors.x * factors.y * factors.z == 0) scale->fail_expected("factors that are not zero");
    models::scale(mesh, factors);
  }
  bool repair = false;
  r.read("repair", repair);
  const SurfaceState state = models::surface_state(mesh);
  if (repair && state.inside_out) models::turn_round(mesh);
  return mesh;
}

ShapePtr read_hull(const JsonReader& r, const Materials&) {
  if (r.is_object()) {
    if (const auto parts = r.find("decompose")) parts->fail("a hull is convex; a mesh can be decomposed");
    const models::MeshData mesh = read_mesh_object(r);
    return located(r, [&] { return models::hull_shape(mesh); });
  }
  const std::vector<Vec3> points = read_points(r);
  return located(r, [&] {
    models::check_extent(points);
    return convex_hull(points);
  });
}

ShapePtr read_mesh_from_file(const JsonReader& r) {
  const models::MeshData mesh = read_mesh_object(r);
  if (models::surface_state(mesh).inside_out)
    r.fail(models::surface_state(mesh).sentence() + "; \"repair\": true turns them round");
  return located(r, [&] { return models::triangle_shape(mesh); });
}

ShapePtr read_mesh(const JsonReader& r, const Materials&) {
  if (r.is_object() && r.find("file")) return read_mesh_from_file(r);
  r.only({"vertices", "triangles", "file", "scale", "repair", "decompose"});
  const std::vector<Vec3> vertices = read_points(r.at("vertices"));
  const JsonReader list = r.at("triangles");
  std::vector<std::array<int, 3>> triangles(list.size());
  const auto last = static_cast<std::int64_t>(vertices.size()) - 1;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const JsonReader corners = list.item(i);
    if (!corners.is_list() || corners.size() != 3) corners.fail_expected("three indices of vertices");
    for (std::size_t k = 0; k < 3; ++k) triangles[i][k] = static_cast<int>(corners.item(k).integer(0, last));
  }
  return located(r, [&] {
    models::check_extent(vertices);
    return mesh(vertices, triangles);
  });
}

ShapePtr read_rectangle(const JsonReader& r, const Materials&) {
  r.only({"x", "z", "thickness"});
  double thickness = 0.001;
  r.read("thickness", thickness, kLengthRange);
  const auto [x, z] = lengths_at(r, "x", "z");
  return rectangle(x, z, thickness);
}

ShapePtr read_height_field(const JsonReader& r, const Materials&) {
  r.only({"columns", "rows", "spacing", "heights"});
  const std::int64_t columns = r.at("columns").integer(2, kMaxGridSamples);
  const std::int64_t rows = r.at("rows").integer(2, kMaxGridSamples);
  const std::vector<double> spacing = r.at("spacing").numbers(2, kLengthRange);
  std::vector<double> heights = r.at("heights").numbers(static_cast<std::size_t>(columns * rows), kPositionRange);
  return height_field(static_cast<int>(columns), static_cast<int>(rows), spacing[0], spacing[1], std::move(heights));
}

ShapePtr read_transformed(const JsonReader& r, const Materials& materials) {
  r.only({"shape", "position", "orientation"});
  const Transform transform = read_transform(r);
  ShapePtr inner = read_shape(r.at("shape"), materials);
  return located(r, [&] { return transformed(std::move(inner), transform); });
}

ShapePtr read_composite(const JsonReader& r, const Materials& materials) {
  std::vector<Composite::Part> parts(r.size());
  PartReader all(r);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const JsonReader part = r.item(i);
    all.read([&] { part.only({"shape", "position", "orientation", "material"}); });
    if (!part.is_object()) continue;
    all.read([&] { parts[i].transform = read_transform(part); });
    all.read([&] { parts[i].shape = read_shape(part.at("shape"), materials); });
    const auto material = part.find("material");
    if (material) all.read([&] { parts[i].material = read_material(*material, materials); });
  }
  all.finish();
  return located(r, [&] { return composite(std::move(parts)); });
}

/// A shape of an extension: an object with its parameters.
ShapePtr read_registered(const JsonReader& r, const Entry& type) {
  std::vector<std::string> known;
  for (const auto& [name, value] : settings_of(*type.make())) known.push_back(name);
  r.only(known);
  const Settings parameters = read_parameters(r, [](std::string_view) { return true; });
  return located(r, [&] { return shape_of_type(type.name, parameters); });
}

constexpr std::pair<std::string_view, ReadShape> kShapes[] = {
    {"plane", read_plane},
    {"sphere", read_sphere},
    {"box", read_box},
    {"capsule", read_capsule},
    {"cylinder", read_cylinder},
    {"cone", read_cone},
    {"hull", read_hull},
    {"mesh", read_mesh},
    {"rectangle", read_rectangle},
    {"heightfield", read_height_field},
    {"transformed", read_transformed},
    {"composite", read_composite},
};

/// Names of shapes in other programs, which are too different from ours for a suggestion by spelling.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"ball", "sphere"},         {"cube", "box"},           {"cuboid", "box"},
    {"block", "box"},           {"pill", "capsule"},       {"convex", "hull"},
    {"polyhedron", "hull"},     {"trimesh", "mesh"},       {"triangles", "mesh"},
    {"terrain", "heightfield"}, {"compound", "composite"}, {"halfspace", "plane"},
    {"half-space", "plane"},    {"card", "rectangle"},
};

}  // namespace

Transform read_transform(const JsonReader& object) {
  Transform t;
  object.read("position", t.translation, kPositionRange);
  if (const auto orientation = object.find("orientation")) t.rotation = orientation->orientation();
  return t;
}

ShapePtr read_shape(const JsonReader& shape, const Materials& materials) {
  const JsonReader content = shape.single("the name of a shape");
  std::vector<std::string> known;
  for (const auto& [name, read] : kShapes) {
    if (name == content.key()) return read(content, materials);
    known.emplace_back(name);
  }
  for (const Entry& e : entries()) {
    if (e.kind != Kind::shape || !e.make) continue;
    if (e.name == content.key()) return read_registered(content, e);
    known.push_back(e.name);
  }
  for (const auto& [other, name] : kOtherNames)
    if (other == content.key())
      shape.fail("unknown shape '" + std::string(other) + "'; did you mean " + std::string(name) + "?");
  shape.fail(unknown_name("shape", short_text(content.key()), known));
}

}  // namespace rigor
