// Restarted GMRES (Saad, Schultz 1986) for A x = b with A given as a function: for Newton–Krylov methods.
//
// Builds an orthonormal basis of the Krylov space by Arnoldi's process (modified Gram–Schmidt) and minimises |b - A x| over
// it with Givens rotations. Cost per iteration k: one product with A and k vector operations. Converges in at most n
// iterations in exact arithmetic, in few when A is the identity plus something of low rank or small norm.
#pragma once

#include <functional>
#include <vector>

namespace rigor {

struct GmresResult {
  int iterations = 0;
  double residual = 0;  // |b - A x| as the recurrence knows it
  bool converged = false;
};

/// Solves to |b - A x| <= tolerance, beginning at the x given.
GmresResult gmres(const std::function<void(const std::vector<double>& in, std::vector<double>& out)>& multiply,
                  const std::vector<double>& b, double tolerance, int restart, int max_iterations,
                  std::vector<double>& x);

}  // namespace rigor
