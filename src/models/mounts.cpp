// Cameras, lights and sensors of a model as those of a scene: at frames of the bodies that carry their links.
#include <algorithm>
#include <optional>

#include "io/appearance_parts.h"
#include "io/scene_limits.h"
#include "io/scene_ranges.h"
#include "models/built_links.h"
#include "rigor/error.h"
#include "rigor/joint_types.h"

namespace rigor::models {

namespace {

/// The name of the body that carries a frame of link i, empty for the world. `frame` is changed to the frame in that body.
std::string carrier_name(const BuiltLinks& built, int i, Transform& frame) {
  Transform in_body;
  const BodyId id = built.carrier(i, in_body);
  frame = in_body * frame;
  return id == built.world.world_body() ? "" : built.world.name(id);
}

/// Scene files hold positions up to 1e12 m.
Vec3 bounded(const Vec3& p) {
  Vec3 result;
  for (int k = 0; k < 3; ++k) result[k] = std::clamp(p[k], kPositionRange.min, kPositionRange.max);
  return result;
}

/// False, with a note, if a scene file could not hold one more of these.
template <class Items>
bool has_room(const Items& items, const Element& where, Ledger& ledger,
              ModelNote::Kind kind = ModelNote::Kind::appearance) {
  if (items.size() < kMaxAppearanceItems) return true;
  ledger.skip(where, kind,
              "it is left out: a scene has at most " + std::to_string(kMaxAppearanceItems) + " of its kind");
  return false;
}

void check_zone(const ShapePtr& zone, const Element& where, CheckedShapes& checked) {
  try {
    check_shape(zone, checked);
  } catch (const Error& error) {
    where.fail(in_words_of_models(error.what()));
  }
}

void add_sensor(const SensorMount& mount, const BuiltLinks& built, const JointPlaces& joints, CheckedShapes& checked,
                Scene& scene, Ledger& ledger) {
  if (!has_room(scene.sensors, mount.where, ledger, ModelNote::Kind::ignored)) return;
  SceneSensor sensor = mount.sensor;
  if (sensor.zone) check_zone(sensor.zone, mount.where, checked);
  if (!sensor.joint.empty()) {
    const auto found = joints.find(sensor.joint);
    if (found == joints.end() || !found->second.id) {
      ledger.note(mount.where, "", ModelNote::Kind::ignored,
                  "its joint has no coordinate of its own here, so the sensor is left out");
      return;
    }
    sensor.joint = built.world.joint(found->second.id).name;
    sensor.axis = found->second.axis;
    sensor.factor *= found->second.sign;
    if (!is_free_axis(built.world.joint(found->second.id), sensor.axis)) {
      ledger.note(mount.where, "", ModelNote::Kind::ignored, "its joint is locked, so the sensor is left out");
      return;
    }
  } else if (sensor.type != SceneSensor::Type::clock) {
    Transform pose = mount.pose;
    sensor.body = carrier_name(built, mount.link, pose);
    sensor.position = bounded(pose.translation);
    sensor.orientation = pose.rotation;
    if (sensor.body.empty() && needs_body(sensor.type)) {
      ledger.note(mount.where, "", ModelNote::Kind::ignored,
                  "its site is not on a body of the scene, so the sensor is left out");
      return;
    }
  }
  scene.sensors.push_back(std::move(sensor));
}

}  // namespace

void add_appearance(const BuiltLinks& built, Scene& scene, Ledger& ledger) {
  Appearance& out = scene.appearance;
  out.sky = built.robot.sky;
  out.headlight = built.robot.headlight;
  scene.camera = built.robot.view;
  for (std::optional<Vec3>* p : {&scene.camera.position, &scene.camera.target})
    if (*p) *p = bounded(**p);
  for (const LightMount& mount : built.robot.lights) {
    if (!has_room(out.lights, mount.where, ledger)) continue;
    Light light = mount.light;
    Transform pose = mount.pose;
    light.body = carrier_name(built, mount.link, pose);
    light.position = bounded(pose.translation);
    light.direction = rotate(pose.rotation, {0, 0, -1});
    out.lights.push_back(std::move(light));
  }
  for (const CameraMount& mount : built.robot.cameras) {
    if (!has_room(out.cameras, mount.where, ledger)) continue;
    MountedCamera camera = mount.camera;
    Transform pose = mount.pose, none;
    camera.body = carrier_name(built, mount.link, pose);
    camera.position = bounded(pose.translation);
    camera.orientation = pose.rotation;
    if (mount.target) camera.target = carrier_name(built, *mount.target, none);
    if (camera.mode == MountedCamera::Mode::target && camera.target.empty()) {
      camera.mode = MountedCamera::Mode::fixed;
      ledger.note(mount.where, "target", ModelNote::Kind::appearance,
                  "its target is not a body of the scene, so the camera turns with its own body");
    }
    out.cameras.push_back(std::move(camera));
  }
}

void add_sensors(const BuiltLinks& built, const JointPlaces& joints, Scene& scene, Ledger& ledger) {
  CheckedShapes checked;
  for (const SensorMount& mount : built.robot.sensors)
    mount.where.attempt([&] { add_sensor(mount, built, joints, checked, scene, ledger); });
}

}  // namespace rigor::models
