#include "models/mjcf_sensor_writer.h"

#include <cmath>

#include "io/appearance_parts.h"

namespace rigor::models {

namespace {

using Type = SceneSensor::Type;

/// The elements of <sensor>, in the order of SceneSensor::Type.
constexpr const char* kElements[] = {
    "framepos",    "framequat",   "framexaxis", "frameyaxis",       "framezaxis", "framelinvel",
    "frameangvel", "velocimeter", "gyro",       "accelerometer",    "force",      "torque",
    "touch",       "jointpos",    "jointvel",   "jointactuatorfrc", "clock"};

bool is_in_axes_of_world(Type type) { return type <= Type::angular_velocity; }

std::string site_name(const SceneSensor& sensor) { return sensor.name + " sensor"; }

/// Type and size of a site that is the zone of a touch sensor, turned from y to z. False for a shape that sites do not have.
bool zone_attributes(const Shape& zone, Quat& turn, std::vector<XmlAttribute>& a) {
  static const double half = std::sqrt(0.5);
  if (const Transformed* moved = zone.as<Transformed>()) {
    if (moved->transform.translation != Vec3{}) return false;
    turn = turn * moved->transform.rotation;
    return zone_attributes(*moved->shape, turn, a);
  }
  const auto along_z = [&] {
    const bool is_turned = turn.w == turn.x && turn.w > 0 && turn.y == 0 && turn.z == 0;
    turn = is_turned ? Quat{} : turn * Quat{half, -half, 0, 0};
  };
  if (const Sphere* sphere = zone.as<Sphere>()) {
    a = {{"type", "sphere"}, {"size", exact(sphere->radius)}};
  } else if (const Box* box = zone.as<Box>()) {
    a = {{"type", "box"}, {"size", exact(box->half)}};
  } else if (const Capsule* capsule = zone.as<Capsule>()) {
    along_z();
    a = {{"type", "capsule"}, {"size", exact(capsule->radius) + " " + exact(capsule->half_length)}};
  } else if (const Cylinder* cylinder = zone.as<Cylinder>()) {
    along_z();
    a = {{"type", "cylinder"}, {"size", exact(cylinder->radius) + " " + exact(cylinder->half_height)}};
  } else {
    return false;
  }
  return true;
}

/// Why MJCF cannot express the sensor; empty if it can.
std::string obstacle(const Scene& scene, const SceneSensor& sensor, const std::string& coordinate) {
  if (has_joint(sensor.type)) {
    if (coordinate.empty()) return "its joint has no coordinate of its own there";
    return sensor.factor != 1 || sensor.offset != 0 ? "factors and offsets of readings are not written" : "";
  }
  if (sensor.factor != 1) return "factors and offsets of readings are not written";
  if (!has_frame(sensor.type)) return "";
  if (!sensor.body.empty()) {
    const BodyId body = scene.world.find_body(sensor.body);
    if (!body || !scene.world.is_active(body)) return "its body is not written";
  }
  if (sensor.type != Type::touch) return "";
  std::vector<XmlAttribute> a;
  Quat turn;
  if (!sensor.zone) return "a touch sensor without a zone is not written: sites have a size";
  return zone_attributes(*sensor.zone, turn, a) ? "" : "the shape of its zone is not one of sites";
}

}  // namespace

SensorSites::SensorSites(const Scene& scene) {
  for (const SceneSensor& sensor : scene.sensors)
    if (has_frame(sensor.type) && obstacle(scene, sensor, "").empty()) by_body_.emplace(sensor.body, &sensor);
}

void SensorSites::write(const std::string& body, XmlWriter& out) const {
  const auto [first, last] = by_body_.equal_range(body);
  for (auto at = first; at != last; ++at) {
    const SceneSensor& sensor = *at->second;
    std::vector<XmlAttribute> zone;
    Quat turn = sensor.orientation;
    if (sensor.zone) zone_attributes(*sensor.zone, turn, zone);
    std::vector<XmlAttribute> a = {{"name", site_name(sensor)}, {"pos", exact(sensor.position)}};
    if (turn != Quat{}) a.push_back({"quat", exact(turn)});
    a.insert(a.end(), zone.begin(), zone.end());
    out.element("site", a);
  }
}

void write_mjcf_sensors(const Scene& scene, const std::function<std::string(const SceneSensor&)>& coordinate,
                        XmlWriter& out, LeftOut& left_out) {
  for (const SceneSensor& sensor : scene.sensors) {
    const std::string joint = has_joint(sensor.type) ? coordinate(sensor) : "";
    if (const std::string why = obstacle(scene, sensor, joint); !why.empty()) {
      left_out.push_back("sensor '" + sensor.name + "': " + why);
      continue;
    }
    if (sensor.rate > 0) left_out.push_back("sensor '" + sensor.name + "': its rate is not written");
    std::vector<XmlAttribute> a = {{"name", sensor.name}};
    if (has_joint(sensor.type))
      a.push_back({"joint", joint});
    else if (has_frame(sensor.type) && is_in_axes_of_world(sensor.type))
      a.insert(a.end(), {{"objtype", "site"}, {"objname", site_name(sensor)}});
    else if (has_frame(sensor.type))
      a.push_back({"site", site_name(sensor)});
    out.element(kElements[static_cast<int>(sensor.type)], a);
  }
}

}  // namespace rigor::models
