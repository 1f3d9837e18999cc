#include "viewer/commands.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "io/scene_parts.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor::viewer {

namespace {

constexpr Range kSpeedFactor{1e-3, 1e3};
constexpr std::int64_t kMostSteps = 100'000;
constexpr auto kAtOnce = std::chrono::milliseconds(100);
constexpr Range kScreenPosition = kPositionRange;

using Context = CommandContext;

/// The body that {"body": index} means; Error when there is none.
BodyId body_of(const JsonReader& m, const World& world) {
  const JsonReader value = m.at("body");
  const std::int64_t index = value.integer(0, kMaxInteger);
  if (index < static_cast<std::int64_t>(world.id_capacity())) {
    const BodyId id = world.id_of(static_cast<std::uint32_t>(index));
    if (world.contains(id)) return id;
  }
  value.fail("there is no such body any more");
}

std::size_t run_of(const JsonReader& m, const Session& session) {
  const auto value = m.find("run");
  if (!value) return 0;
  return static_cast<std::size_t>(value->integer(0, static_cast<std::int64_t>(session.runs().size()) - 1));
}

Json play(const JsonReader&, Context& c) { return c.session.play(), nullptr; }
Json pause(const JsonReader&, Context& c) { return c.session.pause(), nullptr; }
Json reset(const JsonReader&, Context& c) { return c.session.reset(), nullptr; }

Json step(const JsonReader& m, Context& c) {
  std::int64_t count = 1;
  if (const auto n = m.find("count")) count = n->integer(1, kMostSteps);
  c.session.want_steps(static_cast<std::uint64_t>(count));
  // A few are made at once, so that the answer finds them done; the rest in slices, between which pages are listened to.
  const auto begin = std::chrono::steady_clock::now();
  while (c.session.wanted_steps() > 0 && std::chrono::steady_clock::now() - begin < kAtOnce)
    if (!c.session.step()) break;
  return nullptr;
}

Json speed(const JsonReader& m, Context& c) {
  Pace pace;
  if (const auto unlimited = m.find("unlimited")) pace.unlimited = unlimited->flag();
  if (const auto value = m.find("value")) pace.speed = value->number(kSpeedFactor);
  c.pace = pace;
  c.session.touch();
  return nullptr;
}

Json seek(const JsonReader& m, Context& c) {
  c.session.seek(static_cast<std::uint64_t>(m.at("step").integer(0, kMaxInteger)));
  return nullptr;
}

Json open(const JsonReader& m, Context& c) {
  // Only built-in scenes by name: a page must not make the program read files.
  const JsonReader scene = m.at("scene");
  const std::string name = scene.name();
  const std::vector<std::string> known = builtin_scene_names();
  if (std::find(known.begin(), known.end(), name) == known.end()) throw Error(unknown_name("scene", name, known));
  c.session.open(open_scene(name));
  return nullptr;
}

Json load(const JsonReader& m, Context& c) {
  const std::string name = m.find("name") ? m.at("name").text(kMaxNameLength) : "";
  try {
    Scene scene = parse_scene(m.at("text").text(kMaxFileSize));
    if (scene.name.empty()) scene.name = name;
    c.session.open(std::move(scene));
  } catch (const Error& error) {
    throw Error(short_text(name), error.what());
  }
  return nullptr;
}

Json save(const JsonReader&, Context& c) {
  return {{"name", c.session.scene().name}, {"text", write_scene(c.session.edited_scene())}};
}

Json preset(const JsonReader& m, Context& c) {
  const JsonReader value = m.at("name");
  c.session.set_method(run_of(m, c.session), rigor::preset(value.name()));
  return nullptr;
}

Json set(const JsonReader& m, Context& c) {
  const std::size_t run = run_of(m, c.session);
  const JsonReader key = m.at("key"), value = m.at("value");
  Method method = c.session.run(run).method();
  rigor::set(method, key.name(), value.parameter());
  c.session.set_method(run, method);
  return nullptr;
}

Json compare(const JsonReader& m, Context& c) {
  const JsonReader list = m.at("methods");
  std::vector<Method> methods;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonReader item = list.item(i);
    if (item.is_text())
      methods.push_back(rigor::preset(item.name()));
    else  // the number of a simulation that runs already
      methods.push_back(
          c.session
              .run(static_cast<std::size_t>(item.integer(0, static_cast<std::int64_t>(c.session.runs().size()) - 1)))
              .method());
  }
  c.session.compare(methods);
  return nullptr;
}

Json time_step(const JsonReader& m, Context& c) {
  c.session.set_step(m.at("value").number(kStepRange));
  return nullptr;
}

Json gravity(const JsonReader& m, Context& c) {
  const Vec3 g = m.at("value").vector(kAccelerationRange);
  c.session.edit([&](World& world) { world.set_gravity(g); });
  return nullptr;
}

Json rules(const JsonReader& m, Context& c) {
  StopRules rules = c.session.rules;
  m.read("non_finite", rules.non_finite);
  m.read("penetration", rules.penetration);
  m.read("depth", rules.depth, kLengthRange);
  m.read("energy", rules.energy);
  m.read("jump", rules.jump, {1e-12, 1e12});
  c.session.rules = rules;
  c.session.touch();
  return nullptr;
}

Json view(const JsonReader& m, Context& c) {
  std::vector<DebugLayer> layers;
  const JsonReader list = m.at("layers");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonReader item = list.item(i);
    const std::string name = item.name();
    const auto known = debug_layers();
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& info) { return info.name == name; });
    if (found == known.end()) item.fail("there is no such layer");
    layers.push_back(found->layer);
  }
  c.frame.layers = std::move(layers);
  c.frame.inspected = m.find("body") ? body_of(m, c.session.run(0).world()) : BodyId{};
  return nullptr;
}

Json grab(const JsonReader& m, Context& c) {
  MouseSpring spring;
  spring.body = body_of(m, c.session.run(0).world());
  spring.point = m.at("point").vector(kScreenPosition);
  spring.target = m.at("target").vector(kScreenPosition);
  m.read("frequency", spring.frequency, {0.01, 100});
  m.read("damping_ratio", spring.damping_ratio, {0, 100});
  c.session.grab(c.client, spring);
  return nullptr;
}

Json drag(const JsonReader& m, Context& c) {
  c.session.drag(c.client, m.at("target").vector(kScreenPosition));
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

/// By way of the density, which every body of a shape has.
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

Json edit(const JsonReader& m, Context& c) {
  m.only({"do", "id", "body", "position", "orientation", "velocity", "angular_velocity", "material", "mass", "fixed",
          "active", "can_collide"});
  const BodyId id = body_of(m, c.session.run(0).world());
  c.session.edit([&](World& world) {
    if (!world.contains(id)) return;
    if (const auto value = m.find("material"))
      world.set_material(id, read_material(*value, c.session.scene().materials));
    if (const auto value = m.find("mass")) set_mass(world, id, value->number(kMassRange));
    if (const auto value = m.find("fixed")) world.set_fixed(id, value->flag());
    if (const auto value = m.find("active")) world.set_active(id, value->flag());
    if (const auto value = m.find("can_collide")) world.set_can_collide(id, value->flag());
    edit_motion(m, world, id);
  });
  return nullptr;
}

/// {"joint": index, "active": flag, "broken": flag}.
Json joint(const JsonReader& m, Context& c) {
  const JsonReader value = m.at("joint");
  const std::int64_t index = value.integer(0, kMaxInteger);
  JointId found;
  for (const JointId id : c.session.run(0).world().joints())
    if (id.index == index) found = id;
  if (!found) value.fail("there is no such joint any more");
  c.session.edit([&](World& world) {
    if (const auto active = m.find("active")) world.set_joint_active(found, active->flag());
    if (const auto broken = m.find("broken")) world.set_joint_broken(found, broken->flag());
  });
  return nullptr;
}

struct Command {
  const char* name;
  Json (*run)(const JsonReader&, Context&);
};
constexpr Command kCommands[] = {
    {"play", play},     {"pause", pause},     {"step", step},    {"reset", reset},     {"speed", speed},
    {"seek", seek},     {"open", open},       {"load", load},    {"save", save},       {"preset", preset},
    {"set", set},       {"compare", compare}, {"dt", time_step}, {"gravity", gravity}, {"rules", rules},
    {"view", view},     {"grab", grab},       {"drag", drag},    {"release", release}, {"spawn", spawn},
    {"remove", remove}, {"edit", edit},       {"joint", joint},
};

}  // namespace

Json run_command(const JsonReader& message, Context& context) {
  const JsonReader verb = message.at("do");
  const std::string name = verb.name();
  std::vector<std::string> known;
  for (const Command& command : kCommands) {
    if (name == command.name) return command.run(message, context);
    known.emplace_back(command.name);
  }
  throw Error(unknown_name("command", short_text(name), known));
}

}  // namespace rigor::viewer
