#include "lcp/lane_contacts.h"

#include <array>
#include <bit>
#include <cstring>

namespace rigor {

namespace {

constexpr int kParts = 4;                 // of the problem, that take turns
constexpr int kOpen = 8;                  // groups of a kind that wait for more pairs
constexpr int kKinds = kSweepPoints * 2;  // by the number of points, and whether they carry something
static_assert(kOpen * kKinds <= 64);

std::size_t index(int i) { return static_cast<std::size_t>(i); }

void put(SweepLanes<double>* to, int lane, const Vec3& v) { to[0][lane] = v.x, to[1][lane] = v.y, to[2][lane] = v.z; }

void put_body(const PackedBody& body, int lane, SweepLanes<double>& mass, SweepLanes<double>* inertia) {
  mass[lane] = body.inverse_mass[0];
  const double I[6] = {body.xx, body.yy, body.zz, body.xy, body.xz, body.yz};
  for (int k = 0; k < 6; ++k) inertia[k][lane] = I[k];
}

void put_pair(const PackedRows& packed, const PackedPair& from, int lane, SweepPair& to) {
  put(to.n, lane, from.n), put(to.t, lane, from.t);
  to.gamma[lane] = from.gamma, to.mu_t[lane] = from.mu_t, to.mu_s[lane] = from.mu_s;
  to.a[lane] = from.first, to.b[lane] = from.second;
  put_body(packed.bodies[index(from.first)], lane, to.mass_a, to.inertia_a);
  put_body(packed.bodies[index(from.second)], lane, to.mass_b, to.inertia_b);
}

void put_point(const PackedContact& from, int lane, SweepPoint& to) {
  put(to.r_a, lane, {from.r_x[0], from.r_y[0], from.r_z[0]});
  put(to.r_b, lane, {from.r_x[1], from.r_y[1], from.r_z[1]});
  for (int k = 0; k < 3; ++k) {
    to.constant[k][lane] = from.b[k], to.inverse[k][lane] = from.inverse[k];
    to.scale[k][lane] = from.scale[k];
  }
  to.k_nt[lane] = from.k_nt, to.k_ns[lane] = from.k_ns, to.k_ts[lane] = from.k_ts;
  to.index[lane] = from.index;
}

}  // namespace

bool LaneContacts::pack(const PackedRows& packed, std::span<const double> x) {
  if (!find_runs(packed)) return false;
  make_groups(packed, x);
  order_groups();
  fill(packed);
  backwards_ = false;
  return true;
}

bool LaneContacts::find_runs(const PackedRows& packed) {
  runs_.clear();
  largest_constant_ = 0;
  for (int i = 0; i < static_cast<int>(packed.contacts.size()); ++i) {
    const PackedContact& c = packed.contacts[index(i)];
    for (int k = 0; k < 3; ++k) {
      if (!(c.inverse[k] > 0 && c.inverse[k] < kUnbounded)) return false;
      largest_constant_ = std::max(largest_constant_, std::abs(c.b[k]));
    }
    const bool goes_on = !runs_.empty() && packed.contacts[index(runs_.back().begin)].pair == c.pair &&
                         runs_.back().count < kSweepPoints;
    if (goes_on)
      ++runs_.back().count;
    else
      runs_.push_back({i, 1, 0, 0});
  }
  return true;
}

/// First fit among the open groups of a kind: bit g of used_[body] says that the open group g has the body.
void LaneContacts::make_groups(const PackedRows& packed, std::span<const double> x) {
  groups_.clear();
  used_.assign(packed.bodies.size(), 0);
  struct Open {
    int group = -1;
    std::array<int, 2 * kSweepLanes> bodies{};
  };
  std::array<Open, kOpen * kKinds> open;
  const auto close = [&](int g) {
    Open& o = open[index(g)];
    for (int k = 0; k < 2 * groups_[index(o.group)].lanes; ++k)
      used_[index(o.bodies[index(k)])] &= ~(std::uint64_t{1} << g);
    o.group = -1;
  };
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    Run& run = runs_[r];
    const int part = static_cast<int>(r * kParts / runs_.size());
    if (r > 0 && part != static_cast<int>((r - 1) * kParts / runs_.size()))
      for (int g = 0; g < kOpen * kKinds; ++g)
        if (open[index(g)].group >= 0) close(g);
    bool carries = false;
    for (int i = run.begin; i < run.begin + run.count; ++i)
      carries = carries || x[index(packed.contacts[index(i)].index)] != 0;
    const int kind = 2 * (run.count - 1) + (carries ? 1 : 0);
    const PackedPair& pair = packed.pairs[index(packed.contacts[index(run.begin)].pair)];
    const std::uint64_t of_kind = std::uint64_t{(1 << kOpen) - 1} << (kind * kOpen);
    std::uint64_t free = of_kind & ~(used_[index(pair.first)] | used_[index(pair.second)]);
    if (free == 0) {  // the fullest one has to go
      int fullest = kind * kOpen;
      for (int g = kind * kOpen; g < (kind + 1) * kOpen; ++g)
        if (groups_[index(open[index(g)].group)].lanes > groups_[index(open[index(fullest)].group)].lanes) fullest = g;
      close(fullest);
      free = std::uint64_t{1} << fullest;
    }
    const int g = std::countr_zero(free);
    Open& o = open[index(g)];
    if (o.group < 0) {
      o.group = static_cast<int>(groups_.size());
      groups_.push_back({run.count, 0, part, 0});
    }
    Group& group = groups_[index(o.group)];
    run.group = o.group, run.lane = group.lanes++;
    const int bodies[2] = {pair.first, pair.second};
    for (int k = 0; k < 2; ++k) {
      o.bodies[index(2 * run.lane + k)] = bodies[k];
      if (bodies[k] != 0) used_[index(bodies[k])] |= std::uint64_t{1} << g;  // what cannot move may be shared
    }
    if (group.lanes == kSweepLanes) close(g);
  }
}

/// Parts take turns.
void LaneContacts::order_groups() {
  std::array<std::size_t, kParts + 1> begin{};
  for (const Group& group : groups_) ++begin[index(group.part) + 1];
  for (std::size_t k = 0; k < kParts; ++k) begin[k + 1] += begin[k];
  std::array<std::size_t, kParts> next{};
  for (std::size_t k = 0; k < kParts; ++k) next[k] = begin[k];
  for (int rank = 0; rank < static_cast<int>(groups_.size());)
    for (std::size_t k = 0; k < kParts; ++k)
      if (next[k] < begin[k + 1]) groups_[next[k]++].rank = rank++;
}

void LaneContacts::fill(const PackedRows& packed) {
  pairs_.resize(groups_.size());
  std::int32_t points = 0;
  for (const Group& group : groups_) points += group.points;
  points_.resize(static_cast<std::size_t>(points));
  for (const Group& group : groups_) pairs_[index(group.rank)].points = group.points;
  points = 0;
  for (SweepPair& pair : pairs_) pair.first = points, points += pair.points;
  for (const Group& group : groups_) {
    SweepPair& pair = pairs_[index(group.rank)];
    pair.lanes = group.lanes;
    if (group.lanes == kSweepLanes) continue;
    // Empty lanes have no motion and no target.
    const std::int32_t first = pair.first;
    pair = {}, pair.lanes = group.lanes, pair.points = group.points, pair.first = first;
    for (int i = 0; i < group.points; ++i) {
      SweepPoint& p = points_[index(first + i)] = {};
      for (std::int32_t& row : p.index) row = -1;
    }
  }
  for (const Run& run : runs_) {
    SweepPair& pair = pairs_[index(groups_[index(run.group)].rank)];
    put_pair(packed, packed.pairs[index(packed.contacts[index(run.begin)].pair)], run.lane, pair);
    for (int i = 0; i < run.count; ++i)
      put_point(packed.contacts[index(run.begin + i)], run.lane, points_[index(pair.first + i)]);
  }
}

void LaneContacts::load(std::span<const double> x) {
  for (SweepPoint& p : points_)
    for (int lane = 0; lane < kSweepLanes; ++lane)
      for (int k = 0; k < 3; ++k) p.x[k][lane] = p.index[lane] < 0 ? 0 : x[index(p.index[lane] + k)];
}

void LaneContacts::store(std::span<double> x) const {
  for (const SweepPoint& p : points_)
    for (int lane = 0; lane < kSweepLanes; ++lane)
      if (p.index[lane] >= 0)
        for (int k = 0; k < 3; ++k) x[index(p.index[lane] + k)] = p.x[k][lane];
}

void LaneContacts::push(std::vector<PackedBody>& bodies) const {
  push_in_lanes(pairs_.data(), pairs_.size(), points_.data(), bodies.data());
}

void LaneContacts::sweep(std::vector<PackedBody>& bodies, double omega, Sweep& sweep, SweepWidth width) {
  sweep_in_lanes(pairs_.data(), pairs_.size(), points_.data(), bodies.data(), omega, backwards_, width, sweep);
  backwards_ = !backwards_;
}

void LaneContacts::residual(const std::vector<PackedBody>& bodies, double& worst, double& scale) const {
  residual_in_lanes(pairs_.data(), pairs_.size(), points_.data(), bodies.data(), worst, scale);
}

void LaneOperator::restart() {
  clear_velocities();
  lanes_.load(x_);
  lanes_.push(packed().bodies);
  push_rows();
}

Sweep gauss_seidel_sweep(LaneOperator& op, const LcpLimits&, std::span<const double>, std::span<double> x,
                         double omega) {
  Sweep sweep;
  sweep_rows(op.packed().rows, op.packed().bodies, x, omega, sweep);
  op.lanes().sweep(op.packed().bodies, omega, sweep);
  return sweep;
}

double residual_scale(const LaneOperator& op, const LcpLimits& limits, std::span<const double> d) {
  double scale = op.lanes().largest_constant();
  for (const PackedRows::Row& r : op.packed().rows)
    scale = std::max(scale, term_of_scale(op, limits, d[index(r.index)], r.index));
  return scale;
}

double natural_residual(const LaneOperator& op, const LcpLimits& limits, std::span<const double> d,
                        std::span<const double> x) {
  double worst = 0, scale = residual_scale(op, limits, d);
  op.lanes().residual(op.packed().bodies, worst, scale);
  for (const PackedRows::Row& r : op.packed().rows) {
    const std::size_t i = index(r.index);
    worst = worse(worst, natural_error(op.row(r.index), d[i], x[i], limits.at(r.index, x)));
    scale = std::max(scale, kRounding * d[i] * std::abs(x[i]));
  }
  return worst == 0 ? 0 : worst / scale;
}

void judge_iterate(LaneOperator& op, const LcpLimits& limits, std::span<const double> d, std::span<double> x,
                   double tolerance, LcpResult& result) {
  op.lanes().store(x);
  judge_iterate<LaneOperator>(op, limits, d, x, tolerance, result);
}

}  // namespace rigor
