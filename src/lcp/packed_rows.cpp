#include "lcp/packed_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace rigor {

namespace {

using Pair = PackedRows::Pair;
using Body = PackedRows::Body;
using Row = PackedRows::Row;

/// Products of a mass and a number are rounded once when JW is made and once more here.
constexpr double kRounded = 8 * std::numeric_limits<double>::epsilon();
constexpr double kUnknownMass = -1;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// True if w = m j for the mass of this body, which the first row with a non-zero j determines.
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

bool PackedRows::pack(const LcpRows& given, bool in_order) {
  pack_masses(given);
  place.resize(index(given.size()));
  backwards = false;
  thread_local std::vector<int> starts, singles, behind_contacts;
  starts.clear(), singles.clear(), behind_contacts.clear();
  for (int i = 0; i < given.size();) {
    if (has_limits_of_contact(given, i)) {
      starts.push_back(i), i += 3;
      continue;
    }
    (given.limits.depends(i) ? behind_contacts : singles).push_back(i);
    ++i;
  }
  if (!pack_contacts(given, starts, in_order)) {
    // Rows that are limited like those of a contact and are none: each row for itself, friction where it was given.
    contacts.clear(), behind_contacts.clear();
    singles.resize(index(given.size()));
    std::iota(singles.begin(), singles.end(), 0);
  }
  behind = singles.size();
  singles.insert(singles.end(), behind_contacts.begin(), behind_contacts.end());
  return pack_rows(given, singles);
}

bool PackedRows::pack_contacts(const LcpRows& given, const std::vector<int>& starts, bool in_order) {
  thread_local std::vector<int> at;
  if (starts.empty()) return false;
  interleave(starts.size(), !in_order && given.size() >= kManyRows, at, [&](std::size_t i, std::size_t j) {
    const std::size_t p = index(starts[i]), q = index(starts[j]);
    return given.first[p] == given.first[q] && given.second[p] == given.second[q];
  });
  contacts.resize(starts.size());
  pairs.clear();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    PackedContact& c = contacts[index(at[i])];
    PackedPair pair;
    if (!pack_contact(given, starts[i], c, pair)) return false;
    if (pairs.empty() || pairs.back() != pair) pairs.push_back(pair);
    c.pair = static_cast<int>(pairs.size()) - 1;
    for (int k = 0; k < 3; ++k) place[index(c.index + k)] = {at[i], k};
  }
  return true;
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
    check_factors(given, singles[k]);
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

}  // namespace rigor
