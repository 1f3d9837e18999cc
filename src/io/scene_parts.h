// The parts of the scene reader. There is one function for each kind of object, each in its own file.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "io/json_reader.h"
#include "rigor/scene.h"

namespace rigor {

/// Bounds and outputs of the reader. Tests and fuzzers, which need small worlds, set the bounds.
struct SceneLimits {
  std::size_t bodies = kMaxBodies;
  const models::FileAccess* files = nullptr;  // that meshes and included files are read from; null: none
  std::vector<std::string>* mistakes =
      nullptr;  // collects all mistakes instead of throwing the first; the scene is then of no use
  std::vector<std::string>* notes =
      nullptr;  // sentences about what the reader decided, such as a mesh that collides as convex parts
};
Scene read_scene(std::string_view text, const SceneLimits& limits);
/// Does the same as load_scene_file() of scene.h, and adds notes.
Scene load_scene_file(const std::string& path, std::vector<std::string>& notes);
/// Finds all mistakes of a scene file, up to JsonReader::kMostMistakes of them. The list is empty if the file is right.
std::vector<std::string> scene_mistakes(const std::string& path);
/// Puts what the files of "include" hold into the document, before its own items.
void expand_includes(Json& scene, ReadContext& context);

/// Reads all bytes of a file. Throws Error, without the name of the file, if it cannot be read or is too large.
std::string read_file(const std::string& path);
/// Shortens a path for messages to its end.
std::string short_path(const std::string& path);

/// Names the axis that points up and the two others in their order. A row of boxes lies along `row`.
struct Axes {
  std::string_view name;
  Vec3 up, row, depth;
  Quat ground;  // turns +y to up
};
extern const Axes kAxes[3];

using Materials = std::map<std::string, Material>;

/// A body as a file describes it: the definition and the constant force on it.
struct BodySpec {
  BodyDef def;
  Vec3 force, torque;
  std::string note;  // what its shape collides as, where the file leaves that to a decomposition
};

/// The world under construction.
struct WorldBuilder {
  World& world;
  const Materials& materials;
  const Axes* axes;
  std::size_t body_limit;
  std::size_t generated_limit;      // bodies of generators, unless the scene allows more
  std::vector<std::string>* notes;  // null: notes are dropped
  std::size_t generated = 0;

  /// Adds a body. Throws Error at `place` if that is impossible.
  void add(const BodySpec& spec, const JsonReader& place);
  /// Throws Error at `place` unless `count` more bodies may be added.
  void expect(std::size_t count, const JsonReader& place) const;
  /// Does the same for a generator, whose bodies are fewer unless the scene allows more.
  void expect_generated(std::size_t count, const JsonReader& place);
};

ShapePtr read_shape(const JsonReader& shape, const Materials& materials);
/// Makes the shape that collides if meshes of a shape are to be decomposed ("decompose"), and returns null if the shape collides itself. Adds a sentence about
/// each mesh to `note`.
ShapePtr decomposed_shape(const JsonReader& shape, const ShapePtr& made, std::string& note);
/// Makes moving meshes that could pass through other triangle surfaces collide as convex parts, and adds a note about each.
void decompose_moving_meshes(World& world, std::vector<std::string>* notes);
/// Reads "position" and "orientation" of an object.
Transform read_transform(const JsonReader& object);

Materials read_materials(const JsonReader& materials);
/// Reads the name of a material, or a material as an object.
Material read_material(const JsonReader& material, const Materials& materials);
/// Returns the material of bodies that name none. It is the scene's material called `default` if there is one, and the built-in default otherwise.
Material default_material(const Materials& materials);
/// Changes the numbers of a material that the object gives.
Material changed_material(const JsonReader& object, Material material);
/// Reads the material of a ground that is an object, which gives the name of a material or single numbers of it.
Material read_ground_material(const JsonReader& ground, const Materials& materials);
MaterialRules read_material_rules(const JsonReader& rules);
/// Returns the names of all materials of a scene: of its list, its bodies and their parts.
std::set<std::string> material_names(const Scene& scene);
/// Throws Error unless every pair of the rules names two of the scene's materials.
void check_material_names(const JsonReader& rules, const Scene& scene);

BodySpec read_body(const JsonReader& body, const Materials& materials);
/// Reads a body without name and position, as generators take them.
BodySpec read_body_template(const JsonReader& body, const Materials& materials);

/// Adds the bodies of one entry of "generate".
void generate(const JsonReader& generator, WorldBuilder& builder, std::map<std::string, int>& used);

/// Finds the body of this name. Throws Error if there is none.
BodyId read_body_name(const JsonReader& name, const World& world);
/// Reads a joint without adding it. The bodies and, for a gear, the joints that it names must exist already.
JointDef read_joint_def(const JsonReader& joint, const World& world);
/// Reads a joint and adds it to the world.
void read_joint(const JsonReader& joint, World& world);
void read_force(const JsonReader& force, World& world);
Method read_method(const JsonReader& method);
/// Reads a drive, whose joint has to exist.
/// Reads a coordinate of a joint: a number from `least` to 5, or its name, which is that of the keys of a joint.
inline constexpr const char* kAxisNames[] = {"x", "y", "z", "rx", "ry", "rz"};
int read_axis_number(const JsonReader& axis, int least);
Drive read_drive(const JsonReader& drive, const World& world);

void read_world(const JsonReader& world, Scene& scene, const SceneLimits& limits);

/// Calls `apply` with the parameters of an object of the registry. If the document collects mistakes and `apply` refuses a parameter by name, the rest is
/// tried without it, so that the mistakes of all parameters are collected.
void apply_parameters(const JsonReader& object, Settings parameters, const std::function<void(const Settings&)>& apply);
/// Reads the parameters of an object of the registry, which are all members for which `is_parameter` holds.
Settings read_parameters(const JsonReader& object, const std::function<bool(std::string_view)>& is_parameter);

/// Runs `function` and prefixes the path of `place` to the message of an Error that it throws.
template <class Function> auto located(const JsonReader& place, Function function) {
  try {
    return function();
  } catch (const Error& error) {
    place.fail(error.what());
  }
}

}  // namespace rigor
