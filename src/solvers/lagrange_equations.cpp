#include "solvers/lagrange_equations.h"

#include "solvers/bias_acceleration.h"

namespace rigor {

namespace {

constexpr const char* kIgnores =
    "Lagrange multipliers keep equations only: limits, bounded motors and friction of joints have no effect; "
    "'force-lcp' has them";

constexpr const char* kTense =
    "joints under great tension make light bodies swing faster than the step resolves: smaller steps are needed";
/// Sum of h² ω² about two axes; the best of the explicit integrators bear 8 about each.
constexpr double kMostTense = 16;

}  // namespace

bool LagrangeEquations::collect(SolverContext& c, const Stabilisation& stabilisation, SolverReport& report) {
  free_accelerations(c, acceleration_);
  apply_springs(c, acceleration_);
  find(c);
  report = {};
  if (!complete_) report.trouble = kIgnores;
  stiffness_.collect(c.list, c.state, c.h());
  if (stiffness_.largest_ratio() > kMostTense) report.trouble = kTense;
  if (list.empty()) return false;
  c_.resize(static_cast<std::size_t>(c.rows.size()));
  for (const int b : c.blocks) bias_acceleration(c, b, c_);
  r.resize(list.size());
  for (std::size_t k = 0; k < list.size(); ++k) {
    const int i = list[k].row;
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(list[k].block)];
    const double wanted =
        wanted_acceleration(c.rows, i, row_velocity(c.rows, i, block, c.bodies.u), c.h(), stabilisation);
    r[k] = wanted - c_[static_cast<std::size_t>(i)] - row_velocity(c.rows, i, block, acceleration_);
  }
  return true;
}

void LagrangeEquations::store(SolverContext& c, std::span<const double> forces) const {
  for (std::size_t k = 0; k < list.size(); ++k)
    c.rows.lambda[static_cast<std::size_t>(list[k].row)] = c.h() * forces[k];
}

void LagrangeEquations::find(SolverContext& c) {
  list.clear();
  complete_ = true;
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    for (int i = block.begin; i < block.end; ++i) {
      if (is_soft(c.rows, i)) continue;
      if (is_unbounded(c.rows, i))
        list.push_back({i, b});
      else
        c.rows.lambda[static_cast<std::size_t>(i)] = 0, complete_ = false;
    }
  }
}

std::vector<std::string> lagrange_limitations() {
  return {"limits of joints have no effect", "motors with a bound on their force have no effect",
          "dry friction of joints has no effect"};
}

}  // namespace rigor
