// Writes appearance and sensors as JSON, without values that are the defaults.
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "io/appearance_parts.h"
#include "io/base64.h"
#include "io/scene_parts.h"
#include "io/write_parts.h"

namespace rigor {

namespace {

template <class Value> void add(Json& json, const char* key, const Value& value, const Value& usual) {
  if (value != usual) json[key] = value;
}
void add(Json& json, const char* key, const Vec3& value, const Vec3& usual) {
  if (value != usual) json[key] = to_json(value);
}
void add(Json& json, const char* key, double value, double usual) {
  if (value != usual) json[key] = to_json(value);
}
void add(Json& json, const char* key, const Quat& value) {
  if (value != Quat{}) json[key] = to_json(value);
}

/// `owner`: the texture whose picture it shows; empty if the picture is its own.
Json write_texture(const Texture& t, const std::string& owner) {
  const Texture usual;
  Json json = {{"pattern", kPatternNames[static_cast<int>(t.pattern)]}};
  add(json, "color", t.color, usual.color);
  add(json, "second_color", t.second_color, usual.second_color);
  if (t.mark != usual.mark) json["mark"] = kMarkNames[static_cast<int>(t.mark)];
  add(json, "mark_color", t.mark_color, usual.mark_color);
  add(json, "tint", t.tint, usual.tint);
  if (!owner.empty())
    json["image_of"] = owner;
  else if (t.pattern == Texture::Pattern::image)
    json["image"] = base64(t.image);
  add(json, "on_each_side", t.on_each_side, usual.on_each_side);
  if (t.repeat != usual.repeat) json["repeat"] = {to_json(t.repeat[0]), to_json(t.repeat[1])};
  add(json, "per_metre", t.per_metre, usual.per_metre);
  return json;
}

Json write_light(const Light& light) {
  const Light usual;
  Json json = Json::object();
  add(json, "name", light.name, usual.name);
  add(json, "body", light.body, usual.body);
  add(json, "turns", light.turns, usual.turns);
  add(json, "directional", light.directional, usual.directional);
  add(json, "position", light.position, usual.position);
  add(json, "direction", light.direction, usual.direction);
  add(json, "color", light.color, usual.color);
  add(json, "cutoff_deg", light.cutoff, usual.cutoff);
  add(json, "shadows", light.shadows, usual.shadows);
  return json;
}

Json write_camera(const MountedCamera& camera) {
  const MountedCamera usual;
  Json json = {{"name", camera.name}};
  add(json, "body", camera.body, usual.body);
  if (camera.mode != usual.mode) json["mode"] = kCameraModeNames[static_cast<int>(camera.mode)];
  add(json, "position", camera.position, usual.position);
  add(json, "orientation", camera.orientation);
  if (camera.mode == MountedCamera::Mode::target) json["target"] = camera.target;
  add(json, "fov_deg", camera.fov, usual.fov);
  return json;
}

Json write_sensor(const SceneSensor& sensor) {
  const SceneSensor usual;
  Json json = {{"name", sensor.name}, {"type", kSensorTypeNames[static_cast<int>(sensor.type)]}};
  add(json, "body", sensor.body, usual.body);
  add(json, "position", sensor.position, usual.position);
  add(json, "orientation", sensor.orientation);
  if (sensor.zone) json["zone"] = write_shape(*sensor.zone, {});
  add(json, "joint", sensor.joint, usual.joint);
  if (has_joint(sensor.type)) json["axis"] = sensor.axis;
  add(json, "factor", sensor.factor, usual.factor);
  add(json, "offset", sensor.offset, usual.offset);
  add(json, "rate", sensor.rate, usual.rate);
  return json;
}

/// True if the body exists, or none is named.
bool has_body(const World& world, const std::string& name) {
  return name.empty() || static_cast<bool>(world.find_body(name));
}

/// True if what the sensor measures at exists.
bool can_measure(const World& world, const SceneSensor& sensor) {
  if (!has_joint(sensor.type)) return has_body(world, sensor.body) && !(needs_body(sensor.type) && sensor.body.empty());
  const JointId joint = world.find_joint(sensor.joint);
  return joint && is_free_axis(world.joint(joint), sensor.axis);
}

}  // namespace

Json write_appearance(const Scene& scene) {
  const Appearance& a = scene.appearance;
  Json json;
  const std::set<std::string> materials = a.textures.empty() ? std::set<std::string>{} : material_names(scene);
  std::map<std::string_view, std::string> owners;  // by picture: the first texture that shows it
  for (const auto& [name, texture] : a.textures) {
    if (!materials.contains(name)) continue;
    const bool shows_picture = texture.pattern == Texture::Pattern::image;
    const std::string owner = shows_picture ? owners.try_emplace(texture.image, name).first->second : name;
    json["textures"][name] = write_texture(texture, owner == name ? "" : owner);
  }
  if (a.sky) json["sky"] = {{"top", a.sky->top}, {"bottom", a.sky->bottom}};
  if (a.headlight) json["headlight"] = {{"color", a.headlight->color}, {"ambient", a.headlight->ambient}};
  for (const Light& light : a.lights)
    if (has_body(scene.world, light.body)) json["lights"].push_back(write_light(light));
  for (const MountedCamera& camera : a.cameras)
    if (has_body(scene.world, camera.body) && has_body(scene.world, camera.target))
      json["cameras"].push_back(write_camera(camera));
  return json;
}

Json write_sensors(const Scene& scene) {
  Json json;
  for (const SceneSensor& sensor : scene.sensors)
    if (can_measure(scene.world, sensor)) json.push_back(write_sensor(sensor));
  return json;
}

}  // namespace rigor
