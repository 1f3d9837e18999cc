#include "lcp/cone_figures.h"

#include <algorithm>
#include <cmath>

namespace rigor {

namespace {

using Index = std::size_t;

double norm2(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

const ConeProblem& no_limits() {
  static const ConeProblem none;
  return none;
}

/// ‖r − P_K(r − û)‖² with ρ = 1.
double unit_error(const ConeBlock& block, const double* r, const double* u) {
  std::array<double, 6> y{};
  for (int i = 0; i < block.size; ++i) y[Index(i)] = r[i] - u[i];
  y[0] -= de_saxce(block, u);
  project(no_limits(), block, y.data());
  double sum = 0;
  for (int i = 0; i < block.size; ++i) sum += (r[i] - y[Index(i)]) * (r[i] - y[Index(i)]);
  return sum;
}

}  // namespace

void Figure::add(double value, int index) {
  ++count;
  sum2 += value * value;
  if (!(value <= max) || worst < 0) max = value, worst = index;
}

void Figure::finish() { rms = count > 0 ? std::sqrt(sum2 / count) : 0; }

double cone_distance(const ConeBlock& block, const double* r) {
  std::array<double, 6> y{};
  for (int i = 0; i < block.size; ++i) y[Index(i)] = r[i];
  project(no_limits(), block, y.data());
  double sum = 0;
  for (int i = 0; i < block.size; ++i) sum += (r[i] - y[Index(i)]) * (r[i] - y[Index(i)]);
  return std::sqrt(sum);
}

double dissipation_deficit(const ConeBlock& block, const double* r, const double* u) {
  double sum = de_saxce(block, u) * r[0];
  for (int i = 1; i < block.size; ++i) sum += r[i] * u[i];
  return sum;
}

ConeFigures cone_figures(const ConeProblem& problem, std::span<const double> r) {
  ConeFigures f;
  ConeResidual measure(problem);
  f.relative = measure.evaluate(r);
  const std::span<const double> u = measure.u();
  double unit = 0;
  for (Index b = 0; b < problem.blocks.size(); ++b) {
    const ConeBlock& block = problem.blocks[b];
    const double *rb = r.data() + block.begin, *ub = u.data() + block.begin;
    const int index = static_cast<int>(b);
    const double e = measure.error_of(block, rb, ub);
    if (!block.contact) {
      f.limits.add(e, index);
      continue;
    }
    f.natural_map.add(e, index);
    f.cone.add(cone_distance(block, rb), index);
    f.approach.add(std::max(-ub[0], 0.0), index);
    f.signorini.add(std::abs(rb[0] * ub[0]), index);
    f.de_saxce.add(std::abs(rb[0] * ub[0] + dissipation_deficit(block, rb, ub)), index);
    f.dissipation.add(std::abs(dissipation_deficit(block, rb, ub)), index);
    unit += unit_error(block, rb, ub);
  }
  for (Figure* g : {&f.natural_map, &f.cone, &f.approach, &f.signorini, &f.de_saxce, &f.dissipation, &f.limits})
    g->finish();
  const double q = norm2(problem.q), scale = std::max({q, norm2(r), norm2(u)});
  f.siconos = std::sqrt(unit) / (scale > 0 ? scale : 1);
  f.siconos_by_q = std::sqrt(unit) / (q > 0 ? q : 1);
  return f;
}

}  // namespace rigor
