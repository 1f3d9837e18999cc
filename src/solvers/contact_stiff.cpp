// Islands of very different masses among the contacts in lanes.
//
// Gauss–Seidel carries a load through a body of mass m to a body of mass M in about M / m sweeps. Sweeps over a few contacts
// cost little, and thanks to warm starting most of them are needed once.
#include <algorithm>

#include "solvers/contact_lanes.h"

namespace rigor {

namespace {

constexpr int kMostSweeps = 400;  // chosen
constexpr int kVisits = 4000;     // to contacts of one island, at most, in all sweeps of one solve; chosen: a quarter of a millisecond
/// m/s: a sweep that changes no velocity by more is the last one. Chosen: a body that sinks at this speed sinks by a millimetre
/// in a minute.
constexpr double kSlow = 1.5e-5;

}  // namespace

void ContactLanes::solve_stiff(int pace, StepBodies& bodies, const LaneStep& step, bool correct) {
  const LaneBodies lanes = lanes_of(bodies);
  const LaneStep rigid = step.rigid();
  const std::size_t end = pace_end(pace);
  std::size_t next = 0;
  for (std::size_t first = pace_runs_[static_cast<std::size_t>(pace)].begin; first < end; first = next) {
    const std::uint32_t group = runs_[first].group;
    for (next = first; next < end && runs_[next].group == group;) ++next;
    if (!groups_[group].is_stiff) continue;
    const std::span<const Run> runs = std::span(runs_).subspan(first, next - first);
    const int sweeps = std::min(kMostSweeps, kVisits / find_stiff_bodies(runs, bodies.awake));
    for (int k = 0; k < sweeps; ++k) {
      for (std::size_t i = 0; i < stiff_bodies_.size(); ++i) stiff_before_[i] = bodies.u[stiff_bodies_[i]].v;
      for (const Run& run : runs)
        solve_lanes(blocks_.data() + run.begin, run.end - run.begin, points_.data(), lanes, rigid,
                    correct ? LaneVisit::correct : LaneVisit::relax, width_);
      double change = 0;
      for (std::size_t i = 0; i < stiff_bodies_.size(); ++i)
        change = std::max(change, length_squared(bodies.u[stiff_bodies_[i]].v - stiff_before_[i]));
      if (change <= kSlow * kSlow) break;
    }
  }
}

/// The awake bodies of some runs. Returns how many contacts those have.
int ContactLanes::find_stiff_bodies(std::span<const Run> runs, int awake) {
  int contacts = 0;
  stiff_bodies_.clear();
  for (const Run& run : runs)
    for (int k = run.begin; k < run.end; ++k) {
      const LaneBlock& block = blocks_[static_cast<std::size_t>(k)];
      contacts += block.lanes;
      for (int lane = 0; lane < block.lanes; ++lane)
        for (const std::int32_t place : {block.a[lane] / kVelocitySize, block.b[lane] / kVelocitySize})
          if (place < awake) stiff_bodies_.push_back(static_cast<std::uint32_t>(place));
    }
  std::sort(stiff_bodies_.begin(), stiff_bodies_.end());
  stiff_bodies_.erase(std::unique(stiff_bodies_.begin(), stiff_bodies_.end()), stiff_bodies_.end());
  stiff_before_.resize(stiff_bodies_.size());
  return contacts;
}

}  // namespace rigor
