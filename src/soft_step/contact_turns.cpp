// Contacts of islands with joints, between the turns in which contacts and joints are solved.
//
// A turn is a sweep over the contacts of an island and then the answer of all of its joints. Turns converge linearly, and slowly where links press
// on each other through their joints or carry bodies that are much heavier: each turn corrects only a part of the error. The nonlinear
// conjugate gradient method for Gauss–Seidel (Silcowitz-Hansen, Niebe and Erleben 2010) takes the change of a turn for the negative gradient g and
// adds a part of the directions p of the turns before:
//
//   g = sweep(λ) − λ,   β = ‖g‖² / ‖g′‖²  with g′ of the turn before,   λ ← P(sweep(λ) + β p),   p ← β p + g
//
// P projects to Coulomb's cone. The norm is that of the velocities, ‖g‖² = ΔuᵀM Δu. If β > 1 the directions start again at p = g. The joints answer
// afterwards, so that their impulses include the part that is added here.
#include <algorithm>
#include <cmath>

#include "soft_step/contact_lanes.h"

namespace rigor {

void ContactLanes::begin_turns(int pace, std::span<const std::uint32_t> island_of,
                               std::span<const std::uint8_t> takes_turns, const StepBodies& bodies) {
  turn_points_.clear();
  cluster_rows_.clear();
  for (std::size_t r = pace_runs_[static_cast<std::size_t>(pace)].begin; r < pace_end(pace); ++r)
    for (int k = runs_[r].begin; k < runs_[r].end; ++k) {
      const LaneBlock& block = blocks_[static_cast<std::size_t>(k)];
      for (int lane = 0; lane < block.lanes; ++lane) {
        const auto slot = static_cast<std::size_t>(std::min(block.a[lane], block.b[lane]) / kVelocitySize);
        if (!takes_turns[island_of[slot]]) continue;
        for (int i = 0; i < block.points; ++i) {
          turn_points_.push_back({island_of[slot], static_cast<double>(block.friction[lane]),
                                  static_cast<double>(block.inverse_across[lane])});
          for (int axis = 0; axis < 3; ++axis) add_row({k, lane}, i, axis, 0, 0, 0, bodies, /*always=*/true);
        }
      }
    }
  turn_rows_.swap(cluster_rows_);
  turn_direction_.assign(turn_rows_.size(), 0);
}

float& ContactLanes::stored_impulse(const ClusterRow& row) {
  const LaneBlock& block = blocks_[static_cast<std::size_t>(row.at.block)];
  return points_[static_cast<std::size_t>(block.first_point + row.point)].impulse[row.axis][row.at.lane];
}

void ContactLanes::remember_turn(std::span<const std::uint8_t> needs) {
  for (std::size_t k = 0; k < turn_points_.size(); ++k) {
    if (!needs[turn_points_[k].island]) continue;
    for (std::size_t i = 3 * k; i < 3 * k + 3; ++i) {
      ClusterRow& row = turn_rows_[i];
      row.lambda = static_cast<double>(stored_impulse(row));
    }
  }
}

void ContactLanes::accelerate(std::span<const std::uint8_t> needs, std::span<const double> beta, StepBodies& bodies) {
  for (std::size_t k = 0; k < turn_points_.size(); ++k) {
    const TurnPoint& point = turn_points_[k];
    if (!needs[point.island]) continue;
    const double part = beta[point.island];
    double next[3];
    bool changes = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const ClusterRow& row = turn_rows_[3 * k + axis];
      double& p = turn_direction_[3 * k + axis];
      const double now = static_cast<double>(stored_impulse(row)), add = part * p;
      next[axis] = now + add;
      changes = changes || add != 0;
      p = add + (now - row.lambda);
    }
    if (!changes) continue;
    next[0] = std::max(next[0], 0.0);
    const double most = point.friction * next[0], across = next[2] * point.inverse_across,
                 size = std::sqrt(next[1] * next[1] + across * across);
    if (size > most) next[1] *= most / size, next[2] *= most / size;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (turn_rows_[3 * k + axis].diagonal > 0) push_row(turn_rows_[3 * k + axis], next[axis], bodies);
  }
}

}  // namespace rigor
