// Wavefront OBJ: all surfaces where they are now, one object for each body.
#include "models/exporters.h"
#include "models/triangles.h"

namespace rigor::models {

namespace {

constexpr WrittenFeatures kWritten[] = {
    {"world.up world.ground body.name body.shape body.position body.orientation material.name"},
    {"body.active"},  // an inactive body has no surface
};

}  // namespace

std::string write_obj(const Scene& scene, LeftOut& left_out) {
  const World& world = scene.world;
  refuse_many_triangles(world);
  std::string out = "# written by rigor, in metres\n";
  std::size_t before = 1;  // OBJ counts from 1
  for (const BodyId id : world.bodies()) {
    const BodyDef& def = world.body_def(id);
    if (id == world.world_body()) continue;
    if (!def.active) {
      left_out.push_back("body '" + def.name + "': inactive bodies are not written");
      continue;
    }
    if (def.shape->as<Plane>()) {
      left_out.push_back("body '" + def.name + "': a plane has no end and is not written");
      continue;
    }
    std::string name = def.name;
    for (char& c : name)
      if (static_cast<unsigned char>(c) <= ' ') c = '_';
    out += "o " + name + "\n";
    const Transform pose{world.position(id), world.orientation(id)};
    for (const PlacedShape& part : simple_parts(*def.shape, def.material)) {
      const TriangleList list = triangles_of(*part.shape);
      const Transform at = pose * part.pose;
      const Vec3 color = color_of(*part.material);
      for (const Vec3& p : list.positions) out += "v " + exact(transform_point(at, p)) + " " + exact(color) + "\n";
      for (const Vec3& n : list.normals) out += "vn " + exact(rotate(at.rotation, n)) + "\n";
      for (const auto& t : list.triangles) {
        out += "f";
        for (const std::uint32_t i : t) {
          const std::string index = std::to_string(before + i);
          out += " " + index + "//" + index;
        }
        out += "\n";
      }
      before += list.positions.size();
    }
  }
  list_unwritten_together(scene, "OBJ", kWritten, left_out);
  return out;
}

}  // namespace rigor::models
