// Writes the present scene as JSON that parse_scene() reads back to the same bits.
#include <algorithm>

#include "io/appearance_parts.h"
#include "io/scene_parts.h"
#include "io/write_parts.h"
#include "registry/entry.h"
#include "registry/plain_fields.h"
#include "rigor/error.h"
#include "world/world_image.h"

namespace rigor {

namespace {

Json write_groups(std::uint32_t bits) {
  Json list = Json::array();
  for (int i = 0; i < kGroupCount; ++i)
    if (bits & (1u << i)) list.push_back(i);
  return list;
}

Json write_inertia(const Mat3& m) {
  if (m == Mat3::diagonal({m(0, 0), m(1, 1), m(2, 2)})) return to_json(Vec3{m(0, 0), m(1, 1), m(2, 2)});
  Json list = Json::array();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) list.push_back(to_json(m(i, j)));
  return list;
}

Json write_names(const World& world, const std::vector<BodyId>& ids) {
  Json names = Json::array();
  for (const BodyId id : ids) names.push_back(world.name(id));
  return names;
}

/// The axes whose ground this body is: an ordinary plane through the origin named "ground". Null if it is not the ground.
const Axes* ground_axes(const World& world, BodyId id) {
  const BodyDef& def = world.body_def(id);
  const bool plain = def.name == "ground" && def.shape->as<Plane>() && !def.collision_shape && def.fixed &&
                     def.can_collide && def.active && def.group == BodyDef{}.group && def.mask == BodyDef{}.mask &&
                     !def.mass && !def.inertia && !def.center_of_mass && world.position(id) == Vec3{} &&
                     world.velocity(id) == Vec3{} && world.angular_velocity(id) == Vec3{};
  if (!plain) return nullptr;
  for (const Axes& axes : kAxes)
    if (axes.ground == world.orientation(id)) return &axes;
  return nullptr;
}

/// Gravity without an end that acts on all bodies is the key "gravity"; null otherwise.
const Gravity* plain_gravity(const World& world) {
  if (!world.contains(world.gravity())) return nullptr;
  const ForceDef& def = world.force(world.gravity());
  const bool plain = def.active && def.affected.kind == Affected::Kind::all_except && def.affected.bodies.empty() &&
                     def.end_time == ForceDef{}.end_time && def.remove_automatically;
  return plain ? dynamic_cast<const Gravity*>(def.effect.get()) : nullptr;
}

/// True for the defaults of a new world, which are not written.
bool is_default_drag(const World& world, ForceId id) {
  if (id != world.drag()) return false;
  const ForceDef& def = world.force(id);
  return def.effect->type() == Drag{}.type() && settings_of(*def.effect) == settings_of(Drag{}) && def.active &&
         def.affected.kind == Affected::Kind::all_except && def.affected.bodies.empty();
}

/// Rules may refer to materials without bodies; a file has to define the materials that it names.
void add_materials_of_rules(const Scene& scene, Json& out) {
  const MaterialRules& rules = scene.world.material_rules();
  if (rules.pairs.empty()) return;
  const std::set<std::string> known = material_names(scene);
  for (const auto& [pair, numbers] : rules.pairs)
    for (const std::string& name : {pair.first, pair.second})
      if (!known.contains(name)) out["materials"][name] = Json::object();
}

void write_bodies(const Scene& scene, Json& out) {
  const World& world = scene.world;
  std::vector<BodyId> ids = world.bodies();
  std::sort(ids.begin(), ids.end());  // reading them in this order gives them ids in this order
  const Axes* axes = nullptr;
  Json ground = false, bodies = Json::array();
  for (const BodyId id : ids) {
    if (id == world.world_body()) continue;
    if (const Axes* found = ground_axes(world, id)) {
      axes = found;
      const Material& material = world.body_def(id).material;
      ground = true;
      if (material != Material{}) ground = {{"material", write_material(material, scene.materials)}};
    } else {
      bodies.push_back(write_body(world, id, scene.materials));
    }
  }
  if (axes) out["up"] = axes->name;
  const Gravity* gravity = plain_gravity(world);
  out["gravity"] = to_json(gravity ? gravity->acceleration : Vec3{});
  out["ground"] = std::move(ground);
  for (const auto& [name, material] : scene.materials) {
    Json object = write_material(material, {});
    object.erase("name");
    out["materials"][name] = std::move(object);
  }
  add_materials_of_rules(scene, out);
  out["bodies"] = std::move(bodies);
}

void write_joints(const World& world, Json& out) {
  if (world.material_rules() != MaterialRules{}) out["material_rules"] = write_material_rules(world.material_rules());
  if (world.joint_count() == 0) return;
  out["joints"] = Json::array();
  for (const JointId id : world.joints()) out["joints"].push_back(write_joint(world, id));
}

void write_ignored_pairs(const World& world, Json& out) {
  Json pairs = Json::array();
  for (const auto& [a, b] : world.image().ignored_pairs) pairs.push_back({world.name(a), world.name(b)});
  if (!pairs.empty()) out["ignore_collisions"] = std::move(pairs);
}

void write_forces(const World& world, Json& out) {
  Json forces = Json::array();
  for (const ForceId id : world.forces()) {
    if (id == world.gravity() && plain_gravity(world)) continue;
    if (is_default_drag(world, id)) continue;
    forces.push_back(write_force(world, world.force(id)));
  }
  if (!forces.empty()) out["forces"] = std::move(forces);
}

Json write_choice(const Choice& choice) {
  if (choice.settings.empty()) return choice.name;
  Json object = {{"name", choice.name}};
  for (const auto& [key, value] : choice.settings) object[key] = to_json(value);
  return object;
}

}  // namespace

Json write_drive(const Drive& d) {
  Json drive = {{"joint", d.joint}};
  if (d.axis != Drive{}.axis) drive["axis"] = d.axis;
  if (d.follow) {
    Json& follow = drive["follow"] = {{"joint", d.follow->joint}};
    if (d.follow->axis != Drive::Follow{}.axis) follow["axis"] = d.follow->axis;
    if (d.follow->ratio != 1) follow["ratio"] = to_json(d.follow->ratio);
    if (d.follow->offset != 0) follow["offset"] = to_json(d.follow->offset);
  } else if (d.keys.empty()) {
    drive["sine"] = {{"offset", to_json(d.offset)},
                     {"amplitude", to_json(d.amplitude)},
                     {"frequency", to_json(d.frequency)},
                     {"phase", to_json(d.phase)}};
  } else {
    drive["keys"] = Json::array();
    for (const Drive::Key& key : d.keys) drive["keys"].push_back({to_json(key.time), to_json(key.target)});
    if (!d.smooth) drive["smooth"] = false;
    if (d.repeat) drive["repeat"] = true;
  }
  return drive;
}

Json write_body(const World& world, BodyId id, const std::map<std::string, Material>& materials) {
  const BodyDef& def = world.body_def(id);
  Json body = {{"name", def.name}, {"shape", write_shape(*def.shape, materials)}};
  if (def.collision_shape) body["collision_shape"] = write_shape(*def.collision_shape, materials);
  write_body_numbers(world, id, materials, body);
  return body;
}

void write_body_numbers(const World& world, BodyId id, const std::map<std::string, Material>& materials, Json& body) {
  const BodyDef& def = world.body_def(id);
  const BodyDef plain;
  body["position"] = to_json(world.position(id));
  const auto add = [&body](const char* key, const auto& value, const auto& usual) {
    if (value != usual) body[key] = to_json(value);
  };
  add("orientation", world.orientation(id), Quat{});
  add("velocity", world.velocity(id), Vec3{});
  add("angular_velocity", world.angular_velocity(id), Vec3{});
  if (def.material != plain.material) body["material"] = write_material(def.material, materials);
  if (def.mass) body["mass"] = to_json(*def.mass);
  if (def.inertia) body["inertia"] = write_inertia(*def.inertia);
  if (def.center_of_mass) body["center_of_mass"] = to_json(*def.center_of_mass);
  if (def.fixed) body["fixed"] = true;
  if (!def.can_collide) body["can_collide"] = false;
  if (def.continuous) body["continuous"] = true;
  if (!def.active) body["active"] = false;
  if (def.sensor) body["sensor"] = true;
  add("linear_damping", def.linear_damping, 0.0);
  add("angular_damping", def.angular_damping, 0.0);
  add("gravity_factor", def.gravity_factor, 1.0);
  if (def.group != plain.group) body["groups"] = write_groups(def.group);
  if (def.mask != plain.mask) body["mask"] = write_groups(def.mask);
  add("force", world.state().user_force[world.slot(id)], Vec3{});
  add("torque", world.state().user_torque[world.slot(id)], Vec3{});
}

Json write_force(const World& world, const ForceDef& def) {
  const std::string type(def.effect->type());
  if (!find_method(Kind::force, type))
    throw Error("force '" + short_text(def.name) + "'",
                "a " + short_text(type) + " force is not registered and cannot be saved");
  Json force = {{"type", type}, {"name", def.name}};
  if (def.affected.kind == Affected::Kind::pair) {
    force["a"] = world.name(def.affected.bodies[0]);
    force["b"] = world.name(def.affected.bodies[1]);
  } else if (def.affected.kind == Affected::Kind::list) {
    force["bodies"] = write_names(world, def.affected.bodies);
  } else if (!def.affected.bodies.empty()) {
    force["except"] = write_names(world, def.affected.bodies);
  }
  for (const auto& [key, value] : settings_of(*def.effect)) force[key] = to_json(value);
  if (def.end_time != ForceDef{}.end_time) force["end_time"] = to_json(def.end_time);
  if (!def.remove_automatically) force["remove"] = false;
  if (!def.active) force["active"] = false;
  return force;
}

Json write_method(const Method& method) {
  const bool known = find_method(Kind::preset, method.preset) != nullptr;
  const Method base = known ? preset(method.preset) : default_method();
  if (known && method == base) return method.preset;
  Json object = Json::object();
  if (known) object["preset"] = method.preset;
  for (const MethodSlot& slot : method_slots())
    if (method.*slot.member != base.*slot.member) object[slot.key] = write_choice(method.*slot.member);
  const Settings usual = settings_of(PlainMethodFields(base));
  for (const auto& [key, value] : settings_of(PlainMethodFields(method)))
    if (value != usual.at(key)) object[key] = to_json(value);
  if (method.validators != base.validators) {
    object["validators"] = Json::array();
    for (const Choice& choice : method.validators) object["validators"].push_back(write_choice(choice));
  }
  return object;
}

static Json write_camera(const SceneCamera& camera) {
  Json json = Json::object();
  if (camera.position) json["position"] = to_json(*camera.position);
  if (camera.target) json["target"] = to_json(*camera.target);
  if (camera.direction) json["direction"] = to_json(*camera.direction);
  if (!camera.use.empty()) json["use"] = camera.use;
  if (!camera.follow.empty()) json["follow"] = camera.follow;
  if (!camera.trails.empty()) json["trails"] = camera.trails;
  return json;
}

/// Bodies may have been removed since the scene was read.
static SceneCamera camera_of(const Scene& scene) {
  SceneCamera camera = scene.camera;
  if (!camera.follow.empty() && !scene.world.find_body(camera.follow)) camera.follow.clear();
  const auto& cameras = scene.appearance.cameras;
  const auto used =
      std::find_if(cameras.begin(), cameras.end(), [&](const MountedCamera& c) { return c.name == camera.use; });
  const auto exists = [&](const std::string& body) { return body.empty() || scene.world.find_body(body); };
  if (used == cameras.end() || !exists(used->body) || !exists(used->target)) camera.use.clear();
  std::erase_if(camera.trails, [&](const std::string& name) { return !scene.world.find_body(name); });
  return camera;
}

std::string write_scene(const Scene& scene) {
  refuse_large_shapes(scene.world);
  Json json = {{"rigor", 1}};
  if (!scene.name.empty()) json["name"] = scene.name;
  if (!scene.description.empty()) json["description"] = scene.description;
  json["world"] = Json::object();
  write_bodies(scene, json["world"]);
  write_joints(scene.world, json["world"]);
  write_ignored_pairs(scene.world, json["world"]);
  for (const Drive& drive : scene.drives) json["world"]["drives"].push_back(write_drive(drive));
  write_forces(scene.world, json["world"]);
  json["method"] = write_method(scene.method);
  const TimeSettings& t = scene.time;
  json["run"] = {
      {"dt", to_json(t.step)},           {"duration", to_json(scene.duration)}, {"fixed", t.fixed},
      {"min_step", to_json(t.min_step)}, {"max_step", to_json(t.max_step)},     {"max_advance", to_json(t.max_advance)},
      {"speed_up", to_json(t.speed_up)}};
  if (Json appearance = write_appearance(scene); !appearance.is_null()) json["appearance"] = std::move(appearance);
  if (Json sensors = write_sensors(scene); !sensors.is_null()) json["sensors"] = std::move(sensors);
  if (const SceneCamera camera = camera_of(scene); camera != SceneCamera{}) json["camera"] = write_camera(camera);
  return print_json(json);
}

}  // namespace rigor
