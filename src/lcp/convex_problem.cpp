#include "lcp/convex_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigor {

namespace {

using Index = std::size_t;

double limits_block(const ConvexProblem& p, const ConvexBlock& block, const double* v_c, double* gamma, double* G) {
  double cost = 0;
  for (int i = 0; i < block.size; ++i) {
    const Index row = Index(block.begin + i);
    const double R = p.R[row], y = (p.target[row] - v_c[i]) / R, x = std::clamp(y, p.lo[row], p.hi[row]);
    gamma[i] = x;
    cost += R * x * (y - 0.5 * x);
    if (G) G[i] = x == y ? 1 / R : 0;
  }
  return cost;
}

/// One friction group at y.
struct GroupState {
  double length = 0;     // ‖y_g‖, N s
  double threshold = 0;  // the normal impulse from which on the group sticks
  bool slips = false;
};

struct ContactState {
  std::array<double, kContactRows> y{};
  std::array<GroupState, 3> group{};
  double normal = 0;  // γ_n
  double D = 0;       // R_n + Σ_A R_g μ_g²
};

ContactState project_contact(const ConvexProblem& p, const ConvexBlock& block, const double* v_c) {
  ContactState s;
  const Index n = Index(block.begin);
  s.y[0] = (p.target[n] - block.shift - v_c[0]) / p.R[n];
  double numerator = p.R[n] * s.y[0];
  s.D = p.R[n];
  for (int g = 0; g < block.groups; ++g) {
    const FrictionGroup& group = block.group[Index(g)];
    double squared = 0;
    for (int i = group.offset; i < group.offset + group.size; ++i) {
      const Index row = n + Index(i);
      s.y[Index(i)] = (p.target[row] - v_c[i]) / p.R[row];
      squared += s.y[Index(i)] * s.y[Index(i)];
    }
    const double length = std::sqrt(squared);
    s.group[Index(g)] = {length, group.mu > 0 ? length / group.mu : std::numeric_limits<double>::infinity(), false};
  }
  // Groups begin to slip in the order of their thresholds, the largest first.
  for (int k = 0;; ++k) {
    s.normal = numerator / s.D;
    int next = -1;
    for (int g = 0; g < block.groups; ++g)
      if (const GroupState& state = s.group[Index(g)];
          !state.slips && (next < 0 || state.threshold > s.group[Index(next)].threshold))
        next = g;
    if (next < 0 || s.normal >= s.group[Index(next)].threshold) return s;
    const FrictionGroup& group = block.group[Index(next)];
    const double R = p.R[n + Index(group.offset)];
    s.group[Index(next)].slips = true;
    numerator += R * group.mu * s.group[Index(next)].length;
    s.D += R * group.mu * group.mu;
  }
}

/// G = ∂γ/∂y R⁻¹ of a contact that pushes.
void contact_derivative(const ConvexProblem& p, const ConvexBlock& block, const ContactState& s, double* G) {
  const int m = block.size;
  std::array<double, kContactRows> direction{};  // ∂γ/∂γ_n of what slips
  direction[0] = 1;
  for (int g = 0; g < block.groups; ++g) {
    const FrictionGroup& group = block.group[Index(g)];
    const GroupState& state = s.group[Index(g)];
    const int end = group.offset + group.size;
    for (int i = group.offset; i < end; ++i) {
      const double R = p.R[Index(block.begin + i)];
      if (!state.slips) {
        G[i * m + i] += 1 / R;
        continue;
      }
      if (!(state.length > 0)) continue;
      direction[Index(i)] = group.mu * s.y[Index(i)] / state.length;
      const double factor = group.mu * s.normal / (state.length * R);
      for (int j = group.offset; j < end; ++j)
        G[i * m + j] += factor * ((i == j ? 1 : 0) - s.y[Index(i)] * s.y[Index(j)] / (state.length * state.length));
    }
  }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) G[i * m + j] += direction[Index(i)] * direction[Index(j)] / s.D;
}

double contact_block(const ConvexProblem& p, const ConvexBlock& block, const double* v_c, double* gamma, double* G) {
  const ContactState s = project_contact(p, block, v_c);
  if (G) std::fill(G, G + block.size * block.size, 0.0);
  std::fill(gamma, gamma + block.size, 0.0);
  if (!(s.normal > 0)) return 0;
  gamma[0] = s.normal;
  for (int g = 0; g < block.groups; ++g) {
    const FrictionGroup& group = block.group[Index(g)];
    const GroupState& state = s.group[Index(g)];
    const double factor = !state.slips ? 1 : state.length > 0 ? group.mu * s.normal / state.length : 0;
    for (int i = group.offset; i < group.offset + group.size; ++i) gamma[i] = factor * s.y[Index(i)];
  }
  double cost = 0;
  for (int i = 0; i < block.size; ++i) cost += 0.5 * p.R[Index(block.begin + i)] * gamma[i] * gamma[i];
  if (G) contact_derivative(p, block, s, G);
  return cost;
}

}  // namespace

void ConvexProblem::clear() {
  mass.clear(), v_free.clear(), blocks.clear(), J.clear();
  target.clear(), R.clear(), lo.clear(), hi.clear(), inverse_mass.clear();
}

double convex_block(const ConvexProblem& p, const ConvexBlock& block, const double* v_c, double* gamma, double* G) {
  return block.contact ? contact_block(p, block, v_c, gamma, G) : limits_block(p, block, v_c, gamma, G);
}

double slip_term(const ConvexProblem& p, const ConvexBlock& block, const double* v_c, const double* gamma) {
  double sum = 0;
  for (int g = 0; g < block.groups; ++g) {
    const FrictionGroup& group = block.group[Index(g)];
    double squared = 0;
    for (int i = group.offset; i < group.offset + group.size; ++i) {
      const Index row = Index(block.begin + i);
      const double u = v_c[i] - p.target[row] + p.R[row] * gamma[i];
      squared += u * u;
    }
    sum += group.mu * std::sqrt(squared);
  }
  return std::max(sum - block.slack, 0.0);
}

void row_velocities(const ConvexProblem& p, std::span<const double> v, std::span<double> v_c) {
  for (const ConvexBlock& block : p.blocks)
    for (int i = block.begin; i < block.begin + block.size; ++i) {
      const Jacobian& J = p.J[Index(i)];
      double sum = 0;
      if (block.a >= 0)
        for (Index k = 0; k < 6; ++k) sum += J[k] * v[6 * Index(block.a) + k];
      if (block.b >= 0)
        for (Index k = 0; k < 6; ++k) sum += J[6 + k] * v[6 * Index(block.b) + k];
      v_c[Index(i)] = sum;
    }
}

void add_impulses(const ConvexProblem& p, std::span<const double> gamma, std::span<double> momentum) {
  for (const ConvexBlock& block : p.blocks)
    for (int i = block.begin; i < block.begin + block.size; ++i) {
      const double x = gamma[Index(i)];
      if (x == 0) continue;
      const Jacobian& J = p.J[Index(i)];
      if (block.a >= 0)
        for (Index k = 0; k < 6; ++k) momentum[6 * Index(block.a) + k] += x * J[k];
      if (block.b >= 0)
        for (Index k = 0; k < 6; ++k) momentum[6 * Index(block.b) + k] += x * J[6 + k];
    }
}

void multiply_mass(const ConvexMass& mass, const double* v, double* p) {
  const Vec3 L = mass.angular * Vec3{v[3], v[4], v[5]};
  for (int k = 0; k < 3; ++k) p[k] = mass.linear * v[k], p[3 + k] = L[k];
}

}  // namespace rigor
