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
#include "solvers/force_lcp.h"

#include <algorithm>
#include <cmath>

#include "lcp/newton_polish.h"
#include "registry/entry.h"
#include "solvers/lcp_field.h"

namespace rigor {

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
      {"level:force", "contact", "joint", "soft", "needs:collision"},
      make_default<ForceLcp>,
      {},
      {"restitution is that of the collision slot", "static friction is a pyramid along two tangents",
       "soft rows are explicit springs: their period has to be resolved by the step"}};
}

}  // namespace rigor
