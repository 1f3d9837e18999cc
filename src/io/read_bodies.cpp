// Bodies of scene files.
#include <cmath>

#include "io/scene_parts.h"
#include "registry/suggest.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor {

namespace {

/// Numbers of collision groups as bits.
std::uint32_t read_groups(const JsonReader& r) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < r.size(); ++i) bits |= 1u << r.item(i).integer(0, kGroupCount - 1);
  return bits;
}

/// Three principal moments or a matrix, row by row.
Mat3 read_inertia(const JsonReader& r) {
  if (!r.is_list() || (r.size() != 3 && r.size() != 9)) r.fail_expected("three or nine numbers");
  const std::vector<double> v = r.numbers(r.size(), kInertiaRange);
  const Mat3 inertia = v.size() == 3 ? Mat3::diagonal({v[0], v[1], v[2]})
                                     : Mat3{{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}}};
  check_inertia(inertia, r.path());
  return inertia;
}

void read_mass(const JsonReader& r, BodyDef& def, PartReader& parts) {
  parts.read([&] {
    if (r.find("mass") && r.find("density")) r.fail("give either 'mass' or 'density', not both");
  });
  if (const auto mass = r.find("mass")) parts.read([&] { def.mass = mass->number(kMassRange); });
  r.read("density", def.material.density, kDensityRange);
  if (const auto inertia = r.find("inertia")) parts.read([&] { def.inertia = read_inertia(*inertia); });
  if (const auto center = r.find("center_of_mass"))
    parts.read([&] { def.center_of_mass = center->vector(kPositionRange); });
}

void read_shapes(const JsonReader& r, const Materials& materials, BodySpec& spec, PartReader& parts) {
  BodyDef& def = spec.def;
  const auto collision = r.find("collision_shape");
  parts.read([&] {
    const JsonReader shape = r.at("shape");
    def.shape = read_shape(shape, materials);
    if (!collision) def.collision_shape = decomposed_shape(shape, def.shape, spec.note);
  });
  if (!collision) return;
  parts.read([&] {
    def.collision_shape = read_shape(*collision, materials);
    if (ShapePtr convex = decomposed_shape(*collision, def.collision_shape, spec.note)) def.collision_shape = convex;
  });
}

BodySpec read_members(const JsonReader& r, const Materials& materials) {
  BodySpec spec;
  BodyDef& def = spec.def;
  PartReader parts(r);
  read_shapes(r, materials, spec, parts);
  if (const auto orientation = r.find("orientation")) parts.read([&] { def.orientation = orientation->orientation(); });
  r.read("velocity", def.velocity, kVelocityRange);
  r.read("angular_velocity", def.angular_velocity, kVelocityRange);
  const auto material = r.find("material");
  def.material = default_material(materials);
  if (material) parts.read([&] { def.material = read_material(*material, materials); });
  read_mass(r, def, parts);
  r.read("fixed", def.fixed);
  r.read("can_collide", def.can_collide);
  r.read("continuous", def.continuous);
  r.read("active", def.active);
  r.read("sensor", def.sensor);
  r.read("linear_damping", def.linear_damping, kDampingRange);
  r.read("angular_damping", def.angular_damping, kDampingRange);
  r.read("gravity_factor", def.gravity_factor, kGravityFactorRange);
  if (const auto groups = r.find("groups")) parts.read([&] { def.group = read_groups(*groups); });
  if (const auto mask = r.find("mask")) parts.read([&] { def.mask = read_groups(*mask); });
  r.read("force", spec.force, kForceRange);
  r.read("torque", spec.torque, kForceRange);
  parts.finish();
  return spec;
}

/// Names of bodies for a message; only the first ones if there are many.
std::vector<std::string> names_of(const World& world) {
  constexpr std::size_t kMost = 10'000, kLongest = 40;
  std::vector<std::string> names;
  for (const BodyId id : world.bodies()) {
    if (names.size() == kMost) break;
    if (world.name(id).size() <= kLongest) names.push_back(short_text(world.name(id)));
  }
  return names;
}

}  // namespace

BodyId read_body_name(const JsonReader& r, const World& world) {
  const std::string name = r.name();
  const BodyId id = world.find_body(name);
  if (!id) r.fail("there is no body named '" + short_text(name) + "'" + did_you_mean(name, names_of(world)));
  return id;
}

BodySpec read_body(const JsonReader& r, const Materials& materials) {
  r.only({"name",
          "shape",
          "collision_shape",
          "position",
          "orientation",
          "velocity",
          "angular_velocity",
          "material",
          "mass",
          "density",
          "inertia",
          "center_of_mass",
          "fixed",
          "can_collide",
          "continuous",
          "active",
          "groups",
          "mask",
          "force",
          "torque",
          "sensor",
          "linear_damping",
          "angular_damping",
          "gravity_factor"});
  BodySpec spec;
  std::string name;
  Vec3 position;
  PartReader parts(r);
  if (const auto given = r.find("name")) parts.read([&] { name = given->name(); });
  r.read("position", position, kPositionRange);
  parts.read([&] { spec = read_members(r, materials); });
  parts.finish();
  spec.def.name = name;
  spec.def.position = position;
  return spec;
}

BodySpec read_body_template(const JsonReader& r, const Materials& materials) {
  r.only({"shape",
          "collision_shape",
          "orientation",
          "velocity",
          "angular_velocity",
          "material",
          "mass",
          "density",
          "inertia",
          "center_of_mass",
          "fixed",
          "can_collide",
          "continuous",
          "active",
          "groups",
          "mask",
          "force",
          "torque",
          "sensor",
          "linear_damping",
          "angular_damping",
          "gravity_factor"});
  return read_members(r, materials);
}

constexpr std::size_t kMostNotes = 100;

void WorldBuilder::add(const BodySpec& spec, const JsonReader& place) {
  if (!spec.def.name.empty() && world.find_body(spec.def.name))
    place.fail("there is already a body named '" + short_text(spec.def.name) + "'");
  located(place, [&] {
    const BodyId id = world.add_body(spec.def);
    if (notes && !spec.note.empty() && notes->size() < kMostNotes)
      notes->push_back("'" + world.name(id) + "' " + spec.note);
    if (spec.force != Vec3{} || spec.torque != Vec3{}) world.set_user_force(id, spec.force, spec.torque);
  });
}

void WorldBuilder::expect(std::size_t count, const JsonReader& place) const {
  const std::size_t present = world.body_count();
  if (count > body_limit || present + count > body_limit)
    place.fail("a scene has at most " + std::to_string(body_limit) + " bodies, this asks for " + std::to_string(count));
}

void WorldBuilder::expect_generated(std::size_t count, const JsonReader& place) {
  expect(count, place);
  generated += count;
  if (generated <= generated_limit) return;
  constexpr double kBytes = 2300;  // of a box in the scene and in a simulation of it, measured with 200 000 of them
  const double gigabytes = kBytes * static_cast<double>(generated) / 1e9;
  place.fail("generators make " + std::to_string(generated) + " bodies up to here, which take about " +
             number_words(std::round(10 * gigabytes) / 10) +
             " GB of memory; \"most_bodies\": " + std::to_string(generated) + " in \"world\" allows them");
}

}  // namespace rigor
