// Reads the appearance and the sensors of scene files.
#include <algorithm>
#include <cctype>
#include <set>
#include <span>

#include "io/appearance_parts.h"
#include "io/base64.h"
#include "io/file_access.h"
#include "io/scene_parts.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor {

namespace {

std::string read_color(const JsonReader& r) {
  std::string color = r.text(7);
  const bool good =
      color.size() == 7 && color[0] == '#' && color.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
  if (!good) r.fail_expected("a colour \"#rrggbb\"");
  std::transform(color.begin(), color.end(), color.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return color;
}

void read_color(const JsonReader& r, std::string_view key, std::string& color) {
  if (const auto found = r.find(key)) r.attempt([&] { color = read_color(*found); });
}

/// Sets `value` to the enumerator whose name in `words` the key gives.
template <class Enum>
void read_word(const JsonReader& r, std::string_view key, std::span<const char* const> words, Enum& value) {
  const auto found = r.find(key);
  if (!found) return;
  r.attempt([&] {
    const std::string name = found->name();
    const auto at = std::find(words.begin(), words.end(), name);
    if (at == words.end())
      found->fail(unknown_name(key, short_text(name), std::vector<std::string>(words.begin(), words.end())));
    value = static_cast<Enum>(at - words.begin());
  });
}

std::string read_body(const JsonReader& r, const Scene& scene) {
  const std::string name = r.name();
  if (!scene.world.find_body(name)) r.fail("there is no body '" + short_text(name) + "'");
  return name;
}

void read_body(const JsonReader& r, std::string_view key, const Scene& scene, std::string& body) {
  if (const auto found = r.find(key)) r.attempt([&] { body = read_body(*found, scene); });
}

/// Bytes of a picture: base64 text, or a file in the folder of the scene.
std::string read_image(const JsonReader& r) {
  const auto image = r.find("image"), file = image ? image : r.find("file");
  if (image && r.find("file")) r.at("file").fail("a picture has either \"image\" or \"file\", not both");
  if (!file) r.fail("a picture needs \"image\", its bytes in base64, or \"file\"");
  if (!image && !file->files()) file->fail("text without a file refers to no other file");
  const std::string given = image ? image->text(kMaxImageSize / 3 * 4 + 4) : file->name();
  try {
    std::string bytes = image ? decode_base64(given) : read_file(file->files()->resolve(given));
    check_picture(bytes);
    return bytes;
  } catch (const Error& error) {
    file->fail(error.what());
  }
}

Texture read_texture(const JsonReader& r) {
  r.only({"pattern", "color", "second_color", "mark", "mark_color", "tint", "image", "file", "image_of", "on_each_side",
          "repeat", "per_metre"});
  Texture t;
  if (r.find("image") || r.find("file") || r.find("image_of")) t.pattern = Texture::Pattern::image;
  read_word(r, "pattern", kPatternNames, t.pattern);
  read_word(r, "mark", kMarkNames, t.mark);
  read_color(r, "color", t.color);
  read_color(r, "second_color", t.second_color);
  read_color(r, "mark_color", t.mark_color);
  read_color(r, "tint", t.tint);
  r.read("on_each_side", t.on_each_side);
  r.read("per_metre", t.per_metre);
  if (const auto repeat = r.find("repeat")) {
    const std::vector<double> numbers = repeat->numbers(2, kRepeatRange);
    t.repeat = {numbers[0], numbers[1]};
  }
  if (t.pattern == Texture::Pattern::image) {
    if (!r.find("image_of")) t.image = read_image(r);
  } else {
    for (const char* key : {"image", "file", "image_of"})
      if (const auto found = r.find(key)) found->fail("only the pattern 'image' shows a picture");
  }
  return t;
}

/// Gives textures with "image_of" the picture of the texture that they name.
void share_pictures(const JsonReader& textures, Appearance& out) {
  std::size_t copies = 0;
  for (const JsonReader& texture : textures.members()) {
    const auto of = texture.find("image_of");
    const auto own = of ? out.textures.find(std::string(texture.key())) : out.textures.end();
    if (own == out.textures.end()) continue;
    texture.attempt([&] {
      for (const char* key : {"image", "file"})
        if (const auto other = texture.find(key)) other->fail("a picture is given once; \"image_of\" names it already");
      const std::string name = of->name();
      const auto owner = out.textures.find(name);
      const auto given = textures.find(name);
      if (owner == out.textures.end() || owner->second.image.empty() || !given || given->find("image_of"))
        of->fail("there is no texture '" + short_text(name) + "' with a picture of its own");
      copies += owner->second.image.size();
      if (copies > kMaxImageCopies - kMaxImagesSize) texture.fail(too_many_pictures());
      own->second.image = owner->second.image;
    });
  }
}

Light read_light(const JsonReader& r, const Scene& scene) {
  r.only({"name", "body", "turns", "directional", "position", "direction", "color", "cutoff_deg", "shadows"});
  Light light;
  if (const auto name = r.find("name")) light.name = name->name();
  read_body(r, "body", scene, light.body);
  r.read("turns", light.turns);
  r.read("directional", light.directional);
  r.read("position", light.position, kPositionRange);
  r.read("direction", light.direction, kPositionRange);
  if (!(length(light.direction) > 0)) r.at("direction").fail("the direction must not be zero");
  read_color(r, "color", light.color);
  r.read("cutoff_deg", light.cutoff, kCutoffRangeDeg);
  r.read("shadows", light.shadows);
  return light;
}

MountedCamera read_mounted_camera(const JsonReader& r, const Scene& scene) {
  r.only({"name", "body", "mode", "position", "orientation", "target", "fov_deg"});
  MountedCamera camera;
  camera.name = r.at("name").name();
  read_body(r, "body", scene, camera.body);
  read_word(r, "mode", kCameraModeNames, camera.mode);
  r.read("position", camera.position, kPositionRange);
  if (const auto orientation = r.find("orientation")) camera.orientation = orientation->orientation();
  read_body(r, "target", scene, camera.target);
  if (camera.mode == MountedCamera::Mode::target && camera.target.empty())
    r.fail("the mode 'target' needs a \"target\"");
  if (camera.mode != MountedCamera::Mode::target && !camera.target.empty())
    r.at("target").fail("only the mode 'target' looks at a body");
  r.read("fov_deg", camera.fov, kFovRangeDeg);
  return camera;
}

template <class Read> void read_items(const JsonReader& list, Read read) {
  if (list.size() > kMaxAppearanceItems)
    list.fail("expected at most " + std::to_string(kMaxAppearanceItems) + " items, got " + std::to_string(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonReader item = list.item(i);
    list.attempt([&] { read(item); });
  }
}

template <class Read> void read_list(const JsonReader& r, std::string_view key, Read read) {
  if (const auto list = r.find(key)) read_items(*list, read);
}

void refuse_duplicate(const JsonReader& item, const char* what, const std::string& name, std::set<std::string>& names) {
  if (!names.insert(name).second)
    item.at("name").fail("there is already a " + std::string(what) + " '" + short_text(name) + "'");
}

/// The coordinate that a sensor of a joint measures. Without the key it is the only one that is not locked.
int read_axis(const JsonReader& r, const JointDef& joint) {
  if (const auto given = r.find("axis")) {
    const int axis = read_axis_number(*given, 0);
    if (!is_free_axis(joint, axis))
      given->fail("the axis " + std::to_string(axis) + " of the joint '" + short_text(joint.name) + "' is locked");
    return axis;
  }
  std::vector<int> free;
  for (int axis = 0; axis < 6; ++axis)
    if (is_free_axis(joint, axis)) free.push_back(axis);
  if (free.empty()) r.at("joint").fail("all axes of this joint are locked");
  if (free.size() > 1) {
    std::string names;
    for (const int axis : free) names += (names.empty() ? "" : ", ") + std::to_string(axis);
    r.fail("the joint '" + short_text(joint.name) + "' has several free axes, so \"axis\" is needed: " + names);
  }
  return free[0];
}

SceneSensor read_sensor(const JsonReader& r, const Scene& scene) {
  r.only({"name", "type", "body", "position", "orientation", "zone", "joint", "axis", "factor", "offset", "rate"});
  SceneSensor sensor;
  sensor.name = r.at("name").name();
  r.at("type");
  read_word(r, "type", kSensorTypeNames, sensor.type);
  const auto refuse = [&](std::initializer_list<const char*> keys, const char* why) {
    for (const char* key : keys)
      if (const auto found = r.find(key)) found->fail(why);
  };
  if (has_frame(sensor.type)) {
    refuse({"joint", "axis", "offset"}, "a sensor of this type does not measure at a joint");
    if (has_factor(sensor.type))
      r.read("factor", sensor.factor, kPositionRange);
    else
      refuse({"factor"}, "only readings of force, torque and joints have a factor");
    if (needs_body(sensor.type) && !r.find("body")) r.fail("a sensor of this type needs a \"body\"");
    read_body(r, "body", scene, sensor.body);
    r.read("position", sensor.position, kPositionRange);
    if (const auto orientation = r.find("orientation")) sensor.orientation = orientation->orientation();
  } else {
    refuse({"body", "position", "orientation"}, "a sensor of this type does not measure at a body");
  }
  if (sensor.type == SceneSensor::Type::clock)
    refuse({"joint", "axis", "factor", "offset"}, "a clock does not measure at a joint");
  if (sensor.type == SceneSensor::Type::touch) {
    if (const auto zone = r.find("zone")) sensor.zone = read_shape(*zone, {});
  } else {
    refuse({"zone"}, "only a sensor of type 'touch' has a zone");
  }
  if (has_joint(sensor.type)) {
    sensor.joint = r.at("joint").name();
    const auto joint = scene.world.find_joint(sensor.joint);
    if (!joint) r.at("joint").fail("there is no joint '" + short_text(sensor.joint) + "'");
    if (!std::holds_alternative<AxesJoint>(scene.world.joint(joint).kind))
      r.at("joint").fail("this joint has no coordinates");
    sensor.axis = read_axis(r, scene.world.joint(joint));
    r.read("factor", sensor.factor, kPositionRange);
    r.read("offset", sensor.offset, kPositionRange);
  }
  r.read("rate", sensor.rate, kSensorRateRange);
  return sensor;
}

}  // namespace

void check_picture(std::string_view bytes) {
  if (bytes.size() > kMaxImageSize)
    throw Error("the picture is larger than " + std::to_string(kMaxImageSize / 1'000'000) + " MB");
  if (!bytes.starts_with("\x89PNG\r\n\x1a\n") && !bytes.starts_with("\xff\xd8\xff"))
    throw Error("the picture is neither PNG nor JPEG");
}

std::string too_many_pictures() {
  return "the pictures of the scene exceed " + std::to_string(kMaxImagesSize / 1'000'000) + " MB in all";
}

bool has_joint(SceneSensor::Type type) {
  return type == SceneSensor::Type::joint_position || type == SceneSensor::Type::joint_velocity ||
         type == SceneSensor::Type::motor_force;
}

bool needs_body(SceneSensor::Type type) {
  return type == SceneSensor::Type::force || type == SceneSensor::Type::torque || type == SceneSensor::Type::touch;
}

bool has_factor(SceneSensor::Type type) {
  return has_joint(type) || type == SceneSensor::Type::force || type == SceneSensor::Type::torque;
}

bool is_free_axis(const JointDef& joint, int axis) {
  const auto* kind = std::get_if<AxesJoint>(&joint.kind);
  return kind && kind->axes[static_cast<std::size_t>(axis)].motion != AxisMotion::locked;
}

bool has_frame(SceneSensor::Type type) { return !has_joint(type) && type != SceneSensor::Type::clock; }

void read_appearance(const JsonReader& r, Scene& scene) {
  r.only({"textures", "sky", "lights", "headlight", "cameras"});
  Appearance& out = scene.appearance;
  if (const auto textures = r.find("textures")) {
    const std::set<std::string> names = material_names(scene);
    std::size_t size = 0;
    for (const JsonReader& texture : textures->members())
      r.attempt([&] {
        const std::string name(texture.key());
        if (!names.contains(name)) texture.fail("there is no material '" + short_text(name) + "'");
        Texture read = read_texture(texture);
        size += read.image.size();
        if (size > kMaxImagesSize) texture.fail(too_many_pictures());
        out.textures[name] = std::move(read);
      });
    share_pictures(*textures, out);
  }
  if (const auto sky = r.find("sky")) {
    sky->only({"top", "bottom"});
    out.sky.emplace();
    read_color(*sky, "top", out.sky->top);
    read_color(*sky, "bottom", out.sky->bottom);
  }
  if (const auto headlight = r.find("headlight")) {
    headlight->only({"color", "ambient"});
    out.headlight.emplace();
    read_color(*headlight, "color", out.headlight->color);
    read_color(*headlight, "ambient", out.headlight->ambient);
  }
  read_list(r, "lights", [&](const JsonReader& item) { out.lights.push_back(read_light(item, scene)); });
  std::set<std::string> cameras;
  read_list(r, "cameras", [&](const JsonReader& item) {
    out.cameras.push_back(read_mounted_camera(item, scene));
    refuse_duplicate(item, "camera", out.cameras.back().name, cameras);
  });
}

void read_sensors(const JsonReader& r, Scene& scene) {
  std::set<std::string> names;
  read_items(r, [&](const JsonReader& item) {
    scene.sensors.push_back(read_sensor(item, scene));
    refuse_duplicate(item, "sensor", scene.sensors.back().name, names);
  });
}

}  // namespace rigor
