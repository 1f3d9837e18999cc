#include "multibody/joint_residuals.h"

#include "constraints/row_math.h"
#include "constraints/write_rows.h"
#include "solvers/acceleration_rows.h"

namespace rigor {

namespace {

bool is_position_row(RowKind kind) { return kind == RowKind::locked || is_inequality(kind); }

void put_bounds(const Rows& rows, std::size_t i, double seconds, JointProblem& p) {
  p.lo[i] = seconds * rows.lo[i];
  p.hi[i] = seconds * rows.hi[i];
}

BodyVelocity velocity_of(const BodyState& s, const StepBodies& bodies, int place) {
  if (place >= bodies.moving) return {};
  return {s.velocity[static_cast<std::size_t>(place)], s.angular_velocity[static_cast<std::size_t>(place)]};
}

/// h (h k + d) J M⁻¹ Jᵀ above which a spring oscillates or decays faster than a step resolves: the midpoint rule would let it ring. It is ω h = 2.
constexpr double kResolved = 4;

bool is_resolved(const Rows& rows, std::size_t i, double h) {
  return std::isfinite(rows.stiffness[i]) && !is_inequality(rows.kind[i]) &&
         h * (h * rows.stiffness[i] + rows.damping[i]) * rows.diagonal[i] <= kResolved;
}

double soft_residual(const Rows& rows, std::size_t i, double velocity, double h, const JointProblem& p) {
  if (p.halves[i]) {
    const double C = 0.5 * (p.target[i] + rows.C[i]);
    const double force = -rows.stiffness[i] * C - rows.damping[i] * (velocity - rows.bias[i]);
    return p.gamma[i] * (0.5 * h * std::clamp(force, rows.lo[i], rows.hi[i]) - p.lambda[i]);
  }
  const double force = spring_force(rows, static_cast<int>(i), velocity);
  return p.gamma[i] * (h * force - p.lambda[i]);
}

}  // namespace

bool asks_for_velocity(const Rows& rows, std::size_t row) {
  return std::isfinite(rows.stiffness[row]) || !is_position_row(rows.kind[row]);
}

void begin_joint_correction(const Rows& rows, double h, JointProblem& p) {
  for (std::size_t i = 0; i < p.size(); ++i) {
    const bool soft = std::isfinite(rows.stiffness[i]);
    p.lambda[i] = 0;
    p.halves[i] = is_resolved(rows, i, h);
    const double k = rows.stiffness[i], d = rows.damping[i];
    p.gamma[i] = p.halves[i] ? 2 / (h * (0.5 * h * k + d)) : soft ? 1 / (h * (h * k + d)) : 0;
    put_bounds(rows, i, !p.halves[i] && (soft || is_position_row(rows.kind[i])) ? h : 0.5 * h, p);
  }
}

void set_targets(const Rows& rows, int blocks, double reach, JointProblem& p) {
  const auto may_be_far = [&](std::size_t i) {
    return !asks_for_velocity(rows, i) && (rows.kind[i] == RowKind::locked || rows.C[i] < 0);
  };
  for (int b = 0; b < blocks; ++b) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    double open = 0;
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
      if (may_be_far(i)) open = std::max(open, std::abs(rows.C[i]));
    const double left = open > reach ? 1 - reach / open : 0;
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
      p.target[i] = p.halves[i] ? rows.C[i] : left > 0 && may_be_far(i) ? left * rows.C[i] : 0;
  }
}

double joint_correction(const Rows& rows, int blocks, const BodyState& state, const StepBodies& start,
                        std::span<const Jacobian> J_0, double h, JointProblem& p) {
  double largest = 0;
  for (int b = 0; b < blocks; ++b) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      if (!asks_for_velocity(rows, i)) {
        p.r[i] = -(rows.C[i] - p.target[i]) / h;
      } else {
        const bool soft = std::isfinite(rows.stiffness[i]);
        const double before =
            speed_along(J_0[i], start.u[static_cast<std::size_t>(block.a)], start.u[static_cast<std::size_t>(block.b)]);
        const double after =
            speed_along(rows.J[i], velocity_of(state, start, block.a), velocity_of(state, start, block.b));
        const double mean = 0.5 * (before + after);
        p.r[i] = soft ? soft_residual(rows, i, mean, h, p) : rows.bias[i] - mean;
      }
      const double error = h * std::abs(p.unmet(i, rows.diagonal[i] + p.gamma[i]));
      if (!(error <= largest)) largest = error;  // also when it is not a number
    }
  }
  return largest;
}

double locked_joint_correction(const Rows& rows, double h, JointProblem& p) {
  double largest = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double C = rows.C[i] - p.target[i], error = std::abs(C);
    p.r[i] = -C / h;
    if (!(error <= largest)) largest = error;  // also when it is not a number
  }
  return largest;
}

void begin_velocity_correction(const Rows& rows, double h, double touching, JointProblem& p) {
  for (std::size_t i = 0; i < p.size(); ++i) {
    const bool soft = std::isfinite(rows.stiffness[i]), limit = is_inequality(rows.kind[i]);
    p.lambda[i] = p.gamma[i] = 0;
    put_bounds(rows, i, is_position_row(rows.kind[i]) ? h : 0.5 * h, p);
    if (soft || (limit && rows.C[i] > touching)) p.lo[i] = p.hi[i] = 0;
  }
}

VelocityErrors velocity_correction(const Rows& rows, int blocks, const StepBodies& bodies,
                                   std::span<const char> dependent, JointProblem& p) {
  VelocityErrors errors;
  for (int b = 0; b < blocks; ++b) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      p.r[i] = rows.bias[i] - row_velocity(rows, static_cast<int>(i), block, bodies.u);
      if (p.is_out(i)) continue;
      const double error = std::abs(p.unmet(i, rows.diagonal[i]));
      double& largest = dependent[i] ? errors.largest_dependent : errors.largest;
      if (!(error <= largest)) largest = error;  // also when it is not a number
    }
  }
  return errors;
}

int worst_row(const Rows& rows, const JointProblem& p) {
  int worst = -1;
  double largest = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p.is_out(i)) continue;
    const double error = std::abs(p.unmet(i, rows.diagonal[i] + p.gamma[i]));
    if (error > largest) {
      largest = error;
      worst = static_cast<int>(i);
    }
  }
  return worst;
}

}  // namespace rigor
