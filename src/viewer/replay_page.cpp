#include "viewer/replay_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "io/base64.h"
#include "io/write_parts.h"
#include "viewer/describe.h"
#include "viewer/messages.h"
#include "viewer/method_panel.h"
#include "viewer/page.h"
#include "viewer/preview.h"

namespace rigor::viewer {

namespace {

std::string_view page_file(std::string_view path) {
  for (const PageFile& file : page_files())
    if (file.path == path) return file.bytes;
  return {};
}

/// JSON within a script element must not end it, nor open a comment: names of a scene may hold tags. In JSON every '<' belongs to a string.
std::string json_in_script(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

/// The same for the page's own program, which holds no text of users.
std::string code_in_script(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    safe += text[i];
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("</script") || rest.starts_with("<!--")) safe += '\\';
  }
  return safe;
}

/// Picks one of the speeds that the page offers: a very short run is shown slower.
double speed_to_watch(double duration) {
  constexpr double kSeconds = 2;  // to watch at least
  double speed = 0.05;
  for (const double offered : {0.1, 0.25, 0.5, 1.0})
    if (duration >= kSeconds * offered) speed = offered;
  return speed;
}

/// The message that a page gets when a scene is opened.
Json describe_world(const Scene& scene, const World& world) {
  Json json = {{"type", "scene"}, {"fresh", true}};
  json.update(describe_scene(scene, world));
  json["motion"] = describe_motion(scene);
  json["joints"] = describe_joints(world);
  json["forces"] = describe_forces(world);
  Json shapes = Json::array(), bodies = Json::array();
  ShapeTable table;
  for (const BodyId id : world.bodies())
    if (id != world.world_body()) bodies.push_back(describe_body(world, id, table, shapes));
  json["shapes"] = std::move(shapes);
  json["bodies"] = std::move(bodies);
  return json;
}

}  // namespace

void require_page() {
  if (page_files().empty())
    throw std::runtime_error(
        "the viewer's page is missing: the program was built without node; install nodejs and npm, run `npm ci` in "
        "src/viewer/web, and build again");
}

ReplayPage::ReplayPage(Scene scene, std::vector<std::string> labels)
    : scene_(std::move(scene)),
      labels_(std::move(labels)),
      interval_(std::min(1 / kFrameRate, scene_.duration / kFewest)) {
  require_page();
}

void ReplayPage::begin(std::span<const Simulation> runs) {
  const Simulation& first = runs.front();
  due_ = first.time();
  description_ = text_of(describe_world(scene_, first.world()));
  Json methods = {{"type", "methods"}, {"runs", Json::array()}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Json method = describe_method(runs[i].method());
    if (i < labels_.size()) method["label"] = labels_[i];
    methods["runs"].push_back(std::move(method));
  }
  methods_ = text_of(methods);
  state_ = text_of({{"type", "state"},
                    {"playing", false},
                    {"speed", speed_to_watch(scene_.duration)},
                    {"unlimited", false},
                    {"dt", first.time_settings().step},
                    {"step", first.steps()},
                    {"time", first.time()},
                    {"gravity", to_json(gravity_of(first.world()))},
                    {"recording", nullptr},
                    {"undos", 0},
                    {"redos", 0},
                    {"rules", describe_rules({})}});
}

void ReplayPage::see(std::span<const Simulation> runs) {
  if (frames_.empty()) begin(runs);
  const Simulation& first = runs.front();
  if (first.time() < due_ - 1e-9) return;
  due_ += interval_;
  SampleRow row{options_.next_sample, first.steps(), first.time(), {}};
  for (const Simulation& s : runs) row.runs.push_back(measure(s, nullptr));
  const std::deque<SampleRow> samples{std::move(row)};
  frames_.push_back(make_frame({runs, false, &samples, nullptr}, options_));
  bytes_ += frames_.back().size();
  if (bytes_ > kMostBytes) thin_out();
}

void ReplayPage::thin_out() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < frames_.size(); i += 2) frames_[kept++] = std::move(frames_[i]);
  frames_.resize(kept);
  interval_ *= 2;
  bytes_ = 0;
  for (const std::string& frame : frames_) bytes_ += frame.size();
}

std::string ReplayPage::html() const {
  std::string data = "{\"hello\":" + text_of(describe_program()) + ",\"state\":" + state_ + ",\"methods\":" + methods_ +
                     ",\"scenes\":[" + description_ + "],\"frames\":[";
  for (std::size_t i = 0; i < frames_.size(); ++i) data += (i > 0 ? ",\"" : "\"") + base64(frames_[i]) + "\"";
  data += "]}";
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Rigor replay</title><style>";
  html += page_file("/app.css");
  html +=
      "</style></head><body><canvas id=\"stage\" tabindex=\"0\" aria-label=\"The scene\"></canvas><div "
      "id=\"ui\"></div><script>window.rigorReplay=";
  html += json_in_script(data);
  html += "</script><script type=\"module\">";
  html += code_in_script(page_file("/app.js"));
  return html + "</script></body></html>\n";
}

}  // namespace rigor::viewer
