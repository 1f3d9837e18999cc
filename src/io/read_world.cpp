// The block "world": directions first, then materials, bodies, and what acts on them.
#include "io/scene_parts.h"
#include "rigor/error.h"

namespace rigor {

namespace {

constexpr double kRootHalf = 0.70710678118654752440;
constexpr double kStandardGravity = 9.81;  // m/s²

const Axes& read_up(const JsonReader& r) {
  const std::string name = r.name();
  for (const Axes& axes : kAxes)
    if (axes.name == name) return axes;
  r.fail_expected("\"x\", \"y\" or \"z\"");
}

void read_ground(const JsonReader& r, WorldBuilder& builder) {
  World& world = builder.world;
  if (r.is_flag()) {
    if (!r.flag()) world.remove_body(world.ground());
    return;
  }
  if (!r.is_object()) r.fail_expected("true, false or an object");
  world.set_material(world.ground(), read_ground_material(r, builder.materials));
}

template <class Read> void read_list(const JsonReader& world, std::string_view key, Read read) {
  const auto list = world.find(key);
  if (!list) return;
  world.attempt([&] {
    for (std::size_t i = 0; i < list->size(); ++i) {
      const JsonReader item = list->item(i);
      world.attempt([&] { read(item); });
    }
  });
}

/// Stands for a body that was not understood, so that what refers to it is no mistake as well.
void add_placeholder(const JsonReader& body, World& world) {
  if (!body.is_object()) return;
  const auto name = body.find("name");
  if (!name || !name->is_text() || world.find_body(name->text(kMaxTextLength))) return;
  BodyDef def;
  def.name = name->text(kMaxTextLength);
  def.shape = sphere(1);
  world.add_body(def);
}

}  // namespace

const Axes kAxes[3] = {
    {"x", {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {kRootHalf, 0, 0, -kRootHalf}},
    {"y", {0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 0, 0}},
    {"z", {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {kRootHalf, kRootHalf, 0, 0}},
};

void read_world(const JsonReader& r, Scene& scene, const SceneLimits& limits) {
  r.only({"up", "gravity", "ground", "materials", "material_rules", "bodies", "generate", "joints", "forces",
          "ignore_collisions", "drives", "most_bodies"});
  const auto up = r.find("up");
  const Axes* up_axes = &kAxes[1];
  if (up) r.attempt([&] { up_axes = &read_up(*up); });
  const Axes& axes = *up_axes;
  World& world = scene.world;
  world.set_pose(world.ground(), {}, axes.ground);
  Vec3 gravity = axes.up * -kStandardGravity;
  r.read("gravity", gravity, kAccelerationRange);
  world.set_gravity(gravity);

  if (const auto materials = r.find("materials")) r.attempt([&] { scene.materials = read_materials(*materials); });
  if (const auto rules = r.find("material_rules"))
    r.attempt([&] { world.set_material_rules(read_material_rules(*rules)); });
  std::size_t allowed = std::min(kMaxGeneratedBodies, limits.bodies);
  if (const auto most = r.find("most_bodies"))
    r.attempt([&] { allowed = static_cast<std::size_t>(most->integer(1, static_cast<std::int64_t>(kMaxBodies))); });
  WorldBuilder builder{world, scene.materials, &axes, limits.bodies, allowed, limits.notes};
  world.set_material(world.ground(), default_material(scene.materials));
  if (const auto ground = r.find("ground")) r.attempt([&] { read_ground(*ground, builder); });
  if (const auto bodies = r.find("bodies")) r.attempt([&] { builder.expect(bodies->size(), *bodies); });
  read_list(r, "bodies", [&](const JsonReader& body) {
    if (!limits.mistakes) return builder.add(read_body(body, scene.materials), body);
    if (!r.attempt([&] { builder.add(read_body(body, scene.materials), body); })) add_placeholder(body, world);
  });
  std::map<std::string, int> used;
  read_list(r, "generate", [&](const JsonReader& item) { generate(item, builder, used); });
  if (const auto rules = r.find("material_rules")) r.attempt([&] { check_material_names(*rules, scene); });
  read_list(r, "joints", [&](const JsonReader& joint) { read_joint(joint, world); });
  read_list(r, "ignore_collisions", [&](const JsonReader& pair) {
    if (!pair.is_list() || pair.size() != 2) pair.fail_expected("two names of bodies");
    const JsonReader first = pair.item(0), second = pair.item(1);
    const BodyId a = read_body_name(first, world), b = read_body_name(second, world);
    if (a == b) pair.fail("expected two different bodies");
    located(pair, [&] { world.ignore_collisions(a, b); });
  });
  read_list(r, "drives", [&](const JsonReader& drive) { scene.drives.push_back(read_drive(drive, world)); });
  read_list(r, "forces", [&](const JsonReader& force) { read_force(force, world); });
  if (!limits.mistakes) decompose_moving_meshes(world, limits.notes);
}

}  // namespace rigor
