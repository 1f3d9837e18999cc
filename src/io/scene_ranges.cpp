#include "io/scene_ranges.h"

#include "io/mesh_file.h"
#include "io/scene_limits.h"
#include "io/scene_parts.h"
#include "io/write_parts.h"

namespace rigor {

namespace {

void check_height_field(const HeightField& field) {
  const Json spacing = Json::array({to_json(field.spacing_x), to_json(field.spacing_z)});
  JsonReader(spacing).numbers(2, kLengthRange);
  for (const double height : field.heights) {
    if (height >= kPositionRange.min && height <= kPositionRange.max) continue;
    const Json json = to_json(height);  // for the sentence
    JsonReader(json).number(kPositionRange);
  }
}

}  // namespace

void check_transform(const Transform& transform) {
  const Json json = {{"position", to_json(transform.translation)}, {"orientation", to_json(transform.rotation)}};
  read_transform(JsonReader(json));
}

void check_material(const Material& material) {
  const Json json = write_material(material, {});
  read_material(JsonReader(json), {});
}

void check_shape(const ShapePtr& checked_shape, CheckedShapes& checked) {
  if (!checked.is_new(checked_shape)) return;
  const Shape& shape = *checked_shape;
  if (const auto* moved = shape.as<Transformed>()) {
    check_transform(moved->transform);
    check_shape(moved->shape, checked);
  } else if (const auto* composite = shape.as<Composite>()) {
    for (const Composite::Part& part : composite->parts) {
      check_transform(part.transform);
      if (part.material) check_material(*part.material);
      check_shape(part.shape, checked);
    }
  } else if (const auto* hull = shape.as<Hull>()) {
    models::check_extent(hull->vertices);
  } else if (const auto* mesh = shape.as<Mesh>()) {
    models::check_extent(mesh->vertices);
  } else if (const auto* field = shape.as<HeightField>()) {
    check_height_field(*field);
  } else {
    const Json json = write_shape(shape, {});
    const JsonReader reader(json);
    read_shape(reader, {});
  }
}

void check_body(const World& world, BodyId id, CheckedShapes& checked) {
  const BodyDef& def = world.body_def(id);
  for (const ShapePtr& shape : {def.shape, def.collision_shape})
    if (shape) check_shape(shape, checked);
  Json json = {{"name", def.name}, {"shape", {{"sphere", 1}}}};
  write_body_numbers(world, id, {}, json);
  const JsonReader reader(json);
  read_body(reader, {});
}

void check_joint(const World& world, JointId id) {
  Json json = write_joint(world, id);
  json.erase("name");  // the world has a joint of this name: the joint itself
  json.erase("broken");
  const JsonReader reader(json);
  read_joint_def(reader, world);
}

void check_drive(const World& world, const Drive& drive) {
  const Json json = write_drive(drive);
  const JsonReader reader(json);
  read_drive(reader, world);
}

}  // namespace rigor
