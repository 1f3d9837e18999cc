#include "viewer/commands.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "io/base64.h"
#include "io/scene_parts.h"
#include "rigor/error.h"
#include "rigor/registry.h"
#include "viewer/edit_commands.h"
#include "viewer/residuals.h"

namespace rigor::viewer {

namespace {

constexpr Range kSpeedFactor{1e-3, 1e3};
constexpr std::int64_t kMostSteps = 100'000;
constexpr std::int64_t kMostIterations = 200;
constexpr auto kAtOnce = std::chrono::milliseconds(100);

using Context = CommandContext;

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
  // Makes a few steps at once, so that they are done before the answer; the rest in slices, with messages handled in between.
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

/// Files of other formats that users drop on the page; a JSON parser would only complain about a '<'.
void refuse_other_formats(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string_view::npos || text[first] != '<') return;
  const bool urdf = text.find("<robot") != std::string_view::npos;
  const bool mjcf = text.find("<mujoco") != std::string_view::npos;
  const std::string format = urdf ? "a URDF file" : mjcf ? "an MJCF file" : "an XML file";
  throw Error("this is " + format +
              ", which a page cannot open, because it may need other files; `rigor view FILE` opens URDF, MJCF and "
              "meshes, and scene files are JSON, see docs/scenes.md");
}

Json load(const JsonReader& m, Context& c) {
  const std::string name = m.find("name") ? m.at("name").text(kMaxNameLength) : "";
  try {
    const std::string text = m.at("text").text(kMaxFileSize);
    refuse_other_formats(text);
    Scene scene = parse_scene(text);
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
    else if (item.is_object())  // as in a scene file
      methods.push_back(read_method(item));
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
  m.read("sounds", c.frame.sounds);
  c.frame.inspected = m.find("body") ? body_of(m, c.session.run(0).world()) : BodyId{};
  return nullptr;
}

/// {"on": true} starts, {"on": false} answers with the file.
Json record(const JsonReader& m, Context& c) {
  if (m.at("on").flag()) return c.session.start_recording(), nullptr;
  return {{"name", c.session.scene().name}, {"bytes", base64(c.session.take_recording())}};
}

/// How the residual of the present state falls with the iterations, or why it is not available, for each simulation.
Json residuals(const JsonReader& m, Context& c) {
  std::int64_t most = 40;
  if (const auto value = m.find("most")) most = value->integer(1, kMostIterations);
  Json list = Json::array();
  for (const Simulation& s : c.session.runs()) list.push_back(describe_residuals(s, static_cast<int>(most)));
  return {{"step", c.session.steps()}, {"runs", std::move(list)}};
}

constexpr Command kCommands[] = {
    {"play", play},     {"pause", pause},         {"step", step},    {"reset", reset}, {"speed", speed},
    {"seek", seek},     {"open", open},           {"load", load},    {"save", save},   {"preset", preset},
    {"set", set},       {"compare", compare},     {"dt", time_step}, {"rules", rules}, {"view", view},
    {"record", record}, {"residuals", residuals},
};

}  // namespace

Json run_command(const JsonReader& message, Context& context) {
  const JsonReader verb = message.at("do");
  const std::string name = verb.name();
  std::vector<std::string> known;
  for (const std::span<const Command> commands : {std::span<const Command>(kCommands), edit_commands()})
    for (const Command& command : commands) {
      if (name == command.name) return command.run(message, context);
      known.emplace_back(command.name);
    }
  throw Error(unknown_name("command", short_text(name), known));
}

}  // namespace rigor::viewer
