#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/numbers.h"
#include "cli/verbs.h"
#include "lab/collision_bench.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor::cli {

namespace {

constexpr const char* kPeer = "bullet";

Json to_json(const CollisionBenchRow& row, bool with_peer) {
  Json json = {{"name", row.name}, {"unit", row.unit}, {"per_second", row.rate}, {"found", row.found}};
  if (!with_peer) return json;
  json["peer"] = kPeer;
  json["peer_per_second"] = row.peer_rate;
  json["peer_found"] = row.peer_found;
  json["ratio"] = {{"median", row.ratio}, {"min", row.ratio_low}, {"max", row.ratio_high}};
  return json;
}

std::string to_text(const std::vector<CollisionBenchRow>& rows, bool with_peer) {
  const Style style;
  std::string text =
      style.bold(fmt::format("{:<20} {:>14} {}", "what", "rigor /s",
                             with_peer ? fmt::format("{:>14} {:>7}   {}", "bullet /s", "ratio", "spread") : "")) +
      "\n";
  for (const CollisionBenchRow& row : rows) {
    text += fmt::format("{:<20} {:>14.4g}", row.name, row.rate);
    if (with_peer)
      text +=
          fmt::format(" {:>14.4g} {:>7.2f}   {:.2f} … {:.2f}", row.peer_rate, row.ratio, row.ratio_low, row.ratio_high);
    text += "\n";
  }
  return text +
         "\nManifolds per second of touching pairs in motion; updates per second of a broad phase whose bodies all "
         "move.\n";
}

}  // namespace

int bench(const Arguments& arguments) {
  std::string what = "collision", against, rounds_text = "9";
  bool json = false;
  Command command("bench",
                  "Measures speed, beside another engine if wanted: interleaved in one run, medians of the rounds.",
                  "  rigor bench collision\n  rigor bench collision --against bullet --json");
  command.option("WHAT", what, "collision: manifolds and broad phase", "WHAT");
  command.option("--against", against, "bullet: its own functions on the same shapes and poses", "ENGINE");
  command.option("--rounds", rounds_text, "how often everything is repeated, 1 to 1000", "N");
  command.flag("--json", json, "as JSON");
  if (!command.parse(arguments)) return kSuccess;

  if (what != "collision") throw Error(unknown_name("benchmark", what, {"collision"}));
  if (!against.empty() && against != kPeer) throw Error("--against", unknown_name("engine", against, {kPeer}));
  const int rounds = static_cast<int>(count("--rounds", rounds_text, 1000));

  const auto own = rigor_collision_engine();
  const auto peer = against.empty() ? nullptr : bullet_collision_engine();
  if (!against.empty() && !peer)
    throw Error("--against", "this program was built without Bullet; install libbullet-dev and build it again");
  const std::vector<CollisionBenchRow> rows = run_collision_bench(*own, peer.get(), rounds);
  if (!json) {
    print(to_text(rows, peer != nullptr));
    return kSuccess;
  }
  Json list = Json::array();
  for (const CollisionBenchRow& row : rows) list.push_back(to_json(row, peer != nullptr));
  print(list);
  return kSuccess;
}

}  // namespace rigor::cli
