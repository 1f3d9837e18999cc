// Models of other programs: URDF robots, MJCF models of MuJoCo, and meshes (OBJ, STL, COLLADA, glTF) as scenes; and scenes as files of other programs.
//
//   ModelReport report;
//   const Scene scene = load_model("robot.urdf", {.packages = {{"my_robot", "/opt/my_robot"}}}, &report);
//   for (const ModelNote& note : report.notes) std::cout << to_text(note) << "\n";
//
// If a scene cannot express an element or attribute of a file, the report names it with file and line, and what was done
// instead. `strict` makes the first of them an Error.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/recording.h"
#include "rigor/scene.h"

namespace rigor {

struct ModelOptions {
  std::map<std::string, std::string> packages = {};  // folders by name, for package://NAME/…
  bool allow_outside = false;                        // references may leave the folder of the file
  bool strict = false;                               // an unsupported element is an Error; appearance does not count
  std::string keyframe = {};                         // of an MJCF file: start from this one
  bool fix_base = false;                             // of a URDF file: its root does not move
};

/// One element or attribute that the scene does not express exactly.
struct ModelNote {
  enum class Kind {
    appearance,  // not drawn: no effect on the motion and on readings
    replaced,    // replaced by an approximation
    ignored,     // ignored
    unknown,     // ignored because its name is none of the format's: misspelt, or of a newer version
  };
  Kind kind = Kind::ignored;
  std::string file;
  int line = 0;
  std::string element;  // "joint 'knee'", "geom@solimp"
  std::string what;     // a clause: what was done instead
};
/// "robot.urdf:12: joint@velocity: the limit of the speed is not enforced"
std::string to_text(const ModelNote& note);

struct ModelReport {
  std::vector<ModelNote> notes;       // in the order of the files and lines
  std::vector<std::string> warnings;  // sentences about the model as a whole, such as that nothing holds it
  std::vector<std::string> lost;  // sentences about what a scene cannot hold, such as keyframes: converting drops it
  // Elements and attributes of the files; an element counts as one, each of its attributes as one more.
  std::size_t elements = 0, elements_honoured = 0;
  std::size_t attributes = 0, attributes_honoured = 0;
  // The elements among them that affect the motion.
  std::size_t moving_elements = 0, moving_elements_honoured = 0;
};

/// True for names of files that load_model() reads: .urdf, .xml, .mjcf, .obj, .stl, .dae, .gltf, .glb.
bool is_model_file(const std::string& path);
/// Reads a model by its content; Error messages begin with the file's name and, where it is known, the line.
Scene load_model(const std::string& path, const ModelOptions& options = {}, ModelReport* report = nullptr);
/// URDF or MJCF text without a file: it can refer to no other file.
Scene parse_model(std::string_view text, const ModelOptions& options = {}, ModelReport* report = nullptr);

/// A scene as another program reads it.
struct ExportedScene {
  std::string bytes;
  std::vector<std::string> left_out;  // sentences: what the format cannot express, and what stands for it
};
/// By the ending of the name: .gltf, .glb, .usda, .urdf, .xml or .mjcf (MJCF), .obj. `motion` animates the first three; its steps name bodies of the scene.
ExportedScene export_scene(const Scene& scene, const std::string& path, const Recording* motion = nullptr);
/// True for names that export_scene() knows.
bool is_export_file(const std::string& path);
/// True for names of formats that can hold a motion: .gltf, .glb, .usda.
bool is_animation_file(const std::string& path);
/// A recorder that writes such a file when it is finished. `scene_text` is the scene as JSON.
std::unique_ptr<Recorder> open_animation(const std::string& path, std::string_view scene_text);

}  // namespace rigor
