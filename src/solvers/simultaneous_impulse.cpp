// All constraints at once at the velocity level, as one mixed complementarity problem (4.87–4.92):
//
//   A λ + b = w',  A = J M⁻¹ Jᵀ + γ,  b = J u* − w,   λ within its bounds
//
// given to any solver of lcp/. Friction, by `friction`:
//   box        |λ_t| ≤ μ λ_n of the last step: bounds that do not depend on the unknowns
//   pyramid    two directions, |λ_t| ≤ μ λ_n: a pyramid of four sides
//   polygon    `sides` sides: one multiplier per pair of them; a polygon around Coulomb's circle
//   slip       one direction, along the predicted slip
//
// Exact up to the shape of the friction cone where the LCP solver is; with projected Gauss–Seidel the classic of games.
#include "lcp/lcp.h"
#include "registry/entry.h"
#include "registry/field_error.h"
#include "solvers/lcp_field.h"
#include "solvers/velocity_rows.h"

namespace rigor {

namespace {

struct LcpRowOptions {
  std::string friction = "pyramid";
  int sides = 8;  // of a polygon
  bool warm_start = true;
};

/// Keeps its memory from step to step.
class LcpRowProblem {
 public:
  void assemble(const SolverContext& context, const LcpRowOptions& options);
  LcpRows rows() const;
  std::span<double> x() { return x_; }
  /// The row of the step that row i of the problem belongs to.
  int row_of(int i) const { return i < 0 || as_they_are_ ? i : directions_[static_cast<std::size_t>(i)].row; }
  /// Writes the multipliers back to the rows of the step and applies their impulses to the velocities.
  void apply(SolverContext& context) const;

 private:
  /// One row of the problem: a combination cos · row + sin · (row + 1) of rows of the step.
  struct Direction {
    int row, other;  // other -1: the row alone
    double cosine, sine;
  };

  void clear();
  void assemble_as_they_are(const SolverContext& c, const LcpRowOptions& options);
  void append_block(const SolverContext& c, const RowBlock& block, const LcpRowOptions& options);
  void append_friction(const SolverContext& c, const RowBlock& block, const LcpRowOptions& options, int normal);
  void append_row(const SolverContext& c, const RowBlock& block, int row, int normal, const LcpRowOptions& options);
  void append_direction(const SolverContext& c, const RowBlock& block, const Direction& d, double mu, int normal);
  void append_numbers(const SolverContext& c, const RowBlock& block, const Jacobian& J, const Jacobian& JW,
                      double wanted, double gamma);

  std::vector<Direction> directions_;
  std::vector<Jacobian> J_, JW_;
  std::vector<int> first_, second_, dependency_;
  std::vector<double> regularisation_, b_, lo_, hi_, factor_, x_;
  std::vector<InverseMass> masses_;
  int bodies_ = 0;
  double kept_ = 1;  // of the friction of the block that is being appended
  const Rows* as_they_are_ =
      nullptr;                 // all rows of the step, none combined: J, JW and friction are read where they are
  bool fixed_bounds_ = false;  // of friction
};

int lcp_body(const SolverContext& c, int place) { return place < c.bodies.awake ? place : -1; }

bool has_friction_pair(const Rows& rows, const RowBlock& block) {
  return block.source == RowBlock::Source::contact && block.size() >= 3 &&
         rows.kind[static_cast<std::size_t>(block.begin) + 1] == RowKind::friction;
}

Jacobian combined(const Jacobian& x, double cosine, const Jacobian& y, double sine) {
  Jacobian z;
  for (std::size_t i = 0; i < 12; ++i) z[i] = cosine * x[i] + sine * y[i];
  return z;
}

double velocity_along(const Jacobian& J, const BodyVelocity& a, const BodyVelocity& b) {
  return (J[0] * a.v.x + J[1] * a.v.y + J[2] * a.v.z) + (J[3] * a.w.x + J[4] * a.w.y + J[5] * a.w.z) +
         ((J[6] * b.v.x + J[7] * b.v.y + J[8] * b.v.z) + (J[9] * b.w.x + J[10] * b.w.y + J[11] * b.w.z));
}

/// The part of its friction that a slipping contact loses from step to step. Sweeps that have not converged add a part of the
/// remaining slip to the friction, and this friction to the next slip: without loss the tops of stacks sway for ever. Sticking contacts
/// lose nothing, because they would creep. Chosen: ten boxes at 1/60 s with ten sweeps come to rest (3 mm/s, against 350 mm/s without
/// loss), and a block 1 % below the critical angle stays where it is.
constexpr double kFrictionLost = 0.2;
/// Parts of the stick speed at which all of that is lost; in proportion below, so that nothing switches. Chosen: the stack above
/// sways with speeds in proportion to it, and from a third of it on sticking contacts begin to creep.
constexpr double kSlips = 0.1;

BodyVelocity velocity_at_start(const SolverContext& c, int place) {
  if (place >= c.bodies.moving) return {};
  return {c.state.velocity[static_cast<std::size_t>(place)], c.state.angular_velocity[static_cast<std::size_t>(place)]};
}

/// The part of the last step's friction that the first guess of a block begins with, by its slip at the start of the step.
double friction_kept(const SolverContext& c, const RowBlock& block) {
  if (!has_friction_pair(c.rows, block)) return 1;
  const auto t = static_cast<std::size_t>(block.begin) + 1;
  const BodyVelocity a = velocity_at_start(c, block.a), b = velocity_at_start(c, block.b);
  const double x = velocity_along(c.rows.J[t], a, b) - c.rows.bias[t],
               y = velocity_along(c.rows.J[t + 1], a, b) - c.rows.bias[t + 1];
  const double slips = kSlips * c.settings.stick_speed, squared = x * x + y * y;
  return squared < slips * slips ? 1 - kFrictionLost * (std::sqrt(squared) / slips) : 1 - kFrictionLost;
}

/// True if the problem consists of all rows of the step in their own order.
bool takes_all_rows(const SolverContext& c, const LcpRowOptions& options) {
  if (options.friction != "pyramid" && options.friction != "box") return false;
  if (c.blocks.size() != c.rows.blocks.size()) return false;
  for (std::size_t i = 0; i < c.blocks.size(); ++i)
    if (c.blocks[i] != static_cast<int>(i)) return false;
  return true;
}

}  // namespace

const std::vector<std::string>& friction_models() {
  static const std::vector<std::string> names = {"pyramid", "box", "polygon", "slip"};
  return names;
}

void LcpRowProblem::clear() {
  directions_.clear();
  J_.clear(), JW_.clear();
  first_.clear(), second_.clear(), dependency_.clear();
  regularisation_.clear(), b_.clear(), lo_.clear(), hi_.clear(), factor_.clear(), x_.clear();
}

void LcpRowProblem::assemble(const SolverContext& c, const LcpRowOptions& options) {
  clear();
  bodies_ = c.bodies.awake;
  masses_.resize(static_cast<std::size_t>(bodies_));
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    const BodyInverseMass& m = c.bodies.mass[i];
    const Mat3& I = m.angular;
    masses_[i] = {m.linear, {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}};
  }
  as_they_are_ = takes_all_rows(c, options) ? &c.rows : nullptr;
  if (as_they_are_)
    assemble_as_they_are(c, options);
  else
    for (const int b : c.blocks) append_block(c, c.rows.blocks[static_cast<std::size_t>(b)], options);
  if (!options.warm_start) std::fill(x_.begin(), x_.end(), 0.0);
}

void LcpRowProblem::assemble_as_they_are(const SolverContext& c, const LcpRowOptions& options) {
  const Rows& rows = c.rows;
  const auto n = static_cast<std::size_t>(rows.size());
  for (auto* v : {&first_, &second_}) v->resize(n);
  for (auto* v : {&regularisation_, &b_, &lo_, &hi_}) v->resize(n);
  x_ = rows.lambda;
  fixed_bounds_ = options.friction == "box";
  for (const RowBlock& block : rows.blocks) {
    const BodyVelocity &a = c.bodies.u[static_cast<std::size_t>(block.a)],
                       &b = c.bodies.u[static_cast<std::size_t>(block.b)];
    const int first = lcp_body(c, block.a), second = lcp_body(c, block.b);
    const double kept = friction_kept(c, block);
    const Baumgarte correction = c.correction.of(block);
    for (int row = block.begin; row < block.end; ++row) {
      const auto i = static_cast<std::size_t>(row);
      const VelocityRow target = velocity_row(rows, row, c.h(), correction);
      const ImpulseBounds bounds = impulse_bounds(rows, row, c.h());
      first_[i] = first, second_[i] = second;
      regularisation_[i] = target.gamma;
      b_[i] = velocity_along(rows.J[i], a, b) - target.wanted;
      lo_[i] = bounds.lo, hi_[i] = bounds.hi;
      if (rows.friction_of[i] >= 0) x_[i] *= kept;
    }
  }
}

void LcpRowProblem::append_block(const SolverContext& c, const RowBlock& block, const LcpRowOptions& options) {
  int i = block.begin;
  const int normal = static_cast<int>(b_.size());  // index of the first row of the block in the problem
  kept_ = friction_kept(c, block);
  if (has_friction_pair(c.rows, block)) {
    append_row(c, block, i, -1, options);
    append_friction(c, block, options, normal);
    i += 3;
  }
  for (; i < block.end; ++i) append_row(c, block, i, normal, options);
}

void LcpRowProblem::append_friction(const SolverContext& c, const RowBlock& block, const LcpRowOptions& options,
                                    int normal) {
  const int t1 = block.begin + 1, t2 = block.begin + 2;
  const double mu_1 = c.rows.mu[static_cast<std::size_t>(t1)], mu_2 = c.rows.mu[static_cast<std::size_t>(t2)];
  if (options.friction == "slip") {
    const double x = row_velocity(c.rows, t1, block, c.bodies.u) - c.rows.bias[static_cast<std::size_t>(t1)];
    const double y = row_velocity(c.rows, t2, block, c.bodies.u) - c.rows.bias[static_cast<std::size_t>(t2)];
    const double speed = std::hypot(x, y);
    const double cosine = speed > 0 ? x / speed : 1, sine = speed > 0 ? y / speed : 0;
    return append_direction(c, block, {t1, t2, cosine, sine}, std::hypot(mu_1 * cosine, mu_2 * sine), normal);
  }
  if (options.friction == "polygon") {
    // The sum of m segments of half length s, evenly turned, is a regular polygon of 2 m sides and inradius s cot(π / 2m).
    const int m = options.sides / 2;
    double sine, cosine;
    sin_cos(kPi / (2 * m), sine, cosine);
    const double segment = sine / cosine;
    for (int k = 0; k < m; ++k) {
      sin_cos(kPi * k / m, sine, cosine);
      // The ellipse is the circle stretched by mu_1 and mu_2, and so are the segments.
      const double mu = std::hypot(mu_1 * cosine, mu_2 * sine);
      if (mu_1 != mu_2 && mu > 0) cosine *= mu_1 / mu, sine *= mu_2 / mu;
      append_direction(c, block, {t1, t2, cosine, sine}, segment * mu, normal);
    }
    return;
  }
  append_row(c, block, t1, normal, options);
  append_row(c, block, t2, normal, options);
}

void LcpRowProblem::append_row(const SolverContext& c, const RowBlock& block, int row, int normal,
                               const LcpRowOptions& options) {
  const auto i = static_cast<std::size_t>(row);
  const VelocityRow target = velocity_row(c.rows, row, c.h(), c.correction.of(block));
  directions_.push_back({row, -1, 1, 0});
  append_numbers(c, block, c.rows.J[i], c.rows.JW[i], target.wanted, target.gamma);
  x_.push_back((c.rows.friction_of[i] < 0 ? 1 : kept_) * c.rows.lambda[i]);
  if (c.rows.friction_of[i] < 0) {
    lo_.push_back(c.h() * c.rows.lo[i]), hi_.push_back(c.h() * c.rows.hi[i]);
    dependency_.push_back(-1), factor_.push_back(0);
  } else if (options.friction == "box") {
    const ImpulseBounds bounds = impulse_bounds(c.rows, row, c.h());  // at the multipliers of the last step
    lo_.push_back(bounds.lo), hi_.push_back(bounds.hi);
    dependency_.push_back(-1), factor_.push_back(0);
  } else {
    lo_.push_back(0), hi_.push_back(0);
    dependency_.push_back(normal), factor_.push_back(c.rows.mu[i]);
  }
}

void LcpRowProblem::append_direction(const SolverContext& c, const RowBlock& block, const Direction& d, double mu,
                                     int normal) {
  const auto i = static_cast<std::size_t>(d.row), j = static_cast<std::size_t>(d.other);
  directions_.push_back(d);
  append_numbers(c, block, combined(c.rows.J[i], d.cosine, c.rows.J[j], d.sine),
                 combined(c.rows.JW[i], d.cosine, c.rows.JW[j], d.sine),
                 d.cosine * c.rows.bias[i] + d.sine * c.rows.bias[j], 0);
  x_.push_back(0);
  lo_.push_back(0), hi_.push_back(0);
  dependency_.push_back(normal), factor_.push_back(mu);
}

void LcpRowProblem::append_numbers(const SolverContext& c, const RowBlock& block, const Jacobian& J, const Jacobian& JW,
                                   double wanted, double gamma) {
  J_.push_back(J), JW_.push_back(JW);
  first_.push_back(lcp_body(c, block.a)), second_.push_back(lcp_body(c, block.b));
  const BodyVelocity &a = c.bodies.u[static_cast<std::size_t>(block.a)],
                     &b = c.bodies.u[static_cast<std::size_t>(block.b)];
  b_.push_back(velocity_along(J, a, b) - wanted);
  regularisation_.push_back(gamma);
}

LcpRows LcpRowProblem::rows() const {
  if (as_they_are_) {
    LcpRows rows{as_they_are_->J,    as_they_are_->JW, first_, second_, regularisation_, b_,
                 {lo_, hi_, {}, {}}, bodies_,          masses_};
    if (!fixed_bounds_) rows.limits.dependency = as_they_are_->friction_of, rows.limits.factor = as_they_are_->mu;
    return rows;
  }
  return {J_, JW_, first_, second_, regularisation_, b_, {lo_, hi_, dependency_, factor_}, bodies_, masses_};
}

void LcpRowProblem::apply(SolverContext& c) const {
  if (as_they_are_) c.rows.lambda = x_;
  for (const Direction& d : directions_) {
    c.rows.lambda[static_cast<std::size_t>(d.row)] = 0;
    if (d.other >= 0) c.rows.lambda[static_cast<std::size_t>(d.other)] = 0;
  }
  for (std::size_t i = 0; i < directions_.size(); ++i) {
    const Direction& d = directions_[i];
    c.rows.lambda[static_cast<std::size_t>(d.row)] += d.cosine * x_[i];
    if (d.other >= 0) c.rows.lambda[static_cast<std::size_t>(d.other)] += d.sine * x_[i];
  }
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    for (int i = block.begin; i < block.end; ++i)
      if (const double impulse = c.rows.lambda[static_cast<std::size_t>(i)]; impulse != 0)
        apply_row(c.rows, i, block, impulse, c.bodies.u);
  }
}

namespace {

class SimultaneousImpulse final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    v.choice("friction", options_.friction, friction_models(), "how Coulomb's cone is approximated");
    v.integer("sides", options_.sides, {"1", 4, 64, "sides of the polygon; even"});
    if (options_.sides % 2 != 0)
      throw FieldError("sides", "expected an even number, got " + std::to_string(options_.sides));
    v.flag("warm_start", options_.warm_start, "begins with the impulses of the last step");
    lcp_.fields(v, LcpNeeds::inequalities);
  }

  SolverLevel level() const override { return SolverLevel::velocity; }

  SolverReport solve(SolverContext& c) override {
    if (c.blocks.empty()) return {};
    problem_.assemble(c, options_);
    const GuardedResult guarded = lcp_.solve(problem_.rows(), problem_.x());
    problem_.apply(c);
    const LcpResult& result = guarded.solver;
    SolverReport report{result.iterations, guarded.residual, result.converged,
                        result.converged ? "" : to_string(result.status).data()};
    report.fell_back = guarded.fell_back;
    report.worst_row = problem_.row_of(guarded.worst_row), report.worst_error = guarded.worst_error;
    return report;
  }

 private:
  LcpRowOptions options_;
  LcpField lcp_{"pgs"};
  LcpRowProblem problem_;
};

}  // namespace

Entry register_simultaneous_impulse() {
  return {Kind::solver,
          "simultaneous-impulse",
          "one complementarity problem for all constraints, by any LCP solver",
          "Garstenauer 2006, 4.87–4.92; Anitescu, Potra 1997",
          {"level:velocity", "collision", "contact", "joint", "warm-start", "soft", "lacks:mass-ratios"},
          make_default<SimultaneousImpulse>,
          {},
          {kMeetsFirst}};
}

}  // namespace rigor
