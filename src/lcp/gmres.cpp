#include "lcp/gmres.h"

#include <cmath>
#include <cstddef>

namespace rigor {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void add_scaled(Vector& a, double s, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += s * b[i];
}

struct Givens {
  double c = 1, s = 0;
  void apply(double& a, double& b) const {
    const double t = c * a + s * b;
    b = c * b - s * a;
    a = t;
  }
  static Givens zeroing(double a, double b) {
    const double r = std::sqrt(a * a + b * b);
    return r == 0 ? Givens{} : Givens{a / r, b / r};
  }
};

/// The part of one restart cycle: basis V, triangular factor R (column k has k + 1 entries), right-hand side g.
struct Cycle {
  std::vector<Vector> basis;
  std::vector<Vector> r;
  std::vector<Givens> rotations;
  Vector g;

  /// Orthogonalises A v against the basis; false when the Krylov space is exhausted.
  bool extend(Vector av) {
    Vector h;
    for (const Vector& v : basis) {
      h.push_back(dot(av, v));
      add_scaled(av, -h.back(), v);
    }
    double beyond = std::sqrt(dot(av, av));
    for (std::size_t i = 0; i < rotations.size(); ++i) rotations[i].apply(h[i], h[i + 1]);
    rotations.push_back(Givens::zeroing(h.back(), beyond));
    double eliminated = beyond;
    rotations.back().apply(h.back(), eliminated);
    r.push_back(std::move(h));
    g.push_back(0);
    rotations.back().apply(g[g.size() - 2], g.back());
    const bool more = beyond > 0 && std::isfinite(beyond);
    if (more) {
      for (double& a : av) a /= beyond;
      basis.push_back(std::move(av));
    }
    return more;
  }

  double residual() const { return std::abs(g.back()); }

  void add_solution(Vector& x) const {
    Vector y(r.size());
    for (std::size_t i = r.size(); i-- > 0;) {
      double sum = g[i];
      for (std::size_t j = i + 1; j < r.size(); ++j) sum -= r[j][i] * y[j];
      y[i] = r[i][i] == 0 ? 0 : sum / r[i][i];
    }
    for (std::size_t i = 0; i < y.size(); ++i) add_scaled(x, y[i], basis[i]);
  }
};

}  // namespace

GmresResult gmres(const std::function<void(const Vector& in, Vector& out)>& multiply, const Vector& b, double tolerance,
                  int restart, int max_iterations, Vector& x) {
  GmresResult result;
  Vector product(b.size());
  while (true) {
    multiply(x, product);
    Vector residual = b;
    add_scaled(residual, -1, product);
    result.residual = std::sqrt(dot(residual, residual));
    result.converged = result.residual <= tolerance;
    if (result.converged || result.iterations >= max_iterations || !std::isfinite(result.residual)) return result;

    Cycle cycle;
    cycle.g = {result.residual};
    for (double& v : residual) v /= result.residual;
    cycle.basis.push_back(std::move(residual));
    bool more = true;
    for (int k = 0; more && k < restart && result.iterations < max_iterations; ++k, ++result.iterations) {
      multiply(cycle.basis.back(), product);
      more = cycle.extend(product) && cycle.residual() > tolerance;
    }
    cycle.add_solution(x);
    if (!more && cycle.residual() > tolerance) {  // exhausted: the best there is
      result.residual = cycle.residual();
      return result;
    }
  }
}

}  // namespace rigor
