// Recognises the format of a model file, by its content first.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "io/json_text.h"
#include "io/mesh_file.h"
#include "io/scene_parts.h"
#include "model/convex_parts.h"
#include "model/mesh_surface.h"
#include "models/gltf_physics.h"
#include "models/load_model.h"
#include "models/mjcf.h"
#include "models/shapes.h"
#include "models/urdf.h"
#include "rigor/error.h"
#include "rigor/model.h"

namespace rigor {

namespace {

using namespace models;

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// The notes that a strict reader does not accept.
std::vector<std::string> refused_notes(const ModelReport& report) {
  std::vector<std::string> refused;
  for (const ModelNote& note : report.notes)
    if (note.kind != ModelNote::Kind::appearance) refused.push_back(to_text(note) + " (--strict refuses this)");
  return refused;
}

void refuse_notes(const ModelReport& report) {
  if (const std::vector<std::string> refused = refused_notes(report); !refused.empty()) throw Error(refused.front());
}

Scene read_xml(std::string text, const std::string& name, const std::string& path, const FileAccess& files,
               const ModelOptions& options, ModelReport& report, XmlMistakes* mistakes = nullptr) {
  const std::unique_ptr<XmlFile> file = parse_xml(std::move(text), name, path, mistakes);
  const Element root(file->document.document_element(), file.get());
  if (!root) throw Error(name, "the file has no element");
  if (root.name() == "robot") {
    Ledger ledger(urdf_table());
    Robot robot = read_urdf(root, files, options.fix_base, ledger);
    if (mistakes) mistakes->stop_after_mistakes();
    Scene scene = build_scene(std::move(robot), ledger);
    ledger.settle(*file, report);
    return scene;
  }
  if (options.fix_base)
    root.fail("only the root of a URDF robot can be fixed; here a body without a joint does not move");
  if (root.name() == "mujoco" || root.name() == "mujocoinclude") {
    Ledger ledger(mjcf_table());
    MjcfReader reader(root, files, options, ledger);
    Robot robot = reader.read();
    if (mistakes) mistakes->stop_after_mistakes();
    Scene scene = build_scene(std::move(robot), ledger);
    ledger.settle(*file, report);
    for (const auto& included : reader.included_files()) ledger.settle(*included, report);
    return scene;
  }
  if (root.name() == "sdf") root.fail("SDF is not read; URDF (<robot>) and MJCF (<mujoco>) are");
  if (root.name() == "COLLADA") root.fail("a COLLADA mesh has the ending .dae");
  root.fail("expected <robot> (URDF) or <mujoco> (MJCF) at the top");
}

/// The scene of a glTF file with rigid bodies; none for a file of surfaces only.
std::optional<Scene> gltf_scene(const std::string& path, const std::string& bytes, const FileAccess& files,
                                ModelReport& report) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension != ".gltf" && extension != ".glb") return std::nullopt;
  const GltfDocument document(bytes, files);
  if (!has_gltf_physics(document)) return std::nullopt;
  // The numbers of glTF have no bounds. Those of scene files are checked, and keep their bits.
  return parse_scene(write_scene(read_gltf_physics(document, std::filesystem::path(path).filename().string(), report)));
}

/// A body drawn in the colours of its mesh. The mass stays that of `def.shape`, which is replaced where there are several colours.
void paint(const MeshData& data, BodyDef& def) {
  const auto surfaces = colored_surfaces(data, def.shape);
  if (surfaces.size() == 1) {
    if (!surfaces[0].second.empty()) def.material.name = surfaces[0].second;
    return;
  }
  if (surfaces.empty()) return;
  const MassProperties solid = mass_properties(*def.shape, def.material.density);
  def.mass = solid.mass;
  def.inertia = solid.inertia;
  def.center_of_mass = solid.center_of_mass;
  std::vector<Composite::Part> parts;
  for (const auto& [shape, color] : surfaces) {
    Material material = def.material;
    if (!color.empty()) material.name = color;
    parts.push_back({shape, {}, material});
  }
  if (!def.collision_shape) def.collision_shape = def.shape;
  def.shape = composite(std::move(parts));
}

/// A mesh by itself: one body that stands on the ground.
Scene mesh_scene(const std::string& path, const FileAccess& files, ModelReport& report) {
  const std::string bytes = read_file(path);
  if (std::optional<Scene> scene = gltf_scene(path, bytes, files, report)) return std::move(*scene);
  MeshData data = parse_mesh(bytes, path, files);
  if (data.is_z_up)  // scenes have y up
    for (Vec3& v : data.vertices) v = {v.x, v.z, -v.y};
  const std::string name = printable_text(std::filesystem::path(path).stem().string());
  const SurfaceState state = surface_state(data);
  const auto note = [&](const std::string& what) {
    report.notes.push_back({ModelNote::Kind::replaced, short_path(path), 0, "mesh", what});
  };
  for (const std::string& what : data.notes) report.notes.push_back({ModelNote::Kind::appearance, "", 0, "", what});
  if (data.dropped > 0) note(std::to_string(data.dropped) + " triangles without an area are left out");
  BodyDef def;
  def.name = name.empty() ? "mesh" : first_characters(name, 150);
  if (!state.is_closed()) {
    def.shape = hull_shape(data);
    note(state.sentence() + "; the body is its convex hull");
  } else {
    if (state.inside_out) turn_round(data), note(state.sentence() + "; they are turned round");
    def.shape = triangle_shape(data);
    if (!def.shape->as<rigor::Mesh>()->closed) throw Error(why_no_volume(*def.shape));
    if (const ShapePtr hull = hull_if_convex(*def.shape)) {
      def.collision_shape = hull;
    } else {
      const Decomposition& parts = decompose(*def.shape->as<rigor::Mesh>(), {});
      def.collision_shape = parts.shape();
      note("it collides as " + parts.sentence());
    }
  }
  const Aabb& bounds = def.shape->local_bounds();
  def.position = {0, -bounds.lower.y, 0};
  paint(data, def);
  Scene scene;
  scene.name = def.name;
  scene.world.add_body(def);
  return scene;
}

FileAccess files_of(const std::string& path, const ModelOptions& options) {
  return {.folder = folder_of(path),
          .allow_outside = options.allow_outside,
          .packages = options.packages,
          .can_be_allowed = true};
}

std::string text_of(const std::string& path) {
  try {
    return read_file(path);
  } catch (const Error& error) {
    throw Error(short_path(path), error.what());
  }
}

/// Sorts sentences "file:line: …" by file and line.
void sort_by_line(std::vector<std::string>& sentences) {
  const auto place = [](const std::string& sentence) {
    const std::size_t colon = sentence.find(':');
    int line = 0;
    if (colon != std::string::npos)
      std::from_chars(sentence.data() + colon + 1, sentence.data() + sentence.size(), line);
    return std::pair(sentence.substr(0, colon), line);
  };
  std::stable_sort(sentences.begin(), sentences.end(),
                   [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
}

/// The mistakes that `read` collects.
template <class Read> std::vector<std::string> collected(const ModelOptions& options, Read read) {
  XmlMistakes mistakes;
  ModelReport report;
  try {
    read(report, &mistakes);
    if (options.strict)
      for (const std::string& note : refused_notes(report)) mistakes.add(note);
  } catch (const Stopped&) {
  } catch (const Consequence&) {
  } catch (const Error& error) {
    mistakes.add(error.what());
  }
  std::vector<std::string> sentences = mistakes.sentences();
  sort_by_line(sentences);
  return sentences;
}

}  // namespace

bool is_model_file(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".urdf" || extension == ".xml" || extension == ".mjcf" || is_mesh_file(path);
}

Scene load_model(const std::string& path, const ModelOptions& options, ModelReport* report) {
  ModelReport own;
  ModelReport& out = report ? *report : own;
  const FileAccess files = files_of(path, options);
  Scene scene;
  if (is_mesh_file(path)) {
    if (options.fix_base) throw Error(short_path(path), "only the root of a URDF robot can be fixed");
    try {
      scene = mesh_scene(path, files, out);
    } catch (const Error& error) {
      throw in_file(path, error);
    }
  } else {
    scene = read_xml(text_of(path), std::filesystem::path(path).filename().string(), path, files, options, out);
  }
  if (scene.name.empty())
    scene.name = first_characters(printable_text(std::filesystem::path(path).stem().string()), 150);
  if (options.strict) refuse_notes(out);
  return scene;
}

Scene parse_model(std::string_view text, const ModelOptions& options, ModelReport* report) {
  ModelReport own;
  ModelReport& out = report ? *report : own;
  const FileAccess files{.forbidden = true};
  Scene scene = read_xml(std::string(text), "model", "", files, options, out);
  if (options.strict) refuse_notes(out);
  return scene;
}

namespace models {

std::vector<std::string> model_mistakes(const std::string& path, const ModelOptions& options) {
  if (is_mesh_file(path)) return {};
  return collected(options, [&](ModelReport& report, XmlMistakes* mistakes) {
    read_xml(text_of(path), std::filesystem::path(path).filename().string(), path, files_of(path, options), options,
             report, mistakes);
  });
}

std::vector<std::string> text_mistakes(std::string_view text, const ModelOptions& options) {
  return collected(options, [&](ModelReport& report, XmlMistakes* mistakes) {
    read_xml(std::string(text), "model", "", FileAccess{.forbidden = true}, options, report, mistakes);
  });
}

}  // namespace models
}  // namespace rigor
