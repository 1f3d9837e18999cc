#include "articulated/settle.h"

#include <algorithm>
#include <cmath>

#include "constraints/write_rows.h"

namespace rigor::articulated {

namespace {

constexpr int kMostRounds = 10;
/// m or rad: below it a loop is closed. Chosen: a thousand rounding errors of a metre.
constexpr double kClosed = 1e-13;
/// m or rad, the largest correction in one iteration: beyond it the equations are far from linear.
constexpr double kMostAtOnce = 0.2;
/// m or rad: loops that are open by more are not closed.
constexpr double kOpenLoop = 1e-5;

bool any_equations(const std::vector<Island>& islands) {
  return std::any_of(islands.begin(), islands.end(), [](const Island& i) { return i.has_loops(); });
}

void add_rates(const System& s, ArticulatedBodies& bodies, int tree, std::vector<LinkCoordinates>& rates) {
  for (int i = s.forest.begin(tree); i < s.forest.begin(tree + 1); ++i) {
    const std::array<double, 6> change = bodies.rates(i);
    for (std::size_t k = 0; k < 6; ++k) rates[static_cast<std::size_t>(i)].rate[k] += change[k];
  }
}

}  // namespace

/// Writes the island's blocks at the present state; returns the largest error of its equations.
double Settle::rewrite(System& s, const Island& island) {
  Rows& rows = s.rows();
  for (const int b : island.blocks)
    rewrite_block(s.c.constraints.list(), s.state(), s.c.constraints.row_settings(), b, rows);
  equations_.clear();
  double worst = 0;
  for (const RowRef& ref : island.rows) {
    if (ref.kind != RowClass::equation) continue;
    equations_.push_back(ref);
    worst = std::max(worst, std::abs(rows.C[static_cast<std::size_t>(ref.row)]));
  }
  lambda_.resize(equations_.size());
  return worst;
}

void Settle::respond(System& s, const Island& island, std::vector<LinkCoordinates>& rates) {
  coupling_.matrix(bodies_, s.rows(), equations_);
  coupling_.solve(lambda_);
  p_.assign(s.forest.links.size(), {});
  for (std::size_t k = 0; k < equations_.size(); ++k) subtract_row(s.rows(), equations_[k], lambda_[k], s.forest, p_);
  for (const int tree : island.trees) {
    bodies_.propagate(tree, false, p_, u_);
    add_rates(s, bodies_, tree, rates);
  }
}

void Settle::move_centers(System& s, std::span<const TreeMomentum> balance, double elapsed,
                          std::vector<LinkCoordinates>& at) {
  for (const int t : s.forest.free_trees) {
    const auto root = static_cast<std::size_t>(s.forest.begin(t));
    at[root].t += balance[static_cast<std::size_t>(t)].X - center_of_mass(s.forest, t, s.state());
  }
  s.place(at, elapsed);
}

void Settle::close_places(System& s, double elapsed, std::vector<LinkCoordinates>& at) {
  std::vector<double> last(s.islands.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<LinkCoordinates> move(at.size());
    bool moved = false;
    bodies_.factorise(s.forest, s.poses(), s.state());
    for (std::size_t k = 0; k < s.islands.size(); ++k) {
      const Island& island = s.islands[k];
      if (!island.has_loops()) continue;
      const double error = rewrite(s, island);
      // Newton's method at least halves an error; if it does not, equations contradict each other or rounding is reached.
      if (!(error > kClosed) || !(error < last[k] || error > kMostAtOnce)) continue;
      last[k] = 0.5 * error;
      for (std::size_t i = 0; i < equations_.size(); ++i)
        lambda_[i] = -std::clamp(s.rows().C[static_cast<std::size_t>(equations_[i].row)], -kMostAtOnce, kMostAtOnce);
      respond(s, island, move);
      moved = true;
    }
    if (!moved) return;
    for (std::size_t i = 0; i < at.size(); ++i) advance(s.forest.links[i].motion, move[i].rate, 1, at[i]);
    s.place(at, elapsed);
  }
}

void Settle::push_roots(System& s, std::span<const TreeMomentum> balance, std::vector<LinkCoordinates>& at) {
  p_.assign(s.forest.links.size(), {});
  for (const int t : s.forest.free_trees) {
    const auto root = static_cast<std::size_t>(s.forest.begin(t));
    const TreeMomentum now = tree_momentum(s.forest, t, s.state()), &wanted = balance[static_cast<std::size_t>(t)];
    const Vec3 P = wanted.P - now.P;
    const Vec3 L = wanted.L - now.L + cross(now.X - s.state().position[s.forest.links[root].slot], P);
    p_[root] = -1.0 * Wrench{P, L};
    bodies_.propagate(t, false, p_, u_);
    add_rates(s, bodies_, t, at);
  }
}

void Settle::close_velocities(System& s, std::vector<LinkCoordinates>& at) {
  for (const Island& island : s.islands) {
    if (!island.has_loops()) continue;
    rewrite(s, island);
    for (const int t : island.trees) bodies_.velocities(t, at, s.state(), u_);
    for (std::size_t i = 0; i < equations_.size(); ++i)
      lambda_[i] = s.rows().bias[static_cast<std::size_t>(equations_[i].row)] -
                   along_row(s.rows(), equations_[i], s.forest, u_, s.c.constraints.bodies().u);
    respond(s, island, at);
  }
}

bool Settle::run(System& s, std::span<const TreeMomentum> balance, double elapsed, std::vector<LinkCoordinates>& at) {
  u_.assign(s.forest.links.size(), {});
  s.place(at, elapsed);
  move_centers(s, balance, elapsed, at);
  const bool has_loops = any_equations(s.islands);
  if (has_loops) close_places(s, elapsed, at);
  if (!has_loops && s.forest.free_trees.empty()) return true;
  bodies_.factorise(s.forest, s.poses(), s.state());
  push_roots(s, balance, at);
  s.place(at, elapsed);
  close_velocities(s, at);
  s.place(at, elapsed);
  return mark_open_loops(s);
}

bool Settle::mark_open_loops(System& s) {
  bool all_closed = true;
  for (Island& island : s.islands) {
    if (!island.has_loops() || !(rewrite(s, island) > kOpenLoop)) continue;
    island.taut = true;
    all_closed = false;
  }
  return all_closed;
}

}  // namespace rigor::articulated
