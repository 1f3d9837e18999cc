// All contacts of a cluster of light bodies at once (contact_clusters.h), between the sweeps over contacts in lanes.
//
//   A Δλ + (J u − w) ≥ 0,   λ + Δλ ≥ 0,   A = J M⁻¹ Jᵀ        normals: an LCP, by Dantzig's pivoting (lcp/boxed_dantzig.h)
//   the same with  −μ λₙ ≤ λ + Δλ ≤ μ λₙ                      and friction along t₁ and t₂, for the normal impulses just found
//
// Normals and friction are two systems. As one system, normals that push against friction jam, and throw a light body out later; as
// two, each undoes a part of the other where faces that are not parallel squeeze a body, so that it creeps out from under its load.
// Impulses of friction are cut to Coulomb's disk afterwards, which turns and shifts a light body by more than its normals
// allow, so the normals are solved once more at the end: a squeezed body that is left with such a velocity chatters for ever.
// Contacts are rigid here: one as soft as the light body asks for would give way under the heavy one. Rows that are already solved to the
// precision in which impulses are stored are skipped.
//
// Where a heavy body hits a light one, two systems are not enough. A light body between tilted faces slips out if its normals are solved
// without friction, although friction would hold it: the friction of the small normal impulses that are left cannot stop it. And impulses
// of the heavy body and of the ground nearly cancel, each of them thousands of times as large as the momentum of the light body, so that any
// error throws it away. Hence three candidates are measured by Coulomb's law itself, contact_error(), and the best one is taken: the impulses
// of the sweeps, those of the two systems, and the solution of normals and friction as one problem over cones (lcp/cone_problem.h) from the
// better of the two. Contacts without a hit, which the two systems solve well, are left at that.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "registry/entry.h"
#include "soft_step/contact_lanes.h"

namespace rigor {

namespace {

constexpr double kCompliance = 1e-5;  // relative; lets redundant points share the load evenly
/// Relative to the largest impulse: smaller changes are lost when impulses are stored in single precision. Four units in the last place.
constexpr double kResolution = 4 * static_cast<double>(std::numeric_limits<float>::epsilon());
/// The velocity error of a hit, relative to what forces give the light body in a sub-step. Chosen: with a third of it the same bodies are held at
/// twice the cost.
constexpr double kHit = 10;
/// m/s: the velocity error of a hit, at least. Loads of a thousand times the light body leave smaller ones at rest. Chosen.
constexpr double kHitSpeed = 0.5;
/// The solver over cones converges to this part of the velocities before the hit, mostly within ten iterations.
constexpr double kConeTolerance = 1e-6;
constexpr std::int64_t kConeIterations = 100;

Vec3 times(const LaneBody& b, const Vec3& v) {
  const double* I = b.inverse_inertia;
  return {I[0] * v.x + I[1] * v.y + I[2] * v.z, I[1] * v.x + I[3] * v.y + I[4] * v.z,
          I[2] * v.x + I[4] * v.y + I[5] * v.z};
}

}  // namespace

void ContactLanes::locate_lanes() {
  if (!lane_of_contact_.empty()) return;
  lane_of_contact_.assign(placed_.size(), {});
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    for (int lane = 0; lane < blocks_[k].lanes; ++lane)
      lane_of_contact_[order_[static_cast<std::size_t>(blocks_[k].first_contact + lane)]] = {static_cast<int>(k), lane};
}

void ContactLanes::locate_clusters() {
  cluster_lanes_.clear();
  if (clusters_.empty()) return;
  locate_lanes();
  for (const std::uint32_t contact : clusters_.contacts()) cluster_lanes_.push_back(lane_of_contact_[contact]);
}

bool ContactLanes::solve_clusters(int pace, StepBodies& bodies, const LaneStep& step, bool correct) {
  if (clusters_.empty()) return false;
  bool any = false;
  const LaneStep rigid = step.rigid();
  for (std::size_t k = 0; k < clusters_.clusters().size(); ++k) {
    const LightCluster& cluster = clusters_.clusters()[k];
    if (groups_[group_of_[cluster.body]].pace != pace) continue;
    if (!is_solved_.empty() && is_solved_[cluster.body]) continue;
    const auto lanes = std::span(cluster_lanes_).subspan(cluster.begin, cluster.end - cluster.begin);
    any = true;
    const double gain = cluster.acceleration * groups_[group_of_[cluster.body]].sub_step;
    // A cluster that closing walls squeeze has no solution, and the search for it is what takes longest: one failure in a step is enough.
    if (may_be_hit_[k] && !has_failed_[k] && is_fast(lanes, hit_error(gain), bodies))
      has_failed_[k] = solve_hit(lanes, gain, bodies, rigid, correct) ? 0 : 1;
    else
      solve_in_turn(lanes, bodies, rigid, correct);
  }
  return any;
}

/// m/s: the velocity error from which on a contact is hit; forces give the light body the velocity `gain` (m/s) in the sub-step.
double ContactLanes::hit_error(double gain) { return std::max(kHit * gain, kHitSpeed); }

/// True if some contact point may have a velocity above `speed` (m/s), by bounds that need no rows. Clusters at rest are slow, and most are at rest.
bool ContactLanes::is_fast(std::span<const ClusterLane> lanes, double speed, const StepBodies& bodies) const {
  return std::any_of(lanes.begin(), lanes.end(), [&](const ClusterLane& at) {
    const LaneBlock& block = blocks_[static_cast<std::size_t>(at.block)];
    double reach = 0;  // m, of the farthest point from the middle of the contact
    for (int i = 0; i < block.points && !block.is_single(); ++i) {
      const LanePoint& p = points_[static_cast<std::size_t>(block.first_point + i)];
      reach = std::max(reach, std::hypot(static_cast<double>(p.u[at.lane]), static_cast<double>(p.v[at.lane])));
    }
    const auto most = [&](int place, const Vec3& arm) {
      const BodyVelocity& u = bodies.u[static_cast<std::size_t>(place)];
      return length(u.v) + (length(arm) + reach) * length(u.w);
    };
    return !(most(block.a[at.lane] / kVelocitySize, lane_of(block.arm_a, at.lane)) +
                 most(block.b[at.lane] / kVelocitySize, lane_of(block.arm_b, at.lane)) <=
             speed);
  });
}

/// Solves a cluster that a heavy body may have hit: takes the best of the three candidates if the two systems leave the error of a hit. `gain` is the velocity
/// in m/s that forces give the light body in the sub-step. False if the solver over cones has failed.
bool ContactLanes::solve_hit(std::span<const ClusterLane> lanes, double gain, StepBodies& bodies, const LaneStep& step,
                             bool correct) {
  collect_points(lanes, bodies, step, correct);
  cluster_best_.clear();
  for (const ClusterRow& row : cluster_rows_) cluster_best_.push_back(row.lambda);
  double error = present_error();
  const auto take_if_better = [&] {
    collect_points(lanes, bodies, step, correct);
    const double now = present_error();
    if (!(now < error)) return;
    error = now;
    for (std::size_t i = 0; i < cluster_rows_.size(); ++i) cluster_best_[i] = cluster_rows_[i].lambda;
  };
  const double hit = hit_error(gain);
  if (rebounds_.empty()) {
    solve_in_turn(lanes, bodies, step, correct);
    collect_points(lanes, bodies, step, correct);
    if (present_error() <= hit) return true;
    take_if_better();
  }
  const bool needs_cones = error > hit, is_solved = needs_cones && solve_cones(bodies);
  if (is_solved) take_if_better();
  for (std::size_t i = 0; i < cluster_rows_.size(); ++i)
    if (cluster_rows_[i].lambda != cluster_best_[i]) push_row(cluster_rows_[i], cluster_best_[i], bodies);
  return is_solved || !needs_cones;
}

/// Collects all rows of the contacts in cluster_rows_, and their cones in convex_.
void ContactLanes::collect_points(std::span<const ClusterLane> lanes, const StepBodies& bodies, const LaneStep& step,
                                  bool correct) {
  cluster_rows_.clear();
  convex_.clear();
  collect_direct_bodies(lanes, bodies);
  for (const ClusterLane& at : lanes) add_direct_points(at, bodies, step, correct);
  for (const int place : direct_bodies_) local_[static_cast<std::size_t>(place)] = -1;
}

/// m/s: contact_error() of the impulses that the rows have.
double ContactLanes::present_error() {
  direct_guess_.clear(), direct_missing_.clear();
  for (const ClusterRow& row : cluster_rows_)
    direct_guess_.push_back(row.lambda), direct_missing_.push_back(row.missing);
  return contact_error(direct_guess_, direct_missing_);
}

/// Solves the two systems: normals, friction for these normals, and the normals again.
void ContactLanes::solve_in_turn(std::span<const ClusterLane> lanes, StepBodies& bodies, const LaneStep& step,
                                 bool correct) {
  cluster_rows_.clear();
  collect_normals(lanes, bodies, step, correct);
  solve_rows(bodies);
  const double load = largest_impulse();
  cluster_rows_.clear();
  collect_friction(lanes, bodies, correct);
  if (are_rows_solved(load)) return;
  solve_rows(bodies);
  cut_friction(bodies);
  cluster_rows_.clear();
  collect_normals(lanes, bodies, step, correct);
  solve_rows(bodies);
}

/// Solves the rows of collect_points() over cones from cluster_best_. False if the solver does not converge; nothing is changed then.
bool ContactLanes::solve_cones(StepBodies& bodies) {
  if (std::any_of(cluster_rows_.begin(), cluster_rows_.end(),
                  [](const ClusterRow& row) { return !(row.diagonal > 0); }))
    return false;
  assemble_rows();
  const std::size_t n = cluster_rows_.size();
  const std::vector<double>& scale = direct_scale_;
  std::vector<int> starts;
  cones_.blocks.clear();
  for (const ConvexBlock& from : convex_.blocks) {
    starts.push_back(from.begin);
    cones_.blocks.push_back({from.begin, from.size, true, from.groups, from.group});
  }
  starts.push_back(static_cast<int>(n));
  cones_.q.resize(n), cones_.lo.assign(n, 0), cones_.hi.assign(n, 0), direct_guess_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    double A_lambda = 0;
    for (std::size_t j = 0; j < n; ++j) A_lambda += problem_.A[i * n + j] * cluster_rows_[j].lambda;
    cones_.q[i] = scale[i] * (cluster_rows_[i].missing - A_lambda);
    direct_guess_[i] = cluster_best_[i] / scale[i];
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) problem_.A[i * n + j] *= scale[i] * scale[j];
  cones_.W = block_matrix(std::move(starts), problem_.A);
  if (!cone_solver_)
    cone_solver_ = create<ConeSolver>(
        Kind::cone, {"alart-curnier", {{"tolerance", kConeTolerance}, {"iterations", kConeIterations}}}, "cone");
  if (!cone_solver_->solve(cones_, direct_guess_).converged) return false;
  for (std::size_t i = 0; i < n; ++i) push_row(cluster_rows_[i], scale[i] * direct_guess_[i], bodies);
  return true;
}

/// A row along d at a point of a lane, with what it is to reach.
void ContactLanes::add_row(const ClusterLane& at, int point, int axis, double target, double lower, double upper,
                           const StepBodies& bodies, bool always) {
  const LaneBlock& block = blocks_[static_cast<std::size_t>(at.block)];
  const LanePoint& p = points_[static_cast<std::size_t>(block.first_point + point)];
  const auto lane_vec = [&](const LaneArray<float>* v) {
    return Vec3{static_cast<double>(v[0][at.lane]), static_cast<double>(v[1][at.lane]),
                static_cast<double>(v[2][at.lane])};
  };
  const Vec3 n = lane_vec(block.normal), t = lane_vec(block.tangent), s = cross(n, t);
  Vec3 rho{};
  if (!block.is_single()) rho = static_cast<double>(p.u[at.lane]) * t + static_cast<double>(p.v[at.lane]) * s;
  ClusterRow row;
  row.at = at, row.point = point, row.axis = axis;
  row.a = block.a[at.lane] / kVelocitySize, row.b = block.b[at.lane] / kVelocitySize;
  row.d = axis == 0 ? n : axis == 1 ? t : s;
  row.m_a = cross(lane_of(block.arm_a, at.lane) + rho, row.d),
  row.m_b = cross(lane_of(block.arm_b, at.lane) + rho, row.d);
  const auto side = [&](int place) -> const LaneBody& { return bodies_[static_cast<std::size_t>(place)]; };
  row.w_a = times(side(row.a), row.m_a), row.w_b = times(side(row.b), row.m_b);
  const BodyVelocity &u_a = bodies.u[static_cast<std::size_t>(row.a)], &u_b = bodies.u[static_cast<std::size_t>(row.b)];
  row.missing = dot(row.d, u_b.v - u_a.v) + dot(row.m_b, u_b.w) - dot(row.m_a, u_a.w) - target;
  row.lambda = static_cast<double>(p.impulse[axis][at.lane]), row.lower = lower, row.upper = upper;
  row.diagonal = side(row.a).inverse_mass + side(row.b).inverse_mass + dot(row.m_a, row.w_a) + dot(row.m_b, row.w_b);
  if (row.diagonal > 0 || always) cluster_rows_.push_back(row);
}

void ContactLanes::collect_normals(std::span<const ClusterLane> lanes, const StepBodies& bodies, const LaneStep& step,
                                   bool correct) {
  for (const ClusterLane& at : lanes) {
    const LaneBlock& block = blocks_[static_cast<std::size_t>(at.block)];
    for (int i = 0; i < block.points; ++i) {
      const double gap = points_[static_cast<std::size_t>(block.first_point + i)].gap[at.lane];
      const double push = correct ? std::min(-gap * step.rate, step.max_push) : 0;
      add_row(at, i, 0, gap > 0 ? -gap * step.inverse_step : push, 0, kUnbounded, bodies);
    }
  }
}

void ContactLanes::collect_friction(std::span<const ClusterLane> lanes, const StepBodies& bodies, bool correct) {
  for (const ClusterLane& at : lanes) {
    const LaneBlock& block = blocks_[static_cast<std::size_t>(at.block)];
    const double mu = block.friction[at.lane], inverse_across = block.inverse_across[at.lane];
    for (int i = 0; i < block.points; ++i) {
      const double most = mu * points_[static_cast<std::size_t>(block.first_point + i)].impulse[0][at.lane];
      if (!(most > 0)) continue;
      const LanePoint& p = points_[static_cast<std::size_t>(block.first_point + i)];
      const LaneArray<float>* wanted = correct ? block.pull : block.slip;
      double along = wanted[0][at.lane], across = wanted[1][at.lane];
      if (correct && !block.is_single()) {
        const double twist = block.pull[2][at.lane];
        along -= twist * static_cast<double>(p.v[at.lane]), across += twist * static_cast<double>(p.u[at.lane]);
      }
      add_row(at, i, 1, along, -most, most, bodies);
      if (inverse_across > 0) add_row(at, i, 2, across, -most / inverse_across, most / inverse_across, bodies);
    }
  }
}

/// The largest present impulse of the rows, N s.
double ContactLanes::largest_impulse() const {
  double most = 0;
  for (const ClusterRow& row : cluster_rows_) {
    const LaneBlock& block = blocks_[static_cast<std::size_t>(row.at.block)];
    const LanePoint& point = points_[static_cast<std::size_t>(block.first_point + row.point)];
    most = std::max(most, std::abs(static_cast<double>(point.impulse[row.axis][row.at.lane])));
  }
  return most;
}

/// True if no row would change its impulse by more than kResolution of `load` (N s).
bool ContactLanes::are_rows_solved(double load) const {
  return std::all_of(cluster_rows_.begin(), cluster_rows_.end(), [&](const ClusterRow& row) {
    const double wanted = std::clamp(row.lambda - row.missing / row.diagonal, row.lower, row.upper);
    return std::abs(wanted - row.lambda) <= kResolution * load;
  });
}

void ContactLanes::solve_rows(StepBodies& bodies) {
  if (cluster_rows_.empty()) return;
  assemble_rows();
  solve_problem(bodies);
}

/// Computes A of the rows.
void ContactLanes::assemble_rows() {
  const std::size_t n = cluster_rows_.size();
  ClusterProblem& p = problem_;
  p.A.assign(n * n, 0);
  const auto inverse_mass = [&](int place) { return bodies_[static_cast<std::size_t>(place)].inverse_mass; };
  for (std::size_t i = 0; i < n; ++i) {
    const ClusterRow& row = cluster_rows_[i];
    for (std::size_t j = 0; j < i; ++j) {
      const ClusterRow& other = cluster_rows_[j];
      double a = 0;
      if (row.a == other.a) a += inverse_mass(row.a) * dot(row.d, other.d) + dot(row.m_a, other.w_a);
      if (row.b == other.b) a += inverse_mass(row.b) * dot(row.d, other.d) + dot(row.m_b, other.w_b);
      if (row.a == other.b) a -= inverse_mass(row.a) * dot(row.d, other.d) + dot(row.m_a, other.w_b);
      if (row.b == other.a) a -= inverse_mass(row.b) * dot(row.d, other.d) + dot(row.m_b, other.w_a);
      p.A[i * n + j] = p.A[j * n + i] = a;
    }
    p.A[i * n + i] = row.diagonal;
  }
}

/// Solves A Δλ + missing ≥ 0 with the A of problem_ and the bounds of the rows, scaled to a unit diagonal: x = λ / s with s = 1 / √A_ii.
/// False if pivoting fails; nothing is changed then.
void ContactLanes::solve_problem(StepBodies& bodies) {
  const std::size_t n = cluster_rows_.size();
  ClusterProblem& p = problem_;
  p.b.resize(n), p.lower.resize(n), p.upper.resize(n), p.x.resize(n), p.s.resize(n), p.order.resize(n);
  for (std::size_t i = 0; i < n; ++i) p.s[i] = 1 / std::sqrt(p.A[i * n + i]), p.order[i] = static_cast<int>(i);
  for (std::size_t i = 0; i < n; ++i) {
    const ClusterRow& row = cluster_rows_[i];
    for (std::size_t j = 0; j < i; ++j) p.A[i * n + j] = p.A[j * n + i] = p.s[i] * p.s[j] * p.A[i * n + j];
    p.A[i * n + i] = 1 + kCompliance;
    p.lower[i] = row.lower / p.s[i], p.upper[i] = row.upper / p.s[i], p.x[i] = row.lambda / p.s[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    double Ax = 0;
    for (std::size_t j = 0; j < n; ++j) Ax += p.A[i * n + j] * p.x[j];
    p.b[i] = p.s[i] * cluster_rows_[i].missing - Ax;
  }
  int pivots = 0;
  WorkLeft work(WorkSettings{1});
  const LcpStatus status =
      dantzig_.solve({p.A, p.b, p.lower, p.upper, p.order}, p.x, static_cast<int>(20 * n), pivots, work);
  if (status != LcpStatus::solved || !std::all_of(p.x.begin(), p.x.end(), [](double x) { return std::isfinite(x); }))
    return;
  for (std::size_t i = 0; i < n; ++i) push_row(cluster_rows_[i], p.s[i] * p.x[i], bodies);
}

/// The impulse is stored in single precision; what the bodies get is the difference of what is stored.
void ContactLanes::push_row(const ClusterRow& row, double lambda, StepBodies& bodies) {
  LaneBlock& block = blocks_[static_cast<std::size_t>(row.at.block)];
  LanePoint& point = points_[static_cast<std::size_t>(block.first_point + row.point)];
  float& stored = point.impulse[row.axis][row.at.lane];
  const double old = static_cast<double>(stored);
  stored = static_cast<float>(lambda);
  const double change = static_cast<double>(stored) - old;
  if (block.has_impacts && row.axis == 0) point.peak[row.at.lane] = std::max(point.peak[row.at.lane], stored);
  const auto push = [&](int place, double sign, const Vec3& w) {
    if (place >= bodies.awake) return;
    BodyVelocity& u = bodies.u[static_cast<std::size_t>(place)];
    u.v += (sign * change * bodies_[static_cast<std::size_t>(place)].inverse_mass) * row.d;
    u.w += (sign * change) * w;
  };
  push(row.a, -1, row.w_a), push(row.b, 1, row.w_b);
}

/// To Coulomb's ellipse: the box of the pivoting reaches beyond it in the corners.
void ContactLanes::cut_friction(StepBodies& bodies) {
  for (std::size_t i = 0; i + 1 < cluster_rows_.size(); ++i) {
    const ClusterRow &along = cluster_rows_[i], &across = cluster_rows_[i + 1];
    if (along.axis != 1 || across.axis != 2) continue;
    const LaneBlock& block = blocks_[static_cast<std::size_t>(along.at.block)];
    const LanePoint& point = points_[static_cast<std::size_t>(block.first_point + along.point)];
    const double p = static_cast<double>(point.impulse[1][along.at.lane]),
                 q = static_cast<double>(point.impulse[2][along.at.lane]);
    const double size = std::hypot(p / along.upper, q / across.upper);
    if (size <= 1) continue;
    push_row(along, p / size, bodies), push_row(across, q / size, bodies);
  }
}

// Which contacts are those of a cluster.

namespace {

constexpr double kUnequal =
    20;  // ratio of masses; chosen: sweeps carry a load through twenty to one within a few steps
constexpr int kMostPoints = 24;  // of a cluster; chosen: a solve costs the third power
constexpr std::uint32_t kNone = 0xffffffff;
constexpr int kPasses = 8;  // light bodies in a row below a heavy one

}  // namespace

std::uint32_t LightClusters::root(std::uint32_t i) {
  while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
  return i;
}

void LightClusters::find(const ConstraintList& list, const BodyState& state) {
  clusters_.clear(), contacts_.clear();
  const auto is_unequal = [&](const StepContact& c) {
    if (c.points == 0 || c.slot_a >= state.awake() || c.slot_b >= state.awake()) return false;
    const double a = state.inverse_mass[c.slot_a], b = state.inverse_mass[c.slot_b];
    return std::max(a, b) > kUnequal * std::min(a, b);
  };
  if (std::none_of(list.contacts.begin(), list.contacts.end(), is_unequal)) return;
  find_light(list, state);
  unite(list, state.awake());
  collect(list, state);
}

void LightClusters::find_light(const ConstraintList& list, const BodyState& s) {
  heaviest_.assign(s.awake(), 0);
  const auto squeeze = [&](std::uint32_t light, double mass) {
    if (mass * s.inverse_mass[light] <= kUnequal || mass <= heaviest_[light]) return false;
    heaviest_[light] = mass;
    return true;
  };
  bool changed = true;
  for (int pass = 0; pass < kPasses && changed; ++pass) {
    changed = false;
    for (const StepContact& c : list.contacts) {
      if (c.points == 0 || c.slot_a >= s.awake() || c.slot_b >= s.awake()) continue;
      const auto load = [&](std::uint32_t i) { return std::max(heaviest_[i], 1 / s.inverse_mass[i]); };
      changed = squeeze(c.slot_a, load(c.slot_b)) || changed;
      changed = squeeze(c.slot_b, load(c.slot_a)) || changed;
    }
  }
}

/// In the order of the contacts, as long as a cluster stays small.
void LightClusters::unite(const ConstraintList& list, std::uint32_t awake) {
  const auto is_light = [&](std::uint32_t i) { return i < awake && heaviest_[i] > 0; };
  parent_.resize(awake);
  std::iota(parent_.begin(), parent_.end(), 0U);
  size_.assign(awake, 0);
  for (const StepContact& c : list.contacts)
    for (const std::uint32_t i : {c.slot_a, c.slot_b})
      if (is_light(i)) size_[i] += c.points;
  for (const StepContact& c : list.contacts) {
    if (c.points == 0 || !is_light(c.slot_a) || !is_light(c.slot_b)) continue;
    const std::uint32_t a = root(c.slot_a), b = root(c.slot_b);
    const int united = size_[a] + size_[b] - c.points;
    if (a == b || united > kMostPoints) continue;
    parent_[std::max(a, b)] = std::min(a, b);
    size_[std::min(a, b)] = united;
  }
}

/// A contact of two clusters belongs to that of the lighter body. Clusters that are too large by themselves are left to the sweeps.
/// They are in the order of their first contacts, which does not depend on slots.
void LightClusters::collect(const ConstraintList& list, const BodyState& s) {
  members_.clear();
  order_.assign(s.awake(), kNone);
  std::uint32_t count = 0;
  const auto is_light = [&](std::uint32_t i) { return i < s.awake() && heaviest_[i] > 0; };
  for (std::uint32_t k = 0; k < list.contacts.size(); ++k) {
    const StepContact& c = list.contacts[k];
    if (c.points == 0) continue;
    std::uint32_t owner = is_light(c.slot_a) ? c.slot_a : c.slot_b;
    if (!is_light(owner)) continue;
    if (is_light(c.slot_b) && s.inverse_mass[c.slot_b] > s.inverse_mass[owner]) owner = c.slot_b;
    owner = root(owner);
    if (size_[owner] > kMostPoints) continue;
    if (order_[owner] == kNone) order_[owner] = count++;
    members_.push_back({order_[owner], k, owner});
  }
  std::sort(members_.begin(), members_.end(), [](const Member& x, const Member& y) {
    return std::pair(x.cluster, x.contact) < std::pair(y.cluster, y.contact);
  });
  for (const Member& member : members_) {
    const auto at = static_cast<std::uint32_t>(contacts_.size());
    if (member.cluster == clusters_.size())
      clusters_.push_back({at, at, member.body, s.inverse_mass[member.body] * length(s.force[member.body])});
    contacts_.push_back(member.contact);
    clusters_.back().end = static_cast<std::uint32_t>(contacts_.size());
  }
}

}  // namespace rigor
