// Scene files: the three blocks, and where their text comes from.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "io/appearance_parts.h"
#include "io/builtin_scenes.h"
#include "io/file_access.h"
#include "io/scene_parts.h"
#include "rigor/error.h"
#include "rigor/model.h"
#include "rigor/registry.h"

namespace rigor {

namespace {

constexpr std::int64_t kVersion = 1;

void check_version(const JsonReader& root) {
  const auto version = root.find("rigor");
  if (!version) root.fail("the key 'rigor' is missing: it holds the version of the format, 1");
  if (version->integer(0, kMaxInteger) != kVersion) version->fail_expected("version 1 of the format");
}

void read_run(const JsonReader& r, Scene& scene) {
  r.only({"dt", "duration", "fixed", "min_step", "max_step", "max_advance", "speed_up"});
  TimeSettings& t = scene.time;
  r.read("dt", t.step, kStepRange);
  r.read("duration", scene.duration, kDurationRange);
  r.read("fixed", t.fixed);
  r.read("min_step", t.min_step, kStepRange);
  r.read("max_step", t.max_step, kStepRange);
  r.read("max_advance", t.max_advance, kDurationRange);
  r.read("speed_up", t.speed_up, kSpeedUpRange);
  if (t.min_step > t.max_step) r.fail("'min_step' must not be larger than 'max_step'");
}

/// Call this after the world and the appearance have been read, because it names their bodies and cameras.
void read_camera(const JsonReader& r, Scene& scene) {
  r.only({"position", "target", "direction", "use", "follow", "trails"});
  const auto body = [&](const JsonReader& value) {
    const std::string name = value.name();
    if (!scene.world.find_body(name)) value.fail("there is no body '" + short_text(name) + "'");
    return name;
  };
  SceneCamera& camera = scene.camera;
  if (const auto position = r.find("position")) r.attempt([&] { camera.position = position->vector(kPositionRange); });
  if (const auto target = r.find("target")) r.attempt([&] { camera.target = target->vector(kPositionRange); });
  if (camera.position && camera.position == camera.target) r.fail("'position' and 'target' must differ");
  if (const auto direction = r.find("direction"))
    r.attempt([&] {
      camera.direction = direction->vector(kPositionRange);
      if (!(length(*camera.direction) > 0)) direction->fail("the direction must not be zero");
      if (camera.position) direction->fail("'position' and 'direction' exclude each other");
    });
  if (const auto use = r.find("use"))
    r.attempt([&] {
      camera.use = use->name();
      const auto& cameras = scene.appearance.cameras;
      if (std::none_of(cameras.begin(), cameras.end(), [&](const MountedCamera& c) { return c.name == camera.use; }))
        use->fail("there is no camera '" + short_text(camera.use) + "'");
    });
  if (const auto follow = r.find("follow")) r.attempt([&] { camera.follow = body(*follow); });
  if (const auto trails = r.find("trails"))
    for (std::size_t i = 0; i < trails->size(); ++i) r.attempt([&] { camera.trails.push_back(body(trails->item(i))); });
}

}  // namespace

std::string read_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw Error("there is no such file");
  if (fs::is_directory(status)) throw Error("this is a directory, not a file");
  // Opening a pipe blocks until another program writes to it, perhaps for ever.
  if (!fs::is_regular_file(status)) throw Error("this is a device or a pipe, not a file");
  const std::string too_large = "the file is larger than " + std::to_string(kMaxFileSize / 1'000'000) + " MB";
  std::string text;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > kMaxFileSize) throw Error(too_large);
  if (!error) text.reserve(size);

  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(1 << 20);
  while (file) {  // in blocks, because a file of /proc has no size
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxFileSize) throw Error(too_large);
  }
  if (!file.eof()) throw Error("the file cannot be read");
  return text;
}

std::string short_path(const std::string& path) {
  constexpr std::size_t kLongest = 60;
  if (path.size() <= kLongest) return short_text(path);
  return "…" + short_text(std::string_view(path).substr(path.size() - kLongest + 5));
}

Scene read_scene(std::string_view text, const SceneLimits& limits) {
  Json json = parse_json_with_comments(text);
  ReadContext context{limits.files, limits.mistakes};
  expand_includes(json, context);
  const JsonReader root(json, &context);
  if (!root.is_object()) root.fail_expected("an object that describes a scene");
  root.attempt([&] { check_version(root); });
  root.only({"$schema", "rigor", "name", "description", "include", "world", "method", "run", "appearance", "sensors",
             "camera"});
  Scene scene;
  const auto section = [&](const char* key, auto read) {
    if (const auto found = root.find(key)) root.attempt([&] { read(*found); });
  };
  section("$schema", [](const JsonReader& r) { r.text(kMaxTextLength); });  // for editors
  section("name", [&](const JsonReader& r) { scene.name = r.text(kMaxNameLength); });
  section("description", [&](const JsonReader& r) { scene.description = r.text(kMaxTextLength); });
  section("method", [&](const JsonReader& r) { scene.method = read_method(r); });
  section("run", [&](const JsonReader& r) { read_run(r, scene); });
  section("world", [&](const JsonReader& r) { read_world(r, scene, limits); });
  section("appearance", [&](const JsonReader& r) { read_appearance(r, scene); });
  section("sensors", [&](const JsonReader& r) { read_sensors(r, scene); });
  section("camera", [&](const JsonReader& r) { read_camera(r, scene); });
  return scene;
}

std::vector<std::string> scene_mistakes(const std::string& path) {
  std::vector<std::string> mistakes;
  try {
    models::FileAccess files{.folder = std::filesystem::path(path).parent_path().string()};
    if (files.folder.empty()) files.folder = ".";
    read_scene(read_file(path), {.files = &files, .mistakes = &mistakes});
  } catch (const Error& error) {
    mistakes.push_back(error.what());
  }
  return mistakes;
}

Simulation make_simulation(const Scene& scene) {
  Simulation simulation(scene.world, scene.method, scene.time);
  if (!scene.drives.empty()) simulation.set_before_step(driven_by(scene.drives, scene.world));
  return simulation;
}

Scene parse_scene(std::string_view text) { return read_scene(text, {}); }

/// Saved runs and recordings are not scenes; the message names the right verb.
static void refuse_other_kinds(const std::string& path) {
  if (path.ends_with(".rsnap"))
    throw Error("this is a saved run, not a scene; `rigor run " + short_path(path) + "` continues it");
  if (path.ends_with(".rrec"))
    throw Error("this is a recording, not a scene; `rigor replay " + short_path(path) + "` reads it");
}

Scene load_scene_file(const std::string& path) {
  std::vector<std::string> unread;
  return load_scene_file(path, unread);
}

Scene load_scene_file(const std::string& path, std::vector<std::string>& notes) {
  try {
    refuse_other_kinds(path);
    models::FileAccess files{.folder = std::filesystem::path(path).parent_path().string()};
    if (files.folder.empty()) files.folder = ".";
    return read_scene(read_file(path), {.files = &files, .notes = &notes});
  } catch (const Error& error) {
    throw Error(short_path(path), error.what());
  }
}

Scene open_scene(const std::string& name) {
  if (is_model_file(name)) return load_model(name);
  const bool is_file = name.find('/') != std::string::npos || name.ends_with(".json") || name.ends_with(".rsnap") ||
                       name.ends_with(".rrec");
  if (is_file) return load_scene_file(name);
  for (const BuiltinScene& scene : builtin_scenes())
    if (scene.name == name) return parse_scene(scene.text);
  if (name.find('.') != std::string::npos)
    throw Error(
        short_path(name),
        "expected a scene file (.json), a model (.urdf, .xml, .obj, .stl, .dae, .gltf, .glb) or the name of a built-in "
        "scene; `rigor scenes` lists those");
  throw Error(unknown_name("scene", short_text(name), builtin_scene_names()));
}

std::vector<std::string> builtin_scene_names() {
  std::vector<std::string> names;
  for (const BuiltinScene& scene : builtin_scenes()) names.emplace_back(scene.name);
  return names;
}

}  // namespace rigor
