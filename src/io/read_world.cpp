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
  for (std::size_t i = 0; i < list->size(); ++i) read(list->item(i));
}

}  // namespace

const Axes kAxes[3] = {
    {"x", {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {kRootHalf, 0, 0, -kRootHalf}},
    {"y", {0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 0, 0}},
    {"z", {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {kRootHalf, kRootHalf, 0, 0}},
};

void read_world(const JsonReader& r, Scene& scene, const SceneLimits& limits) {
  r.only({"up", "gravity", "ground", "materials", "material_rules", "bodies", "generate", "joints", "forces",
          "ignore_collisions", "drives"});
  const auto up = r.find("up");
  const Axes& axes = up ? read_up(*up) : kAxes[1];
  World& world = scene.world;
  world.set_pose(world.ground(), {}, axes.ground);
  Vec3 gravity = axes.up * -kStandardGravity;
  r.read("gravity", gravity, kAccelerationRange);
  world.set_gravity(gravity);

  if (const auto materials = r.find("materials")) scene.materials = read_materials(*materials);
  if (const auto rules = r.find("material_rules")) world.set_material_rules(read_material_rules(*rules));
  WorldBuilder builder{world, scene.materials, &axes, limits.bodies};
  world.set_material(world.ground(), default_material(scene.materials));
  if (const auto ground = r.find("ground")) read_ground(*ground, builder);
  if (const auto bodies = r.find("bodies")) builder.expect(bodies->size(), *bodies);
  read_list(r, "bodies", [&](const JsonReader& body) { builder.add(read_body(body, scene.materials), body); });
  std::map<std::string, int> used;
  read_list(r, "generate", [&](const JsonReader& item) { generate(item, builder, used); });
  if (const auto rules = r.find("material_rules")) check_material_names(*rules, scene);
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
}

}  // namespace rigor
