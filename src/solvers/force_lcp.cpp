// Contact and joint forces at once, from accelerations: a linear complementarity problem (4.73–4.79; Baraff 1994; Baraff
// 1997, part II and its appendix on resting contact).
//
//   C̈ = A f + b,   A = J M⁻¹ Fᵀ,   b = J u̇_free + J̇ u − w
//   contact   touching and not parting: C̈ ≥ 0, f ≥ 0, C̈ f = 0
//   static    slower than the stick speed: no tangential acceleration within |f_t| ≤ μ f_n along each of two tangents
//   dynamic   F = J_n − μ s J_t: friction μ f_n against the slip s. A is then not symmetric and may be indefinite
//   joints    equations; limits that are touched, motors and dry friction within their bounds
//
// Forces are found anew at every evaluation of the integrator. An impact is none of its business: the collision slot stops
// what approaches. With dynamic friction there may be no valid forces (Painlevé's rod): this is reported, and
// the step goes on by impulses of the collision slot. Cost: the cube of the number of rows per evaluation.
#include <algorithm>
#include <cmath>

#include "constraints/contact_rows.h"
#include "lcp/dense_limit.h"
#include "lcp/lcp.h"
#include "lcp/newton_polish.h"
#include "registry/entry.h"
#include "solvers/acceleration_rows.h"
#include "solvers/bias_acceleration.h"
#include "solvers/lcp_field.h"

namespace rigor {

namespace {

/// The rows of a step as a complementarity problem of forces and accelerations. Keeps its memory from step to step.
class ForceProblem {
 public:
  /// Makes unknowns for all rows of the context's blocks that can carry a force now.
  void assemble(SolverContext& context, const Stabilisation& stabilisation, double stick_speed);
  /// True if a contact has dynamic friction: A is then not symmetric.
  bool slides() const {
    return std::any_of(unknowns_.begin(), unknowns_.end(),
                       [](const Unknown& u) { return u.slide[0] != 0 || u.slide[1] != 0; });
  }
  bool is_empty() const { return unknowns_.empty(); }
  LcpProblem problem() const { return {A_, b_, {lo_, hi_, dependency_, factor_}}; }
  /// If something slides: the same problem with dynamic friction as known forces, computed from the normal forces `x`. Its
  /// matrix is symmetric.
  LcpProblem with_friction_of(std::span<const double> x);
  std::span<double> x() { return x_; }
  /// Writes the multipliers, N s: forces times h.
  void apply(SolverContext& context) const;

 private:
  /// One multiplier. It asks about the acceleration along `row`; its force acts along J[row] + slide · (J[row + 1], J[row + 2]).
  struct Unknown {
    int row, block;
    double slide[2];  // friction per normal force of a contact that slides
  };

  /// What a block does in this step. Found at its first evaluation: the states in between that integrators try are too far
  /// to distinguish rest from motion.
  enum class Mode : std::uint8_t { open, sticks, stops, slides };

  void clear();
  void find_modes(const SolverContext& c);
  Mode contact_mode(const SolverContext& c, const RowBlock& block) const;
  bool is_closed(const SolverContext& c, const RowBlock& block, int row) const;
  void append_joint(SolverContext& c, int b);
  void append_contact(SolverContext& c, int b);
  void append_friction(SolverContext& c, int b, int normal);
  void append(SolverContext& c, const Unknown& unknown, double wanted, int normal);
  void fill_matrix(const SolverContext& c);
  void fill_column(const SolverContext& c, std::size_t j);

  Stabilisation stabilisation_;
  double stick_speed_ = 0;
  std::vector<Mode> modes_;           // of contacts, by block
  std::vector<std::uint8_t> closed_;  // of joints' rows
  std::vector<Unknown> unknowns_;
  std::vector<BodyVelocity> acceleration_;  // by body, without the unknowns
  std::vector<double> c_;                   // J̇ u by row
  std::vector<double> A_, b_, lo_, hi_, factor_, x_;
  std::vector<double> without_slip_, pushed_;  // A and b of with_friction_of()
  std::vector<int> dependency_;
};

/// Contacts that part faster carry no force; slower ones are held by 2α Ċ until rounding is gone. Chosen.
constexpr double kParting = 1e-6;  // m/s

/// The slip along the two tangents.
struct Slip {
  double x, y;
  double speed() const { return std::hypot(x, y); }
};

Slip slip_of(const SolverContext& c, const RowBlock& block) {
  const auto along = [&](int i) {
    return row_velocity(c.rows, i, block, c.bodies.u) - c.rows.bias[static_cast<std::size_t>(i)];
  };
  return {along(block.begin + 1), along(block.begin + 2)};
}

bool has_friction(const RowBlock& block) { return block.size() >= 3; }

/// The largest change of slip by friction in one step, for the normal force known so far.
double stopping_speed(const SolverContext& c, const RowBlock& block) {
  const auto n = static_cast<std::size_t>(block.begin);
  const double K = std::max(c.rows.diagonal[n + 1], c.rows.diagonal[n + 2]);
  return K * std::max(c.rows.mu[n + 1], c.rows.mu[n + 2]) * std::max(c.rows.lambda[n], 0.0);
}

}  // namespace

void ForceProblem::clear() {
  unknowns_.clear();
  b_.clear(), lo_.clear(), hi_.clear(), factor_.clear(), x_.clear(), dependency_.clear();
}

void ForceProblem::assemble(SolverContext& c, const Stabilisation& stabilisation, double stick_speed) {
  clear();
  stabilisation_ = stabilisation, stick_speed_ = stick_speed;
  if (c.begins) find_modes(c);
  free_accelerations(c, acceleration_);
  apply_springs(c, acceleration_);
  c_.resize(static_cast<std::size_t>(c.rows.size()));
  for (const int b : c.blocks) {
    const bool joint = c.rows.blocks[static_cast<std::size_t>(b)].source == RowBlock::Source::joint;
    joint ? append_joint(c, b) : append_contact(c, b);
  }
  fill_matrix(c);
}

/// True if an inequality can carry a force: it touches and does not separate. A deep contact separates at up to β times its depth.
bool ForceProblem::is_closed(const SolverContext& c, const RowBlock& block, int row) const {
  const double C = c.rows.C[static_cast<std::size_t>(row)];
  return C <= c.settings.touching &&
         row_velocity(c.rows, row, block, c.bodies.u) <= std::max(kParting, -stabilisation_.beta * C);
}

ForceProblem::Mode ForceProblem::contact_mode(const SolverContext& c, const RowBlock& block) const {
  if (!is_closed(c, block, block.begin)) return Mode::open;
  if (!has_friction(block)) return Mode::sticks;
  const double speed = slip_of(c, block).speed();
  return speed <= stick_speed_ ? Mode::sticks : speed <= stopping_speed(c, block) ? Mode::stops : Mode::slides;
}

void ForceProblem::find_modes(const SolverContext& c) {
  modes_.assign(c.rows.blocks.size(), Mode::open);
  closed_.assign(static_cast<std::size_t>(c.rows.size()), 0);
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    if (block.source == RowBlock::Source::contact) {
      modes_[static_cast<std::size_t>(b)] = contact_mode(c, block);
      continue;
    }
    for (int i = block.begin; i < block.end; ++i)
      closed_[static_cast<std::size_t>(i)] =
          !is_inequality(c.rows.kind[static_cast<std::size_t>(i)]) || is_closed(c, block, i);
  }
}

void ForceProblem::append_joint(SolverContext& c, int b) {
  const RowBlock block = c.rows.blocks[static_cast<std::size_t>(b)];
  bias_acceleration(c, b, c_);
  for (int i = block.begin; i < block.end; ++i) {
    if (is_soft(c.rows, i) || !closed_[static_cast<std::size_t>(i)]) continue;
    const double velocity = row_velocity(c.rows, i, block, c.bodies.u);
    append(c, {i, b, {0, 0}}, wanted_acceleration(c.rows, i, velocity, c.h(), stabilisation_), -1);
  }
}

void ForceProblem::append_contact(SolverContext& c, int b) {
  const RowBlock block = c.rows.blocks[static_cast<std::size_t>(b)];
  if (modes_[static_cast<std::size_t>(b)] == Mode::open) return;
  const int n = block.begin;
  const double velocity = row_velocity(c.rows, n, block, c.bodies.u);
  bias_acceleration(c, b, c_);
  const int normal = static_cast<int>(unknowns_.size());
  append(c, {n, b, {0, 0}}, wanted_acceleration(c.rows, n, velocity, c.h(), stabilisation_), -1);
  if (has_friction(block)) append_friction(c, b, normal);
  // Rolling and spinning friction act like motors that want rest.
  for (int i = n + 3; i < block.end; ++i)
    append(c, {i, b, {0, 0}}, -row_velocity(c.rows, i, block, c.bodies.u) / c.h(), normal);
}

void ForceProblem::append_friction(SolverContext& c, int b, int normal) {
  const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
  const Slip slip = slip_of(c, block);
  const auto t = static_cast<std::size_t>(block.begin) + 1;
  const Mode mode = modes_[static_cast<std::size_t>(b)];
  if (mode == Mode::slides) {
    // Dynamic: opposite to the slip with mu N; the largest dissipation on the ellipse where mu depends on the direction.
    const double mu_1 = c.rows.mu[t], mu_2 = c.rows.mu[t + 1], size = std::hypot(mu_1 * slip.x, mu_2 * slip.y);
    double* slide = unknowns_[static_cast<std::size_t>(normal)].slide;
    if (size > 0) slide[0] = -mu_1 * mu_1 * slip.x / size, slide[1] = -mu_2 * mu_2 * slip.y / size;
    return;
  }
  // Static: no acceleration along the surface, as far as mu N holds. Slip that friction can end within this step is ended.
  const double rate = mode == Mode::stops ? 1 / c.h() : 2 * stabilisation_.alpha;
  append(c, {block.begin + 1, b, {0, 0}}, -rate * slip.x, normal);
  append(c, {block.begin + 2, b, {0, 0}}, -rate * slip.y, normal);
}

void ForceProblem::append(SolverContext& c, const Unknown& unknown, double wanted, int normal) {
  const auto r = static_cast<std::size_t>(unknown.row);
  const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(unknown.block)];
  unknowns_.push_back(unknown);
  b_.push_back(row_velocity(c.rows, unknown.row, block, acceleration_) + c_[r] - wanted);
  lo_.push_back(normal < 0 ? c.rows.lo[r] : 0), hi_.push_back(normal < 0 ? c.rows.hi[r] : 0);
  dependency_.push_back(normal), factor_.push_back(normal < 0 ? 0 : c.rows.mu[r]);
  x_.push_back(c.rows.lambda[r] / c.h());
}

/// Writes column j of A and, if contact j slides, that of A without its friction.
void ForceProblem::fill_column(const SolverContext& c, std::size_t j) {
  const Unknown& u = unknowns_[j];
  const auto r = static_cast<std::size_t>(u.row);
  const auto add = [&](const Jacobian& F, double scale, std::vector<double>& A) {
    const RowBlock& from = c.rows.blocks[static_cast<std::size_t>(u.block)];
    const std::size_t n = unknowns_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const RowBlock& to = c.rows.blocks[static_cast<std::size_t>(unknowns_[i].block)];
      const Jacobian& J = c.rows.J[static_cast<std::size_t>(unknowns_[i].row)];
      const auto add_shared = [&](int place_to, std::size_t at_to, int place_from, std::size_t at_from) {
        if (place_to != place_from || place_to >= c.bodies.awake) return;
        for (std::size_t k = 0; k < 6; ++k) A[i * n + j] += scale * J[at_to + k] * F[at_from + k];
      };
      add_shared(to.a, 0, from.a, 0), add_shared(to.a, 0, from.b, 6);
      add_shared(to.b, 6, from.a, 0), add_shared(to.b, 6, from.b, 6);
    }
  };
  add(c.rows.JW[r], 1, A_);
  if (!without_slip_.empty()) add(c.rows.JW[r], 1, without_slip_);
  for (std::size_t k = 0; k < 2; ++k)
    if (u.slide[k] != 0) add(c.rows.JW[r + 1 + k], u.slide[k], A_);
}

void ForceProblem::fill_matrix(const SolverContext& c) {
  const std::size_t n = unknowns_.size();
  check_dense_size(n);
  A_.assign(n * n, 0.0);
  without_slip_.assign(slides() ? n * n : 0, 0.0);
  for (std::size_t j = 0; j < n; ++j) fill_column(c, j);
}

LcpProblem ForceProblem::with_friction_of(std::span<const double> x) {
  const std::size_t n = unknowns_.size();
  pushed_ = b_;
  for (std::size_t j = 0; j < n; ++j) {
    const Unknown& u = unknowns_[j];
    if (u.slide[0] == 0 && u.slide[1] == 0) continue;
    for (std::size_t i = 0; i < n; ++i) pushed_[i] += (A_[i * n + j] - without_slip_[i * n + j]) * x[j];
  }
  return {without_slip_, pushed_, {lo_, hi_, dependency_, factor_}};
}

void ForceProblem::apply(SolverContext& c) const {
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    for (int i = block.begin; i < block.end; ++i)
      if (!is_soft(c.rows, i)) c.rows.lambda[static_cast<std::size_t>(i)] = 0;
  }
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    const auto r = static_cast<std::size_t>(unknowns_[k].row);
    c.rows.lambda[r] = c.h() * x_[k];
    for (std::size_t t = 0; t < 2; ++t)
      if (unknowns_[k].slide[t] != 0) c.rows.lambda[r + 1 + t] = c.h() * unknowns_[k].slide[t] * x_[k];
  }
}

namespace {

class ForceLcp final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    stabilisation_.fields(v);
    v.flag("nearby", nearby_, "Newton's method from the forces of the step before comes first; off: pivoting alone");
    lcp_.fields(v, LcpNeeds::inequalities);
  }

  SolverLevel level() const override { return SolverLevel::force; }
  bool stops_impacts() const override { return false; }

  SolverReport solve(SolverContext& c) override {
    problem_.assemble(c, stabilisation_, c.settings.stick_speed);
    if (problem_.is_empty()) {
      problem_.apply(c);
      return {};
    }
    // Adaptive integrators try states that are far off, and reject those that are not finite by their own estimate of the error.
    if (!is_finite_problem(problem_.problem())) return {};
    const LcpResult result = solve_problem();
    const bool solved = is_enough(result);
    if (solved) problem_.apply(c);  // otherwise the forces of the evaluation before stay
    const bool cut_short = !solved && result.status == LcpStatus::work_limit;
    const char* trouble =
        solved                                                   ? ""
        : cut_short || result.status == LcpStatus::not_symmetric ? to_string(result.status).data()
        : problem_.slides()
            ? "no contact forces keep these bodies apart with this friction (Painlevé)"
            : "no contact and joint forces satisfy all constraints at once, for example because joints are redundant";
    return {result.iterations, result.residual, result.residual <= kSolved, trouble, !solved, cut_short};
  }

 private:
  static bool is_finite_problem(const LcpProblem& problem) {
    double sum = 0;
    for (const double v : problem.b) sum += v;
    for (const double v : problem.A) sum += v;
    return std::isfinite(sum);
  }

  /// Relative residual; chosen far above the rounding of pivoting and far below what contradicting contacts leave.
  static constexpr double kSolved = 1e-6;

  /// Piles are so redundant that exact forces take minutes, and mean little: there a hundredth of the largest acceleration is accurate enough.
  bool is_enough(const LcpResult& result) const {
    constexpr int kPile = 200;  // unknowns; chosen: some tens of contact points with friction
    constexpr double kClose = 1e-2;
    return result.residual <= (problem_.problem().size() > kPile ? kClose : kSolved);
  }

  /// The exact solvers pivot hundreds of times where contacts are redundant; near the forces of the step before Newton's method
  /// needs one factorisation. Where nothing slides A is symmetric, and Dantzig's algorithm, which is faster there, comes next.
  LcpResult solve_problem() {
    LcpResult damped = solve_damped();
    if (damped.residual <= kSolved) return damped;
    const std::vector<double> forces(problem_.x().begin(), problem_.x().end());
    const LcpResult result = solve_undamped();
    if (damped.residual > kSingular || (is_enough(result) && largest(problem_.x()) <= kBlownUp * largest(forces)))
      return result;
    std::copy(forces.begin(), forces.end(), problem_.x().begin());
    damped.residual = kSolved;
    return damped;
  }

  LcpResult solve_undamped() {
    if (nearby_)
      if (const LcpResult result = solve_nearby(); is_enough(result)) return result;
    const LcpResult result = problem_.slides() ? solve_sliding() : symmetric_->solve(problem_.problem(), problem_.x());
    return result.residual <= kSolved ? result : lcp_.solver().solve(problem_.problem(), problem_.x());
  }

  static double largest(std::span<const double> x) {
    double most = 0;
    for (const double v : x) most = std::max(most, std::abs(v));
    return most;
  }

  /// Joints alone. Near a position where a loop of them is singular, an error of a velocity comes back divided by the distance φ from there.
  /// A regularisation damps the rows whose pivots are φ² or less, which hardly move anything (lagrange.cpp): the forces stay bounded.
  /// The residual is 1 where there is more than equations.
  LcpResult solve_damped() {
    LcpResult result;
    result.residual = 1;
    const LcpProblem problem = problem_.problem();
    const auto is_bounded = [](double limit) { return std::isfinite(limit); };
    if (std::any_of(problem.limits.lo.begin(), problem.limits.lo.end(), is_bounded) ||
        std::any_of(problem.limits.hi.begin(), problem.limits.hi.end(), is_bounded))
      return result;
    trial_.assign(problem.b.size(), 0.0);
    WorkLeft work(WorkSettings{});
    result.residual = newton_polish(problem, 1, kPolished, trial_, work, kRegularisation);
    if (result.residual <= kSingular) std::copy(trial_.begin(), trial_.end(), problem_.x().begin());
    return result;
  }

  /// Newton's method from the forces of the step before, then from what non-smooth conjugate gradients make of them.
  LcpResult solve_nearby() {
    const LcpProblem problem = problem_.problem();
    trial_.assign(problem_.x().begin(), problem_.x().end());
    project(problem.limits, trial_);
    WorkLeft work(WorkSettings{});
    LcpResult result;
    result.residual = newton_polish(problem, kNewtonSteps, kPolished, trial_, work);
    if (result.residual > kSolved) {
      result = iterative_->solve(problem, trial_);
      result.residual = newton_polish(problem, kNewtonSteps, kPolished, trial_, work);
    }
    if (is_enough(result)) std::copy(trial_.begin(), trial_.end(), problem_.x().begin());
    return result;
  }

  /// Dynamic friction by the normal forces of the round before, until both fit: a row of symmetric problems, which settles
  /// where friction hardly changes the normal forces; a Newton step ends it. Far from there (Painlevé's rod) it does not settle.
  LcpResult solve_sliding() {
    const LcpProblem problem = problem_.problem();
    trial_.assign(problem_.x().begin(), problem_.x().end());
    LcpResult result;
    WorkLeft work(WorkSettings{});
    for (int round = 0; round < kRounds; ++round) {
      const LcpResult fixed = symmetric_->solve(problem_.with_friction_of(trial_), trial_);
      result.iterations += fixed.iterations;
      result.residual = newton_polish(problem, kNewtonSteps, kPolished, trial_, work);
      if (fixed.residual > kSolved || result.residual <= kSolved) break;
    }
    if (result.residual <= kSolved) std::copy(trial_.begin(), trial_.end(), problem_.x().begin());
    return result;
  }

  static constexpr int kRounds = 3, kNewtonSteps = 5, kSweeps = 1500;  // chosen: what needs more is left to `lcp`
  static constexpr double kWork = 200;  // million multiplications: tenths of a second; then there are impulses
  static constexpr double kRegularisation = 1e-7, kSingular = 0.01, kBlownUp = 2;  // as in lagrange.cpp
  static constexpr double kPolished = 1e-8;  // relative residual, the tolerance of the exact solvers

  std::unique_ptr<LcpSolver> iterative_ =
      create<LcpSolver>(Kind::lcp, {"nncg", {{"iterations", kSweeps}, {"tolerance", kPolished}}}, "lcp");
  std::unique_ptr<LcpSolver> symmetric_ = create<LcpSolver>(Kind::lcp, {"dantzig", {}}, "lcp");
  bool nearby_ = true;
  Stabilisation stabilisation_;
  LcpField lcp_{"lemke", {{"work", kWork}}};
  ForceProblem problem_;
  std::vector<double> trial_;
};

}  // namespace

Entry register_force_lcp() {
  return {
      Kind::solver,
      "force-lcp",
      "contact and joint forces from accelerations, with static and dynamic friction; impulses where there are none",
      "Baraff 1994; Garstenauer 2006, 4.6.2",
      {"level:force", "contact", "joint", "soft", "needs:collision", "lacks:error-reduction"},
      make_default<ForceLcp>,
      {},
      {"restitution is that of the collision slot", "static friction is a pyramid along two tangents",
       "soft rows are explicit springs: their period has to be resolved by the step"}};
}

}  // namespace rigor
