#include "lab/convergence/convergence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "lab/convergence/all_problems.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor::convergence {

std::span<const Problem> problems() {
  static const Problem list[] = {pendulum(),      rope_pendulum(), double_pendulum(), chain_of_ten(), four_bar(),
                                 parallelogram(), slider_crank(),  heavy_top(),       spring(),       spring_force(),
                                 rolling(),       turntable(),     sliding(),         eulers_disk()};
  return list;
}

std::span<const Problem> accuracy_problems() {
  static const Problem list[] = {bouncing(), sliding(), rolling(), four_bar()};
  return list;
}

const Problem& find_problem(std::string_view name) {
  std::vector<std::string> known;
  for (const Problem& p : accuracy_problems())
    if (p.name == name) return p;
  for (const Problem& p : problems()) {
    if (p.name == name) return p;
    known.emplace_back(p.name);
  }
  throw Error(unknown_name("problem", name, known));
}

std::vector<Point> Curve::measured() const {
  std::vector<Point> list;
  for (const Point& p : points)
    if (p.reason.empty()) list.push_back(p);
  return list;
}

double Curve::order() const {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Point& p : measured()) {
    if (p.error < kRounding || p.error > kLarge) continue;
    const double a = std::log(p.dt), b = std::log(p.error);
    ++n, x += a, y += b, xx += a * a, xy += a * b;
  }
  return n < 2 ? std::numeric_limits<double>::quiet_NaN() : (n * xy - x * y) / (n * xx - x * x);
}

double Curve::growth() const {
  double best = std::numeric_limits<double>::infinity(), factor = 0;
  for (const Point& p : measured()) {
    const double e = std::max(p.error, kRounding);
    if (best < e) factor = std::max(factor, e / best);
    best = std::min(best, e);
  }
  return std::max(factor, 1.0);
}

double Curve::least() const {
  double best = std::numeric_limits<double>::infinity();
  for (const Point& p : measured()) best = std::min(best, p.error);
  return best;
}

int claimed_order(const Method& method, const Problem& problem) {
  const MethodInfo* step = find_method(Kind::stepping, method.stepping.name);
  const bool by_itself =
      step && has_capability(*step, "solves-constraints") && !has_capability(*step, "joint-coordinates");
  if (by_itself || (problem.has_spring_joint && !reference::uses_joint_forces(method))) return 1;
  return reference::order_of(method, problem.needs);
}

Point measure_point(const Problem& problem, const Method& method, double dt) {
  try {
    const double error = problem.error(method, dt);
    if (!std::isfinite(error)) return {dt, 0, "the error is not finite"};
    return {dt, error, ""};
  } catch (const std::exception& e) {
    return {dt, 0, e.what()};
  }
}

Curve measure_curve(const Problem& problem, const reference::NamedMethod& method, std::span<const double> steps) {
  Curve curve{problem.name, method.name, claimed_order(method.method, problem), {}};
  const std::string missing = reference::empty_slot(problem.needs, method.method);
  for (const double dt : steps)
    curve.points.push_back(missing.empty() ? measure_point(problem, method.method, dt) : Point{dt, 0, missing});
  std::sort(curve.points.begin(), curve.points.end(), [](const Point& a, const Point& b) { return a.dt > b.dt; });
  return curve;
}

}  // namespace rigor::convergence
