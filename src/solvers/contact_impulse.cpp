#include "solvers/contact_impulse.h"

#include <cmath>

namespace rigor {

namespace {

/// Below this part of K_nn the denominator of (4.57) means jamming: friction would drive the surfaces into each other.
constexpr double kJammed = 1e-3;

/// |(J_1 / μ_1, J_2 / μ_2)|; infinite where there is an impulse without friction.
double measure(const Vec3& J, const FrictionEllipse& f) {
  const auto part = [](double j, double mu) { return j == 0 ? 0 : mu > 0 ? j / mu : HUGE_VAL; };
  return std::hypot(part(J.y, f.mu_1), part(J.z, f.mu_2));
}

bool sticks(const Vec3& J, const FrictionEllipse& f) { return J.x >= 0 && measure(J, f) <= J.x; }

/// The friction impulse per normal impulse that takes the most power from a slip along t: on the ellipse, μ t for a circle.
Vec3 slip_friction(double t_1, double t_2, const FrictionEllipse& f) {
  const double scale = std::hypot(f.mu_1 * t_1, f.mu_2 * t_2);
  if (!(scale > 0)) return {};
  return {0, -f.mu_1 * f.mu_1 * t_1 / scale, -f.mu_2 * f.mu_2 * t_2 / scale};
}

Vec3 clamped(const Vec3& J, const FrictionEllipse& f) {
  if (!(J.x > 0)) return {};
  const Vec3 kept{J.x, f.mu_1 > 0 ? J.y : 0, f.mu_2 > 0 ? J.z : 0};
  const double over = measure(kept, f) / J.x;
  return over > 1 ? Vec3{kept.x, kept.y / over, kept.z / over} : kept;
}

/// The matrix of the first three rows of a contact's block; `gamma` softens the normal.
ContactMatrix contact_matrix(const Rows& rows, const RowBlock& block, double gamma) {
  ContactMatrix m;
  const auto begin = static_cast<std::size_t>(block.begin);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double k = 0;
      for (std::size_t c = 0; c < 12; ++c)
        k += rows.J[begin + static_cast<std::size_t>(i)][c] * rows.JW[begin + static_cast<std::size_t>(j)][c];
      m.K(i, j) = k;
    }
  m.K(0, 0) += gamma;
  m.inverse = inverse(m.K);  // regular: 1/m of the lighter body is in every direction
  return m;
}

}  // namespace

void contact_matrices(const SolverContext& c, const ImpulseBlocks& blocks, std::vector<ContactMatrix>& matrices) {
  matrices.resize(c.rows.blocks.size());
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    if (has_friction_pair(block))
      matrices[static_cast<std::size_t>(b)] = contact_matrix(c.rows, block, blocks.target(block.begin).gamma);
  }
}

Vec3 hahn_impulse(const ContactMatrix& m, const Vec3& missing, const FrictionEllipse& f) {
  if (!(missing.x > 0)) return {};
  const Vec3 J = m.inverse * missing;
  return sticks(J, f) ? J : clamped(J, f);
}

Vec3 guendelman_impulse(const ContactMatrix& m, const Vec3& missing, const Vec3& slip, const FrictionEllipse& f) {
  if (!(missing.x > 0)) return {};
  const Vec3 J = m.inverse * missing;
  if (sticks(J, f)) return J;
  // If nothing slides yet, the friction that would hold gives the direction.
  const bool slides = slip.y != 0 || slip.z != 0;
  const Vec3 friction = slides ? slip_friction(slip.y, slip.z, f) : slip_friction(-J.y, -J.z, f);
  const Vec3 direction{1, friction.y, friction.z};  // n − μ t
  const double denominator = dot(m.K.row[0], direction);
  if (denominator < kJammed * m.K(0, 0)) return clamped(J, f);
  return (missing.x / denominator) * direction;
}

}  // namespace rigor
