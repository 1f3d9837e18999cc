#include "cli/sweep_row.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "io/json_text.h"

namespace rigor::cli {

namespace {

constexpr double kNotFinite = std::numeric_limits<double>::quiet_NaN();

/// JSON has no numbers that are not finite; they become null.
double number(const Json& value, double otherwise = 0) { return value.is_number() ? value.get<double>() : otherwise; }

}  // namespace

std::string to_text(const SweepRow& row) {
  Json figures = Json::array();
  for (const SweepFigure& f : row.figures) figures.push_back({f.name, f.unit, f.value, f.tolerance});
  return Json{{"number", row.cell.number},
              {"scene", row.cell.scene},
              {"method", row.cell.method},
              {"parameters", row.cell.parameters},
              {"seed", row.cell.seed},
              {"scene_hash", row.scene_hash},
              {"method_json", row.method_json},
              {"version", row.version},
              {"verdict", row.verdict},
              {"steps", row.steps},
              {"state_hash", row.state_hash},
              {"measures", {row.momentum_drift, row.energy_excess, row.penetration, row.joint_error, row.seconds}},
              {"figures", figures},
              {"report", row.report}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

SweepRow sweep_row(const std::string& text) {
  const Json json = Json::parse(text);
  SweepRow row;
  row.cell = {json["number"], json["scene"], json["method"], json["parameters"], json["seed"], 0, 0};
  row.scene_hash = json["scene_hash"];
  row.method_json = json["method_json"];
  row.version = json["version"];
  row.verdict = json["verdict"];
  row.steps = json["steps"];
  row.state_hash = json["state_hash"];
  const Json& measures = json["measures"];
  row.momentum_drift = number(measures[0]);
  row.energy_excess = number(measures[1]);
  row.penetration = number(measures[2]);
  row.joint_error = number(measures[3]);
  row.seconds = number(measures[4]);
  for (const Json& f : json["figures"]) row.figures.push_back({f[0], f[1], number(f[2], kNotFinite), number(f[3])});
  row.report = json["report"];
  return row;
}

}  // namespace rigor::cli
