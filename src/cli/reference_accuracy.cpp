#include "cli/reference_accuracy.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "io/json_text.h"
#include "io/recording_output.h"
#include "lab/convergence/convergence.h"
#include "lab/svg_plot.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

using convergence::Curve;
using convergence::Point;
using convergence::Problem;

/// One problem under one method; `dt` of the points is the accuracy.
Curve measure(const Problem& problem, const reference::NamedMethod& named, const AccuracyOptions& options) {
  Curve curve{problem.name, named.name, 1, {}};
  const std::string missing = reference::empty_slot(problem.needs, named.method);
  for (const double accuracy : options.accuracies) {
    Method method = named.method;
    set(method, "stepping.accuracy", accuracy);
    Point point = missing.empty() ? convergence::measure_point(problem, method, options.step) : Point{0, 0, missing};
    point.dt = accuracy;
    curve.points.push_back(std::move(point));
  }
  return curve;
}

Json to_json(const Curve& curve) {
  Json points = Json::array();
  for (const Point& p : curve.points) {
    Json point = {{"accuracy", p.dt}};
    if (p.reason.empty())
      point["error"] = p.error;
    else
      point["reason"] = p.reason;
    points.push_back(point);
  }
  Json json = {{"problem", curve.problem}, {"method", curve.method}, {"points", points}, {"growth", curve.growth()}};
  if (std::isfinite(curve.order())) json["slope"] = curve.order();
  return json;
}

std::string table_of(const std::string& method, const std::vector<Curve>& curves, const AccuracyOptions& options) {
  std::string text = fmt::format("## {}\n\nLargest relative error at eight instants, steps of {:.6g} s.\n\n| problem |",
                                 method, options.step);
  for (const double a : options.accuracies) text += fmt::format(" {:g} m |", a);
  text += " slope |\n| --- |";
  for (std::size_t i = 0; i <= options.accuracies.size(); ++i) text += " ---: |";
  text += "\n";
  for (const Curve& c : curves) {
    text += fmt::format("| {} |", c.problem);
    for (const Point& p : c.points)
      text += p.reason.empty() ? fmt::format(" {:.1e} |", p.error) : " " + p.reason + " |";
    text += std::isfinite(c.order()) ? fmt::format(" {:.2f} |\n", c.order()) : " – |\n";
  }
  return text + "\n";
}

void draw(const std::string& folder, const std::string& method, const std::vector<Curve>& curves) {
  Plot plot{method + ": error over accuracy",
            "largest error at eight instants, relative to the size of the motion",
            "accuracy asked for [m]",
            {},
            {}};
  plot.x_logarithmic = true;
  PlotPanel panel{"", "relative error", {}, false, true};
  for (const Curve& c : curves) {
    PlotLine line{c.problem, {}, false, {}, true};
    for (auto p = c.points.rbegin(); p != c.points.rend(); ++p) {
      if (!p->reason.empty()) continue;
      line.x.push_back(p->dt);
      line.values.push_back(p->error);
    }
    panel.lines.push_back(std::move(line));
  }
  plot.panels.push_back(std::move(panel));
  prepare_folder("--plots", folder);
  OutputFile file((std::filesystem::path(folder) / (method + "-accuracy.svg")).string());
  file.write(render_svg(plot));
  file.finish();
}

}  // namespace

int reference_accuracy(const AccuracyOptions& options) {
  std::vector<const Problem*> problems;
  for (const std::string& name : options.problems) problems.push_back(&convergence::find_problem(name));
  if (problems.empty())
    for (const Problem& p : convergence::accuracy_problems()) problems.push_back(&p);
  for (const reference::NamedMethod& m : options.methods) {
    Method tried = m.method;
    try {
      set(tried, "stepping.accuracy", options.accuracies.front());
    } catch (const Error&) {
      throw Error("--accuracies", "the step of '" + m.name + "' has no accuracy; choose another one, such as cenic");
    }
  }
  Json all = Json::array();
  for (const reference::NamedMethod& m : options.methods) {
    std::vector<Curve> curves;
    for (const Problem* problem : problems) curves.push_back(measure(*problem, m, options));
    for (const Curve& c : curves) all.push_back(to_json(c));
    if (!options.json) print(table_of(m.name, curves, options));
    if (!options.plots.empty()) draw(options.plots, m.name, curves);
  }
  if (options.json) print(all);
  return kSuccess;
}

}  // namespace rigor::cli
