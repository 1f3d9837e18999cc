// Forces of scene files: the parameters are those of the registered force, the other keys give its bodies and its end time.
#include <algorithm>

#include "io/scene_parts.h"
#include "registry/entry.h"
#include "rigor/error.h"

namespace rigor {

namespace {

constexpr std::string_view kCommonKeys[] = {"type", "name",     "bodies", "except", "a",
                                            "b",    "end_time", "remove", "active"};

bool is_common(std::string_view key) {
  return std::find(std::begin(kCommonKeys), std::end(kCommonKeys), key) != std::end(kCommonKeys);
}

std::vector<BodyId> read_body_names(const JsonReader& r, const World& world) {
  std::vector<BodyId> ids;
  for (std::size_t i = 0; i < r.size(); ++i) ids.push_back(read_body_name(r.item(i), world));
  std::vector<BodyId> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  const auto doubled = std::adjacent_find(sorted.begin(), sorted.end());
  if (doubled != sorted.end()) r.fail("the body '" + short_text(world.name(*doubled)) + "' is named twice");
  return ids;
}

Affected read_affected(const JsonReader& r, const World& world, const Entry& type) {
  const auto bodies = r.find("bodies"), except = r.find("except"), a = r.find("a"), b = r.find("b");
  if (has_capability(type, "pair")) {
    if (bodies || except || !a || !b)
      r.fail("a " + type.name + " acts on a pair: it needs 'a' and 'b', each the name of a body or \"world\"");
    const Affected pair = Affected::pair(read_body_name(*a, world), read_body_name(*b, world));
    if (pair.bodies[0] == pair.bodies[1]) b->fail_expected("another body than 'a'");
    return pair;
  }
  if (a || b) r.fail("a " + type.name + " does not act on a pair: use 'bodies' or 'except'");
  if (bodies && except) r.fail("give either 'bodies' or 'except', not both");
  if (bodies) return Affected::list(read_body_names(*bodies, world));
  if (except) return Affected::all_except(read_body_names(*except, world));
  return Affected::all();
}

ForcePtr read_effect(const JsonReader& r, const Entry& type) {
  std::unique_ptr<Configurable> object = type.make();
  std::vector<std::string> keys;
  for (const auto& [name, value] : settings_of(*object)) keys.push_back(name);
  keys.insert(keys.end(), std::begin(kCommonKeys), std::end(kCommonKeys));
  r.only(keys);

  const Settings settings = read_parameters(r, [](std::string_view key) { return !is_common(key); });
  apply_parameters(r, settings, [&](const Settings& s) { configure(*object, s, r.path()); });
  return ForcePtr(static_cast<const ForceEffect*>(object.release()));
}

/// True if `def` only changes a default force of the world (gravity, drag).
bool replaces_effect(const ForceDef& def, const ForceDef& present) {
  return def.affected.kind == present.affected.kind && def.affected.bodies == present.affected.bodies &&
         def.end_time == present.end_time && def.remove_automatically == present.remove_automatically;
}

void add_force(const JsonReader& r, World& world, const ForceDef& def) {
  const ForceId present = world.find_force(def.name);
  if (!present) return located(r, [&] { world.add_force(def); });
  const bool is_default = present == world.gravity() || present == world.drag();
  if (!is_default || world.force(present).effect->type() != def.effect->type())
    r.fail("there is already a force named '" + short_text(def.name) + "'");
  if (replaces_effect(def, world.force(present))) {
    world.set_force(present, def.effect);
    world.set_force_active(present, def.active);
  } else {
    world.remove_force(present);
    world.add_force(def);
  }
}

}  // namespace

void read_force(const JsonReader& r, World& world) {
  const JsonReader type_name = r.at("type");
  const Entry& type = entry(Kind::force, short_text(type_name.name()), type_name.path());
  ForceDef def;
  PartReader parts(r);
  parts.read([&] { def.effect = read_effect(r, type); });
  parts.read([&] { def.affected = read_affected(r, world, type); });
  if (const auto name = r.find("name")) parts.read([&] { def.name = name->name(); });
  r.read("end_time", def.end_time, kEndTimeRange);
  r.read("remove", def.remove_automatically);
  r.read("active", def.active);
  parts.finish();
  add_force(r, world, def);
}

}  // namespace rigor
