// Error over the size of the step: problems whose motion is known, run under a method in ever smaller steps. `rigor reference --order`
// prints the tables and draws them, docs/convergence.md shows them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/reference/reference.h"

namespace rigor::convergence {

struct Problem {
  const char* name;
  const char* description;
  reference::Needs needs;
  /// Largest error at eight instants, relative to the size of the motion. Throws like the reference cases if a body is lost.
  double (*error)(const Method& method, double dt);
  bool has_spring_joint = false;
};

/// In the order of the tables.
std::span<const Problem> problems();
/// The problems for methods that take an accuracy in place of a step: impacts, sliding, rolling, a linkage.
std::span<const Problem> accuracy_problems();
/// Error with similar names for an unknown one.
const Problem& find_problem(std::string_view name);

struct Point {
  double dt = 0;       // s
  double error = 0;    // relative; undefined if there is a reason
  std::string reason;  // why there is no error
};

/// One method on one problem, from the largest step to the smallest.
struct Curve {
  std::string problem, method;
  int theory = 1;  // the order that the method claims for this problem
  std::vector<Point> points;

  /// Points with an error.
  std::vector<Point> measured() const;
  /// Slope of log error over log step, by least squares over errors between `kRounding` and `kLarge`. NaN if there are fewer than two.
  double order() const;
  /// The largest factor by which the error at a smaller step exceeds the smallest one at a larger step; errors below `kRounding` do not count.
  double growth() const;
  /// The smallest error.
  double least() const;
};

/// Below: rounding and the tolerances of solvers. Above: the step does not resolve the motion.
inline constexpr double kRounding = 1e-9, kLarge = 0.3;

Curve measure_curve(const Problem& problem, const reference::NamedMethod& method, std::span<const double> steps);

/// The largest error under `method` with steps of `dt`, or the reason why there is none.
Point measure_point(const Problem& problem, const Method& method, double dt);

/// The order that theory gives the method on a problem. Contacts, impulses that are constant in a step, and steps that solve constraints
/// themselves are of order one, unless they declare another; so are springs that are rows of an impulse solver, which are implicit Euler. Forces that are computed
/// at every stage, and joint coordinates, have the order of the integrator.
int claimed_order(const Method& method, const Problem& problem);

/// A picture of curves in one frame, logarithmic, with lines of slope one and two; each line is labelled with its name and its observed order.
/// `by_method`: the lines are methods on one problem, otherwise problems under one method.
std::string render_curves(const std::string& title, std::span<const Curve> curves, bool by_method);

}  // namespace rigor::convergence
