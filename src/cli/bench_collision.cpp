#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/bench_options.h"
#include "cli/numbers.h"
#include "lab/collision_bench.h"
#include "rigor/error.h"

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
  std::string head = fmt::format("{:<20} {:<16} {:>10}", "what", "counted", "rigor, 1/s");
  if (with_peer) head += fmt::format(" {:>11} {:>7} {:>17}", "bullet, 1/s", "ratio", "spread");
  std::string text = Style().bold(head) + "\n";
  for (const CollisionBenchRow& row : rows) {
    text += fmt::format("{:<20} {:<16} {:>10.4g}", row.name, row.unit, row.rate);
    if (with_peer)
      text += fmt::format(" {:>11.4g} {:>7.2f} {:>17}", row.peer_rate, row.ratio,
                          fmt::format("{:.2f} … {:.2f}", row.ratio_low, row.ratio_high));
    text += "\n";
  }
  text += "\nManifolds of touching pairs in motion; updates of a broad phase whose bodies all move.";
  if (with_peer) text += " Ratio: Bullet's time divided by Rigor's, median and spread of the rounds.";
  return text + "\n";
}

}  // namespace

void bench_collision(const BenchOptions& options) {
  if (!options.method.empty() || !options.changes.empty() || !options.steps.empty() || !options.threads.empty() ||
      !options.peer_iterations.empty())
    throw Error("bench collision", "it takes --against, --rounds and --json only");
  if (!options.against.empty() && options.against != kPeer)
    throw Error("--against",
                "'" + short_text(options.against) +
                    "' cannot be measured here: contact finding alone is compared with bullet only; whole "
                    "steps of scenes are compared with every engine, as in `rigor bench d-pit --against ode`");
  const int rounds = static_cast<int>(count("--rounds", options.rounds.empty() ? "9" : options.rounds, 1000));

  const auto own = rigor_collision_engine();
  const auto peer = options.against.empty() ? nullptr : bullet_collision_engine();
  if (!options.against.empty() && !peer)
    throw Error("--against", "this program was built without Bullet; install libbullet-dev and build it again");
  const std::vector<CollisionBenchRow> rows = run_collision_bench(*own, peer.get(), rounds);
  if (!options.json) return print(to_text(rows, peer != nullptr));
  Json list = Json::array();
  for (const CollisionBenchRow& row : rows) list.push_back(to_json(row, peer != nullptr));
  print(list);
}

}  // namespace rigor::cli
