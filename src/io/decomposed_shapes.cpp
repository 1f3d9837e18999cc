// Meshes of scene files as convex parts: where a file asks for it, and where two triangle surfaces would pass through each other.
#include "io/scene_parts.h"
#include "model/convex_parts.h"
#include "model/mesh_surface.h"
#include "rigor/error.h"

namespace rigor {

namespace {

/// Larger meshes are decomposed only where a file asks for it: that takes minutes.
constexpr std::size_t kMostTriangles = 4'000;

DecompositionOptions read_options(const JsonReader& r) {
  DecompositionOptions options;
  if (r.is_flag()) return options;
  if (!r.is_object()) r.fail_expected("true, false or an object");
  r.only({"error", "relative_error", "parts"});
  if (r.find("error") && r.find("relative_error")) r.fail("give either 'error' or 'relative_error', not both");
  r.read("error", options.error, kLengthRange);
  r.read("relative_error", options.relative_error, {1e-4, 1});
  if (const auto parts = r.find("parts")) options.parts = static_cast<int>(parts->integer(1, kMaxConvexParts));
  return options;
}

ShapePtr decomposed_mesh(const JsonReader& r, const ShapePtr& made, std::string& note) {
  const auto wish = r.is_object() ? r.find("decompose") : std::nullopt;
  if (!wish || (wish->is_flag() && !wish->flag())) return nullptr;
  const Mesh& mesh = *made->as<Mesh>();
  const DecompositionOptions options = read_options(*wish);
  if (!mesh.closed) wish->fail("only a closed mesh can be decomposed; " + why_no_volume(*made));
  const Decomposition& parts = located(*wish, [&]() -> const Decomposition& { return decompose(mesh, options); });
  note += (note.empty() ? "collides as " : " and ") + parts.sentence();
  return parts.shape();
}

ShapePtr decomposed_composite(const JsonReader& list, const ShapePtr& made, std::string& note) {
  std::vector<Composite::Part> parts = made->as<Composite>()->parts;
  bool changed = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const JsonReader part = list.item(i), shape = part.at("shape");
    const ShapePtr inner = decomposed_shape(shape, parts[i].shape, note);
    if (inner) parts[i].shape = inner, changed = true;
  }
  return changed ? composite(std::move(parts)) : nullptr;
}

/// The same shape with every closed mesh of it decomposed; null if it has none.
ShapePtr without_meshes(const ShapePtr& shape, std::string& note) {
  if (const Mesh* mesh = shape->as<Mesh>()) {
    if (!mesh->closed || mesh->triangles.size() > kMostTriangles) return nullptr;
    try {
      const Decomposition& parts = decompose(*mesh, {});
      note += (note.empty() ? "collides as " : " and ") + parts.sentence();
      return parts.shape();
    } catch (const Error&) {  // it is too flat to have a hull
      return nullptr;
    }
  }
  if (const Transformed* t = shape->as<Transformed>()) {
    const ShapePtr inner = without_meshes(t->shape, note);
    return inner ? transformed(inner, t->transform) : nullptr;
  }
  if (const Composite* c = shape->as<Composite>()) {
    std::vector<Composite::Part> parts = c->parts;
    bool changed = false;
    for (Composite::Part& part : parts)
      if (const ShapePtr inner = without_meshes(part.shape, note)) part.shape = inner, changed = true;
    return changed ? composite(std::move(parts)) : nullptr;
  }
  return nullptr;
}

bool has_triangles(const Shape& shape) {
  if (shape.as<Mesh>() || shape.as<HeightField>()) return true;
  if (const Transformed* t = shape.as<Transformed>()) return has_triangles(*t->shape);
  if (const Composite* c = shape.as<Composite>())
    for (const Composite::Part& part : c->parts)
      if (has_triangles(*part.shape)) return true;
  return false;
}

}  // namespace

ShapePtr decomposed_shape(const JsonReader& shape, const ShapePtr& made, std::string& note) {
  const JsonReader content = shape.single("the name of a shape");
  if (made->as<Mesh>()) return decomposed_mesh(content, made, note);
  if (made->as<Composite>()) return decomposed_composite(content, made, note);
  if (const Transformed* t = made->as<Transformed>()) {
    const JsonReader inner_shape = content.at("shape");
    const ShapePtr inner = decomposed_shape(inner_shape, t->shape, note);
    return inner ? transformed(inner, t->transform) : nullptr;
  }
  return nullptr;
}

void decompose_moving_meshes(World& world, std::vector<std::string>* notes) {
  std::vector<BodyId> surfaces;
  for (const BodyId id : world.bodies())
    if (has_triangles(*world.collision_shape(world.slot(id)))) surfaces.push_back(id);
  for (const BodyId id : surfaces) {
    if (world.is_fixed(id)) continue;
    BodyId other;
    for (const BodyId o : surfaces)
      if (o != id && world.may_collide(id, o)) {
        other = o;
        break;
      }
    if (!other) continue;
    std::string note;
    const BodyDef& def = world.body_def(id);
    const ShapePtr parts = without_meshes(def.collision_shape ? def.collision_shape : def.shape, note);
    if (!parts) continue;
    world.set_shape(id, def.shape, parts);
    if (notes)
      notes->push_back("'" + world.name(id) + "' may meet the triangles of '" + world.name(other) + "'; it " + note);
  }
}

}  // namespace rigor
