#include "lcp/convex_newton.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rigor {

namespace {

using Index = std::size_t;

/// Newton iterations from the first guess before the interior-point method takes over. Chosen: what rests or slides steadily needs one to three.
constexpr int kPatience = 4;

/// Newton's method converges quadratically. If two iterations have not reduced the residual to this part, the cases of contacts still change. Chosen.
constexpr double kDigit = 0.1;
/// If the first one leaves more than this, a line search ended at the first kink, and the next ones end likewise. Chosen.
constexpr double kNothing = 0.9;
/// Relative: rounding of γ, |v| ε / R, can be as much.
constexpr double kRounding = 1e-5;
/// If polish() makes the error so much larger, the cases of contacts were wrong. Chosen.
constexpr double kRise = 10;
/// Most iterations of polish(). Chosen: one or two are enough where the interior-point method has found the right cases.
constexpr int kPolish = 2;
/// The error, in tolerances, that polish() aims at. Chosen: rounding hides the last digit in large islands.
constexpr double kEnough = 10;

/// w: the weight of the norm in which impulses are projected.
double norm_of(const ConvexProblem& p, Index row) { return p.inverse_mass[row] > 0 ? p.inverse_mass[row] : 1; }

double diagonal_of(const ConvexMass& mass, int k) { return k < 3 ? mass.linear : mass.angular(k - 3, k - 3); }

/// H += Jᵀ G J of one pair of sides of a block: B (6 × 6, row by row) += Σ_ij J_i G_ij J_jᵀ.
void add_product(const ConvexProblem& p, const ConvexBlock& block, const double* G, Index left, Index right,
                 double* B) {
  for (int i = 0; i < block.size; ++i) {
    std::array<double, 6> GJ{};
    if (block.contact) {
      for (int j = 0; j < block.size; ++j) {
        const double g = G[i * block.size + j];
        const Jacobian& J = p.J[Index(block.begin + j)];
        for (Index k = 0; k < 6; ++k) GJ[k] += g * J[right + k];
      }
    } else {
      if (G[i] == 0) continue;
      const Jacobian& J = p.J[Index(block.begin + i)];
      for (Index k = 0; k < 6; ++k) GJ[k] = G[i] * J[right + k];
    }
    const Jacobian& J = p.J[Index(block.begin + i)];
    for (Index r = 0; r < 6; ++r)
      for (Index c = 0; c < 6; ++c) B[6 * r + c] += J[left + r] * GJ[c];
  }
}

}  // namespace

void ConvexNewton::set_pattern(const ConvexProblem& p) {
  set_sizes(p);
  pairs_.clear();
  // Points of a contact follow each other.
  for (const ConvexBlock& block : p.blocks)
    if (block.a >= 0 && block.b >= 0 && (pairs_.empty() || pairs_.back() != std::pair(block.a, block.b)))
      pairs_.emplace_back(block.a, block.b);
  factors_.set_pattern(p.bodies(), pairs_);
}

void ConvexNewton::set_sizes(const ConvexProblem& p) {
  G_begin_.clear();
  Index entries = 0;
  for (const ConvexBlock& block : p.blocks) {
    G_begin_.push_back(entries);
    entries += Index(block.contact ? block.size * block.size : block.size);
  }
  G_.resize(entries);
  const Index rows = Index(p.rows()), n = Index(6 * p.bodies());
  gamma_.resize(rows), v_c_.resize(rows), start_c_.resize(rows), dv_c_.resize(rows);
  gradient_.resize(n), dv_.resize(n);
}

double ConvexNewton::evaluate_blocks(const ConvexProblem& p) {
  double cost = 0;
  for (Index b = 0; b < p.blocks.size(); ++b) {
    const ConvexBlock& block = p.blocks[b];
    const Index row = Index(block.begin);
    cost += convex_block(p, block, v_c_.data() + row, gamma_.data() + row, G_.data() + G_begin_[b]);
  }
  return cost;
}

double ConvexNewton::evaluate(const ConvexProblem& p, std::span<const double> v, std::span<double> gradient) {
  set_sizes(p);
  row_velocities(p, v, v_c_);
  double cost = evaluate_blocks(p);
  for (int i = 0; i < p.bodies(); ++i) {
    double d[6], momentum[6];
    for (Index k = 0; k < 6; ++k) d[k] = v[6 * Index(i) + k] - p.v_free[6 * Index(i) + k];
    multiply_mass(p.mass[Index(i)], d, momentum);
    for (Index k = 0; k < 6; ++k) {
      cost += 0.5 * d[k] * momentum[k];
      if (!gradient.empty()) gradient[6 * Index(i) + k] = momentum[k];
    }
  }
  if (gradient.empty()) return cost;
  for (double& x : gamma_) x = -x;
  add_impulses(p, gamma_, gradient);
  for (double& x : gamma_) x = -x;
  return cost;
}

double ConvexNewton::measure(const ConvexProblem& p, std::span<const double> v, ConvexResult& result) {
  std::fill(gradient_.begin(), gradient_.end(), 0.0);
  add_impulses(p, gamma_, gradient_);
  double error = 0, impulses = 0, momentum = 0, free = 0;
  result.worst_error = 0;
  for (int i = 0; i < p.bodies(); ++i) {
    const Index at = 6 * Index(i);
    double Mv[6], Mf[6];
    multiply_mass(p.mass[Index(i)], v.data() + at, Mv);
    multiply_mass(p.mass[Index(i)], p.v_free.data() + at, Mf);
    for (int k = 0; k < 6; ++k) {
      const double D2 = 1 / diagonal_of(p.mass[Index(i)], k);
      double& g = gradient_[at + Index(k)];
      impulses += D2 * g * g, momentum += D2 * Mv[k] * Mv[k], free += D2 * Mf[k] * Mf[k];
      g = Mv[k] - Mf[k] - g;
      error += D2 * g * g;
      if (D2 * std::abs(g) > result.worst_error) result.worst_error = D2 * std::abs(g), result.worst_body = i;
    }
  }
  const double scale = std::max({impulses, momentum, free});
  return scale > 0 ? std::sqrt(error / scale) : 0;
}

void assemble_convex(const ConvexProblem& p, std::span<const Index> G_begin, std::span<const double> all_G,
                     BlockCholesky& factors) {
  factors.clear();
  for (int i = 0; i < p.bodies(); ++i) {
    double B[36] = {};
    const ConvexMass& mass = p.mass[Index(i)];
    for (int r = 0; r < 3; ++r) {
      B[7 * r] = mass.linear;
      for (int c = 0; c < 3; ++c) B[6 * (3 + r) + 3 + c] = mass.angular(r, c);
    }
    factors.add_diagonal(i, B);
  }
  // Blocks of the same pair follow each other: their products are added up first.
  for (Index begin = 0, end = 0; begin < p.blocks.size(); begin = end) {
    const ConvexBlock& first = p.blocks[begin];
    double A[36] = {}, B[36] = {}, AB[36] = {};
    for (; end < p.blocks.size() && p.blocks[end].a == first.a && p.blocks[end].b == first.b; ++end) {
      const ConvexBlock& block = p.blocks[end];
      const double* G = all_G.data() + G_begin[end];
      if (block.contact && G[0] == 0) continue;  // open
      if (block.a >= 0) add_product(p, block, G, 0, 0, A);
      if (block.b >= 0) add_product(p, block, G, 6, 6, B);
      if (block.a >= 0 && block.b >= 0) add_product(p, block, G, 0, 6, AB);
    }
    if (first.a >= 0) factors.add_diagonal(first.a, A);
    if (first.b >= 0) factors.add_diagonal(first.b, B);
    if (first.a >= 0 && first.b >= 0) factors.add_pair(first.a, first.b, AB);
  }
}

bool ConvexNewton::newton_step(const ConvexProblem& p) {
  assemble_convex(p, G_begin_, G_, factors_);
  if (!factors_.factorise()) return false;
  for (Index i = 0; i < dv_.size(); ++i) dv_[i] = -gradient_[i];
  factors_.solve(dv_);
  return std::all_of(dv_.begin(), dv_.end(), [](double x) { return std::isfinite(x); });
}

ConvexNewton::Slope ConvexNewton::slope_at(const ConvexProblem& p, double alpha, double linear, double quadratic) {
  Slope s{linear + alpha * quadratic, quadratic};
  for (Index i = 0; i < v_c_.size(); ++i) v_c_[i] = start_c_[i] + alpha * dv_c_[i];
  evaluate_blocks(p);
  for (Index b = 0; b < p.blocks.size(); ++b) {
    const ConvexBlock& block = p.blocks[b];
    const double *d = dv_c_.data() + block.begin, *G = G_.data() + G_begin_[b];
    for (int i = 0; i < block.size; ++i) {
      s.first -= gamma_[Index(block.begin + i)] * d[i];
      if (!block.contact) s.second += G[i] * d[i] * d[i];
      for (int j = 0; block.contact && j < block.size; ++j) s.second += G[i * block.size + j] * d[i] * d[j];
    }
  }
  return s;
}

/// α with φ'(α) = 0 in (0, 1], or 1 where ℓ still falls there. v_c_, γ and G are those of the result afterwards.
double ConvexNewton::line_search(const ConvexProblem& p, std::span<const double> v) {
  constexpr double kExact = 1e-8;  // relative to φ'(0)
  constexpr int kMost = 60;
  start_c_ = v_c_;
  row_velocities(p, dv_, dv_c_);
  double linear = 0, quadratic = 0, at_zero = 0;
  for (int i = 0; i < p.bodies(); ++i) {
    const Index at = 6 * Index(i);
    double d[6], Md[6];
    multiply_mass(p.mass[Index(i)], dv_.data() + at, Md);
    for (Index k = 0; k < 6; ++k) {
      d[k] = v[at + k] - p.v_free[at + k];
      linear += d[k] * Md[k], quadratic += dv_[at + k] * Md[k], at_zero += gradient_[at + k] * dv_[at + k];
    }
  }
  double low = 0, high = 1, alpha = 1;
  Slope s = slope_at(p, 1, linear, quadratic);
  if (s.first <= 0) return 1;
  for (int k = 0; k < kMost && std::abs(s.first) > kExact * std::abs(at_zero); ++k) {
    (s.first > 0 ? high : low) = alpha;
    const double newton = alpha - s.first / s.second;
    alpha = newton > low && newton < high ? newton : 0.5 * (low + high);
    s = slope_at(p, alpha, linear, quadratic);
  }
  return alpha;
}

LcpStatus ConvexNewton::minimise(const ConvexProblem& p, const ConvexSettings& settings, std::span<double> v,
                                 ConvexResult& result) {
  row_velocities(p, v, v_c_);
  evaluate_blocks(p);
  double last = std::numeric_limits<double>::infinity(), first = last;
  for (int k = 0;; ++k) {
    result.residual = measure(p, v, result);
    if (!std::isfinite(result.residual)) return LcpStatus::diverged;
    if (result.residual <= settings.tolerance) return LcpStatus::solved;
    // Rounding can be more than what is asked for: then nothing falls any more.
    if (k > 1 && result.residual < kRounding && result.residual > 0.5 * last) return LcpStatus::solved;
    if (k == settings.iterations) return LcpStatus::iteration_limit;
    if (k == 0) first = result.residual;
    if (k == 1 && result.residual > kNothing * first) return LcpStatus::iteration_limit;
    if (k >= 2 && result.residual > kDigit * first) return LcpStatus::iteration_limit;
    last = result.residual;
    if (!newton_step(p)) return LcpStatus::not_positive_definite;
    ++result.iterations;
    const double alpha = line_search(p, v);
    for (Index i = 0; i < v.size(); ++i) v[i] += alpha * dv_[i];
    row_velocities(p, v, v_c_);
    evaluate_blocks(p);
  }
}

/// Moves all shifts by this part of the way to the slip of v_c_ and γ_. Returns how far the largest is away from it.
double ConvexNewton::move_shifts(ConvexProblem& p, double part) {
  double moved = 0;
  for (ConvexBlock& block : p.blocks) {
    if (!block.contact) continue;
    const Index row = Index(block.begin);
    const double shift = gamma_[row] > 0 ? slip_term(p, block, v_c_.data() + row, gamma_.data() + row) : 0;
    moved = std::max(moved, std::abs(shift - block.shift));
    block.shift = part < 1 ? block.shift + part * (shift - block.shift) : shift;
  }
  return moved;
}

/// Whether any shift changed by more than the tolerance.
bool ConvexNewton::update_shifts(ConvexProblem& p, double tolerance) { return move_shifts(p, 1) > tolerance; }

/// Newton's method from the guess, and where a few iterations and rounds do not do, the interior-point method from the middle of the cones.
ConvexResult ConvexNewton::solve(ConvexProblem& p, std::span<double> v, std::span<double> gamma,
                                 const ConvexSettings& settings) {
  ConvexResult result;
  set_pattern(p);
  if (settings.is_continued) return solve_continued(p, v, gamma, settings);
  const std::vector<double> guess(v.begin(), v.end());
  if (settings.warm_iterations > 0) {
    if (solve_warm(p, v, gamma, settings, result)) return result;
    std::copy(guess.begin(), guess.end(), v.begin());
    if (!settings.is_exact) return result;
  }
  ConvexSettings quick = settings;
  row_velocities(p, v, v_c_);
  evaluate_blocks(p);
  for (ConvexBlock& block : p.blocks) block.shift = 0;
  if (settings.rounds > 0) update_shifts(p, 0);
  for (int round = 0;; ++round) {
    quick.iterations = std::min(settings.iterations, kPatience) - result.iterations;
    result.status = minimise(p, quick, v, result);
    if (result.status != LcpStatus::solved || settings.rounds == 0) break;
    if (!update_shifts(p, settings.shift_tolerance)) break;
    if (round == settings.rounds) result.status = LcpStatus::iteration_limit;
    if (result.status != LcpStatus::solved) break;
  }
  result.converged = result.status == LcpStatus::solved;
  std::copy(gamma_.begin(), gamma_.end(), gamma.begin());
  if (result.converged || settings.iterations <= kPatience) return result;
  std::copy(guess.begin(), guess.end(), v.begin());
  InteriorSettings inside{settings.iterations, settings.tolerance, settings.rounds > 0};
  solve_inside(p, v, gamma, settings, inside, result);
  return result;
}

/// The interior-point method, and polish() where its result leaves digits.
void ConvexNewton::solve_inside(ConvexProblem& p, std::span<double> v, std::span<double> gamma,
                                const ConvexSettings& settings, const InteriorSettings& inside, ConvexResult& result) {
  const ConvexInteriorPoint::Result exact = interior_point_.solve(p, factors_, v, gamma, inside);
  result.iterations += exact.iterations;
  const auto accept = [&] {
    result.residual = exact.residual, result.converged = true, result.status = LcpStatus::solved;
  };
  // Heaps have contacts at the edge of two cases, which cost polish() all of its iterations.
  if (settings.is_continued && exact.converged && exact.residual <= settings.tolerance) return accept();
  inside_v_.assign(v.begin(), v.end()), inside_gamma_.assign(gamma.begin(), gamma.end());
  polish(p, settings, v, gamma, result);
  if (result.converged || !exact.converged) return;
  // Contacts at the edge of two cases: their projected impulses are worse than those inside of the cones.
  std::copy(inside_v_.begin(), inside_v_.end(), v.begin());
  std::copy(inside_gamma_.begin(), inside_gamma_.end(), gamma.begin());
  accept();
}

/// False if all rows are equations, whose solution is one linear system.
bool ConvexNewton::has_inequalities(const ConvexProblem& p) const {
  for (const ConvexBlock& block : p.blocks) {
    if (block.contact) return true;
    for (int i = block.begin; i < block.begin + block.size; ++i)
      if (std::isfinite(p.lo[Index(i)]) || std::isfinite(p.hi[Index(i)])) return true;
  }
  return false;
}

/// Steps of polish() from the guess, as long as two of them reduce the error: one may raise it where contacts change their cases. True if they solve the problem. Contacts that stick with a shift and slip without it make shifts go to and fro; then they move by
/// half of the way.
bool ConvexNewton::solve_near(ConvexProblem& p, std::span<double> v, std::span<double> gamma,
                              const ConvexSettings& settings, ConvexResult& result) {
  // Chosen: guesses that are worse than kNear, as a part of the momentum, have other contacts that push or slip; steps of Newton's method reduce the error to kFall or not at all.
  constexpr double kNear = 0.1, kFall = 0.3, kFallOfShifts = 0.5;
  constexpr int kMost = 4;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  row_velocities(p, v, v_c_);
  std::copy(gamma.begin(), gamma.end(), gamma_.begin());
  for (ConvexBlock& block : p.blocks) block.shift = 0;
  if (settings.rounds > 0) move_shifts(p, 1);
  const double most = has_inequalities(p) ? kNear : kInfinite;
  double last = kInfinite, before = kInfinite, last_moved = kInfinite, part = 1;
  for (int k = 0;; ++k) {
    result.residual = project_impulses(p, v, gamma, result);
    if (result.residual <= settings.tolerance) {
      const double moved = settings.rounds > 0 ? move_shifts(p, part) : 0;
      if (moved <= settings.shift_tolerance) {
        std::copy(gamma_.begin(), gamma_.end(), gamma.begin());
        result.converged = true, result.status = LcpStatus::solved;
        return true;
      }
      if (moved > kFallOfShifts * last_moved) part *= 0.5;
      last_moved = moved, last = before = kInfinite;
      project_impulses(p, v, gamma, result);  // with the new shifts
    } else if (!(result.residual <= std::min(most, kFall * before))) {
      return false;
    } else {
      before = last, last = result.residual;
    }
    if (k == std::min(kMost, settings.iterations) || !polish_step(p, v, gamma)) return false;
    ++result.iterations;
  }
}

ConvexResult ConvexNewton::solve_continued(ConvexProblem& p, std::span<double> v, std::span<double> gamma,
                                           const ConvexSettings& settings) {
  ConvexResult result;
  guess_v_.assign(v.begin(), v.end()), guess_gamma_.assign(gamma.begin(), gamma.end());
  if (solve_near(p, v, gamma, settings, result)) return result;
  std::copy(guess_v_.begin(), guess_v_.end(), v.begin());
  std::copy(guess_gamma_.begin(), guess_gamma_.end(), gamma.begin());
  // Chosen: a third correction in an iteration lengthens hardly any step.
  constexpr int kCorrections = 2;
  solve_inside(p, v, gamma, settings,
               {settings.iterations, settings.tolerance, settings.rounds > 0, /*is_continued=*/true, kCorrections},
               result);
  return result;
}

/// γ⁺ = P(γ − (v_c − v̂ + shift + R γ)/w), the projection in the norm of w, into γ_. Open contacts get no impulse, and slipping ones stay on their cone. A solution is a fixed point. G_ receives
/// −∂γ⁺/∂v_c. Returns the measure with γ⁺.
double ConvexNewton::project_impulses(ConvexProblem& p, std::span<const double> v, std::span<const double> gamma,
                                      ConvexResult& result) {
  row_velocities(p, v, v_c_);
  R_ = p.R, target_ = p.target;
  for (Index i = 0; i < R_.size(); ++i) {
    const double w = norm_of(p, i);
    // y = (v̂' − v_c) / w of a problem with R = w, so that its projection is the required one.
    p.target[i] = target_[i] + (w - R_[i]) * gamma[i];
    p.R[i] = w;
  }
  evaluate_blocks(p);
  p.R.swap(R_), p.target.swap(target_);
  return measure(p, v, result);
}

/// G ← E = (I − G (w − R))⁻¹ G and γ⁺ ← g = (I − G (w − R))⁻¹ (γ⁺ − γ) of one block, see polish().
void ConvexNewton::eliminate_impulses(const ConvexProblem& p, Index b, std::span<const double> gamma) {
  const ConvexBlock& block = p.blocks[b];
  double* G = G_.data() + G_begin_[b];
  const int m = block.size;
  if (!block.contact) {
    for (int i = 0; i < m; ++i) {
      const Index row = Index(block.begin + i);
      const double A = 1 - G[i] * (norm_of(p, row) - p.R[row]);
      G[i] /= A;
      gamma_[row] = (gamma_[row] - gamma[row]) / A;
    }
    return;
  }
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, kContactRows, kContactRows + 1>;
  Matrix A = Matrix::Identity(m, m), rhs(m, m + 1);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) {
      const Index row = Index(block.begin + j);
      A(i, j) -= G[i * m + j] * (norm_of(p, row) - p.R[row]);
      rhs(i, j) = G[i * m + j];
    }
    rhs(i, m) = gamma_[Index(block.begin + i)] - gamma[Index(block.begin + i)];
  }
  const Matrix x = A.partialPivLu().solve(rhs);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) G[i * m + j] = 0.5 * (x(i, j) + x(j, i));
    gamma_[Index(block.begin + i)] = x(i, m);
  }
}

/// One step of polish(): adds Δv to v and Δγ to γ. False if the matrix is not positive definite.
bool ConvexNewton::polish_step(const ConvexProblem& p, std::span<double> v, std::span<double> gamma) {
  for (Index b = 0; b < p.blocks.size(); ++b) eliminate_impulses(p, b, gamma);
  assemble_convex(p, G_begin_, G_, factors_);
  if (!factors_.factorise()) return false;
  for (Index i = 0; i < gamma.size(); ++i) gamma[i] += gamma_[i];
  std::fill(dv_.begin(), dv_.end(), 0.0);
  add_impulses(p, gamma, dv_);
  for (int i = 0; i < p.bodies(); ++i) {
    double d[6], momentum[6];
    for (Index k = 0; k < 6; ++k) d[k] = v[6 * Index(i) + k] - p.v_free[6 * Index(i) + k];
    multiply_mass(p.mass[Index(i)], d, momentum);
    for (Index k = 0; k < 6; ++k) dv_[6 * Index(i) + k] -= momentum[k];
  }
  factors_.solve(dv_);
  row_velocities(p, dv_, dv_c_);
  for (Index b = 0; b < p.blocks.size(); ++b) {
    const ConvexBlock& block = p.blocks[b];
    const double *E = G_.data() + G_begin_[b], *d = dv_c_.data() + block.begin;
    for (int i = 0; i < block.size; ++i) {
      double& x = gamma[Index(block.begin + i)];
      if (!block.contact) x -= E[i] * d[i];
      for (int j = 0; block.contact && j < block.size; ++j) x -= E[i * block.size + j] * d[j];
    }
  }
  for (Index i = 0; i < v.size(); ++i) v[i] += dv_[i];
  return true;
}

/// The steps of polish() from the guess: where most contacts push and slip as the guess has them, two or three solve the problem.
bool ConvexNewton::solve_warm(ConvexProblem& p, std::span<double> v, std::span<double> gamma,
                              const ConvexSettings& settings, ConvexResult& result) {
  row_velocities(p, v, v_c_);
  std::copy(gamma.begin(), gamma.end(), gamma_.begin());
  if (settings.rounds > 0) update_shifts(p, 0);
  for (int k = 0;; ++k) {
    result.residual = project_impulses(p, v, gamma, result);
    const bool is_solved = result.residual <= settings.tolerance;
    result.converged = is_solved && (settings.rounds == 0 || !update_shifts(p, settings.shift_tolerance));
    if (result.converged) {
      std::copy(gamma_.begin(), gamma_.end(), gamma.begin());
      result.status = LcpStatus::solved;
      return true;
    }
    result.status = LcpStatus::iteration_limit;
    if (k == settings.warm_iterations || !std::isfinite(result.residual)) return false;
    if (is_solved) project_impulses(p, v, gamma, result);  // with the new shifts
    if (!polish_step(p, v, gamma)) return false;
    ++result.iterations;
  }
}

/// Newton's method on velocities and impulses together, from where the interior-point method ends. M (v − v*) = Jᵀ γ and γ = γ⁺(v, γ) give
///
///   (M + Jᵀ E J) Δv = Jᵀ (γ + g) − M (v − v*),   Δγ = g − E J Δv
///
/// The result counts as converged if rounding explains its error, or if its error is below that of the shifts, which the problem itself is known to. This system,
/// unlike the method on velocities alone, loses no digits to 1/R. The measure may rise while the cases of contacts change, so it makes a few steps and returns the best v with its γ⁺.
void ConvexNewton::polish(ConvexProblem& p, const ConvexSettings& settings, std::span<double> v,
                          std::span<double> gamma, ConvexResult& result) {
  ConvexResult report;
  double best = project_impulses(p, v, gamma, report);
  std::vector<double> v_best(v.begin(), v.end()), gamma_best = gamma_;
  const auto keep = [&](double error) {
    best = error;
    v_best.assign(v.begin(), v.end());
    gamma_best = gamma_;
    result.worst_body = report.worst_body, result.worst_error = report.worst_error;
  };
  keep(best);
  for (int k = 0; k < kPolish && best > kEnough * settings.tolerance; ++k) {
    if (!polish_step(p, v, gamma)) break;
    ++result.iterations;
    const double error = project_impulses(p, v, gamma, report);
    if (error < best) keep(error);
    if (error > kRise * best) break;
  }
  std::copy(v_best.begin(), v_best.end(), v.begin());
  std::copy(gamma_best.begin(), gamma_best.end(), gamma.begin());
  result.residual = best;
  const bool within_shifts = settings.rounds > 0 && result.worst_error <= settings.shift_tolerance;
  result.converged = std::isfinite(best) && (best <= kRounding || within_shifts);
  result.status = result.converged ? LcpStatus::solved : LcpStatus::iteration_limit;
}

}  // namespace rigor
