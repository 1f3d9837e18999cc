#include "viewer/edit_commands.h"

#include <nlohmann/json.hpp>

#include "io/scene_parts.h"
#include "rigor/error.h"
#include "viewer/joint_anchor.h"
#include "viewer/joint_panel.h"

namespace rigor::viewer {

BodyId body_of(const JsonReader& message, const World& world) {
  const JsonReader value = message.at("body");
  const std::int64_t index = value.integer(0, kMaxInteger);
  if (index < static_cast<std::int64_t>(world.id_capacity())) {
    const BodyId id = world.id_of(static_cast<std::uint32_t>(index));
    if (world.contains(id)) return id;
  }
  value.fail("there is no such body any more");
}

namespace {

using Context = CommandContext;

Json gravity(const JsonReader& m, Context& c) {
  const Vec3 g = m.at("value").vector(kAccelerationRange);
  c.session.edit([&](World& world) { world.set_gravity(g); });
  return nullptr;
}

Json grab(const JsonReader& m, Context& c) {
  MouseSpring spring;
  spring.body = body_of(m, c.session.run(0).world());
  spring.point = m.at("point").vector(kPositionRange);
  spring.target = m.at("target").vector(kPositionRange);
  m.read("frequency", spring.frequency, {0.01, 100});
  m.read("damping_ratio", spring.damping_ratio, {0, 100});
  c.session.grab(c.client, spring);
  return nullptr;
}

Json drag(const JsonReader& m, Context& c) {
  c.session.drag(c.client, m.at("target").vector(kPositionRange));
  return nullptr;
}

Json release(const JsonReader&, Context& c) { return c.session.release(c.client), nullptr; }

/// {"spawn", "definition": a body as in a scene file}; answers its index.
Json spawn(const JsonReader& m, Context& c) {
  const BodySpec spec = read_body(m.at("definition"), c.session.scene().materials);
  BodyId id;
  c.session.edit([&](World& world) {
    id = world.add_body(spec.def);
    world.set_user_force(id, spec.force, spec.torque);
  });
  return {{"body", id.index}};
}

Json remove(const JsonReader& m, Context& c) {
  const BodyId id = body_of(m, c.session.run(0).world());
  if (c.frame.inspected == id) c.frame.inspected = {};
  c.session.edit([&](World& world) {
    if (world.contains(id)) world.remove_body(id);
  });
  return nullptr;
}

/// Sets the density, which every body with a shape has.
void set_mass(World& world, BodyId id, double mass) {
  const BodyDef& def = world.body_def(id);
  if (def.mass) throw Error("body '" + def.name + "' was given its mass in numbers; change it in the scene file");
  Material material = def.material;
  material.density *= mass / world.mass_properties(id).mass;
  world.set_material(id, material);
}

void edit_motion(const JsonReader& m, World& world, BodyId id) {
  const auto position = m.find("position"), orientation = m.find("orientation");
  if (position || orientation)
    world.set_pose(id, position ? position->vector(kPositionRange) : world.position(id),
                   orientation ? orientation->orientation() : world.orientation(id));
  const auto v = m.find("velocity"), w = m.find("angular_velocity");
  if (v || w)
    world.set_velocity(id, v ? v->vector(kVelocityRange) : world.velocity(id),
                       w ? w->vector(kVelocityRange) : world.angular_velocity(id));
}

/// A material is a name, or an object with what changes about the body's own; a shape is as in a scene file.
Json edit(const JsonReader& m, Context& c) {
  m.only({"do", "id", "body", "name", "shape", "position", "orientation", "velocity", "angular_velocity", "material",
          "mass", "fixed", "active", "can_collide"});
  const BodyId id = body_of(m, c.session.run(0).world());
  const auto new_shape = m.find("shape");
  const ShapePtr shape = new_shape ? read_shape(*new_shape, c.session.scene().materials) : nullptr;
  c.session.edit([&](World& world) {
    if (!world.contains(id)) return;
    if (const auto value = m.find("name")) world.set_name(id, value->name());
    if (shape) world.set_shape(id, shape);
    if (const auto value = m.find("material"))
      world.set_material(id, value->is_object() ? changed_material(*value, world.body_def(id).material)
                                                : read_material(*value, c.session.scene().materials));
    if (const auto value = m.find("mass")) set_mass(world, id, value->number(kMassRange));
    if (const auto value = m.find("fixed")) world.set_fixed(id, value->flag());
    if (const auto value = m.find("active")) world.set_active(id, value->flag());
    if (const auto value = m.find("can_collide")) world.set_can_collide(id, value->flag());
    edit_motion(m, world, id);
  });
  return nullptr;
}

constexpr double kLeastDirection = 1e-6;

JointId joint_of(const JsonReader& m, const World& world) {
  const JsonReader value = m.at("joint");
  const std::int64_t index = value.integer(0, kMaxInteger);
  for (const JointId id : world.joints())
    if (id.index == index) return id;
  value.fail("there is no such joint any more");
}

/// {"joint": index, …} changes what is given, see edit_joint(), and answers with all about the joint.
Json joint(const JsonReader& m, Context& c) {
  const JointId found = joint_of(m, c.session.run(0).world());
  m.only({"do", "id", "joint", "active", "broken", "break_force", "break_torque", "parameters"});
  if (m.members().size() > (m.find("id") ? 3u : 2u))
    c.session.edit([&](World& world) {
      if (world.contains(found)) edit_joint(m, world, found);
    });
  return describe_joint_panel(c.session.run(0).world(), found);
}

/// The definition belongs to the bodies: all simulations get the same one, whatever the poses of their bodies. Returns all about the joint.
Json replace_everywhere(Context& c, JointId found, const JointDef& def) {
  JointId replaced = found;
  c.session.edit([&](World& world) {
    if (world.contains(found)) replaced = replace_joint(world, found, def);
  });
  return describe_joint_panel(c.session.run(0).world(), replaced);
}

/// {"joint": index, "end": "a" or "b", "point": world coordinates} moves an anchor, and answers with all about the joint.
Json anchor(const JsonReader& m, Context& c) {
  const World& first = c.session.run(0).world();
  const JointId found = joint_of(m, first);
  m.only({"do", "id", "joint", "end", "point"});
  const std::string end = m.at("end").name();
  if (end != "a" && end != "b") m.at("end").fail_expected("'a' or 'b'");
  const JointDef def =
      with_anchor(first, found, end == "a" ? JointEnd::a : JointEnd::b, m.at("point").vector(kPositionRange));
  return replace_everywhere(c, found, def);
}

/// {"joint": index, "axis": direction of the world} turns the axis of a joint, and answers with all about the joint.
Json axis(const JsonReader& m, Context& c) {
  const World& first = c.session.run(0).world();
  const JointId found = joint_of(m, first);
  m.only({"do", "id", "joint", "axis"});
  const Vec3 direction = m.at("axis").vector(kPositionRange);
  // The page sends the numbers that were not typed as they are, with their rounding errors.
  if (length(direction) < kLeastDirection)
    m.at("axis").fail("an axis needs a direction: at least one number besides 0");
  return replace_everywhere(c, found, with_axis(first, found, direction));
}

/// {"definition": a joint as in a scene file}; answers its index.
Json add_joint(const JsonReader& m, Context& c) {
  const JsonReader definition = m.at("definition");
  c.session.edit([&](World& world) { read_joint(definition, world); });
  return {{"joint", c.session.run(0).world().joints().back().index}};
}

Json remove_joint(const JsonReader& m, Context& c) {
  const JointId found = joint_of(m, c.session.run(0).world());
  c.session.edit([&](World& world) {
    if (world.contains(found)) world.remove_joint(found);
  });
  return nullptr;
}

/// {"definition": a force as in a scene file}; one of the same name is replaced.
Json add_force(const JsonReader& m, Context& c) {
  const JsonReader definition = m.at("definition");
  const std::string name = definition.find("name") ? definition.at("name").text(kMaxNameLength) : "";
  c.session.edit([&](World& world) {
    const ForceId old = name.empty() ? ForceId{} : world.find_force(name);
    if (old && old != world.gravity() && old != world.drag()) world.remove_force(old);
    read_force(definition, world);
  });
  return nullptr;
}

/// {"force": name}, and "active" to switch it, or "remove": true.
Json force(const JsonReader& m, Context& c) {
  m.only({"do", "id", "force", "active", "remove"});
  const JsonReader value = m.at("force");
  const std::string name = value.text(kMaxNameLength);
  if (!c.session.run(0).world().find_force(name)) value.fail("there is no such force any more");
  c.session.edit([&](World& world) {
    const ForceId id = world.find_force(name);
    if (!id) return;
    if (const auto active = m.find("active")) world.set_force_active(id, active->flag());
    if (const auto remove = m.find("remove"); remove && remove->flag()) world.remove_force(id);
  });
  return nullptr;
}

/// {"name", "numbers": what differs from the material, or from the default}: adds it to the scene, or changes it there and in
/// every body that has it unchanged. A part of a body that consists of several keeps its numbers.
Json material(const JsonReader& m, Context& c) {
  m.only({"do", "id", "name", "numbers"});
  const std::string name = m.at("name").name();
  Materials materials = c.session.scene().materials;
  Material before;  // the one of bodies that name none is called `default`
  const auto found = materials.find(name);
  if (found != materials.end()) before = found->second;
  Material after = before;
  after.name = name;
  const JsonReader numbers = m.at("numbers");
  after = changed_material(numbers, after);
  if (after.name != name) numbers.at("name").fail_expected("the same name");
  materials[name] = after;
  const auto change = [&](World& world) {
    for (const BodyId id : world.bodies())
      if (const Material& own = world.body_def(id).material; own.name == name && own == before)
        world.set_material(id, after);
  };
  c.session.edit(change, materials);
  return nullptr;
}

/// {"name"} takes a material that nothing has out of the scene.
Json remove_material(const JsonReader& m, Context& c) {
  m.only({"do", "id", "name"});
  const JsonReader value = m.at("name");
  const std::string name = value.name();
  Scene rest = c.session.edited_scene();
  if (rest.materials.erase(name) == 0) value.fail("there is no such material any more");
  for (const BodyId id : rest.world.bodies())
    if (rest.world.body_def(id).material.name == name)
      value.fail("body '" + rest.world.name(id) + "' is made of it; give it another material first");
  if (material_names(rest).contains(name))
    value.fail("a part of a body is made of it; give the body another shape first");
  if (rest.appearance.textures.contains(name)) value.fail("it has a texture, which would be lost with it");
  c.session.edit([](World&) {}, rest.materials);
  return nullptr;
}

Json undo(const JsonReader&, Context& c) { return {{"done", c.session.undo()}}; }
Json redo(const JsonReader&, Context& c) { return {{"done", c.session.redo()}}; }

constexpr Command kCommands[] = {
    {"gravity", gravity},     {"grab", grab},
    {"drag", drag},           {"release", release},
    {"spawn", spawn},         {"remove", remove},
    {"edit", edit},           {"joint", joint},
    {"add-joint", add_joint}, {"remove-joint", remove_joint},
    {"anchor", anchor},       {"axis", axis},
    {"add-force", add_force}, {"force", force},
    {"material", material},   {"undo", undo},
    {"redo", redo},           {"remove-material", remove_material},
};

}  // namespace

std::span<const Command> edit_commands() { return kCommands; }

}  // namespace rigor::viewer
