// Numbers, materials and shapes as JSON.
#include <cmath>

#include "io/write_parts.h"
#include "registry/entry.h"
#include "rigor/error.h"
#include "rigor/extend/shape.h"

namespace rigor {

namespace {

using Materials = std::map<std::string, Material>;

Json points(const std::vector<Vec3>& vertices) {
  Json list = Json::array();
  for (const Vec3& v : vertices) list.push_back(to_json(v));
  return list;
}

void add_transform(Json& object, const Transform& t) {
  if (t.translation != Vec3{}) object["position"] = to_json(t.translation);
  if (t.rotation != Quat{}) object["orientation"] = to_json(t.rotation);
}

struct ShapeWriter {
  const Materials& materials;

  Json operator()(const Plane&) const { return true; }
  Json operator()(const Sphere& s) const { return to_json(s.radius); }
  Json operator()(const Box& s) const { return to_json(s.half * 2); }
  Json operator()(const Capsule& s) const {
    return {{"radius", to_json(s.radius)}, {"length", to_json(2 * s.half_length)}};
  }
  Json operator()(const Cylinder& s) const {
    return {{"radius", to_json(s.radius)}, {"height", to_json(2 * s.half_height)}};
  }
  Json operator()(const Cone& s) const {
    return {{"radius", to_json(s.radius)}, {"height", to_json(2 * s.half_height)}};
  }
  Json operator()(const Hull& s) const { return points(s.vertices); }
  Json operator()(const Mesh& s) const {
    Json triangles = Json::array();
    for (const auto& t : s.triangles) triangles.push_back({t[0], t[1], t[2]});
    return {{"vertices", points(s.vertices)}, {"triangles", std::move(triangles)}};
  }
  Json operator()(const Rectangle& s) const {
    return {{"x", to_json(2 * s.half_x)}, {"z", to_json(2 * s.half_z)}, {"thickness", to_json(s.thickness)}};
  }
  Json operator()(const SupportShape& s) const {
    const Settings usual = settings_of(*entry(Kind::shape, s.name, "shape").make());
    Json object = Json::object();
    for (const auto& [key, value] : settings_of(*s.shape))
      if (usual.at(key) != value) object[key] = to_json(value);
    return object;
  }
  Json operator()(const HeightField& s) const {
    Json heights = Json::array();
    for (const double h : s.heights) heights.push_back(to_json(h));
    return {{"columns", s.columns},
            {"rows", s.rows},
            {"spacing", Json::array({to_json(s.spacing_x), to_json(s.spacing_z)})},
            {"heights", std::move(heights)}};
  }
  Json operator()(const Transformed& s) const {
    Json object = {{"shape", write_shape(*s.shape, materials)}};
    add_transform(object, s.transform);
    return object;
  }
  Json operator()(const Composite& s) const {
    Json parts = Json::array();
    for (const Composite::Part& part : s.parts) {
      Json object = {{"shape", write_shape(*part.shape, materials)}};
      add_transform(object, part.transform);
      if (part.material) object["material"] = write_material(*part.material, materials);
      parts.push_back(std::move(object));
    }
    return parts;
  }
};

/// Numbers of the shapes that can be large; 0 for all others.
std::size_t count_numbers(const Shape& shape) {
  if (const auto* field = shape.as<HeightField>()) return field->heights.size();
  if (const auto* surface = shape.as<Mesh>()) return 3 * (surface->vertices.size() + surface->triangles.size());
  if (const auto* hull = shape.as<Hull>()) return 3 * hull->vertices.size();
  if (const auto* placed = shape.as<Transformed>()) return count_numbers(*placed->shape);
  std::size_t sum = 0;
  if (const auto* parts = shape.as<Composite>())
    for (const Composite::Part& part : parts->parts) sum += count_numbers(*part.shape);
  return sum;
}

}  // namespace

void refuse_large_shapes(const World& world) {
  constexpr std::size_t kMost = 100'000'000;  // At least 500 MB of text, and some GB of memory while it is written.
  std::size_t sum = 0;
  for (const BodyId id : world.bodies()) {
    const BodyDef& def = world.body_def(id);
    if (def.shape) sum += count_numbers(*def.shape);
    if (def.collision_shape) sum += count_numbers(*def.collision_shape);
    if (sum > kMost)
      throw Error("the shapes of the bodies up to '" + short_text(def.name) + "' have " + std::to_string(sum) +
                  " numbers together; a scene file holds at most " + std::to_string(kMost));
  }
}

Json to_json(double value) {
  if (!std::isfinite(value)) throw Error("a number that is not finite cannot be written");
  const bool whole = std::abs(value) < 0x1p53 && value == std::floor(value);
  if (whole && !(value == 0 && std::signbit(value))) return static_cast<std::int64_t>(value);
  return value;
}

Json to_json(const Vec3& v) { return Json::array({to_json(v.x), to_json(v.y), to_json(v.z)}); }

Json to_json(const Quat& q) { return Json::array({to_json(q.w), to_json(q.x), to_json(q.y), to_json(q.z)}); }

Json to_json(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  if (const std::int64_t* i = std::get_if<std::int64_t>(&value)) return *i;
  if (const double* d = std::get_if<double>(&value)) {
    to_json(*d);  // refuses what is not finite
    return *d;
  }
  if (const std::string* text = std::get_if<std::string>(&value)) return *text;
  return to_json(std::get<Vec3>(value));
}

Json write_shape(const Shape& shape, const Materials& materials) {
  return {{std::string(shape.type()), std::visit(ShapeWriter{materials}, shape.geometry())}};
}

Json write_material(const Material& m, const Materials& materials) {
  const auto known = materials.find(m.name);
  if (known != materials.end() && known->second == m) return m.name;
  Json object = {
      {"density", to_json(m.density)}, {"friction", to_json(m.friction)}, {"restitution", to_json(m.restitution)}};
  if (m.name != Material{}.name) object["name"] = m.name;
  const auto add = [&object](const char* key, const auto& value, const auto& usual) {
    if (value != usual) object[key] = to_json(value);
  };
  if (m.static_friction >= 0) object["static_friction"] = to_json(m.static_friction);
  add("rolling_friction", m.rolling_friction, 0.0);
  add("spinning_friction", m.spinning_friction, 0.0);
  add("grain", m.grain, Vec3{});
  add("friction_across", m.friction_across, 1.0);
  add("surface_velocity", m.surface_velocity, Vec3{});
  return object;
}

}  // namespace rigor
