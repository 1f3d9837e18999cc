// "include" of scene files: the worlds of other files, put before that of the file itself.
//
// Lists (bodies, joints, forces, …) follow each other, those of included files first. Materials and single keys of the file itself win over those of
// included ones. Only worlds are included; method, run and camera are those of the file itself.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include "io/file_access.h"
#include "io/scene_parts.h"
#include "rigor/error.h"

namespace rigor {

namespace {

constexpr std::size_t kMostFiles = 100;

class Includer {
 public:
  explicit Includer(ReadContext& context) : context_(context) {}

  void expand(Json& scene) {
    if (!scene.is_object() || !scene.contains("include")) return;
    Json world = Json::object();
    collect(scene, context_.files ? *context_.files : models::FileAccess{.forbidden = true}, world);
    if (!scene.contains("world")) scene["world"] = Json::object();
    if (scene["world"].is_object()) merge(scene["world"], "", world);
    scene["world"] = std::move(world);
  }

 private:
  /// Puts the worlds of all files that `scene` includes into `world`, and the files that these include before them.
  void collect(const Json& scene, const models::FileAccess& files, Json& world) {
    const Json& list = scene["include"];
    if (!list.is_array()) throw Error("include", "expected a list of scene files");
    for (const Json& item : list) {
      if (!item.is_string()) throw Error("include", "expected a list of scene files");
      const std::string reference = item.get<std::string>();
      std::string path;
      try {
        path = files.resolve(reference);
      } catch (const Error& error) {
        throw Error("include", error.what());
      }
      add_file(path, reference, files, world);
    }
  }

  void add_file(const std::string& path, const std::string& reference, const models::FileAccess& files, Json& world) {
    namespace fs = std::filesystem;
    std::error_code error;
    const std::string real = fs::weakly_canonical(path, error).string();
    if (open_.contains(real)) throw Error("include", "'" + short_path(reference) + "' includes itself");
    if (++count_ > kMostFiles)
      throw Error("include", "more than " + std::to_string(kMostFiles) + " files are included");
    Json inner;
    try {
      if (fs::is_other(fs::status(path, error))) throw Error("it is a device or a pipe, not a file");
      constexpr std::string_view kModels[] = {".urdf", ".xml", ".gltf", ".glb", ".obj", ".stl", ".dae"};
      if (std::find(std::begin(kModels), std::end(kModels), fs::path(path).extension().string()) != std::end(kModels))
        throw Error("only scene files can be included; 'rigor convert' writes a model as one");
      const std::string text = read_file(path);
      bytes_ += text.size();
      if (bytes_ > kMaxFileSize) throw Error("the included files are larger than 512 MB together");
      inner = parse_json_with_comments(text);
      if (!inner.is_object()) throw Error("a scene is an object");
    } catch (const Error& mistake) {
      throw Error("include", short_path(reference) + ": " + mistake.what());
    }
    open_.insert(real);
    if (inner.contains("include")) {
      models::FileAccess below = files;  // references are relative to the file that has them, and stay in its folder
      below.folder = fs::path(path).parent_path().string();
      if (below.folder.empty()) below.folder = ".";
      collect(inner, below, world);
    }
    open_.erase(real);
    if (inner.contains("world") && inner["world"].is_object()) merge(inner["world"], short_path(reference), world);
  }

  void merge(const Json& from, const std::string& file, Json& world) {
    for (const auto& [key, value] : from.items()) {
      Json& target = world[key];
      if (value.is_array() && (target.is_array() || target.is_null()) && key != "gravity") {
        if (target.is_null()) target = Json::array();
        const std::size_t begin = target.size();
        target.insert(target.end(), value.begin(), value.end());
        if (!file.empty()) context_.included.push_back({key, begin, target.size(), file});
      } else if (key == "materials" && value.is_object() && target.is_object()) {
        for (const auto& [name, material] : value.items()) target[name] = material;
      } else {
        target = value;
      }
    }
  }

  ReadContext& context_;
  std::set<std::string> open_;
  std::size_t count_ = 0, bytes_ = 0;
};

}  // namespace

void expand_includes(Json& scene, ReadContext& context) { Includer(context).expand(scene); }

}  // namespace rigor
