#include "lcp/packed_rows.h"

#include <limits>
#include <utility>

namespace rigor {

namespace {

using Pair = PackedRows::Pair;
using Body = PackedRows::Body;
using Row = PackedRows::Row;

/// Products of a mass and a number are rounded once when JW is made and once more here.
constexpr double kRounded = 8 * std::numeric_limits<double>::epsilon();
constexpr double kUnknownMass = -1;

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

/// Whether w = m j for the mass of this body, which is found out by the first row that knows it.
inline bool has_mass(const double* j, const double* w, Pair& inverse_mass) {
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(j[i]) > std::abs(j[k])) k = i;
  if (j[k] == 0) return w[0] == 0 && w[1] == 0 && w[2] == 0;
  const double m = w[k] / j[k];
  if (inverse_mass[0] == kUnknownMass) inverse_mass = Pair{m, m};
  const double size = kRounded * std::abs(w[k]);
  for (int i = 0; i < 3; ++i)
    if (!(std::abs(w[i] - inverse_mass[0] * j[i]) <= size)) return false;
  return m >= 0;
}

/// The factors of one row; false when it is not a row between two masses.
bool pack_factors(const std::array<double, 12>& J, const std::array<double, 12>& W, Row& r, Body& a, Body& b) {
  for (std::size_t k = 0; k < 3; ++k)
    if (J[k] != -J[k + 6]) return false;
  if (!has_mass(J.data(), W.data(), a.inverse_mass) || !has_mass(J.data() + 6, W.data() + 6, b.inverse_mass))
    return false;
  r.n_xy = Pair{J[6], J[7]}, r.a_xy = Pair{J[3], J[4]}, r.b_xy = Pair{J[9], J[10]};
  r.z_a = Pair{J[2], J[5]}, r.z_b = Pair{J[8], J[11]};
  r.w_a = Pair{W[3], W[4]}, r.w_b = Pair{W[9], W[10]}, r.w_z = Pair{W[5], W[11]};
  return true;
}

constexpr int kLanes = 4;
constexpr int kManyRows = 512;  // fewer than these are swept in the order given

bool same_bodies(const LcpRows& rows, std::size_t i, std::size_t j) {
  return rows.first[i] == rows.first[j] && rows.second[i] == rows.second[j];
}

/// The places of the rows when four parts of them take turns; parts begin where the bodies change.
void interleave(const LcpRows& rows, std::vector<int>& place) {
  const auto n = index(rows.size());
  place.resize(n);
  std::array<std::size_t, kLanes + 1> begin{};
  begin[kLanes] = n;
  for (std::size_t k = 1; k < kLanes; ++k) {
    std::size_t i = rows.size() < kManyRows ? n : std::max(begin[k - 1], n * k / kLanes);
    while (i < n && same_bodies(rows, i, i - 1)) ++i;
    begin[k] = i;
  }
  std::array<std::size_t, kLanes> next{};
  for (std::size_t k = 0; k < kLanes; ++k) next[k] = begin[k];
  for (int at = 0; at < rows.size();)
    for (std::size_t k = 0; k < kLanes; ++k)
      if (next[k] < begin[k + 1]) place[next[k]++] = at++;
}

}  // namespace

bool PackedRows::pack(const LcpRows& given) {
  const auto n = index(given.size());
  rows.resize(n);
  interleave(given, place);
  bodies.assign(index(given.bodies) + 1, Body{{}, {}, {}, {kUnknownMass, kUnknownMass}});
  bodies[0].inverse_mass = Pair{0, 0};
  for (std::size_t i = 0; i < n; ++i) {
    Row& r = rows[index(place[i])];
    r.index = static_cast<int>(i);
    r.b = given.b[i];
    r.gamma = given.regularisation.empty() ? 0 : given.regularisation[i];
    const bool depends = given.limits.depends(r.index);
    r.dependency = depends ? given.limits.dependency[i] : -1;
    r.lo = depends ? 0 : given.limits.lo[i];
    r.hi = depends ? given.limits.factor[i] : given.limits.hi[i];
    r.first = given.first[i] + 1, r.second = given.second[i] + 1;
    if (!pack_factors(given.J[i], given.JW[i], r, bodies[index(r.first)], bodies[index(r.second)])) return false;
  }
  for (Body& body : bodies)
    if (body.inverse_mass[0] == kUnknownMass) body.inverse_mass = Pair{0, 0};  // no row pushes it
  return true;
}

double PackedOperator::diagonal(int i) const {
  const Row& r = at(i);
  Body a{{}, {}, {}, p_.bodies[index(r.first)].inverse_mass}, b{{}, {}, {}, p_.bodies[index(r.second)].inverse_mass};
  add(r, 1, a, b);
  return along(r, a, b) + r.gamma;
}

double PackedOperator::row(int i) const {
  const Row& r = at(i);
  return r.b + r.gamma * x_[index(i)] + along(r, p_.bodies[index(r.first)], p_.bodies[index(r.second)]);
}

void PackedOperator::change(int i, double delta) {
  const Row& r = at(i);
  add(r, delta, p_.bodies[index(r.first)], p_.bodies[index(r.second)]);
}

void PackedOperator::restart() {
  for (Body& body : p_.bodies) body.v_xy = body.z = body.w_xy = Pair{0, 0};
  for (int i = 0; i < size(); ++i)
    if (x_[index(i)] != 0) change(i, x_[index(i)]);
}

void row_scales(PackedOperator& op, std::vector<double>& d) {
  row_scales(std::as_const(op), d);
  for (Row& r : op.packed().rows) r.scale = d[index(r.index)], r.inverse = 1 / r.scale;
}

Sweep gauss_seidel_sweep(PackedOperator& op, const LcpLimits&, std::span<const double>, std::span<double> x,
                         double omega) {
  Sweep sweep;
  std::vector<Body>& bodies = op.packed().bodies;
  for (const Row& r : op.packed().rows) {
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
    sweep.scale = std::max(sweep.scale, r.scale * std::abs(now));
    if (now == old) continue;
    x_i = now;
    add(r, now - old, a, b);
    sweep.change = worse(sweep.change, r.scale * std::abs(now - old));
  }
  return sweep;
}

LcpResult RowSweeps::solve(const LcpRows& rows, std::span<double> x, double omega, const IterationSettings& settings) {
  check_problem(rows, x);
  if (packed_.pack(rows)) {
    PackedOperator op(packed_, x);
    return gauss_seidel(op, rows.limits, x, omega, settings, d_);
  }
  RowsOperator op(rows, x, v_);
  return gauss_seidel(op, rows.limits, x, omega, settings, d_);
}

}  // namespace rigor
