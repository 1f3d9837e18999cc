// Proximal alternating directions with multipliers (Carpentier, Le Lidec, Montaut 2024, arXiv 2405.17020; Todorov 2014 and Acary et al.
// 2011 before them). In the scaled problem of cone_problem.h, with a copy y of the impulses x and the corrected velocity z:
//
//   (W + (η + ρ) I) x ← −(q + s − η x − ρ y − z)        W + (η + ρ) is factorised once per ρ
//   y ← P_K(x − z/ρ)                                     cones and limits
//   z ← z − ρ (x − y)
//   s ← Γ(z) n                                           de Saxcé's correction, from the tangential velocity
//
// A fixed point has x = y ∈ K, z = û ∈ K*, and x ⊥ z: Coulomb's law, not its convex relaxation. η keeps the system regular where contacts
// are redundant; being proximal, it does not change the solution. ρ = √(m L) (L/m)^(p − ½) with the extreme eigenvalues m, L of W; p is moved
// where the residuals ‖x − y‖ and ‖ρ Δy + η Δx‖ are further apart than `ratio`, which asks for a new factorisation.
//
// Equal residuals do not mean that ρ is the best: in heaps at rest, p = ½ takes five times as many iterations as p = 0.2. Where the solution is still far after kWindow iterations with one ρ,
// p is searched by what counts, the contraction of √ρ (‖Δy‖ + ‖x − y‖) per iteration: it goes on in the direction in which the contraction became stronger, and turns around where it became weaker.
//
// Converges linearly, without much regard to the condition of W; not proven with friction, since s is a fixed-point iteration. Cost: one sparse
// Cholesky factorisation per ρ, one back substitution per iteration.
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "lcp/cone_system.h"
#include "registry/entry.h"

namespace rigor {

namespace {

using Vector = Eigen::VectorXd;
using Index = std::size_t;

/// The largest eigenvalue of W by a few power iterations from a fixed start; 10 % is all that ρ asks for.
double largest_eigenvalue(const ConeMatrix& W) {
  Vector v(W.rows());
  for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = 1 + 0.1 * std::sin(double(i));
  double value = 1;
  for (int k = 0; k < 20; ++k) {
    const double length = v.norm();
    if (!(length > 0)) return 1;
    v /= length;
    const Vector w = W * v;
    value = v.dot(w);
    v = w;
  }
  return value > 0 ? value : 1;
}

/// Chooses ρ, see above.
class PenaltySearch {
 public:
  PenaltySearch(double smallest, double largest, double ratio) : m_(smallest), L_(largest), ratio_(ratio) {}

  double rho() const { return std::sqrt(m_ * L_) * std::pow(L_ / m_, exponent_ - 0.5); }

  /// Call this after each iteration. True if rho() is another one now. `distance` falls by a constant factor per iteration near the solution.
  bool changes(double primal, double dual, double distance) {
    ++since_;
    if (since_ == kSettled) start_ = distance;
    const double before = exponent_;
    if (since_ >= kWindow) {
      climb(std::log(distance / start_) / (since_ - kSettled));
    } else if (!climbs_ && since_ >= 10 && primal > 0 && dual > 0) {
      if (primal > ratio_ * dual) exponent_ = std::min(exponent_ + kStep, 1.0);
      if (dual > ratio_ * primal) exponent_ = std::max(exponent_ - kStep, 0.0);
    }
    if (exponent_ == before) return false;
    since_ = 0;
    return true;
  }

 private:
  static constexpr int kWindow = 250;     // iterations that measure a contraction. Chosen: 500 takes 1.5 times as many
  static constexpr int kSettled = 50;     // iterations after a change that do not count
  static constexpr double kStep = 0.1;    // of p: ρ changes by (L/m)^0.1, which is 2.5
  static constexpr double kFast = -2e-3;  // a hundredfold in 2300 iterations is fast enough to leave ρ alone. Chosen.

  /// `rate`: the mean of Δ log(distance) per iteration at the present ρ.
  void climb(double rate) {
    climbs_ = true;
    since_ = 0;
    if (rate <= kFast) {
      last_rate_ = std::numeric_limits<double>::infinity();  // what comes later is compared with nothing
      return;
    }
    if (rate > last_rate_) direction_ = -direction_;
    last_rate_ = rate;
    exponent_ = std::clamp(exponent_ + direction_ * kStep, 0.0, 1.0);
  }

  double m_, L_, ratio_;
  double exponent_ = 0.5, direction_ = -1;  // smaller first: heaps at rest want it
  bool climbs_ = false;
  int since_ = 0;  // iterations since ρ changed, or since a window ended
  double start_ = 0, last_rate_ = std::numeric_limits<double>::infinity();
};

class Admm final : public ConeSolver {
 public:
  Admm() { settings_.iterations = 10000; }

  void fields(FieldVisitor& v) override {
    settings_.fields(v);
    v.number("proximal", proximal_, {"1", kPositive, 1, "η, relative to the largest eigenvalue of the scaled W"});
    v.number("ratio", ratio_, {"1", 1.5, 1e6, "of primal and dual residual, from which on ρ is changed"});
  }

  ConeResult solve(const ConeProblem& problem, std::span<double> r, ConeTrace* trace) override {
    return solve_scaled(
        problem, settings_, r, trace,
        [&](const ConeProblem& p, std::span<const double> D, ConeJudge& judge) { return iterate(p, D, r, judge); });
  }

 private:
  ConeResult iterate(const ConeProblem& p, std::span<const double> D, std::span<double> r, ConeJudge& judge) {
    // Some files have a W that is symmetric up to rounding of another program only: what is skew goes to the right-hand side.
    const ConeMatrix given = cone_matrix(p.W), W = 0.5 * (given + ConeMatrix(given.transpose())), skew = given - W;
    const bool skew_matters = skew.squaredNorm() > 0;
    const double L = largest_eigenvalue(W), eta = proximal_ * L;
    const double m = std::max(eta, 1e-4 * L);  // of redundant contacts the smallest eigenvalue is zero
    const Eigen::Index n = W.rows();
    Vector x(n), q(n);
    for (Eigen::Index i = 0; i < n; ++i) x[i] = r[Index(i)] / D[Index(i)], q[i] = p.q[Index(i)];
    Vector y = x, z = given * x + q, s = Vector::Zero(n), old_x, old_y, rhs;
    correct(p, z, s);
    z += s;
    PenaltySearch search{m, L, ratio_};
    double rho = search.rho();
    ConeMatrix identity(n, n);
    identity.setIdentity();
    Eigen::SimplicialLDLT<ConeMatrix> factors;
    factors.analyzePattern(W + identity);
    factors.factorize(W + (eta + rho) * identity);
    int k = 0;
    LcpStatus status = LcpStatus::iteration_limit;
    while (k < settings_.iterations) {
      if (factors.info() != Eigen::Success) {
        status = LcpStatus::not_positive_definite;
        break;
      }
      ++k;
      old_x = x, old_y = y;
      rhs = eta * x + rho * y + z - q - s;
      if (skew_matters) rhs -= skew * x;
      x = factors.solve(rhs);
      y = x - z / rho;
      for (const ConeBlock& block : p.blocks) project(p, block, y.data() + block.begin);
      z -= rho * (x - y);
      correct(p, z, s);
      for (Eigen::Index i = 0; i < n; ++i) r[Index(i)] = y[i] * D[Index(i)];
      if (judge.done(r)) break;
      const double primal = (x - y).norm(), dual = (rho * (y - old_y) + eta * (x - old_x)).norm();
      if (!search.changes(primal, dual, std::sqrt(rho) * ((y - old_y).norm() + primal))) continue;
      rho = search.rho();
      factors.factorize(W + (eta + rho) * identity);
    }
    return judge.finish(r, k, status);
  }

  /// s ← Γ(z) n for every contact.
  static void correct(const ConeProblem& p, const Vector& z, Vector& s) {
    for (const ConeBlock& block : p.blocks)
      if (block.contact) s[block.begin] = de_saxce(block, z.data() + block.begin);
  }

  ConeSettings settings_;
  double proximal_ = 1e-6, ratio_ = 10;
};

}  // namespace

Entry register_cone_admm() {
  return {Kind::cone,
          "admm",
          "proximal ADMM: one factorisation, then projections on the cones",
          "Carpentier, Le Lidec, Montaut 2024, arXiv 2405.17020",
          {"warm-start", "singular"},
          make_default<Admm>,
          {}};
}

}  // namespace rigor
