#include "viewer/messages.h"

#include <nlohmann/json.hpp>

#include "io/recording_frame.h"
#include "io/write_parts.h"
#include "viewer/describe.h"
#include "viewer/method_panel.h"

namespace rigor::viewer {

namespace {

Json describe_recording(const RunRecording* recording) {
  if (!recording) return nullptr;
  return {{"ended", recording->ended()}, {"steps", recording->steps()}, {"bytes", recording->size()}};
}

Json hello_with_scenes() {
  Json json = describe_program();
  for (const std::string& name : builtin_scene_names()) {
    const Scene scene = open_scene(name);
    json["scenes"].push_back(
        {{"name", name}, {"description", scene.description}, {"bodies", recorded_bodies(scene.world).size()}});
  }
  return json;
}

}  // namespace

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json describe_program() {
  Json json = describe_registry();
  json["type"] = "hello";
  json["protocol"] = 2;
  json["version"] = RIGOR_VERSION;
  json["layers"] = Json::array();
  for (const DebugLayerInfo& info : debug_layers())
    json["layers"].push_back({{"id", static_cast<int>(info.layer)},
                              {"name", std::string(info.name)},
                              {"unit", std::string(info.unit)},
                              {"description", std::string(info.description)}});
  json["channels"] = Json::array();
  for (const Channel& c : kChannels)
    json["channels"].push_back({{"key", c.key}, {"label", c.label}, {"unit", c.unit}, {"plot", c.plot}});
  json["scenes"] = Json::array();
  return json;
}

/// Making it reads every built-in scene, so it is made once.
std::string hello_text(const std::string& session) {
  static const Json general = hello_with_scenes();
  Json json = general;
  json["session"] = session;
  return text_of(json);
}

Json describe_state(const Session& session, const Pace& pace) {
  const History& history = session.history();
  return {{"type", "state"},
          {"playing", session.playing()},
          {"speed", pace.speed},
          {"unlimited", pace.unlimited},
          {"dt", session.run(0).time_settings().step},
          {"step", session.steps()},
          {"time", session.time()},
          {"gravity", to_json(gravity_of(session.run(0).world()))},
          {"history", {{"first", history.first()}, {"last", history.last()}, {"count", history.count()}}},
          {"recording", describe_recording(session.recording())},
          {"undos", session.undos()},
          {"redos", session.redos()},
          {"rules", describe_rules(session.rules)}};
}

Json describe_rules(const StopRules& r) {
  return {{"non_finite", r.non_finite},
          {"penetration", r.penetration},
          {"depth", r.depth},
          {"energy", r.energy},
          {"jump", r.jump}};
}

}  // namespace rigor::viewer
