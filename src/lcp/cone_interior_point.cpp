// A primal-dual interior-point method on Signorini's and Coulomb's laws themselves, in the form of Dojo (Howell et al. 2022, arXiv 2203.00806, section IV): with a further unknown η_g ≥ ‖u_g‖ for
// each friction group, the laws are complementarities over the orthant and over Lorentz' cone, relaxed by κ > 0,
//
//   u = W r + q,    r_n u_n = κ,    x_g ∘ z_g = κ e,    x_g = (μ_g r_n, r_g),  z_g = (η_g, u_g),   x ∘ z = (x·z, x_0 z̄ + z_0 x̄)
//
// κ → 0 gives r_n ⊥ u_n and friction that opposes the slip with all it has: no convex relaxation, hence no proof. Rows with limits: (r − lo) z_lo = κ, (hi − r) z_hi = κ, u = z_lo − z_hi.
// Newton's steps are Mehrotra's: one without κ shows how small κ can be made, the second, with the same factors, goes there with the products of the first as corrections.
// η and the z of limits are eliminated in their blocks, so a step is one sparse system (A + B W) Δr = b of the size of r, A and B being block diagonal. u is an unknown of its own and need
// not be W r + q before the end; r, u, η stay inside of their cones. Where steps become short, it begins anew from ten times as far inside.
//
// Near a solution with contacts at the edge of sticking or of opening the systems lose digits, and the iteration stays at 1e-6 to 1e-8 (heaps at rest). What is missing is then found by Newton's steps on
// Alart's and Curnier's function from there (`polish`), as in the crossover of linear programming: from inside of the cones, the cases are right.
//
// 10 to 30 iterations for most problems, whatever their condition and number of contacts; each is one sparse LU factorisation. It cannot use a first guess: close to the boundary
// Newton's steps are short.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lcp/cone_system.h"
#include "registry/entry.h"

namespace rigor {

namespace {

using Vector = Eigen::VectorXd;
using Index = std::size_t;

/// The unknowns, or a step of them.
struct Point {
  Vector r, u, z_lo, z_hi;  // by row; z of rows with limits only
  Vector eta;               // three for each block, by group

  void resize(Eigen::Index rows, Eigen::Index blocks) {
    for (Vector* v : {&r, &u, &z_lo, &z_hi}) v->setZero(rows);
    eta.setZero(3 * blocks);
  }
};

/// The largest α ≤ 1 that leaves x + α d ≥ 0.
double positive_step(double x, double d) { return d < 0 ? std::min(1.0, -x / d) : 1.0; }

/// The same for Lorentz' cone, x_0 ≥ ‖x̄‖.
double cone_step(double x0, const double* x, double d0, const double* d, int size) {
  double a = d0 * d0, b = x0 * d0, c = x0 * x0;
  for (int i = 0; i < size; ++i) a -= d[i] * d[i], b -= x[i] * d[i], c -= x[i] * x[i];
  double alpha = positive_step(x0, d0);
  const double discriminant = b * b - a * c;  // of a α² + 2 b α + c
  if (discriminant < 0) return alpha;
  const double root = std::sqrt(discriminant), q = b < 0 ? -b + root : -b - root;
  for (const double t : {a != 0 ? q / a : -1.0, q != 0 ? c / q : -1.0})
    if (t > 0) alpha = std::min(alpha, t);
  return alpha;
}

/// The relaxed system of one problem, which is scaled.
class Relaxed {
 public:
  explicit Relaxed(const ConeProblem& p) : p_(p), W_(cone_matrix(p.W)), system_(p), q_(p.size()), b_(p.size()) {
    for (int i = 0; i < p.size(); ++i) q_[i] = p.q[Index(i)];
  }

  bool is_fixed(int row) const { return !(p_.hi[Index(row)] > p_.lo[Index(row)]); }

  /// A point at the distance s from the boundary.
  Point start(double s) const {
    Point x;
    x.resize(p_.size(), static_cast<Eigen::Index>(p_.blocks.size()));
    for (Index k = 0; k < p_.blocks.size(); ++k) {
      const ConeBlock& block = p_.blocks[k];
      if (block.contact) {
        x.r[block.begin] = x.u[block.begin] = s;
        for (int g = 0; g < block.groups; ++g) x.eta[eta_of(k, g)] = s;
        continue;
      }
      for (int i = block.begin; i < block.begin + block.size; ++i) {
        const double lo = p_.lo[Index(i)], hi = p_.hi[Index(i)];
        const bool lower = std::isfinite(lo), upper = std::isfinite(hi);
        x.r[i] = lower && upper ? 0.5 * (lo + hi) : lower ? lo + s : upper ? hi - s : 0;
        if (is_fixed(i)) continue;
        if (lower) x.z_lo[i] = s;
        if (upper) x.z_hi[i] = s;
      }
    }
    return x;
  }

  /// The mean of all complementarities.
  double gap(const Point& x) const {
    double sum = 0;
    int count = 0;
    for (Index k = 0; k < p_.blocks.size(); ++k) {
      const ConeBlock& block = p_.blocks[k];
      if (!block.contact) {
        for (int i = block.begin; i < block.begin + block.size; ++i) {
          if (x.z_lo[i] > 0) sum += (x.r[i] - p_.lo[Index(i)]) * x.z_lo[i], ++count;
          if (x.z_hi[i] > 0) sum += (p_.hi[Index(i)] - x.r[i]) * x.z_hi[i], ++count;
        }
        continue;
      }
      sum += x.r[block.begin] * x.u[block.begin], ++count;
      for (int g = 0; g < block.groups; ++g) {
        const FrictionGroup& group = block.group[Index(g)];
        sum += group.mu * x.r[block.begin] * x.eta[eta_of(k, g)], ++count;
        for (int i = block.begin + group.offset; i < block.begin + group.offset + group.size; ++i)
          sum += x.r[i] * x.u[i];
      }
    }
    return count ? sum / count : 0;
  }

  /// A and B at x.
  bool factorise(const Point& x) {
    system_.clear();
    for (Index k = 0; k < p_.blocks.size(); ++k) derivatives(x, k);
    return system_.factorise();
  }

  /// The step from x to κ, with the products of `other` as second-order terms where there is one.
  bool step(const Point& x, double kappa, const Point* other, Point& d) {
    const Vector rest = W_ * x.r + q_ - x.u;
    for (Index k = 0; k < p_.blocks.size(); ++k) right_hand_side(x, k, kappa, other);
    for (Index k = 0; k < p_.blocks.size(); ++k) {
      const ConeBlock& block = p_.blocks[k];
      const double* B = system_.B(k);
      for (int i = 0; i < block.size; ++i)
        for (int j = 0; j < block.size; ++j) b_[block.begin + i] -= B[i * block.size + j] * rest[block.begin + j];
    }
    d.r = system_.solve(b_);
    d.u = W_ * d.r + rest;
    for (Index k = 0; k < p_.blocks.size(); ++k) eliminated(x, k, kappa, other, d);
    return d.r.allFinite() && d.u.allFinite() && d.eta.allFinite();
  }

  /// The largest step that stays inside.
  double longest(const Point& x, const Point& d) const {
    double alpha = 1;
    for (Index k = 0; k < p_.blocks.size(); ++k) {
      const ConeBlock& block = p_.blocks[k];
      if (!block.contact) {
        for (int i = block.begin; i < block.begin + block.size; ++i) {
          if (x.z_lo[i] > 0)
            alpha =
                std::min({alpha, positive_step(x.z_lo[i], d.z_lo[i]), positive_step(x.r[i] - p_.lo[Index(i)], d.r[i])});
          if (x.z_hi[i] > 0)
            alpha = std::min(
                {alpha, positive_step(x.z_hi[i], d.z_hi[i]), positive_step(p_.hi[Index(i)] - x.r[i], -d.r[i])});
        }
        continue;
      }
      const int n = block.begin;
      alpha = std::min({alpha, positive_step(x.r[n], d.r[n]), positive_step(x.u[n], d.u[n])});
      for (int g = 0; g < block.groups; ++g) {
        const FrictionGroup& group = block.group[Index(g)];
        if (!(group.mu > 0)) continue;
        const int at = n + group.offset;
        const Eigen::Index e = eta_of(k, g);
        alpha = std::min(alpha,
                         cone_step(group.mu * x.r[n], x.r.data() + at, group.mu * d.r[n], d.r.data() + at, group.size));
        alpha = std::min(alpha, cone_step(x.eta[e], x.u.data() + at, d.eta[e], d.u.data() + at, group.size));
      }
    }
    return alpha;
  }

 private:
  static Eigen::Index eta_of(Index block, int group) { return static_cast<Eigen::Index>(3 * block) + group; }

  void derivatives(const Point& x, Index k) {
    const ConeBlock& block = p_.blocks[k];
    const int m = block.size, n = block.begin;
    double *A = system_.A(k), *B = system_.B(k);
    if (!block.contact) {
      for (int i = 0; i < m; ++i) {
        const int row = n + i;
        if (is_fixed(row)) {
          A[i * m + i] = 1;
          continue;
        }
        B[i * m + i] = 1;
        if (x.z_lo[row] > 0) A[i * m + i] += x.z_lo[row] / (x.r[row] - p_.lo[Index(row)]);
        if (x.z_hi[row] > 0) A[i * m + i] += x.z_hi[row] / (p_.hi[Index(row)] - x.r[row]);
      }
      return;
    }
    A[0] = x.u[n], B[0] = x.r[n];
    for (int g = 0; g < block.groups; ++g) {
      const FrictionGroup& group = block.group[Index(g)];
      const double x0 = group.mu * x.r[n], eta = x.eta[eta_of(k, g)];
      for (int i = group.offset; i < group.offset + group.size; ++i) {
        if (!(group.mu > 0)) {
          A[i * m + i] = 1;
          continue;
        }
        const double r = x.r[n + i] / x0;
        A[i * m] = group.mu * (x.u[n + i] - eta * r);
        for (int j = group.offset; j < group.offset + group.size; ++j) {
          A[i * m + j] = (i == j ? eta : 0) - r * x.u[n + j];
          B[i * m + j] = (i == j ? x0 : 0) - r * x.r[n + j];
        }
      }
    }
  }

  /// f_1 = x·z − κ of a group, with the products of `o`.
  double product_error(const Point& x, Index k, int g, double kappa, const Point* o) const {
    const ConeBlock& block = p_.blocks[k];
    const FrictionGroup& group = block.group[Index(g)];
    const int n = block.begin;
    const Eigen::Index e = eta_of(k, g);
    double f = group.mu * x.r[n] * x.eta[e] - kappa;
    if (o) f += group.mu * o->r[n] * o->eta[e];
    for (int i = n + group.offset; i < n + group.offset + group.size; ++i)
      f += x.r[i] * x.u[i] + (o ? o->r[i] * o->u[i] : 0);
    return f;
  }

  void right_hand_side(const Point& x, Index k, double kappa, const Point* o) {
    const ConeBlock& block = p_.blocks[k];
    const int n = block.begin;
    if (!block.contact) {
      for (int i = n; i < n + block.size; ++i) {
        if (is_fixed(i)) {
          b_[i] = p_.lo[Index(i)] - x.r[i];
          continue;
        }
        b_[i] = -x.u[i] + x.z_lo[i] - x.z_hi[i];
        if (x.z_lo[i] > 0) b_[i] += (kappa - (o ? o->r[i] * o->z_lo[i] : 0)) / (x.r[i] - p_.lo[Index(i)]) - x.z_lo[i];
        if (x.z_hi[i] > 0) b_[i] -= (kappa + (o ? o->r[i] * o->z_hi[i] : 0)) / (p_.hi[Index(i)] - x.r[i]) - x.z_hi[i];
      }
      return;
    }
    b_[n] = kappa - x.r[n] * x.u[n] - (o ? o->r[n] * o->u[n] : 0);
    for (int g = 0; g < block.groups; ++g) {
      const FrictionGroup& group = block.group[Index(g)];
      const Eigen::Index e = eta_of(k, g);
      const double x0 = group.mu * x.r[n], f1 = product_error(x, k, g, kappa, o);
      for (int i = n + group.offset; i < n + group.offset + group.size; ++i) {
        if (!(group.mu > 0)) {
          b_[i] = -x.r[i];
          continue;
        }
        const double f2 =
            x0 * x.u[i] + x.eta[e] * x.r[i] + (o ? group.mu * o->r[n] * o->u[i] + o->eta[e] * o->r[i] : 0);
        b_[i] = -f2 + x.r[i] * f1 / x0;
      }
    }
  }

  /// The steps of what is not in the system.
  void eliminated(const Point& x, Index k, double kappa, const Point* o, Point& d) const {
    const ConeBlock& block = p_.blocks[k];
    const int n = block.begin;
    if (!block.contact) {
      for (int i = n; i < n + block.size; ++i) {
        d.z_lo[i] = d.z_hi[i] = 0;
        const double below = x.r[i] - p_.lo[Index(i)], above = p_.hi[Index(i)] - x.r[i];
        if (x.z_lo[i] > 0)
          d.z_lo[i] = (kappa - (o ? o->r[i] * o->z_lo[i] : 0) - x.z_lo[i] * d.r[i]) / below - x.z_lo[i];
        if (x.z_hi[i] > 0)
          d.z_hi[i] = (kappa + (o ? o->r[i] * o->z_hi[i] : 0) + x.z_hi[i] * d.r[i]) / above - x.z_hi[i];
      }
      return;
    }
    for (int g = 0; g < block.groups; ++g) {
      const FrictionGroup& group = block.group[Index(g)];
      const Eigen::Index e = eta_of(k, g);
      d.eta[e] = 0;
      if (!(group.mu > 0)) continue;
      double sum = -product_error(x, k, g, kappa, o) - x.eta[e] * group.mu * d.r[n];
      for (int i = n + group.offset; i < n + group.offset + group.size; ++i) sum -= x.u[i] * d.r[i] + x.r[i] * d.u[i];
      d.eta[e] = sum / (group.mu * x.r[n]);
    }
  }

  const ConeProblem& p_;
  ConeMatrix W_;
  ConeSystem system_;
  Vector q_, b_;
};

void move(Point& x, double alpha, const Point& d) {
  x.r += alpha * d.r, x.u += alpha * d.u, x.z_lo += alpha * d.z_lo, x.z_hi += alpha * d.z_hi, x.eta += alpha * d.eta;
}

class InteriorPoint final : public ConeSolver {
 public:
  InteriorPoint() { settings_.iterations = 200, settings_.tolerance = 1e-9; }

  void fields(FieldVisitor& v) override {
    settings_.fields(v);
    v.integer("restarts", restarts_, {"1", 0, 100, "most, each from ten times as far inside of the cones"});
    v.flag("polish", polish_, "where the iteration ends above the tolerance, Newton's steps of alart-curnier follow");
  }

  ConeResult solve(const ConeProblem& problem, std::span<double> r, ConeTrace* trace) override {
    return solve_scaled(problem, settings_, r, trace,
                        [&](const ConeProblem& p, std::span<const double> D, ConeJudge& judge) {
                          return restart(p, problem, D, r, judge);
                        });
  }

 private:
  /// Tries starting points further and further inside the cones until one of them leads to the solution.
  ConeResult restart(const ConeProblem& p, const ConeProblem& problem, std::span<const double> D, std::span<double> r,
                     ConeJudge& judge) const {
    Relaxed system(p);
    double far = 0;
    for (const double q : p.q) far = std::max(far, std::abs(q));
    int iterations = 0;
    for (int k = 0; k <= restarts_ && iterations < settings_.iterations; ++k, far *= 10)
      if (descend(system, problem, D, r, judge, far > 0 ? far : 1, iterations) || polish(problem, r, judge, iterations))
        break;
    return judge.finish(r, iterations);
  }

  /// From one start; true when it is solved.
  bool descend(Relaxed& system, const ConeProblem& problem, std::span<const double> D, std::span<double> r,
               ConeJudge& judge, double far, int& iterations) const {
    constexpr double kShort = 1e-3, kInside = 0.995;
    Point x = system.start(far), predictor = x, d = x;
    for (int failures = 0; iterations < settings_.iterations && failures < 5; ++iterations) {
      const double gap = system.gap(x);
      if (!system.factorise(x) || !system.step(x, 0, nullptr, predictor)) return false;
      const double reach = system.longest(x, predictor);
      Point there = x;
      move(there, reach, predictor);
      const double ratio = gap > 0 ? std::clamp(system.gap(there) / gap, 0.0, 1.0) : 0;
      // Second-order terms help only where the first step was long.
      if (!system.step(x, ratio * ratio * ratio * gap, reach > 0.1 ? &predictor : nullptr, d)) return false;
      double alpha = kInside * system.longest(x, d);
      if (alpha < kShort && system.step(x, gap, nullptr, d))
        alpha = kInside * system.longest(x, d);  // back to the middle
      failures = alpha < kShort ? failures + 1 : 0;
      move(x, alpha, d);
      for (Eigen::Index i = 0; i < x.r.size(); ++i) r[Index(i)] = x.r[i] * D[Index(i)];
      project(problem, r);
      if (judge.done(r)) {
        ++iterations;
        return true;
      }
    }
    return false;
  }

  /// Newton's steps from the best impulses so far; true when they solve the problem.
  bool polish(const ConeProblem& problem, std::span<double> r, ConeJudge& judge, int& iterations) const {
    const std::int64_t most = std::min(settings_.iterations - iterations, kMostPolishing);
    if (!polish_ || most < 1 || judge.best_r().empty()) return false;
    const auto newton = create<ConeSolver>(
        Kind::cone,
        {"alart-curnier",
         {{"iterations", most}, {"tolerance", settings_.tolerance}, {"sweeps", std::int64_t{0}}, {"interior", false}}},
        "cone");
    std::copy(judge.best_r().begin(), judge.best_r().end(), r.begin());
    iterations += newton->solve(problem, r, nullptr).iterations;
    return judge.done(r);
  }

  static constexpr int kMostPolishing = 20;  // chosen: from the right cases, Newton's method needs 3 to 10 steps

  ConeSettings settings_;
  int restarts_ = 3;
  bool polish_ = true;
};

}  // namespace

Entry register_cone_interior_point() {
  return {Kind::cone,
          "interior-point",
          "primal-dual interior-point method on Coulomb's law, by Mehrotra's steps",
          "Howell et al. 2022, arXiv 2203.00806; Mehrotra 1992",
          {"singular"},
          make_default<InteriorPoint>,
          {}};
}

}  // namespace rigor
