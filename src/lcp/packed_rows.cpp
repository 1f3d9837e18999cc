#include "lcp/packed_rows.h"

#include <utility>

namespace rigor {

namespace {

using Pair = PackedRows::Pair;

double sum(Pair p) { return p[0] + p[1]; }

/// J · (u_a, u_b). Six products in three sums, which is short enough a chain to wait for.
double along(const PackedRows::Factors& f, const Pair a[3], const Pair b[3]) {
  return sum((f.J[0] * a[0] + f.J[3] * b[0]) + (f.J[1] * a[1] + f.J[4] * b[1]) + (f.J[2] * a[2] + f.J[5] * b[2]));
}

void add(const PackedRows::Factors& f, double delta, Pair a[3], Pair b[3]) {
  const Pair both = {delta, delta};
  for (int k = 0; k < 3; ++k) a[k] += f.JW[k] * both, b[k] += f.JW[k + 3] * both;
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void PackedRows::pack(const LcpRows& rows) {
  const auto n = at(rows.size());
  heads.resize(n), factors.resize(n);
  velocities.resize(at(rows.bodies) + 1);
  for (std::size_t i = n; i-- > 0;) {
    Head& head = heads[i];
    head.b = rows.b[i];
    head.gamma = rows.regularisation.empty() ? 0 : rows.regularisation[i];
    const bool depends = rows.limits.depends(static_cast<int>(i));
    head.dependency = depends ? rows.limits.dependency[i] : -1;
    head.lo = depends ? 0 : rows.limits.lo[i];
    head.hi = depends ? rows.limits.factor[i] : rows.limits.hi[i];
    head.first = rows.first[i] + 1, head.second = rows.second[i] + 1;
    const bool with_next = i + 1 < n && heads[i + 1].first == head.first && heads[i + 1].second == head.second;
    head.run_end = with_next ? heads[i + 1].run_end : static_cast<int>(i) + 1;
    for (std::size_t k = 0; k < 6; ++k) {
      factors[i].J[k] = Pair{rows.J[i][2 * k], rows.J[i][2 * k + 1]};
      factors[i].JW[k] = Pair{rows.JW[i][2 * k], rows.JW[i][2 * k + 1]};
    }
  }
}

double PackedOperator::diagonal(int i) const {
  const PackedRows::Factors& f = p_.factors[at(i)];
  return along(f, f.JW, f.JW + 3) + p_.heads[at(i)].gamma;
}

double PackedOperator::row(int i) const {
  const PackedRows::Head& head = p_.heads[at(i)];
  return head.b + head.gamma * x_[at(i)] +
         along(p_.factors[at(i)], p_.velocities[at(head.first)].at, p_.velocities[at(head.second)].at);
}

void PackedOperator::change(int i, double delta) {
  const PackedRows::Head& head = p_.heads[at(i)];
  add(p_.factors[at(i)], delta, p_.velocities[at(head.first)].at, p_.velocities[at(head.second)].at);
}

void PackedOperator::restart() {
  std::fill(p_.velocities.begin(), p_.velocities.end(), PackedRows::Velocity{});
  for (int i = 0; i < size(); ++i)
    if (x_[at(i)] != 0) change(i, x_[at(i)]);
}

void row_scales(PackedOperator& op, std::vector<double>& d) {
  row_scales(std::as_const(op), d);
  for (std::size_t i = 0; i < d.size(); ++i) {
    op.packed().heads[i].scale = d[i];
    op.packed().heads[i].inverse = 1 / d[i];
  }
}

Sweep gauss_seidel_sweep(PackedOperator& op, const LcpLimits&, std::span<const double>, std::span<double> x,
                         double omega) {
  Sweep sweep;
  PackedRows& p = op.packed();
  const int n = op.size();
  for (int i = 0; i < n;) {
    const int end = p.heads[at(i)].run_end;
    PackedRows::Velocity& first = p.velocities[at(p.heads[at(i)].first)];
    PackedRows::Velocity& second = p.velocities[at(p.heads[at(i)].second)];
    Pair a[3] = {first.at[0], first.at[1], first.at[2]}, b[3] = {second.at[0], second.at[1], second.at[2]};
    for (; i < end; ++i) {
      const PackedRows::Head& head = p.heads[at(i)];
      const double old = x[at(i)];
      double lo = head.lo, hi = head.hi;
      if (head.dependency >= 0) {
        hi *= std::abs(x[at(head.dependency)]);
        lo = -hi;
        if (hi == 0 && old == 0) continue;
      }
      const PackedRows::Factors& f = p.factors[at(i)];
      const double w = head.b + head.gamma * old + along(f, a, b);
      const double now = std::clamp(old - omega * w * head.inverse, lo, hi);
      sweep.scale = std::max(sweep.scale, head.scale * std::abs(now));
      if (now == old) continue;
      x[at(i)] = now;
      add(f, now - old, a, b);
      sweep.change = worse(sweep.change, head.scale * std::abs(now - old));
    }
    for (int k = 0; k < 3; ++k) first.at[k] = a[k], second.at[k] = b[k];
  }
  return sweep;
}

}  // namespace rigor
