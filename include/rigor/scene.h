// Scene files: JSON with a published schema, SI units. What (world), how (method), and for how long (run).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/appearance.h"
#include "rigor/drive.h"
#include "rigor/method.h"
#include "rigor/scene_sensor.h"
#include "rigor/simulation.h"
#include "rigor/world.h"

namespace rigor {

/// The initial view. Nothing here changes the simulation.
struct SceneCamera {
  std::optional<Vec3> position;     // m, world coordinates: position of the camera
  std::optional<Vec3> target;       // m: the point it looks at
  std::optional<Vec3> direction;    // from the scene to the camera, whose distance shows the whole scene
  std::string use;                  // name of the camera in `appearance` that the view starts with; empty: none
  std::string follow;               // the name of a body that it follows; empty: none
  std::vector<std::string> trails;  // names of bodies whose trails are drawn

  bool operator==(const SceneCamera&) const = default;
};

struct Scene {
  std::string name;
  std::string description;  // a sentence: what to look for
  World world;
  std::map<std::string, Material> materials;
  Method method = default_method();
  TimeSettings time;
  double duration = 10;       // s
  std::vector<Drive> drives;  // targets of motors over time
  SceneCamera camera;
  Appearance appearance;
  std::vector<SceneSensor> sensors;
};

/// A simulation of the scene's world by its method, with its drives.
Simulation make_simulation(const Scene& scene);

/// Reads a scene from JSON text. Throws Error with the path of the mistake ("world.bodies[3].shape.box: expected three positive
/// numbers, got -1") or, if the text is not JSON, its line and column.
Scene parse_scene(std::string_view text);
/// From a file; Error messages begin with its name.
Scene load_scene_file(const std::string& path);
/// A built-in scene by name, or a file: a model (rigor/model.h) by its ending, anything else with a '/' or ending in ".json".
Scene open_scene(const std::string& name_or_path);
/// The names of the built-in scenes, sorted.
std::vector<std::string> builtin_scene_names();
/// Writes the present scene as JSON. Values that were just loaded or set read back to the same bits. Poses of bodies that have moved and whose
/// center of mass or principal axes differ from their frame read back up to rounding. User-written forces and filters cannot be
/// saved: the former are an Error, the latter are left out.
std::string write_scene(const Scene& scene);
/// The JSON Schema (draft 7) of scene files, made from the registry.
std::string scene_schema();

}  // namespace rigor
