// Scenes and recordings in the formats of other programs, by the name of the file.
#include <algorithm>
#include <filesystem>
#include <set>

#include "io/recording_frame.h"
#include "io/recording_output.h"
#include "models/exporters.h"
#include "rigor/error.h"
#include "rigor/model.h"

namespace rigor {

namespace models {

std::map<std::string, BodyMotion> motions_of(const Recording& recording) {
  std::map<std::string, BodyMotion> motions;
  const std::size_t count = recording.steps.size();
  std::map<std::uint32_t, std::pair<BodyMotion*, std::size_t>> filled;  // by name: its poses, and how many there are
  for (std::size_t i = 0; i < count; ++i) {
    for (const RecordedBody& body : recording.steps[i].bodies) {
      auto& [motion, poses] = filled[body.name];
      if (!motion) motion = &motions[recording.names[body.name]];
      const Transform pose{body.position, body.orientation};
      // A body that was not there keeps its last pose; before its first step it stands where it appears.
      const Transform missing = motion->poses.empty() ? pose : motion->poses.back();
      motion->poses.resize(i, missing);
      motion->poses.push_back(pose);
      poses = i + 1;
    }
  }
  for (auto& [name, motion] : motions) motion.poses.resize(count, motion.poses.back());
  return motions;
}

namespace {

/// Keeps all poses of a run, and writes them at its end.
class AnimationRecorder final : public Recorder {
 public:
  AnimationRecorder(const std::string& path, std::string_view scene_text) : file_(path) {
    recording_.scene_text = scene_text;
  }
  void record(const Simulation& simulation) override {
    capture(simulation, names_, recording_.steps.emplace_back());
    bodies_ += recording_.steps.back().bodies.size();
    if (bodies_ > kMostPoses)
      throw Error("--record",
                  "an animation of so many poses does not fit into the memory; record fewer steps (--every)");
  }
  void finish() override {
    recording_.names = names_.names();
    const Scene scene = parse_scene(recording_.scene_text);
    file_.write(export_scene(scene, file_.path(), &recording_).bytes);
    file_.finish();
  }

 private:
  static constexpr std::size_t kMostPoses = 40'000'000;
  OutputFile file_;
  Recording recording_;
  NameTable names_;
  std::size_t bodies_ = 0;
};

std::string ending_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

}  // namespace

}  // namespace models

bool is_animation_file(const std::string& path) {
  const std::string ending = models::ending_of(path);
  return ending == ".gltf" || ending == ".glb" || ending == ".usda";
}

bool is_export_file(const std::string& path) {
  const std::string ending = models::ending_of(path);
  return is_animation_file(path) || ending == ".urdf" || ending == ".xml" || ending == ".mjcf" || ending == ".obj";
}

std::unique_ptr<Recorder> open_animation(const std::string& path, std::string_view scene_text) {
  return std::make_unique<models::AnimationRecorder>(path, scene_text);
}

ExportedScene export_scene(const Scene& scene, const std::string& path, const Recording* motion) {
  const std::string ending = models::ending_of(path);
  ExportedScene out;
  if (ending == ".gltf" || ending == ".glb") {
    out.bytes = models::write_gltf(scene, motion, ending == ".glb", out.left_out);
  } else if (ending == ".usda") {
    out.bytes = models::write_usda(scene, motion, out.left_out);
  } else if (ending == ".xml" || ending == ".mjcf") {
    out.bytes = models::write_mjcf(scene, out.left_out);
  } else if (ending == ".urdf") {
    out.bytes = models::write_urdf(scene, out.left_out);
  } else if (ending == ".obj") {
    out.bytes = models::write_obj(scene, out.left_out);
  } else {
    throw Error("scenes are written as .json, .gltf, .glb, .usda, .urdf, .xml (MJCF) or .obj, not as '" + ending + "'");
  }
  std::set<std::string> known;
  std::erase_if(out.left_out, [&](const std::string& sentence) { return !known.insert(sentence).second; });
  return out;
}

}  // namespace rigor
