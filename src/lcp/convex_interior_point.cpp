#include "lcp/convex_interior_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigor {

namespace {

using Index = std::size_t;
constexpr double kInside = 0.99;    // of the way to the boundary
constexpr double kRounding = 1e-5;  // relative; chosen: what is left is below the compliance of any contact

double determinant(const double* x, int size) {
  if (size == 1) return x[0] * x[0];
  const double length = size == 2 ? std::abs(x[1]) : std::sqrt(x[1] * x[1] + x[2] * x[2]);
  return (x[0] - length) * (x[0] + length);
}

/// The largest α ≤ 1 that leaves x + α d in the cone.
double longest_step(const double* x, const double* d, int size) {
  double alpha = d[0] < 0 ? std::min(1.0, -x[0] / d[0]) : 1.0;
  if (size == 1) return alpha;
  double a = d[0] * d[0], b = x[0] * d[0];
  for (int i = 1; i < size; ++i) a -= d[i] * d[i], b -= x[i] * d[i];
  const double c = determinant(x, size), discriminant = b * b - a * c;
  if (discriminant < 0) return alpha;
  const double q = b < 0 ? -b + std::sqrt(discriminant) : -b - std::sqrt(discriminant);
  for (const double t : {a != 0 ? q / a : -1.0, q != 0 ? c / q : -1.0})
    if (t > 0) alpha = std::min(alpha, t);
  return alpha;
}

/// y with λ ∘ y = d.
void arrow_solve(const double* lambda, const double* d, int size, double* y) {
  if (size == 1) {
    y[0] = d[0] / lambda[0];
    return;
  }
  double along = 0;
  for (int i = 1; i < size; ++i) along += lambda[i] * d[i];
  y[0] = (lambda[0] * d[0] - along) / determinant(lambda, size);
  for (int i = 1; i < size; ++i) y[i] = (d[i] - y[0] * lambda[i]) / lambda[0];
}

void multiply(const double* W, const double* x, int size, double* y) {
  for (int i = 0; i < size; ++i) {
    y[i] = 0;
    for (int j = 0; j < size; ++j) y[i] += W[i * size + j] * x[j];
  }
}

bool is_fixed(const ConvexProblem& p, int row) { return !(p.hi[Index(row)] > p.lo[Index(row)]); }

}  // namespace

void ConvexInteriorPoint::make_cones(const ConvexProblem& p) {
  cones_.clear(), cone_begin_.clear(), Q_begin_.clear();
  sizes_.clear(), held_.clear();
  normal_.assign(p.blocks.size(), 0);
  Index entries = 0;
  for (Index b = 0; b < p.blocks.size(); ++b) {
    const ConvexBlock& block = p.blocks[b];
    cone_begin_.push_back(static_cast<int>(cones_.size()));
    Q_begin_.push_back(entries);
    entries += Index(block.contact ? block.size * block.size : block.size);
    sizes_.push_back(block.size), held_.push_back(1);
    if (block.contact) {
      bool any = false;
      for (int g = 0; g < block.groups; ++g) {
        const FrictionGroup& group = block.group[Index(g)];
        if (!(group.mu > 0)) continue;
        Cone cone;
        cone.block = static_cast<int>(b), cone.row = group.offset, cone.size = 1 + group.size, cone.mu = group.mu;
        cones_.push_back(cone);
        for (int i = 0; i < group.size; ++i) held_.back() |= 1u << (group.offset + i);
        any = true;
      }
      Cone normal;
      normal.block = static_cast<int>(b), normal.row = 0;
      if (!any) cones_.push_back(normal);
      continue;
    }
    for (int i = 0; i < block.size; ++i) {
      const int row = block.begin + i;
      if (is_fixed(p, row)) continue;
      for (const double sign : {1.0, -1.0}) {
        const double bound = sign > 0 ? p.lo[Index(row)] : p.hi[Index(row)];
        if (!std::isfinite(bound)) continue;
        Cone cone;
        cone.block = static_cast<int>(b), cone.row = i, cone.sign = sign, cone.bound = bound, cone.limit = true;
        cones_.push_back(cone);
      }
    }
  }
  cone_begin_.push_back(static_cast<int>(cones_.size()));
  for (Index k = 0; k < cones_.size(); ++k) {
    Cone& cone = cones_[k];
    const auto shares = [&](Index other) {
      return other < cones_.size() && other != k && cones_[other].block == cone.block &&
             (!cone.limit || cones_[other].row == cone.row);
    };
    cone.alone = !shares(k + 1) && !shares(k - 1);
  }
  Q_.resize(entries);
}

/// x of all cones.
void ConvexInteriorPoint::read_cones(const ConvexProblem& p, std::span<const double> gamma) {
  for (Cone& cone : cones_) {
    const Index n = Index(p.blocks[Index(cone.block)].begin);
    if (cone.limit) {
      cone.x[0] = cone.sign * (gamma[n + Index(cone.row)] - cone.bound);
      continue;
    }
    cone.x[0] = cone.mu * gamma[n];
    for (int i = 1; i < cone.size; ++i) cone.x[i] = gamma[n + Index(cone.row + i - 1)];
  }
}

double ConvexInteriorPoint::gap() const {
  double sum = 0;
  for (const Cone& cone : cones_)
    for (int i = 0; i < cone.size; ++i) sum += cone.x[i] * cone.s[i];
  return cones_.empty() ? 0 : sum / static_cast<double>(cones_.size());
}

/// W with W² x = s, and λ = W x. Of Lorentz' cone, with both normed to determinant one, x̂ and ŝ (Andersen, Dahl, Vandenberghe 2013, section 4.2):
///
///   g² = (1 + x̂·ŝ)/2,   w = (ŝ + J x̂)/(2 g),   S = W² = η² (2 w wᵀ − J),   J = diag(1, −1, −1)
///   λ̂_0 = g,   λ̂_t = ((g + x̂_0) ŝ_t + (g + ŝ_0) x̂_t) / (x̂_0 + ŝ_0 + 2 g)
///
/// λ is not computed as W x, which cancels where x and s are close to the boundary.
bool ConvexInteriorPoint::scale_cones() {
  for (Cone& cone : cones_) {
    const int m = cone.size;
    const double dx = determinant(cone.x, m), ds = determinant(cone.s, m);
    if (!(dx > 0) || !(ds > 0) || !(cone.x[0] > 0) || !(cone.s[0] > 0)) return false;
    if (m == 1) {
      cone.W[0] = std::sqrt(cone.s[0] / cone.x[0]);
      cone.lambda[0] = std::sqrt(cone.s[0] * cone.x[0]);
      continue;
    }
    const double root_x = std::sqrt(dx), root_s = std::sqrt(ds), eta = std::sqrt(root_s / root_x);
    double x[3], s[3], w[3] = {}, product = 0;
    for (int i = 0; i < m; ++i) {
      x[i] = cone.x[i] / root_x;
      s[i] = cone.s[i] / root_s;
      product += x[i] * s[i];
    }
    const double g = std::sqrt(0.5 * (1 + product)), size = std::sqrt(root_x * root_s);
    for (int i = 0; i < m; ++i) {
      w[i] = (s[i] + (i == 0 ? 1 : -1) * x[i]) / (2 * g);
      cone.lambda[i] = size * (i == 0 ? g : ((g + x[0]) * s[i] + (g + s[0]) * x[i]) / (x[0] + s[0] + 2 * g));
    }
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j)
        cone.W[i * m + j] = eta * (i == 0 ? w[j] : j == 0 ? w[i] : (i == j ? 1 : 0) + w[i] * w[j] / (1 + w[0]));
    const double length = m == 3 ? std::sqrt(w[1] * w[1] + w[2] * w[2]) : std::abs(w[1]);
    cone.eta2 = eta * eta;
    cone.cosh = 1 + 2 * length * length;
    cone.sinh = 2 * w[0] * length;
    for (int i = 1; i < m; ++i) cone.along[i - 1] = length > 0 ? w[i] / length : i == 1 ? 1 : 0;
  }
  return true;
}

/// r1 = M (v − v*) − Jᵀ γ, r2 = J v − v̂ + R γ − Aᵀ s.
void ConvexInteriorPoint::residuals(const ConvexProblem& p, std::span<const double> v, std::span<const double> gamma) {
  t_.assign(gamma.begin(), gamma.end());
  for (double& x : t_) x = -x;
  std::fill(r1_.begin(), r1_.end(), 0.0);
  add_impulses(p, t_, r1_);
  for (int i = 0; i < p.bodies(); ++i) {
    double d[6], momentum[6];
    for (Index k = 0; k < 6; ++k) d[k] = v[6 * Index(i) + k] - p.v_free[6 * Index(i) + k];
    multiply_mass(p.mass[Index(i)], d, momentum);
    for (Index k = 0; k < 6; ++k) r1_[6 * Index(i) + k] += momentum[k];
  }
  row_velocities(p, v, v_c_);
  for (Index i = 0; i < r2_.size(); ++i) r2_[i] = v_c_[i] - p.target[i] + p.R[i] * gamma[i];
  for (const ConvexBlock& block : p.blocks)
    if (block.contact) r2_[Index(block.begin)] += block.shift;
  for (const Cone& cone : cones_) {
    const Index n = Index(p.blocks[Index(cone.block)].begin);
    if (cone.limit) {
      r2_[n + Index(cone.row)] -= cone.sign * cone.s[0];
      continue;
    }
    r2_[n] -= cone.mu * cone.s[0];
    for (int i = 1; i < cone.size; ++i) r2_[n + Index(cone.row + i - 1)] -= cone.s[i];
  }
}

/// Prepares the product with Q⁻¹ of a contact. With t the direction of w in the plane of a group's tangents, Lorentz' cone has S = η² (c, s; s, c) on (normal, t), c² − s² = 1, and η² across.
/// Eliminating the tangents leaves, without a difference of large numbers,
///
///   N = R_n + Σ_g μ_g² η² (c R_g + η²) / (R_g + c η²)        for the normal
///
/// and the results below lie on their cones whatever the error of the normal, which a product with the matrix Q⁻¹ would not achieve.
void ConvexInteriorPoint::prepare_contact(const ConvexProblem& p, const ConvexBlock& block, Index index) {
  double N = p.R[Index(block.begin)];
  for (int k = cone_begin_[index]; k < cone_begin_[index + 1]; ++k) {
    Cone& cone = cones_[Index(k)];
    if (cone.size == 1) {
      N += cone.W[0] * cone.W[0];
      continue;
    }
    const double R = p.R[Index(block.begin + cone.row)], e = cone.eta2;
    cone.in_plane = 1 / (R + cone.cosh * e);
    cone.across = 1 / (R + e);
    cone.coupling = cone.mu * cone.sinh * e * cone.in_plane;
    N += cone.mu * cone.mu * e * (cone.cosh * R + e) * cone.in_plane;
  }
  normal_[index] = 1 / N;
}

/// x ← Q⁻¹ x of a contact.
void ConvexInteriorPoint::solve_contact(Index index, double* x) const {
  double along[3], normal = x[0];
  const int begin = cone_begin_[index], end = cone_begin_[index + 1];
  for (int k = begin; k < end; ++k) {
    const Cone& cone = cones_[Index(k)];
    double a = 0;
    for (int i = 1; i < cone.size; ++i) a += cone.along[i - 1] * x[cone.row + i - 1];
    along[k - begin] = a;
    normal -= cone.coupling * a;
  }
  x[0] = normal * normal_[index];
  for (int k = begin; k < end; ++k) {
    const Cone& cone = cones_[Index(k)];
    const double a = along[k - begin], in_plane = a * cone.in_plane - cone.coupling * x[0];
    for (int i = 1; i < cone.size; ++i) {
      double& t = x[cone.row + i - 1];
      t = cone.along[i - 1] * in_plane + (t - a * cone.along[i - 1]) * cone.across;
    }
  }
  for (int i = 1; i < sizes_[index]; ++i)
    if (!(held_[index] >> i & 1)) x[i] = 0;
}

/// Q⁻¹ of a block as a matrix, for H.
void ConvexInteriorPoint::write_inverse(const ConvexProblem& p, const ConvexBlock& block, Index index) {
  double* to = Q_.data() + Q_begin_[index];
  const int m = block.size;
  if (block.contact) {
    prepare_contact(p, block, index);
    for (int j = 0; j < m; ++j) {
      double column[kContactRows] = {};
      column[j] = 1;
      solve_contact(index, column);
      for (int i = 0; i < m; ++i) to[i * m + j] = column[i];
    }
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < i; ++j) to[j * m + i] = to[i * m + j];
    return;
  }
  for (int i = 0; i < m; ++i) to[i] = p.R[Index(block.begin + i)];
  for (int k = cone_begin_[index]; k < cone_begin_[index + 1]; ++k)
    to[cones_[Index(k)].row] += cones_[Index(k)].W[0] * cones_[Index(k)].W[0];
  for (int i = 0; i < m; ++i) to[i] = is_fixed(p, block.begin + i) ? 0 : 1 / to[i];
}

/// x ← Q⁻¹ x of all rows.
void ConvexInteriorPoint::times_inverse(const ConvexProblem& p, std::vector<double>& x) const {
  for (Index b = 0; b < p.blocks.size(); ++b) {
    const ConvexBlock& block = p.blocks[b];
    double* at = x.data() + block.begin;
    if (block.contact) {
      solve_contact(b, at);
      continue;
    }
    const double* Q = Q_.data() + Q_begin_[b];
    for (int i = 0; i < block.size; ++i) at[i] *= Q[i];
  }
}

bool ConvexInteriorPoint::factorise(const ConvexProblem& p, BlockCholesky& factors) {
  if (!scale_cones()) return false;
  for (Index b = 0; b < p.blocks.size(); ++b) write_inverse(p, p.blocks[b], b);
  assemble_convex(p, Q_begin_, Q_, factors);
  return factors.factorise();
}

/// Writes c of all cones to Δs and Aᵀ c − r2 to c_: W Δx + W⁻¹ Δs = W⁻¹ c with λ ∘ W⁻¹ c = κ e − λ ∘ λ, and the products of the predictor where it is the corrector. Further corrections have been added to `products`.
void ConvexInteriorPoint::write_targets(const ConvexProblem& p, double kappa, Step kind) {
  c_.assign(r2_.size(), 0);
  for (Cone& cone : cones_) {
    const int m = cone.size;
    double *d = cone.products, *y = cone.target, a[3] = {}, b[3] = {};
    if (kind == Step::corrector) {
      multiply(cone.W, cone.dx, m, a);
      // W⁻¹ Δs, from W Δx + W⁻¹ Δs = −λ of the step before.
      for (int i = 0; i < m; ++i) b[i] = second_order_ * (-cone.lambda[i] - a[i]);
    }
    if (kind != Step::correction) {
      d[0] = kappa;
      for (int i = 0; i < m; ++i) d[0] -= cone.lambda[i] * cone.lambda[i] + a[i] * b[i];
      for (int i = 1; i < m; ++i) d[i] = -2 * cone.lambda[0] * cone.lambda[i] - a[0] * b[i] - b[0] * a[i];
    }
    arrow_solve(cone.lambda, d, m, y);
    multiply(cone.W, y, m, cone.ds);
    const Index n = Index(p.blocks[Index(cone.block)].begin);
    if (cone.limit) {
      c_[n + Index(cone.row)] += cone.sign * cone.ds[0];
      continue;
    }
    c_[n] += cone.mu * cone.ds[0];
    for (int i = 1; i < m; ++i) c_[n + Index(cone.row + i - 1)] += cone.ds[i];
  }
  for (Index i = 0; i < c_.size(); ++i) c_[i] -= r2_[i];
}

/// Δx and Δs of all cones from Δv, whose row velocities are v_c_, and Δγ.
void ConvexInteriorPoint::write_cone_steps(const ConvexProblem& p) {
  for (Cone& cone : cones_) {
    const int m = cone.size;
    const Index n = Index(p.blocks[Index(cone.block)].begin);
    if (cone.limit) {
      cone.dx[0] = cone.sign * dgamma_[n + Index(cone.row)];
    } else {
      cone.dx[0] = cone.mu * dgamma_[n];
      for (int i = 1; i < m; ++i) cone.dx[i] = dgamma_[n + Index(cone.row + i - 1)];
    }
    const auto change = [&](Index row) { return v_c_[row] + p.R[row] * dgamma_[row] + r2_[row]; };
    // Tangents follow from the second equation, without the rounding of S. The normal follows from Δs = c − S Δx with Δx along the plane eliminated,
    // Δs_0 = c_0 − (sinh/cosh)(c_a − Δs_a) − η²/cosh Δx_0, without cancellation. If a cone shares its rows with no other, the normal follows from the second equation, too.
    double missing = 0;
    for (int i = 1; i < m; ++i) {
      const double ds = change(n + Index(cone.row + i - 1));
      missing += cone.along[i - 1] * (cone.ds[i] - ds);
      cone.ds[i] = ds;
    }
    cone.ds[0] -=
        m == 1 ? cone.W[0] * cone.W[0] * cone.dx[0] : (cone.sinh * missing + cone.eta2 * cone.dx[0]) / cone.cosh;
    if (cone.alone) cone.ds[0] = cone.limit ? cone.sign * change(n + Index(cone.row)) : change(n) / cone.mu;
  }
  share_changes(p);
}

void ConvexInteriorPoint::step(const ConvexProblem& p, BlockCholesky& factors, double kappa, Step kind) {
  write_targets(p, kappa, kind);
  dgamma_ = c_;
  times_inverse(p, dgamma_);
  for (Index i = 0; i < dv_.size(); ++i) dv_[i] = -r1_[i];
  add_impulses(p, dgamma_, dv_);
  factors.solve(dv_);
  row_velocities(p, dv_, v_c_);
  for (Index i = 0; i < c_.size(); ++i) dgamma_[i] = c_[i] - v_c_[i];
  times_inverse(p, dgamma_);
  write_cone_steps(p);
}

/// Cones that share a row: what rounding has left of the second equation goes to the one with the largest s.
void ConvexInteriorPoint::share_changes(const ConvexProblem& p) {
  for (Index k = 0, end = 0; k < cones_.size(); k = end) {
    const Cone& first = cones_[k];
    end = k + 1;
    while (end < cones_.size() && cones_[end].block == first.block && (!first.limit || cones_[end].row == first.row))
      ++end;
    if (end == k + 1) continue;
    const Index row = Index(p.blocks[Index(first.block)].begin) + Index(first.limit ? first.row : 0);
    double left = v_c_[row] + p.R[row] * dgamma_[row] + r2_[row];
    Index largest = k;
    const auto weight = [](const Cone& cone) { return cone.limit ? cone.sign : cone.mu; };
    for (Index i = k; i < end; ++i) {
      left -= weight(cones_[i]) * cones_[i].ds[0];
      if (std::abs(weight(cones_[i])) * cones_[i].s[0] > std::abs(weight(cones_[largest])) * cones_[largest].s[0])
        largest = i;
    }
    cones_[largest].ds[0] += left / weight(cones_[largest]);
  }
}

double ConvexInteriorPoint::longest() const {
  double alpha = 1;
  for (const Cone& cone : cones_)
    alpha = std::min({alpha, longest_step(cone.x, cone.dx, cone.size), longest_step(cone.s, cone.ds, cone.size)});
  return alpha;
}

void ConvexInteriorPoint::keep_step() {
  kept_dv_ = dv_, kept_dgamma_ = dgamma_;
  for (Cone& cone : cones_)
    for (int i = 0; i < cone.size; ++i) cone.kept_dx[i] = cone.dx[i], cone.kept_ds[i] = cone.ds[i];
}

void ConvexInteriorPoint::restore_step() {
  dv_.swap(kept_dv_), dgamma_.swap(kept_dgamma_);
  for (Cone& cone : cones_)
    for (int i = 0; i < cone.size; ++i) cone.dx[i] = cone.kept_dx[i], cone.ds[i] = cone.kept_ds[i];
}

/// The eigenvalues of (x + α Δx) ∘ (s + α Δs), in scaled variables, shall lie between κ/10 and 10 κ (Gondzio 1996): what they miss is added to the right-hand side of the products.
void ConvexInteriorPoint::add_corrections(double kappa, double alpha) {
  const double least = 0.1 * kappa, most = 10 * kappa;
  const auto missing = [&](double product) { return std::max(std::clamp(product, least, most) - product, -most); };
  for (Cone& cone : cones_) {
    const int m = cone.size;
    double a[3], b[3], p[3] = {}, squared = 0;
    multiply(cone.W, cone.dx, m, a);
    for (int i = 0; i < m; ++i) {
      b[i] = cone.lambda[i] + alpha * (cone.target[i] - a[i]);
      a[i] = cone.lambda[i] + alpha * a[i];
      p[0] += a[i] * b[i];
    }
    for (int i = 1; i < m; ++i) {
      p[i] = a[0] * b[i] + b[0] * a[i];
      squared += p[i] * p[i];
    }
    const double length = std::sqrt(squared), above = missing(p[0] + length), below = missing(p[0] - length);
    cone.products[0] += 0.5 * (above + below);
    for (int i = 1; i < m; ++i) cone.products[i] += length > 0 ? 0.5 * (above - below) * p[i] / length : 0;
  }
}

/// The mean product after a step of this length.
double ConvexInteriorPoint::gap_after(double alpha) const {
  double sum = 0;
  for (const Cone& cone : cones_)
    for (int i = 0; i < cone.size; ++i) sum += (cone.x[i] + alpha * cone.dx[i]) * (cone.s[i] + alpha * cone.ds[i]);
  return cones_.empty() ? 0 : sum / static_cast<double>(cones_.size());
}

/// The step from the present factors, to a gap of at least `least`; returns its largest length.
double ConvexInteriorPoint::find_step(const ConvexProblem& p, BlockCholesky& factors, double kappa, double least,
                                      int corrections) {
  // Chosen: steps of this length need no correction; each aims at one that is so much longer, and the last one is that which gains less than kWorth.
  constexpr double kEnough = 0.95, kLonger = 0.2, kWorth = 0.01;
  constexpr double kRise = 2;  // of the gap, which is too much; chosen
  step(p, factors, 0, Step::predictor);
  const double reach = longest(), rest = 1 - reach, target = std::max(rest * rest * rest * kappa, least);
  second_order_ = 1;
  step(p, factors, target, Step::corrector);
  double alpha = longest();
  if (corrections > 0 && gap_after(alpha) > kRise * kappa) {
    // The predictor's products are those of a whole step, of which only this part can be made (Colombo, Gondzio 2008).
    step(p, factors, 0, Step::predictor);
    second_order_ = reach * reach;
    step(p, factors, target, Step::corrector);
    alpha = longest();
  }
  for (int k = 0; k < corrections && alpha < kEnough; ++k) {
    keep_step();
    add_corrections(target, std::min(1.0, alpha + kLonger));
    step(p, factors, target, Step::correction);
    const double longer = longest();
    const bool is_worse = longer < alpha || gap_after(longer) > kRise * kappa;
    if (is_worse) {
      restore_step();
      break;
    }
    const bool is_worth = longer > alpha + kWorth;
    alpha = longer;
    if (!is_worth) break;
  }
  return alpha;
}

/// Shifts follow the slip ‖s_t‖, or that of the velocities where it is less: s is not yet J v − v̂ + R γ in the first iterations. Returns by how much they moved. Then they stay: a shift below the slip lets a contact hover,
/// and one of any size only takes energy, while one that goes on moving keeps the rest from converging.
double ConvexInteriorPoint::update_shifts(ConvexProblem& p, int iteration) {
  constexpr int kFrozen = 6;  // chosen: half of the iterations of heaps; one more costs one more
  double moved = 0;
  for (Index b = 0; b < p.blocks.size() && iteration > 0 && iteration < kFrozen; ++b) {
    ConvexBlock& block = p.blocks[b];
    if (!block.contact) continue;
    double shift = 0;
    for (int k = cone_begin_[b]; k < cone_begin_[b + 1]; ++k) {
      const Cone& cone = cones_[Index(k)];
      double of_s = 0, of_v = 0;
      for (int i = 1; i < cone.size; ++i) {
        const double u = cone.s[i] + r2_[Index(block.begin + cone.row + i - 1)];
        of_s += cone.s[i] * cone.s[i];
        of_v += u * u;
      }
      shift += cone.mu * std::sqrt(std::min(of_s, of_v));
    }
    shift = std::max(shift - block.slack, 0.0);
    r2_[Index(block.begin)] += shift - block.shift;
    moved = std::max(moved, std::abs(shift - block.shift));
    block.shift = shift;
  }
  return moved;
}

/// The largest error of M⁻¹ r1 by the diagonal, relative to the velocities.
double ConvexInteriorPoint::momentum_error(const ConvexProblem& p, std::span<const double> v) const {
  double error = 0, scale = 1e-300;
  for (int i = 0; i < p.bodies(); ++i)
    for (int k = 0; k < 6; ++k) {
      const ConvexMass& mass = p.mass[Index(i)];
      const Index at = 6 * Index(i) + Index(k);
      error = std::max(error, std::abs(r1_[at]) / (k < 3 ? mass.linear : mass.angular(k - 3, k - 3)));
      scale = std::max({scale, std::abs(v[at]), std::abs(p.v_free[at])});
    }
  return error / scale;
}

void ConvexInteriorPoint::move(const ConvexProblem& p, double alpha, std::span<double> v, std::span<double> gamma) {
  for (Index i = 0; i < v.size(); ++i) v[i] += alpha * dv_[i];
  for (Index i = 0; i < gamma.size(); ++i) gamma[i] += alpha * dgamma_[i];
  for (Cone& cone : cones_)
    for (int i = 0; i < cone.size; ++i) cone.s[i] += alpha * cone.ds[i];
  read_cones(p, gamma);
}

ConvexInteriorPoint::Result ConvexInteriorPoint::solve(ConvexProblem& p, BlockCholesky& factors, std::span<double> v,
                                                       std::span<double> gamma, const InteriorSettings& settings) {
  Result result;
  const Index rows = Index(p.rows());
  r1_.resize(v.size()), dv_.resize(v.size());
  r2_.resize(rows), v_c_.resize(rows), dgamma_.resize(rows);
  make_cones(p);
  for (ConvexBlock& block : p.blocks) block.shift = 0;
  guess_v_.assign(v.begin(), v.end()), guess_gamma_.assign(gamma.begin(), gamma.end());
  const Scale scale = start(p, v, gamma);
  if (settings.is_continued) {
    std::copy(guess_v_.begin(), guess_v_.end(), v.begin());
    std::copy(guess_gamma_.begin(), guess_gamma_.end(), gamma.begin());
    start_near(p, v, gamma, scale.energy, settings.with_shift);
  }
  double lowest = std::numeric_limits<double>::infinity();
  int lowest_at = 0;
  for (; result.iterations < settings.iterations; ++result.iterations) {
    residuals(p, v, gamma);
    double error = 0;
    for (const double x : r2_) error = std::max(error, std::abs(x));
    if (settings.with_shift) error = std::max(error, update_shifts(p, result.iterations));
    const double kappa = gap();
    result.residual = std::max({error / scale.speed, momentum_error(p, v), kappa / scale.energy});
    if (!std::isfinite(result.residual)) return result;
    // Rounding, |v| ε times the stiffness, can be more than what is asked for: then nothing falls any more.
    if (result.residual < 0.5 * lowest) lowest = result.residual, lowest_at = result.iterations;
    const bool at_rounding = result.residual < kRounding && result.iterations >= lowest_at + 2;
    result.converged = result.residual <= settings.tolerance || at_rounding;
    if (result.converged) return result;
    if (!factorise(p, factors)) {
      result.converged = result.residual < kRounding;  // a cone is too thin for rounding
      return result;
    }
    // The energy of the velocities by which the equations and the shifts are wrong: a gap that falls below it is too close to the boundary to follow them.
    const double wrong = settings.is_continued ? error / scale.speed : 0;
    const double least = std::min(kappa, wrong * wrong * scale.energy);
    const double alpha = find_step(p, factors, kappa, least, settings.corrections);
    move(p, std::min(1.0, kInside * alpha), v, gamma);
  }
  return result;
}

}  // namespace rigor
