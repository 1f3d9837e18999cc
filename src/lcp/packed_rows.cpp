#include "lcp/packed_rows.h"

#include <algorithm>
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

bool same_bodies(const PackedContact& c, const PackedContact& d) { return c.first == d.first && c.second == d.second; }

/// The places of n things when four parts of them take turns; a part begins where `same` does not join a thing to the one before.
template <class Same> void interleave(std::size_t n, bool many, std::vector<int>& place, Same same) {
  place.resize(n);
  std::array<std::size_t, kLanes + 1> begin{};
  begin[kLanes] = n;
  for (std::size_t k = 1; k < kLanes; ++k) {
    std::size_t i = many ? std::max(begin[k - 1], n * k / kLanes) : n;
    while (i < n && i > 0 && same(i, i - 1)) ++i;
    begin[k] = i;
  }
  std::array<std::size_t, kLanes> next{};
  for (std::size_t k = 0; k < kLanes; ++k) next[k] = begin[k];
  for (std::size_t at = 0; at < n;)
    for (std::size_t k = 0; k < kLanes; ++k)
      if (next[k] < begin[k + 1]) place[next[k]++] = static_cast<int>(at++);
}

}  // namespace

void PackedRows::pack_masses(const LcpRows& given) {
  bodies.assign(index(given.bodies) + 1, Body{{}, {}, {}, {kUnknownMass, kUnknownMass}, 0, 0, 0, 0, 0, 0});
  bodies[0].inverse_mass = Pair{0, 0};
  for (std::size_t i = 0; i < given.masses.size(); ++i) {
    const InverseMass& m = given.masses[i];
    const auto& I = m.angular;
    bodies[i + 1] = Body{{}, {}, {}, {m.linear, m.linear}, I[0], I[1], I[2], I[3], I[4], I[5]};
  }
}

bool PackedRows::pack(const LcpRows& given) {
  pack_masses(given);
  place.resize(index(given.size()));
  thread_local std::vector<int> singles, behind_contacts, at;
  singles.clear(), behind_contacts.clear(), contacts.clear();
  backwards = false;
  for (int i = 0; i < given.size();) {
    if (contacts.emplace_back(); pack_contact(given, i, contacts.back())) {
      PackedContact& c = contacts.back();
      c.first = given.first[index(i)] + 1, c.second = given.second[index(i)] + 1;
      i += 3;
      continue;
    }
    contacts.pop_back();
    (given.limits.depends(i) ? behind_contacts : singles).push_back(i);
    ++i;
  }
  interleave(contacts.size(), given.size() >= kManyRows, at, [&](std::size_t i, std::size_t j) {
    return contacts[i].first == contacts[j].first && contacts[i].second == contacts[j].second;
  });
  thread_local std::vector<PackedContact> in_turns;
  in_turns.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) in_turns[index(at[i])] = contacts[i];
  contacts.swap(in_turns);
  for (std::size_t i = 0; i < contacts.size(); ++i)
    for (int k = 0; k < 3; ++k) place[index(contacts[i].index + k)] = {static_cast<int>(i), k};
  // Without contacts that are packed, friction stays where it was given.
  if (contacts.empty()) {
    singles.insert(singles.end(), behind_contacts.begin(), behind_contacts.end());
    std::sort(singles.begin(), singles.end());
    behind_contacts.clear();
  }
  behind = singles.size();
  singles.insert(singles.end(), behind_contacts.begin(), behind_contacts.end());
  return pack_rows(given, singles);
}

bool PackedRows::pack_rows(const LcpRows& given, const std::vector<int>& singles) {
  rows.resize(singles.size());
  thread_local std::vector<int> at;
  const auto joined = [&](std::size_t i, std::size_t j) {
    const std::size_t p = index(singles[i]), q = index(singles[j]);
    return given.first[p] == given.first[q] && given.second[p] == given.second[q];
  };
  interleave(behind, behind >= kManyRows, at, joined);
  for (std::size_t k = 0; k < singles.size(); ++k) {
    const std::size_t i = index(singles[k]), where = k < behind ? index(at[k]) : k;
    place[i] = {static_cast<int>(where), -1};
    Row& r = rows[where];
    r.index = singles[k];
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
  const auto [at, k] = p_.place[index(i)];
  if (k >= 0) return p_.contacts[index(at)].scale[k];
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
    const Vec3 v = c.relative_velocity(p_.bodies[index(c.first)], p_.bodies[index(c.second)]);
    return c.b[k] + c.gamma * x_[index(i)] + dot(c.direction(k), v);
  }
  const Row& r = p_.rows[index(at)];
  return r.b + r.gamma * x_[index(i)] + along(r, p_.bodies[index(r.first)], p_.bodies[index(r.second)]);
}

void PackedOperator::change(int i, double delta) {
  const auto [at, k] = p_.place[index(i)];
  if (k >= 0) {
    const PackedContact& c = p_.contacts[index(at)];
    return c.push(delta * c.direction(k), p_.bodies[index(c.first)], p_.bodies[index(c.second)]);
  }
  const Row& r = p_.rows[index(at)];
  add(r, delta, p_.bodies[index(r.first)], p_.bodies[index(r.second)]);
}

void PackedOperator::restart() {
  for (Body& body : p_.bodies) body.v_xy = body.z = body.w_xy = Pair{0, 0};
  for (const PackedContact& c : p_.contacts) {
    const double* x = &x_[index(c.index)];
    if (x[0] == 0 && x[1] == 0 && x[2] == 0) continue;
    c.push(x[0] * c.n + x[1] * c.t + x[2] * cross(c.n, c.t), p_.bodies[index(c.first)], p_.bodies[index(c.second)]);
  }
  for (const Row& r : p_.rows)
    if (x_[index(r.index)] != 0) change(r.index, x_[index(r.index)]);
}

void row_scales(PackedOperator& op, std::vector<double>& d) {
  row_scales(std::as_const(op), d);
  for (Row& r : op.packed().rows) r.scale = d[index(r.index)], r.inverse = 1 / r.scale;
  for (PackedContact& c : op.packed().contacts)
    for (int k = 0; k < 3; ++k) c.scale[k] = d[index(c.index + k)], c.inverse[k] = 1 / c.scale[k];
}

namespace {

void note(Sweep& sweep, double scale, double now, double change) {
  sweep.scale = std::max(sweep.scale, scale * std::abs(now));
  sweep.change = worse(sweep.change, scale * std::abs(change));
}

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

inline void visit(const PackedContact& c, std::vector<Body>& bodies, double* x, double omega, Sweep& sweep) {
  Body &a = bodies[index(c.first)], &b = bodies[index(c.second)];
  const Vec3 v = c.relative_velocity(a, b);
  const double w_n = (c.b[0] + c.gamma * x[0]) + dot(c.n, v);
  const double x_n = std::max(x[0] - w_n * (omega * c.inverse[0]), 0.0), d_n = x_n - x[0];
  if (x_n == 0 && x[0] == 0 && x[1] == 0 && x[2] == 0) return;
  const Vec3 s = cross(c.n, c.t);
  const double w_t = (c.b[1] + c.gamma * x[1]) + dot(c.t, v) + c.k_nt * d_n, most_t = c.mu_t * x_n;
  const double x_t = std::min(std::max(x[1] - w_t * (omega * c.inverse[1]), -most_t), most_t), d_t = x_t - x[1];
  const double w_s = (c.b[2] + c.gamma * x[2]) + dot(s, v) + (c.k_ns * d_n + c.k_ts * d_t), most_s = c.mu_s * x_n;
  const double x_s = std::min(std::max(x[2] - w_s * (omega * c.inverse[2]), -most_s), most_s), d_s = x_s - x[2];
  note(sweep, c.scale[0], x_n, d_n), note(sweep, c.scale[1], x_t, d_t), note(sweep, c.scale[2], x_s, d_s);
  x[0] = x_n, x[1] = x_t, x[2] = x_s;
  c.push(d_n * c.n + d_t * c.t + d_s * s, a, b);
}

}  // namespace

Sweep gauss_seidel_sweep(PackedOperator& op, const LcpLimits&, std::span<const double>, std::span<double> x,
                         double omega) {
  Sweep sweep;
  PackedRows& p = op.packed();
  sweep_rows({p.rows.data(), p.behind}, p.bodies, x, omega, sweep);
  const std::vector<PackedContact>& contacts = p.contacts;
  for (std::size_t begin = 0, end; begin < contacts.size(); begin = end) {
    end = begin + 1;
    while (end < contacts.size() && same_bodies(contacts[begin], contacts[end])) ++end;
    for (std::size_t k = begin; k < end; ++k) {
      const PackedContact& c = contacts[p.backwards ? begin + end - 1 - k : k];
      visit(c, p.bodies, &x[index(c.index)], omega, sweep);
    }
  }
  p.backwards = !p.backwards;
  sweep_rows({p.rows.data() + p.behind, p.rows.size() - p.behind}, p.bodies, x, omega, sweep);
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
