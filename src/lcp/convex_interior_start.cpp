// Where the interior-point method of convex_interior_point.h begins: in the middle of the cones, or near a guess.
#include <algorithm>
#include <cmath>

#include "lcp/convex_interior_point.h"

namespace rigor {

namespace {

using Index = std::size_t;

/// κ over the mean energy by which a guess is wrong, and its least value over the energy at stake. Chosen: closer to the boundary the first steps are short.
constexpr double kInside = 10, kLeast = 0.01;

bool is_fixed(const ConvexProblem& p, Index row) { return !(p.hi[row] > p.lo[row]); }

double length_of(const std::array<double, 3>& z) { return std::sqrt(z[1] * z[1] + z[2] * z[2]); }

/// (t + √(t² + 4 c))/2 without cancellation.
double smoothed_part(double t, double c) {
  const double root = std::sqrt(t * t + 4 * c);
  return t > 0 ? 0.5 * (t + root) : 2 * c / (root - t);
}

/// γ with κ/(γ − lo) − κ/(hi − γ) = u.
double between_limits(double lo, double hi, double u, double kappa) {
  const double d = 0.5 * (hi - lo);
  return 0.5 * (hi + lo) - u * d * d / (kappa + std::sqrt(kappa * kappa + u * u * d * d));
}

/// The inverse mass that relates x and s of a cone: their first components are μ γ_n and u_n/μ.
double cone_weight(const ConvexProblem& p, Index row, double mu) { return std::max(p.inverse_mass[row], 1e-300) / mu; }

}  // namespace

/// All products x ∘ s are equal at the start, of the size of the energy that is at stake.
ConvexInteriorPoint::Scale ConvexInteriorPoint::start(const ConvexProblem& p, std::span<double> v,
                                                      std::span<double> gamma) {
  std::copy(p.v_free.begin(), p.v_free.end(), v.begin());
  row_velocities(p, v, v_c_);
  double energy = 0;
  for (Index i = 0; i < v_c_.size(); ++i) {
    const double speed = v_c_[i] - p.target[i], w = p.inverse_mass[i];
    if (w > 0) energy = std::max(energy, speed * speed / w);
  }
  if (!(energy > 0)) energy = 1e-12;
  std::fill(gamma.begin(), gamma.end(), 0.0);
  for (Cone& cone : cones_) {
    const ConvexBlock& block = p.blocks[Index(cone.block)];
    const Index n = Index(block.begin);
    const double w = std::max(p.inverse_mass[cone.limit ? n + Index(cone.row) : n], 1e-300);
    if (!cone.limit) {
      gamma[n] = std::sqrt(energy / w);
    } else {
      const Index row = n + Index(cone.row);
      const double far = std::sqrt(energy / w), other = cone.sign > 0 ? p.hi[row] : p.lo[row];
      gamma[row] = std::isfinite(other) ? 0.5 * (cone.bound + other) : cone.bound + cone.sign * far;
    }
  }
  for (Index b = 0; b < p.blocks.size(); ++b) {
    const ConvexBlock& block = p.blocks[b];
    for (int i = 0; !block.contact && i < block.size; ++i)
      if (is_fixed(p, Index(block.begin + i))) gamma[Index(block.begin + i)] = p.lo[Index(block.begin + i)];
  }
  read_cones(p, gamma);
  for (Cone& cone : cones_) cone.s[0] = energy / cone.x[0], cone.s[1] = cone.s[2] = 0;
  Scale scale{std::max(gap(), 1e-300), 1e-300};
  residuals(p, v, gamma);
  for (Index i = 0; i < v_c_.size(); ++i)
    scale.speed = std::max({scale.speed, std::abs(v_c_[i] - p.target[i]), std::abs(r2_[i])});
  return scale;
}

/// z = x − s/w of the guess by cone, with s = J v − v̂ + R γ and the velocities in v_c_; of rows with two limits their γ and s. Returns the mean energy of its error, w ‖x − P(z)‖².
double ConvexInteriorPoint::guess_error(const ConvexProblem& p, std::span<const double> gamma) {
  z_.assign(cones_.size(), {});
  double sum = 0;
  for (Index k = 0; k < cones_.size(); ++k) {
    const Cone& cone = cones_[k];
    const ConvexBlock& block = p.blocks[Index(cone.block)];
    const Index n = Index(block.begin), first = cone.limit ? n + Index(cone.row) : n;
    const auto velocity = [&](Index row) { return v_c_[row] - p.target[row] + p.R[row] * gamma[row]; };
    const double w = cone_weight(p, first, cone.mu);
    double x[3] = {}, u[3] = {}, error = 0;
    x[0] = cone.limit ? cone.sign * (gamma[first] - cone.bound) : cone.mu * gamma[n];
    u[0] = cone.limit ? cone.sign * velocity(first) : (velocity(n) + block.shift) / cone.mu;
    for (int i = 1; i < cone.size; ++i) {
      const Index row = n + Index(cone.row + i - 1);
      x[i] = gamma[row];
      u[i] = velocity(row);
    }
    std::array<double, 3>& z = z_[k];
    for (Index i = 0; i < 3; ++i) z[i] = x[i] - u[i] / w;
    if (cone.limit && !cone.alone) {
      z = {gamma[first], velocity(first), 0};  // of the row, not of one side
      const double error_of_row = std::clamp(gamma[first] - z[1] / w, p.lo[first], p.hi[first]) - gamma[first];
      sum += 0.5 * w * error_of_row * error_of_row;
      continue;
    }
    const double length = length_of(z), a = std::max(z[0] + length, 0.0), b = std::max(z[0] - length, 0.0);
    for (Index i = 0; i < 3; ++i) {
      const double projected = i == 0 ? 0.5 * (a + b) : length > 0 ? 0.5 * (a - b) * z[i] / length : 0;
      error += (projected - x[i]) * (projected - x[i]);
    }
    sum += w * error;
  }
  return cones_.empty() ? 0 : sum / static_cast<double>(cones_.size());
}

/// γ with x on the central path of z by cone. Cones that share a normal take the largest.
void ConvexInteriorPoint::write_start(const ConvexProblem& p, double kappa, std::span<double> gamma) {
  for (Index b = 0; b < p.blocks.size(); ++b) {
    const ConvexBlock& block = p.blocks[b];
    for (int i = 0; i < block.size; ++i) {
      const Index row = Index(block.begin + i);
      if (block.contact ? i == 0 || !(held_[b] >> i & 1) : is_fixed(p, row)) gamma[row] = block.contact ? 0 : p.lo[row];
    }
  }
  for (Index k = 0; k < cones_.size(); ++k) {
    const Cone& cone = cones_[k];
    const std::array<double, 3>& z = z_[k];
    const Index n = Index(p.blocks[Index(cone.block)].begin), first = cone.limit ? n + Index(cone.row) : n;
    if (cone.limit && !cone.alone) {
      gamma[first] = between_limits(p.lo[first], p.hi[first], z[1], kappa);
      continue;
    }
    const double c = kappa / cone_weight(p, first, cone.mu), length = length_of(z);
    const double a = smoothed_part(z[0] + length, c), b = smoothed_part(z[0] - length, c);
    if (cone.limit) {
      gamma[first] = cone.bound + cone.sign * a;
      continue;
    }
    gamma[n] = std::max(gamma[n], 0.5 * (a + b) / cone.mu);
    for (int i = 1; i < cone.size; ++i)
      gamma[n + Index(cone.row + i - 1)] = length > 0 ? 0.5 * (a - b) * z[Index(i)] / length : 0;
  }
}

/// Near the guess v, γ; `energy` is that at stake. Rows without limits keep their γ.
void ConvexInteriorPoint::start_near(ConvexProblem& p, std::span<const double> v, std::span<double> gamma,
                                     double energy, bool with_shift) {
  row_velocities(p, v, v_c_);
  for (ConvexBlock& block : p.blocks) {
    const Index n = Index(block.begin);
    const bool slips = with_shift && block.contact && gamma[n] > 0;
    block.shift = slips ? slip_term(p, block, v_c_.data() + n, gamma.data() + n) : 0;
  }
  const double kappa = std::clamp(kInside * guess_error(p, gamma), kLeast * energy, energy);
  write_start(p, kappa, gamma);
  read_cones(p, gamma);
  for (Cone& cone : cones_) {
    double determinant = cone.x[0] * cone.x[0];
    for (int i = 1; i < cone.size; ++i) determinant -= cone.x[i] * cone.x[i];
    cone.s[0] = kappa * cone.x[0] / determinant;
    for (int i = 1; i < cone.size; ++i) cone.s[i] = -kappa * cone.x[i] / determinant;
  }
}

}  // namespace rigor
