// Shapes of links: what is drawn and what collides, with materials, textures and meshes.
#include "models/urdf_geoms.h"

#include <algorithm>
#include <string_view>

#include "io/appearance_parts.h"
#include "io/json_text.h"
#include "io/scene_limits.h"
#include "io/scene_parts.h"
#include "rigor/error.h"
#include "rigor/euler.h"

namespace rigor::models {

namespace {

using Kind = ModelNote::Kind;

double length_of(const Element& e, const char* attribute) {
  if (!e.has(attribute)) e.fail(std::string("'") + attribute + "' is missing");
  const double value = e.number(attribute, 0);
  if (!(value > 0)) e.fail(std::string(attribute) + ": expected a positive number");
  e.check_range(attribute, value, kLengthRange, "a length in m");
  return value;
}

/// Some files have a shape of size zero where they mean none. Only the sizes that the shape has count.
bool has_zero_size(const Element& e) {
  const std::string shape = e.name();
  const bool is_round = shape == "cylinder" || shape == "capsule";
  const auto is_zero = [&](const char* attribute, std::size_t count) {
    if (!e.has(attribute)) return false;
    const std::vector<double> numbers = e.numbers(attribute, count, count);
    return !e.is_marked(attribute) && std::find(numbers.begin(), numbers.end(), 0.0) != numbers.end();
  };
  return (shape == "box" && is_zero("size", 3)) || ((shape == "sphere" || is_round) && is_zero("radius", 1)) ||
         (is_round && is_zero("length", 1));
}

void place_plane(const Vec3& normal, Geom& geom) {
  geom.shape = plane();
  geom.pose.rotation = geom.pose.rotation * quaternion_between({0, 1, 0}, normal);
  if (is_identity(geom.pose.rotation)) geom.pose.rotation = {};
}

/// The plane that our writer puts beside a box for readers without planes; its normal is the axis z of its frame.
bool read_own_plane(const Element& holder, Geom& geom) {
  const Element e = holder.child("rigor:plane");
  if (!e) return false;
  geom.pose = {e.vector("xyz", {}), quaternion_from_euler(e.vector("rpy", {}))};
  place_plane({0, 0, 1}, geom);
  return true;
}

}  // namespace

Transform read_origin(const Element& parent) {
  const Element origin = parent.child("origin");
  if (!origin) return {};
  return {origin.vector("xyz", {}), quaternion_from_euler(origin.vector("rpy", {}))};
}

/// A material with a colour or a texture is a definition; one with neither refers to another.
UrdfMaterial UrdfGeoms::read_material(const Element& e) {
  const std::string name = e.text("name");
  const Element color = e.child("color"), texture = e.child("texture");
  if (!color && !texture) {
    const auto found = materials_.find(name);
    if (found != materials_.end()) return found->second;
    return {name.empty() ? Material{}.name : first_characters(name, 120), -1};
  }
  UrdfMaterial made;
  const std::vector<double> rgba = color ? color.numbers("rgba", 3, 4) : std::vector<double>{1, 1, 1};
  if (color || !name.empty())
    made.name = color ? colored_name(name, rgba[0], rgba[1], rgba[2]) : first_characters(name, 120);
  if (texture) made.texture = read_texture(texture, {rgba[0], rgba[1], rgba[2]});
  if (made.texture >= 0 && !color) made.name = colored_name(name, 1, 1, 1);
  if (!name.empty()) materials_[name] = made;
  return made;
}

/// The index in Robot::textures; -1 if the file cannot be read.
int UrdfGeoms::read_texture(const Element& e, const Vec3& tint) {
  const std::string file = e.text("filename");
  const auto key = std::make_pair(file, color_text(tint));
  if (const auto found = painted_.find(key); found != painted_.end()) return found->second;
  try {
    Texture texture;
    texture.pattern = Texture::Pattern::image;
    texture.tint = color_text(tint);
    texture.on_each_side = true;
    texture.image = read_file(files_.resolve(file));
    check_picture(texture.image);
    return painted_[key] = add_texture(robot_, std::move(texture), ledger_);
  } catch (const Error& error) {
    ledger_.note(e, "", Kind::appearance,
                 "the picture '" + short_text(file) + "' is left out, so a plain colour is drawn: " + error.what());
    return -1;
  }
}

bool UrdfGeoms::read_shape(const Element& holder, bool collision, Geom& geom) {
  const Element geometry = holder.child("geometry");
  if (!geometry || geometry.children().empty()) {
    ledger_.note(holder, "", Kind::ignored, "it has no geometry");
    return false;
  }
  const Element e = geometry.children().front();
  if (read_own_plane(holder, geom)) return true;
  if (has_zero_size(e)) {
    ledger_.note(e, "", collision ? Kind::ignored : Kind::appearance, "a size of it is zero, so it is left out");
    return false;
  }
  try {
    if (e.name() == "box") {
      const std::vector<double> size = e.numbers("size", 3, 3);
      for (const double s : size) {
        if (!(s > 0)) e.fail("size: expected positive numbers");
        e.check_range("size", s, kLengthRange, "lengths in m");
      }
      geom.shape = box(size[0], size[1], size[2]);
    } else if (e.name() == "sphere") {
      geom.shape = sphere(length_of(e, "radius"));
    } else if (e.name() == "cylinder") {
      place_along_z(cylinder(length_of(e, "radius"), length_of(e, "length")), geom.shape, geom.pose);
    } else if (e.name() == "capsule") {
      place_along_z(capsule(length_of(e, "radius"), length_of(e, "length")), geom.shape, geom.pose);
    } else if (e.name() == "plane") {
      const Vec3 normal = e.vector("normal", {0, 0, 1});
      if (!(length(normal) > 0)) e.fail("normal: expected a direction");
      place_plane(normalized(normal), geom);
    } else if (e.name() == "mesh") {
      return read_mesh(e, collision, geom);
    } else {
      ledger_.note(e, "", Kind::ignored, "unknown geometry, left out");
      return false;
    }
  } catch (const Consequence&) {
    throw;
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(e.file()->name)) throw;
    e.fail(error.what());
  }
  return true;
}

bool UrdfGeoms::read_mesh(const Element& e, bool collision, Geom& geom) {
  const std::string file = e.text("filename");
  Vec3 factors{1, 1, 1};
  if (e.has("scale")) {
    const std::vector<double> s = e.numbers("scale", 1, 3);
    factors = s.size() == 3 ? Vec3{s[0], s[1], s[2]} : Vec3{s[0], s[0], s[0]};
  }
  try {
    const MeshCache::Entry& mesh = meshes_.get(file, factors, files_, collision);
    if (collision && !mesh.hull) {
      ledger_.note(e, "", Kind::ignored, "the mesh has no convex hull to collide with: " + mesh.reason);
      return false;
    }
    geom.shape = collision ? mesh.hull : mesh.drawn;
    if (!collision) {
      colored_ = &mesh.colored;
      for (const std::string& note : mesh.notes) ledger_.remark(e, Kind::appearance, note);
    }
    if (collision && !mesh.is_convex) ledger_.remark(e, Kind::replaced, "it collides as its convex hull");
    return true;
  } catch (const Error& error) {
    if (collision) e.fail(std::string("the mesh cannot be read: ") + error.what());
    ledger_.note(e, "", Kind::appearance, std::string("left out: ") + error.what());
    return false;
  }
}

void UrdfGeoms::read(const Element& e, Link& link) {
  Material surface;
  constexpr double kGazeboFriction = 1;  // of links without an own one, if a file has any
  if (extensions_.has_friction()) surface.friction = extensions_.link(link.name).friction.value_or(kGazeboFriction);
  surface.restitution = extensions_.link(link.name).restitution.value_or(surface.restitution);
  if (const Element contact = e.child("contact")) {
    const auto value = [&](const char* key, double usual) {
      const Element child = contact.child(key);
      const double given = child ? child.number("value", usual) : usual;
      if (given < 0) {
        child.attempt([&] { child.fail("value: must not be negative"); });
        return usual;
      }
      if (child) child.attempt([&] { child.check_range("value", given, kFrictionRange, "a coefficient"); });
      return given;
    };
    surface.friction = value("lateral_friction", surface.friction);
    surface.rolling_friction = value("rolling_friction", 0);
    surface.spinning_friction = value("spinning_friction", 0);
    surface.restitution = value("restitution", surface.restitution);
    if (surface.restitution > 1) {
      surface.restitution = 1;
      ledger_.note(contact.child("restitution"), "value", Kind::replaced,
                   "a restitution above 1 would add energy; it is 1");
    }
  }
  for (const bool collision : {false, true}) {
    const std::size_t first = link.geoms.size();
    for (const Element& holder : e.children(collision ? "collision" : "visual"))
      holder.attempt([&] { read_geom(holder, collision, surface, link); });
    join_capsules(link.geoms, first);
  }
}

void UrdfGeoms::read_geom(const Element& holder, bool collision, const Material& surface, Link& link) {
  Geom geom;
  geom.where = holder;
  geom.name = holder.text("name");
  geom.pose = read_origin(holder);
  geom.material = surface;
  geom.drawn = !collision;
  geom.collides = collision;
  const Element material(holder.node().child("material"), holder.file());
  for (const Element& other : holder.children("material"))  // such files are published, and urdfdom reads the first one
    if (other.node() != material.node())
      ledger_.skip(other, Kind::appearance, "the shape has a material already; this one is left out");
  const GazeboLink& extension = extensions_.link(link.name);
  const std::optional<Vec3>& gazebo = extension.color;
  if (gazebo && !collision) geom.material.name = color_text(*gazebo);
  if (gazebo && !collision && material)
    ledger_.note(extension.color_source, "", Kind::appearance, "a visual has a material of its own, which is drawn");
  if (material) {
    const UrdfMaterial read = read_material(material);
    geom.material.name = read.name;
    geom.texture = read.texture;
  }
  colored_ = nullptr;
  if (!read_shape(holder, collision, geom)) return;
  if (material || gazebo || !colored_ || colored_->empty()) {
    link.geoms.push_back(std::move(geom));
    return;
  }
  for (const auto& [shape, color] : *colored_) {  // a material of the URDF file replaces those of the mesh, as in RViz
    link.geoms.push_back(geom);
    link.geoms.back().shape = shape;
    if (!color.empty()) link.geoms.back().material.name = color;
  }
}

}  // namespace rigor::models
