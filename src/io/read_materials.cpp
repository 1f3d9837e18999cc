// Materials of scene files, and the rules that combine two of them.
#include <algorithm>

#include "io/scene_parts.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor {

namespace {

constexpr std::size_t kMostNamed = 20;  // in one message

/// Surface properties; the ground has these keys too.
void read_surface(const JsonReader& r, Material& m) {
  r.read("friction", m.friction, kFrictionRange);
  r.read("static_friction", m.static_friction, kFrictionRange);
  r.read("restitution", m.restitution, kRestitutionRange);
  r.read("rolling_friction", m.rolling_friction, kGapRange);
  r.read("spinning_friction", m.spinning_friction, kGapRange);
  r.read("grain", m.grain, kPositionRange);
  r.read("friction_across", m.friction_across, kFrictionRange);
  r.read("surface_velocity", m.surface_velocity, kVelocityRange);
}

Combine read_combine(const JsonReader& r) {
  static const std::vector<std::string> kNames = {"minimum", "maximum", "mean", "product"};
  const std::string name = r.name();
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) r.fail(unknown_name("rule", short_text(name), kNames));
  return static_cast<Combine>(found - kNames.begin());
}

void read_pair(const JsonReader& r, MaterialRules& rules) {
  r.only({"a", "b", "friction", "static_friction", "restitution"});
  MaterialRules::Pair pair;
  r.read("friction", pair.friction, kFrictionRange);
  r.read("static_friction", pair.static_friction, kFrictionRange);
  r.read("restitution", pair.restitution, kRestitutionRange);
  if (!rules.pairs.emplace(std::minmax(r.at("a").name(), r.at("b").name()), pair).second)
    r.fail("there is a rule for these two materials already");
}

void add_names(const Shape& shape, std::set<std::string>& names) {
  if (const auto* moved = shape.as<Transformed>()) add_names(*moved->shape, names);
  const auto* composite = shape.as<Composite>();
  if (!composite) return;
  for (const Composite::Part& part : composite->parts) {
    if (part.material) names.insert(part.material->name);
    add_names(*part.shape, names);
  }
}

}  // namespace

std::set<std::string> material_names(const Scene& scene) {
  std::set<std::string> names = {Material{}.name};
  for (const auto& [name, material] : scene.materials) names.insert(name);
  for (const BodyId id : scene.world.bodies()) {
    const BodyDef& def = scene.world.body_def(id);
    names.insert(def.material.name);
    for (const ShapePtr& shape : {def.shape, def.collision_shape})
      if (shape) add_names(*shape, names);
  }
  return names;
}

void check_material_names(const JsonReader& rules, const Scene& scene) {
  const auto pairs = rules.find("pairs");
  if (!pairs || pairs->size() == 0) return;
  const std::set<std::string> names = material_names(scene);
  for (std::size_t i = 0; i < pairs->size(); ++i) {
    const JsonReader pair = pairs->item(i);
    for (const char* key : {"a", "b"}) {
      const auto material = pair.is_object() ? pair.find(key) : std::nullopt;
      if (!material || !material->is_text() || names.contains(material->name()))
        continue;  // others are reported before
      std::vector<std::string> known(names.begin(), names.end());
      if (known.size() > kMostNamed) known.resize(kMostNamed);
      pair.attempt([&] { material->fail(unknown_name("material", short_text(material->name()), known)); });
    }
  }
}

Material changed_material(const JsonReader& r, Material m) {
  r.only({"name", "density", "friction", "static_friction", "restitution", "rolling_friction", "spinning_friction",
          "grain", "friction_across", "surface_velocity"});
  if (const auto given = r.find("name")) m.name = given->name();
  r.read("density", m.density, kDensityRange);
  read_surface(r, m);
  return m;
}

Materials read_materials(const JsonReader& r) {
  Materials materials;
  for (const JsonReader& material : r.members())
    r.attempt([&] {
      const std::string name(material.key());
      if (name.empty() || name.size() > kMaxNameLength)
        r.fail("names of materials have 1 to " + std::to_string(kMaxNameLength) + " bytes");
      Material& named = materials[name];  // is there even if it has a mistake, so that bodies of it have none
      named.name = name;
      named = changed_material(material, named);
      if (named.name != name) material.at("name").fail_expected("the same name as the key");
    });
  return materials;
}

Material read_material(const JsonReader& r, const Materials& materials) {
  if (r.is_object()) return changed_material(r, {});
  if (!r.is_text()) r.fail_expected("the name of a material or an object");
  const std::string name = r.name();
  const auto found = materials.find(name);
  if (found != materials.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [known_name, material] : materials) known.push_back(known_name);
  if (known.size() > kMostNamed) known.resize(kMostNamed);
  r.fail(unknown_name("material", short_text(name), known));
}

Material default_material(const Materials& materials) {
  const auto found = materials.find(Material{}.name);
  return found == materials.end() ? Material{} : found->second;
}

Material read_ground_material(const JsonReader& r, const Materials& materials) {
  r.only({"material", "friction", "static_friction", "restitution", "rolling_friction", "spinning_friction", "grain",
          "friction_across", "surface_velocity"});
  Material m = default_material(materials);
  if (const auto material = r.find("material")) m = read_material(*material, materials);
  read_surface(r, m);
  return m;
}

MaterialRules read_material_rules(const JsonReader& r) {
  r.only({"friction", "restitution", "pairs"});
  MaterialRules rules;
  if (const auto friction = r.find("friction")) r.attempt([&] { rules.friction = read_combine(*friction); });
  if (const auto restitution = r.find("restitution"))
    r.attempt([&] { rules.restitution = read_combine(*restitution); });
  if (const auto pairs = r.find("pairs"))
    for (std::size_t i = 0; i < pairs->size(); ++i) r.attempt([&] { read_pair(pairs->item(i), rules); });
  return rules;
}

}  // namespace rigor
