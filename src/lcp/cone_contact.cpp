#include "lcp/cone_contact.h"

#include <algorithm>
#include <cmath>

namespace rigor {

namespace {

using Index = std::size_t;

/// Eigenvalues below this part of the largest count as zero: rounding of W.
constexpr double kNothing = 1e-14;

struct Symmetric2 {
  double s[2], cosine, sine;  // eigenvectors (cosine, sine), (−sine, cosine)
};

Symmetric2 eigen(double a, double b, double c) {  // (a b; b c)
  const double half = 0.5 * (a - c), radius = std::sqrt(half * half + b * b), mean = 0.5 * (a + c);
  if (radius <= 0) return {{mean, mean}, 1, 0};
  double x = half + radius, y = b;  // eigenvector of the larger one, or its twin where that cancels
  if (half < 0) x = b, y = radius - half;
  const double length = std::sqrt(x * x + y * y);
  if (!(length > 0)) return {{a, c}, 1, 0};
  return {{mean + radius, mean - radius}, x / length, y / length};
}

/// ‖r_t(α)‖ − μ r_n(α) and its derivative, with y = ṽ in the eigenvectors.
struct SlipEquation {
  const ContactFactors& f;
  double mu, v_n, y[2];

  void impulse(double alpha, double r[3]) const {
    double coupled = 0;
    for (int k = 0; k < 2; ++k) {
      const double d = f.s[Index(k)] + alpha;
      r[1 + k] = d > 0 ? -y[k] / d : 0;
      coupled += f.tn[Index(k)] * r[1 + k];
    }
    r[0] = -(v_n + coupled) / f.nn;
  }
  double value(double alpha, double& derivative) const {
    double r[3];
    impulse(alpha, r);
    double along = 0, coupled = 0;  // r_t · r_t', W_nt r_t'
    for (int k = 0; k < 2; ++k) {
      const double d = f.s[Index(k)] + alpha, prime = d > 0 ? -r[1 + k] / d : 0;
      along += r[1 + k] * prime, coupled += f.tn[Index(k)] * prime;
    }
    const double length = std::sqrt(r[1] * r[1] + r[2] * r[2]);
    derivative = (length > 0 ? along / length : 0) + mu * coupled / f.nn;
    return length - mu * r[0];
  }
};

/// The slip rate α at which the equation holds; it is positive at 0 and negative for large α.
double find_slip(const SlipEquation& equation, double scale) {
  double lo = 0, hi = scale, slope = 0;
  for (int i = 0; i < 200 && equation.value(hi, slope) > 0; ++i) lo = hi, hi *= 8;
  double alpha = lo > 0 ? 0.5 * (lo + hi) : 0, last = hi - lo;
  for (int i = 0; i < 100; ++i) {
    const double f = equation.value(alpha, slope);
    if (f == 0) return alpha;
    (f > 0 ? lo : hi) = alpha;
    double next = slope != 0 ? alpha - f / slope : lo;
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    const double step = std::abs(next - alpha);
    if (step <= 4e-16 * next || hi - lo <= 4e-16 * hi) return next;
    if (step > 0.5 * last && i > 4) next = 0.5 * (lo + hi);
    last = step;
    alpha = next;
  }
  return alpha;
}

}  // namespace

ContactFactors contact_factors(const ConeBlock& block, std::span<const double> W) {
  ContactFactors f;
  const auto at = [&](int i, int j) { return 0.5 * (W[Index(i * block.size + j)] + W[Index(j * block.size + i)]); };
  f.nn = std::max(at(0, 0), 0.0);
  f.tangents = block.groups > 0 && block.group[0].offset == 1 && block.group[0].mu > 0 ? block.group[0].size : 0;
  if (!(f.nn > 0) || f.tangents == 0) return f;
  const double n1 = at(1, 0), n2 = f.tangents == 2 ? at(2, 0) : 0;
  const double a = at(1, 1) - n1 * n1 / f.nn;
  if (f.tangents == 1) {
    f.s = {std::max(a, 0.0), 0};
    f.tn = {n1, 0};
    if (f.s[0] <= kNothing * at(1, 1)) f.s[0] = 0;
    return f;
  }
  const double b = at(1, 2) - n1 * n2 / f.nn, c = at(2, 2) - n2 * n2 / f.nn;
  const Symmetric2 e = eigen(a, b, c);
  const double nothing = kNothing * std::max(at(1, 1), at(2, 2));
  for (int k = 0; k < 2; ++k) f.s[Index(k)] = e.s[k] > nothing ? e.s[k] : 0;
  f.cosine = e.cosine, f.sine = e.sine;
  f.tn = {e.cosine * n1 + e.sine * n2, -e.sine * n1 + e.cosine * n2};
  return f;
}

void solve_contact(const ContactFactors& f, double mu, const double* v, double* r) {
  for (int i = 0; i <= f.tangents; ++i) r[i] = 0;
  if (v[0] >= 0 || !(f.nn > 0)) return;
  if (f.tangents == 0) return void(r[0] = -v[0] / f.nn);
  const double v_1 = v[1], v_2 = f.tangents == 2 ? v[2] : 0;
  const double turned[2] = {f.cosine * v_1 + f.sine * v_2, -f.sine * v_1 + f.cosine * v_2};
  SlipEquation equation{f, mu, v[0], {turned[0] - f.tn[0] * v[0] / f.nn, turned[1] - f.tn[1] * v[0] / f.nn}};
  double x[3];
  bool sticks = true;  // along an axis that nothing moves, only what does not slip sticks
  const double size = std::abs(v[0]) + std::abs(v_1) + std::abs(v_2);
  for (int k = 0; k < 2; ++k)
    if (f.s[Index(k)] == 0) {
      if (std::abs(equation.y[k]) > 1e-15 * size)
        sticks = false;
      else
        equation.y[k] = 0;
    }
  equation.impulse(0, x);
  if (!sticks || std::sqrt(x[1] * x[1] + x[2] * x[2]) > mu * x[0]) {
    const double scale = std::max({f.s[0], f.s[1], f.nn});
    equation.impulse(find_slip(equation, scale), x);
    x[0] = std::max(x[0], 0.0);
    const double length = std::sqrt(x[1] * x[1] + x[2] * x[2]);
    if (length > mu * x[0] && length > 0) x[1] *= mu * x[0] / length, x[2] *= mu * x[0] / length;
  }
  r[0] = x[0];
  r[1] = f.cosine * x[1] - f.sine * x[2];
  if (f.tangents == 2) r[2] = f.sine * x[1] + f.cosine * x[2];
}

void solve_disk(const double* W, int stride, int size, double radius, const double* v, double* r) {
  if (size == 1) {
    r[0] = W[0] > 0 ? std::clamp(-v[0] / W[0], -radius, radius) : v[0] != 0 ? std::copysign(radius, -v[0]) : 0;
    return;
  }
  const Symmetric2 e = eigen(W[0], 0.5 * (W[1] + W[stride]), W[stride + 1]);
  const double y[2] = {e.cosine * v[0] + e.sine * v[1], -e.sine * v[0] + e.cosine * v[1]};
  const auto impulse = [&](double alpha, double x[2]) {
    for (int k = 0; k < 2; ++k) {
      const double d = std::max(e.s[k], 0.0) + alpha;
      x[k] = d > 0 ? -y[k] / d : 0;
    }
    return std::sqrt(x[0] * x[0] + x[1] * x[1]);
  };
  double x[2];
  if (radius <= 0) {
    r[0] = r[1] = 0;
    return;
  }
  if (impulse(0, x) > radius) {  // ‖r(α)‖ falls with α: bisection between bounds that hold, since ‖y‖/(s + α) bounds it
    const double length = std::sqrt(y[0] * y[0] + y[1] * y[1]);
    double lo = std::max(length / radius - std::max(e.s[0], 0.0), 0.0),
           hi = std::max(length / radius - std::max(e.s[1], 0.0), 0.0);
    for (int i = 0; i < 100 && hi - lo > 4e-16 * hi; ++i) {
      const double middle = 0.5 * (lo + hi);
      (impulse(middle, x) > radius ? lo : hi) = middle;
    }
    const double reached = impulse(hi, x);
    if (reached > radius) x[0] *= radius / reached, x[1] *= radius / reached;
  }
  r[0] = e.cosine * x[0] - e.sine * x[1];
  r[1] = e.sine * x[0] + e.cosine * x[1];
}

}  // namespace rigor
