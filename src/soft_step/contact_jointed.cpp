// Contacts of a joint island (joint_island.h), solved at once and together with its joints.
//
// Sweeps solve contacts as if their bodies were free, and the joints of the island then undo a part of it: a light link between a
// load and its joints needs about as many sweeps as the ratio of the masses. A contact impulse changes the velocities of an island not by
// M⁻¹ Gᵀ but by the response of all its joints together,
//
//   [ M  −Jᵀ ] [ x ]   [ Gᵀ Δλ ]
//   [ J   Γ  ] [ μ ] = [ 0     ],     A = G x(Gᵀ) ,     A Δλ + (G u − w) ≥ 0,   λ + Δλ ≥ 0
//
// with the factors that the island has: one back substitution for each point. Dantzig's pivoting solves the problem, the impulses
// act on the bodies, and the joints are solved again, so that both hold. This assumes that the active set of bounded
// joint rows does not change. If it does, the impulses may be too large and kinetic energy rises: they are then undone, and the island
// keeps the result of the sweeps. Friction keeps the impulses of the sweeps.
//
// This is done only for islands with a contact that would close by more than kMayClose of `max_sag` in the sub-step. It does not
// remove overlap: the sweeps do that, with soft springs. Bodies of other joint islands and of trees that touch this island count as
// free. Cost: n back substitutions and n³ for n points.
#include <algorithm>

#include "soft_step/contact_lanes.h"
#include "soft_step/joint_island.h"

namespace rigor {

namespace {

constexpr double kMayClose = 0.1;               // of max_sag, in a sub-step. Chosen
constexpr std::size_t kMostJointedPoints = 48;  // chosen: below a millisecond
constexpr double kHeld = 1e-6;                  // of the mobility that the two bodies would have without joints
constexpr double kLongestLever =
    10;  // speed of a body relative to that of the contact point that moves it. Chosen, as in JointIsland

}  // namespace

void ContactLanes::solve_jointed(const IslandStep& islands, JointIsland& island, StepBodies& bodies,
                                 const LaneStep& step) {
  collect_jointed(island.contacts, bodies, step);
  const double tolerance = kMayClose * step.max_sag * step.inverse_step;
  const auto fails = [&](const ClusterRow& row) { return row.missing < -tolerance; };
  if (cluster_rows_.empty() || cluster_rows_.size() > kMostJointedPoints) return;
  if (std::none_of(cluster_rows_.begin(), cluster_rows_.end(), fails)) return;
  fill_jointed(island, bodies.awake);
  leave_out_held();
  island.remember(bodies.u);
  const double before = island.energy(bodies.u);
  if (cluster_rows_.empty() || !solve_problem(bodies)) return;
  island.solve(islands, bodies.u);
  if (island.energy(bodies.u) - before + work_on_others(island, bodies) <= 0) return;
  for (const ClusterRow& row : cluster_rows_) push_row(row, row.lambda, bodies);
  island.recall(bodies.u);
}

/// The work (J) that the change of the rows' impulses since they were collected does on bodies outside of the island: the change times
/// the mean of the velocities before and after.
double ContactLanes::work_on_others(const JointIsland& island, const StepBodies& bodies) const {
  double work = 0;
  for (const ClusterRow& row : cluster_rows_) {
    const LaneBlock& block = blocks_[static_cast<std::size_t>(row.at.block)];
    const LanePoint& point = points_[static_cast<std::size_t>(block.first_point + row.point)];
    const double change = static_cast<double>(point.impulse[row.axis][row.at.lane]) - row.lambda;
    const BodyVelocity &a = bodies.u[static_cast<std::size_t>(row.a)], &b = bodies.u[static_cast<std::size_t>(row.b)];
    if (row.a < bodies.awake && island.number(row.a) < 0)
      work -= 0.5 * change * (row.speed_a + dot(row.d, a.v) + dot(row.m_a, a.w));
    if (row.b < bodies.awake && island.number(row.b) < 0)
      work += 0.5 * change * (row.speed_b + dot(row.d, b.v) + dot(row.m_b, b.w));
  }
  return work;
}

/// Collects the normal rows of all points: a gap may close, an overlap may not grow.
void ContactLanes::collect_jointed(std::span<const std::uint32_t> contacts, const StepBodies& bodies,
                                   const LaneStep& step) {
  cluster_rows_.clear();
  locate_lanes();
  for (const std::uint32_t index : contacts) {
    const ClusterLane& at = lane_of_contact_[index];
    const LaneBlock& block = blocks_[static_cast<std::size_t>(at.block)];
    for (int i = 0; i < block.points; ++i) {
      const double gap = points_[static_cast<std::size_t>(block.first_point + i)].gap[at.lane];
      add_row(at, i, 0, -std::max(gap, 0.0) * step.inverse_step, 0, kUnbounded, bodies);
    }
  }
}

/// Writes A of problem_. Bodies of the island respond through its joints, others by their own masses.
void ContactLanes::fill_jointed(JointIsland& island, int awake) {
  const std::size_t n = cluster_rows_.size();
  ClusterProblem& p = problem_;
  p.A.assign(n * n, 0);
  lever_.assign(n, 0);
  std::vector<BodyVelocity> f(island.slots().size()), x(f.size());
  std::vector<std::array<int, 2>> number(n);  // index of the bodies a and b in the island, -1: not in it
  for (std::size_t i = 0; i < n; ++i)
    number[i] = {island.number(cluster_rows_[i].a), island.number(cluster_rows_[i].b)};
  const auto inverse_mass = [&](int place) { return bodies_[static_cast<std::size_t>(place)].inverse_mass; };
  for (std::size_t j = 0; j < n; ++j) {
    const ClusterRow& row = cluster_rows_[j];
    std::fill(f.begin(), f.end(), BodyVelocity{});
    if (number[j][0] >= 0) f[static_cast<std::size_t>(number[j][0])] = {-row.d, -row.m_a};
    if (number[j][1] >= 0) {
      BodyVelocity& of = f[static_cast<std::size_t>(number[j][1])];
      of.v += row.d, of.w += row.m_b;
    }
    island.respond(f, x);
    lever_[j] = island.fastest(x);
    for (std::size_t i = 0; i < n; ++i) {
      const ClusterRow& other = cluster_rows_[i];
      double a = 0;
      for (const int side : {0, 1}) {
        const int place = side == 0 ? other.a : other.b, own = number[i][static_cast<std::size_t>(side)];
        const double sign = side == 0 ? -1 : 1;
        const Vec3& m = side == 0 ? other.m_a : other.m_b;
        if (own >= 0) {
          const BodyVelocity& by = x[static_cast<std::size_t>(own)];
          a += sign * (dot(other.d, by.v) + dot(m, by.w));
        } else if (place < awake) {
          if (place == row.a) a -= sign * (inverse_mass(place) * dot(other.d, row.d) + dot(m, row.w_a));
          if (place == row.b) a += sign * (inverse_mass(place) * dot(other.d, row.d) + dot(m, row.w_b));
        }
      }
      p.A[i * n + j] = a;
    }
  }
  for (std::size_t i = 0; i < n; ++i) lever_[i] /= p.A[i * n + i];
}

/// Removes rows along which the joints allow no motion, or only together with much faster motions elsewhere: to first order, the joints
/// hold these contacts already.
void ContactLanes::leave_out_held() {
  const std::size_t n = cluster_rows_.size();
  std::vector<double>& A = problem_.A;
  std::vector<std::size_t> moves;
  for (std::size_t i = 0; i < n; ++i)
    if (A[i * n + i] > kHeld * cluster_rows_[i].diagonal && lever_[i] < kLongestLever) moves.push_back(i);
  const std::size_t m = moves.size();
  for (std::size_t i = 0; i < m; ++i) {
    cluster_rows_[i] = cluster_rows_[moves[i]];
    lever_[i] = lever_[moves[i]];
    for (std::size_t j = 0; j < m; ++j) A[i * m + j] = A[moves[i] * n + moves[j]];
  }
  cluster_rows_.resize(m);
  A.resize(m * m);
}

}  // namespace rigor
