// The sections of an MJCF file in the order in which they depend on each other.
#include "models/mjcf.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "io/json_text.h"
#include "io/png.h"
#include "io/scene_limits.h"
#include "io/scene_parts.h"
#include "rigor/error.h"

namespace rigor::models {

using Kind = ModelNote::Kind;

namespace {

/// Heights from a grey picture, whose first row is the farthest one along y.
std::vector<double> read_picture(const std::string& bytes, double& rows, double& columns) {
  const GreyPicture picture = read_grey_png(bytes);
  rows = picture.height, columns = picture.width;
  std::vector<double> heights;
  for (std::size_t r = picture.height; r-- > 0;)
    for (std::size_t c = 0; c < picture.width; ++c) heights.push_back(picture.pixels[r * picture.width + c]);
  return heights;
}

/// Heights from a picture, or from MuJoCo's own format: two 32-bit counts and that many 32-bit floats.
std::vector<double> read_elevations(const std::string& bytes, double& rows, double& columns) {
  if (bytes.starts_with("\x89PNG")) return read_picture(bytes, rows, columns);
  std::int32_t counts[2] = {};
  if (bytes.size() < sizeof counts) throw Error("the file is too short for a height field");
  std::memcpy(counts, bytes.data(), sizeof counts);
  if (counts[0] < 2 || counts[1] < 2 || counts[0] > kMaxGridSamples || counts[1] > kMaxGridSamples)
    throw Error("the file is no height field: it asks for " + std::to_string(counts[0]) + " rows");
  const auto count = static_cast<std::size_t>(counts[0]) * static_cast<std::size_t>(counts[1]);
  if (bytes.size() != sizeof counts + count * sizeof(float)) throw Error("the file has not as many heights as it says");
  std::vector<float> numbers(count);
  std::memcpy(numbers.data(), bytes.data() + sizeof counts, count * sizeof(float));
  for (const float v : numbers)
    if (!std::isfinite(v)) throw Error("a height is not finite");
  rows = counts[0], columns = counts[1];
  return {numbers.begin(), numbers.end()};
}

}  // namespace

MjcfReader::MjcfReader(const Element& root, const FileAccess& files, const ModelOptions& options, Ledger& ledger)
    : root_(root), files_(files), options_(options), ledger_(ledger) {}

// ---- includes -------------------------------------------------------------------------------------

void MjcfReader::expand_includes(const Element& parent, int depth) {
  if (depth > 300) parent.fail("more than 300 elements or includes are nested in each other");
  for (const Element& e : parent.children()) {
    if (e.name() != "include") {
      expand_includes(e, depth + 1);
      continue;
    }
    const std::size_t before = mistake_count();
    e.attempt([&] { include(e, depth); });
    if (mistake_count() > before) e.file()->mistakes->mark_all_names();
  }
}

void MjcfReader::include(const Element& e, int depth) {
  const std::string reference = e.text("file");
  std::error_code error;
  std::string path;
  try {
    path = files_.resolve(reference);
    // Counted from the folder of the model, or from that of the file that includes it.
    if (!std::filesystem::exists(path, error) && std::filesystem::path(reference).is_relative()) {
      const std::filesystem::path beside = std::filesystem::path(e.file()->path).parent_path() / reference;
      const std::string near = std::filesystem::relative(beside, files_.folder, error).string();
      if (!near.empty()) path = files_.resolve(near);
    }
  } catch (const Error& refused) {
    e.fail(refused.what());
  }
  const std::string real = std::filesystem::weakly_canonical(path, error).string();
  if (!std::filesystem::exists(path, error)) e.fail("there is no file '" + short_text(reference) + "' to include");
  // MuJoCo refuses a file that is included twice; a cycle is the case that matters.
  if (!open_files_.insert(real).second) e.fail("the file '" + short_text(reference) + "' is included already");
  if (included_.size() >= 1000) e.fail("more than 1000 files are included");
  std::string text;
  try {
    text = read_file(path);
  } catch (const Error& read_error) {
    e.fail(read_error.what());
  }
  included_.push_back(
      parse_xml(std::move(text), std::filesystem::path(path).filename().string(), path, e.file()->mistakes));
  const XmlFile* file = included_.back().get();
  const Element root(file->document.document_element(), file);
  if (!root) e.fail("the included file has no element");
  expand_includes(root, depth + 1);
  included_by_[e.node().hash_value()] = children(root);
}

std::vector<Element> MjcfReader::children(const Element& parent) const {
  std::vector<Element> list;
  for (const Element& e : parent.children()) {
    if (e.name() != "include") {
      list.push_back(e);
      continue;
    }
    const auto found = included_by_.find(e.node().hash_value());
    if (found != included_by_.end()) list.insert(list.end(), found->second.begin(), found->second.end());
  }
  return list;
}

std::vector<Element> MjcfReader::sections(const char* name) const {
  std::vector<Element> list;
  for (const Element& e : children(root_))
    if (e.name() == name) list.push_back(e);
  return list;
}

std::vector<Element> MjcfReader::in_sections(const char* name) const {
  std::vector<Element> list;
  for (const Element& section : sections(name)) {
    const std::vector<Element> inner = children(section);
    list.insert(list.end(), inner.begin(), inner.end());
  }
  return list;
}

// ---- settings -------------------------------------------------------------------------------------

void MjcfReader::read_compiler(const Element& e) {
  if (e.has("angle")) compiler_.degrees = e.word("angle", "degree", {"radian", "degree"}) == "degree";
  compiler_.autolimits = e.flag("autolimits", compiler_.autolimits);
  if (e.has("eulerseq")) {
    const std::string sequence = e.text("eulerseq");
    e.attempt([&] {
      if (sequence.size() != 3 || sequence.find_first_not_of("xyzXYZ") != std::string::npos)
        e.fail("eulerseq: expected three of the letters x, y, z, X, Y, Z");
      compiler_.eulerseq = sequence;
    });
  }
  if (e.has("inertiafromgeom")) compiler_.inertia_from_geom = Attributes(e).three_way("inertiafromgeom", 2);
  if (e.has("inertiagrouprange")) {
    const std::vector<double> range = e.numbers("inertiagrouprange", 2, 2);
    if (range[0] != std::floor(range[0]) || range[1] != std::floor(range[1]))
      e.attempt([&] { e.fail("inertiagrouprange: expected two whole numbers"); });
    for (std::size_t k = 0; k < 2; ++k)
      compiler_.inertia_groups[k] = static_cast<int>(std::clamp(range[k], -1.0, 100.0));
  }
  compiler_.bound_mass = e.number("boundmass", compiler_.bound_mass);
  compiler_.bound_inertia = e.number("boundinertia", compiler_.bound_inertia);
  compiler_.set_total_mass = e.number("settotalmass", compiler_.set_total_mass);
  if (compiler_.set_total_mass > 0)
    e.attempt([&] { e.check_range("settotalmass", compiler_.set_total_mass, kMassRange, "a mass in kg"); });
  compiler_.balance_inertia = e.flag("balanceinertia", compiler_.balance_inertia);
  compiler_.discard_visual = e.flag("discardvisual", compiler_.discard_visual);
  compiler_.strip_path = e.flag("strippath", compiler_.strip_path);
  if (e.has("assetdir")) compiler_.mesh_folder = compiler_.texture_folder = compiler_.asset_folder = e.text("assetdir");
  if (e.has("meshdir")) compiler_.mesh_folder = e.text("meshdir");
  if (e.has("texturedir")) compiler_.texture_folder = e.text("texturedir");
  if (e.has("coordinate") && e.text("coordinate") != "local")
    e.fail("coordinate: global coordinates are not read; MuJoCo itself gave them up");
}

void MjcfReader::read_options(const Element& e) {
  robot_.gravity = e.vector("gravity", robot_.gravity);
  const double step = e.number("timestep", *robot_.step);
  for (const Element& flag : e.children("flag")) {
    for (const pugi::xml_attribute attribute : flag.node().attributes())
      flag.word(attribute.name(), "enable", {"enable", "disable"});
    if (flag.text("gravity") == "disable") robot_.gravity = {};
    if (flag.text("contact") == "disable")
      ledger_.note(flag, "contact", Kind::ignored, "contacts stay; can_collide of the bodies switches them off");
  }
  if (!(step > kStepRange.min && step <= kStepRange.max))
    e.fail("timestep: expected a positive number of seconds, at most 1e9");
  robot_.step = step;
}

// ---- assets ---------------------------------------------------------------------------------------

void MjcfReader::read_mesh(const Element& e) {
  const Attributes a = defaults_.of(e, {"mesh"}, "");
  const std::string file = a.text("file");
  std::string name = e.text("name");
  if (name.empty()) name = std::filesystem::path(file).stem().string();
  if (name.empty()) e.fail("a mesh has a name or a file");
  take_name(e, "mesh", name);
  Mesh& mesh = meshes_[name];
  mesh.where = e;
  try {
    MeshData data;
    if (a.has("vertex")) {
      const std::vector<double> xyz = a.numbers("vertex", 12, kMaxMeshCorners);
      if (xyz.size() % 3 != 0) e.fail("vertex: expected three numbers for each corner");
      for (std::size_t i = 0; i < xyz.size(); i += 3) data.vertices.push_back({xyz[i], xyz[i + 1], xyz[i + 2]});
      if (a.has("face")) {
        const std::vector<double> corners = a.numbers("face", 3, kMaxMeshCorners);
        if (corners.size() % 3 != 0) e.fail("face: expected three corners for each triangle");
        for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
          std::array<int, 3> t{};
          for (std::size_t k = 0; k < 3; ++k) {
            const double c = corners[i + k];
            if (!(c >= 0 && c < static_cast<double>(data.vertices.size()) && c == std::floor(c)))
              e.fail("face: there is no such corner");
            t[k] = static_cast<int>(c);
          }
          data.triangles.push_back(t);
        }
      }
    } else if (!file.empty()) {
      std::string path = compiler_.strip_path ? std::filesystem::path(file).filename().string() : file;
      if (!compiler_.mesh_folder.empty() && !std::filesystem::path(path).is_absolute())
        path = (std::filesystem::path(compiler_.mesh_folder) / path).string();
      data = read_mesh_file(path, files_);
    } else {
      throw Error("it has neither a file nor corners");
    }
    const Vec3 offset = a.vector("refpos", {});
    Quat turn;
    if (a.has("refquat")) {
      const std::vector<double> q = a.numbers("refquat", 4, 4);
      turn = Quat{q[0], q[1], q[2], q[3]};
      if (!(dot(turn, turn) > 1e-24)) e.fail("refquat: four zeros are no orientation");
      turn = normalized(turn);
    }
    if (offset != Vec3{} || turn != Quat{})
      for (Vec3& v : data.vertices) v = rotate_inverse(turn, v - offset);
    const Vec3 factors = a.vector("scale", {1, 1, 1});
    if (factors.x * factors.y * factors.z == 0) e.fail("scale: expected factors that are not zero");
    scale(data, factors);
    if (data.triangles.empty()) {  // corners alone: their convex hull
      mesh.entry.hull = convex_hull(data.vertices);
      mesh.entry.drawn = mesh.entry.hull;
    } else {
      tidy(data);
      if (data.triangles.empty()) throw Error("it has no triangles with an area");
      mesh.entry = mesh_cache_.make(std::move(data));
      MeshCache::add_hull(mesh.entry);
    }
  } catch (const Consequence&) {
    throw;
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(e.file()->name)) throw;
    mesh.trouble = error.what();
    ledger_.skip(e, Kind::appearance, std::string("the mesh is left out: ") + error.what());
  }
}

/// Elevations go from 0 to 1 over the given ones, times the third size; rows run along y, columns along x, z is up.
void MjcfReader::read_height_field(const Element& e) {
  const std::string file = e.text("file");
  std::string name = e.text("name");
  if (name.empty()) name = std::filesystem::path(file).stem().string();
  if (name.empty()) e.fail("a height field has a name or a file");
  take_name(e, "height field", name);
  ShapePtr& shape = height_fields_[name];
  const std::vector<double> size = e.numbers("size", 4, 4);
  for (const double s : size)
    if (!(s > 0)) e.fail("size: expected four positive numbers");
  double rows = e.integer("nrow", 0), columns = e.integer("ncol", 0);
  std::vector<double> data;
  try {
    if (!file.empty()) {
      const std::filesystem::path given = file;
      const std::string path =
          (std::filesystem::path(compiler_.asset_folder) / (compiler_.strip_path ? given.filename() : given)).string();
      data = read_elevations(read_file(files_.resolve(path)), rows, columns);
    } else {
      if (!(rows >= 2 && columns >= 2 && rows <= kMaxGridSamples && columns <= kMaxGridSamples))
        e.fail("nrow and ncol: expected at least two samples along each side, and at most 30000");
      if (!e.has("elevation")) {
        ledger_.note(e, "", Kind::replaced, "its heights are those of a program; the field is flat");
        rows = columns = 2;  // the same plane, whatever number of samples the file asks for
      }
      const auto count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
      data = e.has("elevation") ? e.numbers("elevation", count, count) : std::vector<double>(count);
    }
    height_samples_ += data.size();
    if (height_samples_ > kMostHeightSamples)
      e.fail("the height fields of the model have more than " + std::to_string(kMostHeightSamples) +
             " samples together");
    const auto [least, most] = std::minmax_element(data.begin(), data.end());
    const double low = *least, range = *most - *least;
    const int c = static_cast<int>(columns), r = static_cast<int>(rows);
    std::vector<double> heights;
    for (int row = r; row-- > 0;)  // our rows run along −y
      for (int column = 0; column < c; ++column) {
        const double v =
            data[static_cast<std::size_t>(row) * static_cast<std::size_t>(c) + static_cast<std::size_t>(column)];
        heights.push_back(range > 0 ? (v - low) / range * size[2] : 0);
      }
    shape = height_field(c, r, 2 * size[0] / (c - 1), 2 * size[1] / (r - 1), std::move(heights));
  } catch (const Consequence&) {
    throw;
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(e.file()->name)) throw;
    e.fail(error.what());
  }
}

void MjcfReader::take_name(const Element& e, const char* kind, const std::string& name) {
  if (name.empty() || names_[kind].insert(name).second) return;
  e.attempt([&] { e.fail(std::string("there is already a ") + kind + " named '" + short_text(name) + "'"); });
}

void MjcfReader::read_asset(const Element& e) {
  if (e.name() == "mesh") read_mesh(e);
  if (e.name() == "hfield") read_height_field(e);
  if (e.name() == "material") read_material(e);
}

// ---- masses ---------------------------------------------------------------------------------------

void MjcfReader::refuse_unread_masses() {
  for (const auto& [i, mesh] : unread_masses_)
    if (compiler_.inertia_from_geom == 1 || !given_mass_[static_cast<std::size_t>(i)])
      mesh->where.attempt([&, m = mesh] { m->where.fail("the mesh cannot be read: " + m->trouble); });
}

void MjcfReader::finish_masses() {
  if (compiler_.inertia_from_geom != 0) refuse_unread_masses();
  double total = 0;
  const auto from_geoms = [this](std::size_t i) {
    return compiler_.inertia_from_geom == 1 || (compiler_.inertia_from_geom == 2 && !given_mass_[i]);
  };
  for (std::size_t i = 0; i < robot_.links.size(); ++i) {
    Link& link = robot_.links[i];
    link.mass = from_geoms(i) ? geom_mass_[i] : given_mass_[i].value_or(MassProperties{});
    if (link.mass.mass > 0) link.mass.mass = std::max(link.mass.mass, compiler_.bound_mass);
    total += link.mass.mass;
  }
  for (const auto& [i, geom] : hull_masses_)
    if (from_geoms(static_cast<std::size_t>(i)))
      ledger_.remark(geom, Kind::replaced,
                     "the surface of its mesh is not closed, or crosses itself; its mass is that of its convex hull");
  if (!(compiler_.set_total_mass > 0 && total > 0)) return;
  for (Link& link : robot_.links) {
    const double mass = link.mass.mass * compiler_.set_total_mass / total;
    if (link.mass.mass > 0 && !(mass > 0))
      link.where.attempt([&] { link.where.fail("settotalmass leaves it without mass"); });
    else if (mass > 0)
      link.mass = with_mass(link.mass, mass);
  }
}

// ---- all of it ------------------------------------------------------------------------------------

unsigned MjcfReader::position_count(const JointSpec& j) {
  return j.type == JointSpec::Type::free ? 7u : j.type == JointSpec::Type::ball ? 4u : 1u;
}

unsigned MjcfReader::velocity_count(const JointSpec& j) {
  return j.type == JointSpec::Type::free ? 6u : j.type == JointSpec::Type::ball ? 3u : 1u;
}

std::size_t MjcfReader::total(unsigned (*count)(const JointSpec&)) const {
  std::size_t size = 0;
  for (const auto& [link, number] : joint_order_)
    size += count(robot_.links[static_cast<std::size_t>(link)].joints[static_cast<std::size_t>(number)]);
  return size;
}

void MjcfReader::read_positions(const Element& key) {
  const std::size_t size = total(position_count);
  const std::vector<double> q = key.numbers("qpos", size, size);
  std::size_t at = 0;
  for (const auto& [link, number] : joint_order_) {
    JointSpec& j = robot_.links[static_cast<std::size_t>(link)].joints[static_cast<std::size_t>(number)];
    const auto quaternion = [&](std::size_t k) {
      const Quat value{q[k], q[k + 1], q[k + 2], q[k + 3]};
      if (!(dot(value, value) > 1e-12)) key.fail("qpos: a quaternion is zero");
      return normalized(value);
    };
    if (j.type == JointSpec::Type::free)
      j.start_pose = Transform{{q[at], q[at + 1], q[at + 2]}, quaternion(at + 3)};
    else if (j.type == JointSpec::Type::ball)
      j.start_rotation = quaternion(at);
    else
      j.start = q[at] - j.ref;
    at += position_count(j);
  }
}

/// Reads `qvel`: rates of hinges and slides; the angular velocity of balls in their link's frame; the velocity of free bodies in the world, then their
/// angular velocity in their own frame.
void MjcfReader::read_velocities(const Element& key) {
  const std::size_t size = total(velocity_count);
  const std::vector<double> v = key.numbers("qvel", size, size);
  for (const double rate : v) {
    if (std::abs(rate) > kVelocityRange.max) key.fail("qvel: expected numbers up to 1e9");
  }
  std::size_t at = 0;
  for (const auto& [link, number] : joint_order_) {
    JointSpec& j = robot_.links[static_cast<std::size_t>(link)].joints[static_cast<std::size_t>(number)];
    const auto three = [&](std::size_t k) { return Vec3{v[k], v[k + 1], v[k + 2]}; };
    if (j.type == JointSpec::Type::free)
      j.start_velocity = three(at), j.start_spin = three(at + 3);
    else if (j.type == JointSpec::Type::ball)
      j.start_spin = three(at);
    else
      j.start_rate = v[at];
    at += velocity_count(j);
  }
}

/// Keyframes that are not chosen must have the right number of coordinates and controls as well. They are not checked if a part of the model is left out.
void MjcfReader::check_keyframes() {
  if (!is_complete_) return;
  const std::size_t actuators = servo_gain_.size();
  for (const Element& key : in_sections("keyframe"))
    key.attempt([&] {
      if (key.has("qpos")) key.numbers("qpos", total(position_count), total(position_count));
      if (key.has("qvel")) key.numbers("qvel", total(velocity_count), total(velocity_count));
      if (key.has("ctrl")) key.numbers("ctrl", actuators, actuators);
    });
}

void MjcfReader::read_keyframe() {
  if (options_.keyframe.empty()) return;
  for (const Element& key : in_sections("keyframe")) {
    if (key.text("name") != options_.keyframe) continue;
    if (key.has("qpos")) read_positions(key);
    if (key.has("qvel")) read_velocities(key);
    if (key.has("ctrl") && !servo_gain_.empty()) {
      const std::vector<double> ctrl = key.numbers("ctrl", 0, servo_gain_.size());
      bool has_other = false;
      for (std::size_t i = 0; i < ctrl.size(); ++i) {
        if (JointSpec* j = servo_gain_[i].second != 0 ? find_joint(servo_gain_[i].first) : nullptr)
          j->motor.target += ctrl[i] * servo_gain_[i].second / j->motor.proportional;
        else
          has_other = has_other || ctrl[i] != 0;
      }
      if (has_other)
        ledger_.note(key, "ctrl", Kind::ignored,
                     "only position servos start with their controls; other actuators start with zero");
    }
    return;
  }
  root_.fail("there is no keyframe '" + short_text(options_.keyframe) + "'");
}

void MjcfReader::list_lost() const {
  const auto list = [](const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i)
      text += (i == 0 ? " '" : ", '") + short_text(names[i]) + "'";
    return names.size() > kMost ? text + " and " + std::to_string(names.size() - kMost) + " more" : text;
  };
  const auto named = [&](const char* section) {
    std::vector<std::string> names;
    for (const Element& e : in_sections(section))
      if (const std::string name = e.text("name"); !name.empty() && (e.name() != "key" || name != options_.keyframe))
        names.push_back(name);
    return names;
  };
  if (const std::vector<std::string> keys = named("keyframe"); !keys.empty())
    ledger_.lose("a scene starts from one keyframe, which --keyframe chooses; not kept:" + list(keys));
  std::vector<std::string> sites;
  for (const auto& [name, site] : sites_) sites.push_back(name);
  if (!sites.empty())
    ledger_.lose("a scene has no sites, only the sensors and tendons at them; not kept:" + list(sites));
  if (const std::vector<std::string> actuators = named("actuator"); !actuators.empty())
    ledger_.lose("motors have the names of their joints; names of actuators that are not kept:" + list(actuators));
  if (control_ranges_ > 0)
    ledger_.lose("ranges of controls are not kept (" + std::to_string(control_ranges_) +
                 "): those of motors bound the force, others have no effect");
}

Robot MjcfReader::read() {
  std::error_code error;
  if (!root_.file()->path.empty())
    open_files_.insert(std::filesystem::weakly_canonical(root_.file()->path, error).string());
  expand_includes(root_, 0);
  robot_.name = root_.text("model");
  robot_.static_parents_collide = true;
  robot_.step = 0.002;
  const auto read_each = [](const std::vector<Element>& elements, auto read) {
    for (const Element& e : elements) e.attempt([&] { read(e); });
  };
  read_each(sections("compiler"), [&](const Element& e) { read_compiler(e); });
  read_each(sections("option"), [&](const Element& e) { read_options(e); });
  read_each(sections("default"),
            [&](const Element& e) { defaults_.read(e, [this](const Element& parent) { return children(parent); }); });
  read_each(in_sections("asset"), [&](const Element& e) {
    if (e.name() == "texture") read_texture(e);
  });
  read_each(in_sections("asset"), [&](const Element& e) { read_asset(e); });
  for (const Element& e : in_sections("contact"))
    if (e.name() == "pair") paired_geoms_.insert({e.text("geom1"), e.text("geom2")});
  read_each(sections("worldbody"), [&](const Element& e) { read_body_content(e, kWorld, {}); });
  finish_masses();
  poses_ = world_poses(robot_);
  find_camera_targets();
  read_each(sections("visual"), [&](const Element& e) { read_visual(e); });
  read_each(sections("statistic"), [&](const Element& e) { read_statistic(e); });
  read_each(in_sections("sensor"), [&](const Element& e) { read_sensor(e); });
  number_equal_names();
  set_view();
  read_each(in_sections("contact"), [&](const Element& e) { read_contact(e); });
  read_each(in_sections("tendon"), [&](const Element& e) { read_tendon(e); });
  read_each(in_sections("equality"), [&](const Element& e) { read_equality(e); });
  read_each(in_sections("actuator"), [&](const Element& e) { read_actuator(e); });
  bound_motors();
  start_followers(robot_, ledger_);
  if (mistake_count() == 0) set_springs_by_time();
  for (Link& link : robot_.links) add_armature(robot_, link, ledger_);
  if (mistake_count() == 0) check_keyframes();
  root_.attempt([&] { read_keyframe(); });
  list_lost();
  return std::move(robot_);
}

}  // namespace rigor::models
