#include "io/collada_materials.h"

#include <algorithm>

#include "io/json_text.h"
#include "rigor/error.h"

namespace rigor::models {

namespace {

constexpr std::size_t kMostNotes = 20;

/// The first child of this name. Appearance does not refuse a second one.
Element first(const Element& e, const char* name) { return e ? Element(e.node().child(name), e.file()) : Element(); }

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

std::string id_of(const std::string& reference) { return reference.starts_with('#') ? reference.substr(1) : reference; }

}  // namespace

void ColladaMaterials::note(const Element& where, const std::string& what) {
  if (notes_.size() < kMostNotes) notes_.push_back(where.place() + ": " + what);
}

std::map<std::string, std::string> ColladaMaterials::bound(const Element& instance) const {
  std::map<std::string, std::string> targets;
  const Element common = first(first(instance, "bind_material"), "technique_common");
  if (!common) return targets;
  for (const Element& e : common.children("instance_material"))
    targets.emplace(e.text("symbol"), id_of(e.text("target")));
  return targets;
}

std::optional<Vec3> ColladaMaterials::color(const std::string& id) {
  const auto [entry, is_new] = colors_.try_emplace(id);
  if (!is_new) return entry->second;
  if (const Element material = document_.find("material", id)) entry->second = read_color(material);
  return entry->second;
}

std::optional<Vec3> ColladaMaterials::read_color(const Element& material) {
  const Element instance = first(material, "instance_effect");
  const Element effect = instance ? document_.find("effect", id_of(instance.text("url"))) : Element();
  const Element profile = first(effect, "profile_COMMON");
  const Element technique = first(profile, "technique");
  for (const char* shading : {"phong", "lambert", "blinn", "constant"}) {
    const Element shader = first(technique, shading);
    const Element light = first(shader, shading == std::string("constant") ? "emission" : "diffuse");
    if (const Element texture = first(light, "texture"))
      note(texture, "the picture '" + short_text(picture_of(texture, profile)) + "' is not drawn");
    if (const Element color = first(light, "color")) {
      try {
        const std::vector<double> rgba = parse_numbers(text_within(color), 3, 4);
        return Vec3{std::clamp(rgba[0], 0.0, 1.0), std::clamp(rgba[1], 0.0, 1.0), std::clamp(rgba[2], 0.0, 1.0)};
      } catch (const Error& error) {
        note(color, std::string("it is not drawn: ") + error.what());
      }
    }
  }
  return std::nullopt;
}

/// A texture names a sampler, a sampler a surface (1.4) or an image (1.5), a surface an image, and an image a file.
std::string ColladaMaterials::picture_of(const Element& texture, const Element& profile) const {
  std::string name = texture.text("texture");
  for (const char* kind : {"sampler2D", "surface"})
    for (const Element& parameter : profile.children("newparam")) {
      const Element e = first(parameter, kind);
      if (!e || parameter.text("sid") != name) continue;
      if (const Element image = first(e, "instance_image"))
        name = id_of(image.text("url"));
      else
        name = trimmed(text_within(first(e, kind == std::string("surface") ? "init_from" : "source")));
      break;
    }
  const Element from = first(document_.find("image", name), "init_from");
  if (!from) return name;
  const Element reference = first(from, "ref");
  return trimmed(text_within(reference ? reference : from));
}

}  // namespace rigor::models
