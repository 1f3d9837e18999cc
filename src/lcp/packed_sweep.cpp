#include <algorithm>

#include "lcp/packed_rows.h"

namespace rigor {

namespace {

using Pair = PackedRows::Pair;
using Body = PackedRows::Body;
using Row = PackedRows::Row;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// J · (u_a, u_b). Sums of pairs: a short chain to wait for.
inline double along(const Row& r, const Body& a, const Body& b) {
  const Pair s = ((r.z_a * a.z + r.a_xy * a.w_xy) + (r.z_b * b.z + r.b_xy * b.w_xy)) + r.n_xy * (b.v_xy - a.v_xy);
  return s[0] + s[1];
}

/// u += JW delta.
inline void add(const Row& r, double delta, Body& a, Body& b) {
  const Pair both = {delta, delta};
  const Pair mass_a = a.inverse_mass * both, mass_b = b.inverse_mass * both, turn = r.w_z * both;
  a.v_xy -= r.n_xy * mass_a, b.v_xy += r.n_xy * mass_b;
  a.w_xy += r.w_a * both, b.w_xy += r.w_b * both;
  const Pair push_a = r.z_a * mass_a, push_b = r.z_b * mass_b;
  a.z += Pair{push_a[0], turn[0]}, b.z += Pair{push_b[0], turn[1]};
}

bool same_bodies(const PackedPair& p, const PackedPair& q) { return p.first == q.first && p.second == q.second; }

}  // namespace

double PackedOperator::diagonal(int i) const {
  const auto [at, k] = p_.place[index(i)];
  if (k >= 0) return 1 / p_.contacts[index(at)].inverse[k];
  const Row& r = p_.rows[index(at)];
  Body a{{}, {}, {}, p_.bodies[index(r.first)].inverse_mass, 0, 0, 0, 0, 0, 0}, b = a;
  b.inverse_mass = p_.bodies[index(r.second)].inverse_mass;
  add(r, 1, a, b);
  return along(r, a, b) + r.gamma;
}

double PackedOperator::constant(int i) const {
  const auto [at, k] = p_.place[index(i)];
  return k >= 0 ? p_.contacts[index(at)].b[k] : p_.rows[index(at)].b;
}

double PackedOperator::row(int i) const {
  const auto [at, k] = p_.place[index(i)];
  if (k >= 0) {
    const PackedContact& c = p_.contacts[index(at)];
    const PackedPair& pair = p_.pairs[index(c.pair)];
    const Vec3 v = c.relative_velocity(p_.bodies[index(pair.first)], p_.bodies[index(pair.second)]);
    return c.b[k] + pair.gamma * x_[index(i)] + dot(pair.direction(k), v);
  }
  const Row& r = p_.rows[index(at)];
  return r.b + r.gamma * x_[index(i)] + along(r, p_.bodies[index(r.first)], p_.bodies[index(r.second)]);
}

void PackedOperator::change(int i, double delta) {
  const auto [at, k] = p_.place[index(i)];
  if (k >= 0) {
    const PackedContact& c = p_.contacts[index(at)];
    const PackedPair& pair = p_.pairs[index(c.pair)];
    return c.push(delta * pair.direction(k), p_.bodies[index(pair.first)], p_.bodies[index(pair.second)]);
  }
  const Row& r = p_.rows[index(at)];
  add(r, delta, p_.bodies[index(r.first)], p_.bodies[index(r.second)]);
}

void PackedOperator::clear_velocities() {
  for (Body& body : p_.bodies) body.v_xy = body.z = body.w_xy = Pair{0, 0};
}

void PackedOperator::push_rows() {
  for (const Row& r : p_.rows)
    if (x_[index(r.index)] != 0) change(r.index, x_[index(r.index)]);
}

void PackedOperator::restart() {
  clear_velocities();
  for (const PackedContact& c : p_.contacts) {
    const double* x = &x_[index(c.index)];
    if (x[0] == 0 && x[1] == 0 && x[2] == 0) continue;
    const PackedPair& pair = p_.pairs[index(c.pair)];
    c.push(x[0] * pair.n + x[1] * pair.t + x[2] * pair.s, p_.bodies[index(pair.first)], p_.bodies[index(pair.second)]);
  }
  push_rows();
}

void row_scales(PackedOperator& op, std::vector<double>& d) {
  d.resize(index(op.size()));
  for (const PackedContact& c : op.packed().contacts)
    for (int k = 0; k < 3; ++k) d[index(c.index + k)] = 1 / std::abs(c.inverse[k]);
  for (const Row& r : op.packed().rows) d[index(r.index)] = std::abs(op.diagonal(r.index));
  without_zeros(d);
  for (Row& r : op.packed().rows) r.scale = d[index(r.index)], r.inverse = 1 / r.scale;
  for (PackedContact& c : op.packed().contacts)
    for (int k = 0; k < 3; ++k)
      c.scale[k] = static_cast<float>(d[index(c.index + k)]), c.inverse[k] = 1 / d[index(c.index + k)];
}

namespace {

void note(Sweep& sweep, double scale, double now, double change) {
  sweep.scale = std::max(sweep.scale, scale * std::abs(now));
  sweep.change = worse(sweep.change, scale * std::abs(change));
}

}  // namespace

void sweep_rows(std::span<const Row> rows, std::vector<Body>& bodies, std::span<double> x, double omega, Sweep& sweep) {
  for (const Row& r : rows) {
    double& x_i = x[index(r.index)];
    const double old = x_i;
    double lo = r.lo, hi = r.hi;
    if (r.dependency >= 0) {
      hi *= std::abs(x[index(r.dependency)]);
      lo = -hi;
      if (hi == 0 && old == 0) continue;
    }
    Body &a = bodies[index(r.first)], &b = bodies[index(r.second)];
    const double w = (r.b + r.gamma * old) + along(r, a, b);
    const double now = std::min(std::max(old - w * (omega * r.inverse), lo), hi);
    note(sweep, r.scale, now, now - old);
    if (now == old) continue;
    x_i = now;
    add(r, now - old, a, b);
  }
}

namespace {

inline void visit(const PackedContact& c, const PackedPair& p, std::vector<Body>& bodies, double* x, double omega,
                  Sweep& sweep) {
  Body &a = bodies[index(p.first)], &b = bodies[index(p.second)];
  const Vec3 v = c.relative_velocity(a, b);
  const double w_n = (c.b[0] + p.gamma * x[0]) + dot(p.n, v);
  const double x_n = std::max(x[0] - w_n * (omega * c.inverse[0]), 0.0), d_n = x_n - x[0];
  if (x_n == 0 && x[0] == 0 && x[1] == 0 && x[2] == 0) return;
  const double w_t = (c.b[1] + p.gamma * x[1]) + dot(p.t, v) + c.k_nt * d_n, most_t = p.mu_t * x_n;
  const double x_t = std::min(std::max(x[1] - w_t * (omega * c.inverse[1]), -most_t), most_t), d_t = x_t - x[1];
  const double w_s = (c.b[2] + p.gamma * x[2]) + dot(p.s, v) + (c.k_ns * d_n + c.k_ts * d_t), most_s = p.mu_s * x_n;
  const double x_s = std::min(std::max(x[2] - w_s * (omega * c.inverse[2]), -most_s), most_s), d_s = x_s - x[2];
  note(sweep, static_cast<double>(c.scale[0]), x_n, d_n);
  note(sweep, static_cast<double>(c.scale[1]), x_t, d_t);
  note(sweep, static_cast<double>(c.scale[2]), x_s, d_s);
  x[0] = x_n, x[1] = x_t, x[2] = x_s;
  c.push(d_n * p.n + d_t * p.t + d_s * p.s, a, b);
}

}  // namespace

Sweep gauss_seidel_sweep(PackedOperator& op, const LcpLimits&, std::span<const double>, std::span<double> x,
                         double omega) {
  Sweep sweep;
  PackedRows& p = op.packed();
  sweep_rows({p.rows.data(), p.behind}, p.bodies, x, omega, sweep);
  const std::vector<PackedContact>& contacts = p.contacts;
  const auto pair_of = [&](std::size_t k) -> const PackedPair& { return p.pairs[index(contacts[k].pair)]; };
  for (std::size_t begin = 0, end; begin < contacts.size(); begin = end) {
    end = begin + 1;
    while (end < contacts.size() && same_bodies(pair_of(begin), pair_of(end))) ++end;
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t at = p.backwards ? begin + end - 1 - k : k;
      visit(contacts[at], pair_of(at), p.bodies, &x[index(contacts[at].index)], omega, sweep);
    }
  }
  p.backwards = !p.backwards;
  sweep_rows({p.rows.data() + p.behind, p.rows.size() - p.behind}, p.bodies, x, omega, sweep);
  return sweep;
}

double residual_scale(const PackedOperator& op, const LcpLimits& limits, std::span<const double> d) {
  double scale = 0;
  for (const PackedContact& c : op.packed().contacts)
    for (const double b : c.b) scale = std::max(scale, std::abs(b));
  for (const Row& r : op.packed().rows) scale = std::max(scale, term_of_scale(op, limits, d[index(r.index)], r.index));
  return scale;
}

double natural_residual(const PackedOperator& op, const LcpLimits& limits, std::span<const double> d,
                        std::span<const double> x) {
  const PackedRows& p = op.packed();
  double worst = 0, scale = residual_scale(op, limits, d);
  const auto note_row = [&](std::size_t i, double w, const Interval& allowed) {
    worst = worse(worst, natural_error(w, d[i], x[i], allowed));
    scale = std::max(scale, kRounding * d[i] * std::abs(x[i]));
  };
  for (const PackedContact& c : p.contacts) {
    const PackedPair& pair = p.pairs[index(c.pair)];
    const Vec3 v = c.relative_velocity(p.bodies[index(pair.first)], p.bodies[index(pair.second)]);
    const std::size_t i = index(c.index);
    const double most[3] = {0, pair.mu_t * std::abs(x[i]), pair.mu_s * std::abs(x[i])};
    for (std::size_t k = 0; k < 3; ++k) {
      const double w = c.b[k] + pair.gamma * x[i + k] + dot(pair.direction(static_cast<int>(k)), v);
      note_row(i + k, w, k == 0 ? Interval{0, kUnbounded} : Interval{-most[k], most[k]});
    }
  }
  for (const Row& r : p.rows) note_row(index(r.index), op.row(r.index), limits.at(r.index, x));
  return worst == 0 ? 0 : worst / scale;
}

}  // namespace rigor
