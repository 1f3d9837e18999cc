#include "cli/reference_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "lab/convergence/convergence.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor::cli {

namespace {

using convergence::Curve;
using convergence::Point;
using convergence::Problem;

Json to_json(const Curve& curve) {
  Json points = Json::array();
  for (const Point& p : curve.points) {
    Json point = {{"dt", p.dt}};
    if (p.reason.empty())
      point["error"] = p.error;
    else
      point["reason"] = p.reason;
    points.push_back(point);
  }
  Json json = {{"problem", curve.problem}, {"method", curve.method}, {"claimed_order", curve.theory}};
  if (std::isfinite(curve.order())) json["order"] = curve.order();
  json["growth"] = curve.growth();
  json["points"] = points;
  return json;
}

std::string step_text(double dt) {
  const double rate = 1 / dt;
  return std::abs(rate - std::round(rate)) < 1e-6 * rate && rate < 1e5 ? fmt::format("1/{:.0f}", rate)
                                                                       : fmt::format("{:g}", dt);
}

/// The entry of a curve in a table: its observed order, or why there is none; growing errors are marked.
std::string order_text(const Curve& curve) {
  if (curve.measured().empty()) return curve.points.empty() ? "–" : curve.points.front().reason;
  std::string text = std::isfinite(curve.order())             ? fmt::format("{:.2f}", curve.order())
                     : curve.least() < convergence::kRounding ? "exact"
                                                              : "–";
  if (curve.growth() > 1.5) text += fmt::format(", **grows {:.1f} times**", curve.growth());
  return text;
}

std::string table_of(const Problem& problem, const std::vector<Curve>& curves, const std::vector<double>& steps) {
  std::string text = fmt::format("## {}\n\n{}.\n\n| method | claimed order |", problem.name, problem.description);
  for (const double dt : steps) text += fmt::format(" {} s |", step_text(dt));
  text += " observed order |\n| --- | ---: |";
  for (std::size_t i = 0; i < steps.size(); ++i) text += " ---: |";
  text += " --- |\n";
  for (const Curve& c : curves) {
    text += fmt::format("| {} | {} |", c.method, c.theory);
    for (const Point& p : c.points) text += p.reason.empty() ? fmt::format(" {:.1e} |", p.error) : " – |";
    text += " " + order_text(c) + " |\n";
  }
  return text + "\n";
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  if (!out) throw std::runtime_error(path.string() + " cannot be written");
}

std::string file_name(std::string name) {
  for (char& c : name)
    if (c == '/') c = '-';
  return name + ".svg";
}

/// Draws a picture of every method with its problems, and one of every problem with its methods.
void write_plots(const std::string& folder, const std::vector<std::vector<Curve>>& by_problem) {
  prepare_folder("--plots", folder);
  std::vector<std::string> names;
  for (const std::vector<Curve>& curves : by_problem)
    for (const Curve& c : curves)
      if (std::find(names.begin(), names.end(), c.method) == names.end()) names.push_back(c.method);
  for (const std::string& name : names) {
    std::vector<Curve> own;
    for (const std::vector<Curve>& curves : by_problem)
      for (const Curve& c : curves)
        if (c.method == name && !c.measured().empty()) own.push_back(c);
    if (!own.empty())
      write_file(std::filesystem::path(folder) / file_name(name), convergence::render_curves(name, own, false));
  }
  if (names.size() < 2) return;
  for (const std::vector<Curve>& curves : by_problem) {
    std::vector<Curve> shown;
    for (const Curve& c : curves)
      if (!c.measured().empty() && shown.size() < kMostLines) shown.push_back(c);
    if (!shown.empty())
      write_file(std::filesystem::path(folder) / file_name("problem-" + shown.front().problem),
                 convergence::render_curves(shown.front().problem, shown, true));
  }
}

}  // namespace

int reference_order(const OrderOptions& options) {
  std::vector<const Problem*> problems;
  for (const std::string& name : options.problems) problems.push_back(&convergence::find_problem(name));
  if (problems.empty())
    for (const Problem& p : convergence::problems()) problems.push_back(&p);
  std::vector<std::vector<Curve>> by_problem;
  Json all = Json::array();
  for (const Problem* problem : problems) {
    std::vector<Curve>& curves = by_problem.emplace_back();
    for (const reference::NamedMethod& m : options.methods)
      curves.push_back(convergence::measure_curve(*problem, m, options.steps));
    if (options.json)
      for (const Curve& c : curves) all.push_back(to_json(c));
    else
      print(table_of(*problem, curves, options.steps));
  }
  if (options.json) print(all);
  if (!options.plots.empty()) write_plots(options.plots, by_problem);
  return kSuccess;
}

}  // namespace rigor::cli
