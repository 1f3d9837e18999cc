// Non-smooth Newton on the function of Fischer and Burmeister over the second-order cone (Fukushima, Luo, Tseng 2002; Macklin et al. 2019,
// arXiv 1907.04587, use the scalar one). With de Saxcé's û_n = u_n + μ ‖u_t‖ both of
//
//   X = (μ x_n, x_t),   Y = (û_n, μ u_t)
//
// lie in the cone ‖·_t‖ ≤ ·_n, and X ⊥ Y. In its Jordan algebra, (a, b)² = (a² + b·b, 2 a b):
//
//   F = X + Y − √(X² + Y²),   dF = (I − L_z⁻¹ L_X) dX + (I − L_z⁻¹ L_Y) dY,   z = √(X² + Y²),   L_x = (x_n, x_tᵀ; x_t, x_n I)
//
// Where z is on the boundary of the cone, L_z is singular; 1e-24 ‖·‖² is added to X² + Y² there. Groups of rolling and spinning and rows with limits have the
// functions of alart-curnier. See cone_newton.h for the steps. Smoother than Alart–Curnier far from a solution, less sharp near one.
#include <algorithm>
#include <cmath>

#include "lcp/cone_newton.h"
#include "registry/entry.h"

namespace rigor {

namespace {

constexpr int kMost = 3;

/// Writes the square root of w = (a, b) in the Jordan algebra of dimension n ≤ 3; its eigenvalues are a ∓ ‖b‖.
void jordan_root(int n, const double* w, double* z) {
  double length = 0;
  for (int i = 1; i < n; ++i) length += w[i] * w[i];
  length = std::sqrt(length);
  const double low = std::sqrt(std::max(w[0] - length, 0.0)), high = std::sqrt(std::max(w[0] + length, 0.0));
  z[0] = 0.5 * (low + high);
  for (int i = 1; i < n; ++i) z[i] = length > 0 ? 0.5 * (high - low) * w[i] / length : 0;
}

/// y ← L_z⁻¹ v.
void solve_arrow(int n, const double* z, const double* v, double* y) {
  double zz = 0, zv = 0;
  for (int i = 1; i < n; ++i) zz += z[i] * z[i], zv += z[i] * v[i];
  const double determinant = z[0] * z[0] - zz;
  y[0] = (z[0] * v[0] - zv) / determinant;
  for (int i = 1; i < n; ++i) y[i] = (v[i] - z[i] * y[0]) / z[0];
}

/// I − L_z⁻¹ L_x.
void derivative(int n, const double* z, const double* x, double G[kMost][kMost]) {
  for (int c = 0; c < n; ++c) {
    double column[kMost] = {0, 0, 0}, y[kMost];
    column[0] = x[c];
    if (c == 0)
      for (int i = 1; i < n; ++i) column[i] = x[i];
    else
      column[c] = x[0];
    solve_arrow(n, z, column, y);
    for (int i = 0; i < n; ++i) G[i][c] = (i == c ? 1 : 0) - y[i];
  }
}

class FischerBurmeister final : public NewtonFunction {
 public:
  void evaluate(const ConeProblem& p, const ConeBlock& block, const double* x, const double* u, double* F, double* A,
                double* B) const override {
    if (!block.contact) return limits_function(p, block, x, u, F, A, B);
    const bool coulomb = block.groups > 0 && block.group[0].offset == 1 && block.group[0].mu > 0;
    cone(block, coulomb ? block.group[0].mu : 1, coulomb ? 1 + block.group[0].size : 1, x, u, F, A, B);
    for (int g = coulomb ? 1 : 0; g < block.groups; ++g)
      disk_function(block, block.group[static_cast<std::size_t>(g)], x, u, false, F, A, B);
  }

 private:
  static void cone(const ConeBlock& block, double mu, int n, const double* x, const double* u, double* F, double* A,
                   double* B) {
    double X[kMost] = {mu * x[0], 0, 0}, Y[kMost] = {u[0], 0, 0}, slip = 0, size = 0;
    for (int i = 1; i < n; ++i) X[i] = x[i], Y[i] = mu * u[i], slip += u[i] * u[i];
    slip = std::sqrt(slip);
    if (n > 1) Y[0] += mu * slip;
    double w[kMost] = {0, 0, 0}, z[kMost];
    for (int i = 0; i < n; ++i) size += X[i] * X[i] + Y[i] * Y[i];
    w[0] = size;
    for (int i = 1; i < n; ++i) w[i] = 2 * (X[0] * X[i] + Y[0] * Y[i]);
    jordan_root(n, w, z);
    for (int i = 0; i < n; ++i) F[i] = X[i] + Y[i] - z[i];
    w[0] += 1e-24 * size + 1e-200;
    jordan_root(n, w, z);
    double length = 0;
    for (int i = 1; i < n; ++i) length += z[i] * z[i];
    z[0] = std::max(z[0], std::sqrt(length) * (1 + 1e-12) + 1e-150);
    double GX[kMost][kMost], GY[kMost][kMost];
    derivative(n, z, X, GX), derivative(n, z, Y, GY);
    for (int i = 0; i < n; ++i) {
      A[i * block.size] = mu * GX[i][0];
      B[i * block.size] = GY[i][0];
      for (int j = 1; j < n; ++j) {
        A[i * block.size + j] = GX[i][j];
        B[i * block.size + j] = mu * (GY[i][j] + (slip > 0 ? GY[i][0] * u[j] / slip : 0));
      }
    }
  }
};

}  // namespace

Entry register_cone_fischer_burmeister() {
  return {Kind::cone,
          "fischer-burmeister",
          "non-smooth Newton on the function of Fischer and Burmeister over the cone",
          "Fukushima, Luo, Tseng 2002; Macklin et al. 2019, arXiv 1907.04587",
          {"warm-start", "singular", "exact"},
          make_default<NewtonSolver<FischerBurmeister>>,
          {}};
}

}  // namespace rigor
