// Reads what the viewer can draw as well as MuJoCo: textures of materials, the sky, lights, cameras.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "io/appearance_parts.h"
#include "io/json_text.h"
#include "io/scene_parts.h"
#include "models/mjcf.h"
#include "rigor/error.h"

namespace rigor::models {

using Kind = ModelNote::Kind;

namespace {

constexpr const char* kViewer = "a setting of MuJoCo's own viewer";

Vec3 middle(const Vec3& a, const Vec3& b) { return 0.5 * (a + b); }
Vec3 product(const Vec3& a, const Vec3& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

}  // namespace

// ---- textures -------------------------------------------------------------------------------------

void MjcfReader::read_sky(const Element& e, const Texture& texture) {
  if (texture.pattern != Texture::Pattern::gradient && texture.pattern != Texture::Pattern::flat) {
    ledger_.skip(e, Kind::appearance, "a sky is drawn as a gradient of two colours only");
  } else if (!robot_.sky) {
    robot_.sky = Sky{texture.color, texture.second_color};
  } else {
    ledger_.skip(e, Kind::appearance, "there is a sky already");
  }
}

void MjcfReader::read_texture(const Element& e) {
  const Attributes a(e);
  const std::string file = a.text("file"), type = a.word("type", "cube", {"2d", "cube", "skybox"}),
                    builtin = a.word("builtin", "none", {"none", "gradient", "checker", "flat"});
  std::string name = e.text("name");
  if (name.empty()) name = std::filesystem::path(file).stem().string();
  take_name(e, "texture", name);
  MjcfTexture& made = textures_[name];
  Texture& t = made.texture;
  const Vec3 first = a.vector("rgb1", {0.8, 0.8, 0.8}), second = a.vector("rgb2", {0.5, 0.5, 0.5});
  t.color = color_text(first);
  t.second_color = color_text(second);
  t.mark_color = color_text(a.vector("markrgb", {}));
  t.on_each_side = type != "2d";
  const std::string mark = a.word("mark", "none", {"none", "edge", "cross", "random"});
  t.mark = static_cast<Texture::Mark>(std::find(std::begin(kMarkNames), std::end(kMarkNames), mark) -
                                      std::begin(kMarkNames));
  if (builtin == "checker" || builtin == "gradient" || builtin == "flat") {
    t.pattern = builtin == "checker"    ? Texture::Pattern::checker
                : builtin == "gradient" ? Texture::Pattern::gradient
                                        : Texture::Pattern::flat;
    made.mean = t.pattern == Texture::Pattern::flat ? first : middle(first, second);
    made.is_drawn = true;
  } else if (!file.empty()) {
    read_picture(e, file, made);
  } else {
    ledger_.skip(e, Kind::appearance, "a texture is drawn from a file or one of the patterns checker, gradient, flat");
  }
  if (type == "skybox" && made.is_drawn) {
    made.is_drawn = false;
    read_sky(e, t);
  }
}

void MjcfReader::read_picture(const Element& e, const std::string& file, MjcfTexture& made) {
  const std::filesystem::path given = file;
  const std::string path =
      (std::filesystem::path(compiler_.texture_folder) / (compiler_.strip_path ? given.filename() : given)).string();
  try {
    std::string bytes = read_file(files_.resolve(path));
    check_picture(bytes);
    if (picture_bytes_ + bytes.size() > kMaxImagesSize) throw Error(too_many_pictures());
    picture_bytes_ += bytes.size();
    made.texture.pattern = Texture::Pattern::image;
    made.texture.image = std::move(bytes);
    made.mean = {1, 1, 1};
    made.is_drawn = true;
  } catch (const Error& error) {
    ledger_.skip(e, Kind::appearance,
                 "the picture '" + short_text(file) + "' is left out, so a plain colour is drawn: " + error.what());
    return;
  }
  for (const char* attribute : {"gridsize", "gridlayout"})
    if (e.has(attribute)) ledger_.note(e, attribute, Kind::appearance, "every side shows the whole picture");
}

void MjcfReader::read_material(const Element& e) {
  const Attributes a = defaults_.of(e, {"material"}, "");
  take_name(e, "material", e.text("name"));
  MjcfMaterial material;
  if (a.has("rgba")) {
    const std::array<double, 4> rgba = read_color(a, 1);
    material.color = Vec3{rgba[0], rgba[1], rgba[2]};
  }
  std::string texture = a.text("texture");
  for (const Element& layer : e.children("layer"))
    if (layer.text("role") == "rgb" || layer.text("role") == "rgba")
      texture = layer.text("texture");
    else
      ledger_.skip(layer, Kind::appearance, "only layers of the roles rgb and rgba are drawn");
  if (!texture.empty()) {
    const auto found = textures_.find(texture);
    if (found == textures_.end())
      e.fail_missing(texture, "texture: there is no texture named '" + short_text(texture) + "'");
    if (found->second.is_drawn) {
      material.texture = texture;
      const std::vector<double> repeat = a.has("texrepeat") ? a.numbers("texrepeat", 1, 2) : std::vector<double>{1, 1};
      material.repeat = {repeat[0], repeat.size() > 1 ? repeat[1] : 1};
      for (double& r : material.repeat)
        if (!(r > 1e-9 && r < 1e9)) e.fail("texrepeat: expected positive numbers");
      material.per_metre = a.flag("texuniform", false);
    } else if (a.has("texture")) {
      ledger_.note(a.source("texture"), "texture", Kind::appearance,
                   "the texture is left out; a plain colour is drawn");
    }
  }
  materials_[e.text("name")] = std::move(material);
}

void MjcfReader::paint(const Attributes& a, const std::string& type, Geom& geom) {
  const std::string name = a.text("material");
  const auto found = name.empty() ? materials_.end() : materials_.find(name);
  if (!name.empty() && found == materials_.end())
    ledger_.note(a.source("material"), "material", Kind::appearance, "there is no such material");
  const MjcfMaterial none, &material = found == materials_.end() ? none : found->second;
  std::optional<Vec3> color = material.color;
  if (a.has("rgba")) {
    const std::array<double, 4> rgba = read_color(a, 0.5);
    color = Vec3{rgba[0], rgba[1], rgba[2]};
    if (rgba[3] == 0) geom.drawn = false;
  }
  if (material.texture.empty()) {
    if (color)
      geom.material.name = colored_name(name, color->x, color->y, color->z);
    else if (!name.empty())
      geom.material.name = first_characters(name, 120);
    return;
  }
  const MjcfTexture& made = textures_.at(material.texture);
  const Vec3 tint = color.value_or(Vec3{1, 1, 1}), shown = product(tint, made.mean);
  geom.material.name = colored_name(name, shown.x, shown.y, shown.z);
  std::array<double, 2> repeat = material.repeat;
  bool per_metre = material.per_metre && !made.texture.on_each_side;
  if (type == "plane") {  // Planes are infinite here, so repeats over the size in the file become repeats per metre.
    const std::vector<double> size = a.has("size") ? a.numbers("size", 1, 3) : std::vector<double>{};
    for (std::size_t k = 0; k < 2 && !per_metre; ++k)
      if (k < size.size() && size[k] > 0) repeat[k] /= 2 * size[k];
    for (double& r : repeat) r = std::clamp(r, kRepeatRange.min, kRepeatRange.max);
    per_metre = true;
  }
  // Geoms that look alike, such as replicas, share a texture without a look at its picture.
  const auto [known, is_new] =
      painted_.try_emplace({material.texture, color_text(tint), repeat[0], repeat[1], per_metre}, -1);
  if (is_new) {
    Texture texture = made.texture;
    texture.tint = color_text(tint);
    texture.repeat = repeat;
    texture.per_metre = per_metre;
    known->second = add_texture(robot_, std::move(texture), ledger_);
  }
  geom.texture = known->second;
}

// ---- lights and cameras ---------------------------------------------------------------------------

void MjcfReader::read_light(const Element& e, int link, const Context& context) {
  const Attributes a = defaults_.of(e, {"light"}, context.child_class);
  LightMount mount;
  mount.where = e;
  mount.link = link;
  Light& light = mount.light;
  light.name = first_characters(e.text("name") + (e.text("name").empty() ? "" : context.suffix), kMaxNameLength);
  const Vec3 direction = a.vector("dir", {0, 0, -1});
  if (!(length(direction) > 1e-12)) e.fail("dir: the direction must not be zero");
  mount.pose = context.frame * Transform{a.vector("pos", {}), quaternion_between({0, 0, -1}, normalized(direction))};
  const std::string mode = a.word("mode", "fixed", {"fixed", "track", "trackcom", "targetbody", "targetbodycom"});
  const std::string type = a.word("type", "spot", {"spot", "directional", "point", "image"});
  light.turns = mode == "fixed";
  if (mode == "trackcom" || mode.starts_with("targetbody"))
    ledger_.note(a.source("mode"), "mode", Kind::appearance, "the light moves with its body and keeps its direction");
  light.directional = a.flag("directional", false) || type == "directional";
  light.shadows = a.flag("castshadow", true);
  light.cutoff = std::clamp(a.number("cutoff", 45), 0.1, 180.0);
  if (type == "point") light.cutoff = 180;
  light.color = color_text(a.vector("diffuse", {0.7, 0.7, 0.7}));
  if (a.flag("active", true)) robot_.lights.push_back(std::move(mount));
}

void MjcfReader::read_camera(const Element& e, int link, const Context& context) {
  const Attributes a = defaults_.of(e, {"camera"}, context.child_class);
  CameraMount mount;
  mount.where = e;
  mount.link = link;
  mount.pose = context.frame * read_pose(a);
  MountedCamera& camera = mount.camera;
  camera.name = first_characters(e.text("name") + (e.text("name").empty() ? "" : context.suffix), kMaxNameLength);
  if (camera.name.empty()) camera.name = "camera " + std::to_string(robot_.cameras.size() + 1);
  camera.fov = a.number("fovy", 45);
  if (!(camera.fov >= 0.1 && camera.fov <= 179)) e.fail("fovy: expected an angle between 0 and 180 degrees");
  const std::string mode = a.word("mode", "fixed", {"fixed", "track", "trackcom", "targetbody", "targetbodycom"});
  const auto note_center = [&] {
    ledger_.note(a.source("mode"), "mode", Kind::appearance,
                 "the camera uses the origin of the body, not the center of mass of its subtree");
  };
  if (mode == "track" || mode == "trackcom") {
    camera.mode = MountedCamera::Mode::track;
    if (mode == "trackcom") note_center();
  } else if (mode == "targetbody" || mode == "targetbodycom") {
    camera.mode = MountedCamera::Mode::target;
    targets_.emplace_back(robot_.cameras.size(), a.source("target") ? a.source("target") : e);
    if (mode == "targetbodycom") note_center();
  }
  robot_.cameras.push_back(std::move(mount));
}

void MjcfReader::find_camera_targets() {
  for (const auto& [camera, e] : targets_)
    e.attempt([&, &e = e, &camera = camera] { robot_.cameras[camera].target = find_link(e, "target"); });
}

void MjcfReader::read_visual(const Element& section) {
  bool is_used = false;
  for (const Element& e : children(section)) {
    if (e.name() == "headlight") {
      is_used = true;
      robot_.headlight.emplace();
      if (!e.flag("active", true))
        robot_.headlight->color = robot_.headlight->ambient = "#000000";
      else {
        robot_.headlight->color = color_text(e.vector("diffuse", {0.4, 0.4, 0.4}));
        robot_.headlight->ambient = color_text(e.vector("ambient", {0.1, 0.1, 0.1}));
      }
    } else if (e.name() == "global") {
      if (e.has("azimuth") || e.has("elevation")) {
        is_used = true;
        azimuth_ = e.number("azimuth", 90);
        elevation_ = e.number("elevation", -45);
        has_view_ = true;
      } else {
        ledger_.skip(e, Kind::appearance, kViewer);
      }
    }
  }
  if (!is_used) ledger_.skip(section, Kind::appearance, kViewer);
}

void MjcfReader::read_statistic(const Element& e) {
  if (!e.has("center") && !e.has("extent")) {
    ledger_.skip(e, Kind::appearance, kViewer);
    return;
  }
  if (e.has("center")) center_ = e.vector("center", {});
  if (e.has("extent")) {
    extent_ = e.number("extent", 1);
    if (!(*extent_ > 0)) e.fail("extent: expected a positive number");
  }
  has_view_ = true;
}

/// MuJoCo's free camera: it looks at the center of the model from 1.5 times its extent.
void MjcfReader::set_view() {
  if (!has_view_) return;
  const double az = azimuth_ * kPi / 180, el = elevation_ * kPi / 180;
  const Vec3 towards{-std::cos(el) * std::cos(az), -std::cos(el) * std::sin(az), -std::sin(el)};
  SceneCamera& view = robot_.view;
  if (!extent_) {
    view.direction = towards;
    view.target = center_;
    return;
  }
  Vec3 lower{1e300, 1e300, 1e300}, upper = -1 * lower;
  for (std::size_t i = 0; i < robot_.links.size(); ++i)
    for (const Geom& g : robot_.links[i].geoms) {
      if (!g.shape || !std::isfinite(g.shape->bounding_radius())) continue;
      const Aabb box = world_bounds(*g.shape, poses_[i] * g.pose);
      for (int k = 0; k < 3; ++k) {
        lower[k] = std::min(lower[k], box.lower[k]);
        upper[k] = std::max(upper[k], box.upper[k]);
      }
    }
  view.target = center_ ? *center_ : lower.x < upper.x ? 0.5 * (lower + upper) : Vec3{};
  view.position = *view.target + 1.5 * std::min(*extent_, kPositionRange.max) * towards;
  if (view.position == view.target) {  // far from the origin, where a small distance is rounded away
    view.position.reset();
    view.direction = towards;
  }
}

}  // namespace rigor::models
