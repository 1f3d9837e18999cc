#include "articulated/smooth_motion.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "constraints/row_math.h"
#include "math/same_bits.h"
#include "solvers/acceleration_rows.h"
#include "solvers/bias_acceleration.h"

namespace rigor::articulated {

namespace {

/// True if at most rates differ.
bool same_poses(std::span<const LinkCoordinates> a, std::span<const LinkCoordinates> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const LinkCoordinates& x, const LinkCoordinates& y) {
    return std::memcmp(&x, &y, offsetof(LinkCoordinates, rate)) == 0;
  });
}

}  // namespace

void System::place(std::span<const LinkCoordinates> at, double elapsed) const {
  const bool same_time = elapsed == placement.elapsed;
  if (same_time && same_bits(at, placement.at)) return;
  if (same_time && same_poses(at, placement.at)) {
    place_velocities(forest, at, state(), placement.poses);
  } else {
    place_kinematic(kinematic_start, elapsed, state());
    place_bodies(forest, joints(), at, state(), placement.poses);
  }
  placement.at.assign(at.begin(), at.end());
  placement.elapsed = elapsed;
}

namespace {

/// (ω h)² above which loops become taut, and below which they cease to be. Chosen: mechanisms of the reference files have 0.2 with coarse
/// steps; semi-implicit Euler is stable up to 4.
constexpr double kTaut = 1, kSlack = 0.1;
/// m or rad: loops that are open by more were taut in the last step; exactly closed ones have rounding errors.
constexpr double kOpen = 1e-6;
/// Fraction of J M⁻¹ Jᵀ. Chosen: positions closer than 10 mrad to a dead point count as dead points.
constexpr double kDamping = 1e-4;

/// Σ m |x − X|², kg m².
double spread(const System& s, const Island& island) {
  double mass = 0, sum = 0;
  Vec3 moment;
  const auto for_each_link = [&](const auto& visit) {
    for (const int t : island.trees)
      for (int i = s.forest.begin(t); i < s.forest.begin(t + 1); ++i)
        visit(s.forest.links[static_cast<std::size_t>(i)].slot);
  };
  for_each_link([&](std::uint32_t slot) {
    mass += 1 / s.state().inverse_mass[slot];
    moment += s.state().position[slot] / s.state().inverse_mass[slot];
  });
  for_each_link([&](std::uint32_t slot) {
    sum += length_squared(s.state().position[slot] - moment / mass) / s.state().inverse_mass[slot];
  });
  return sum;
}

/// result += w · rate.
void add(LinkCoordinates& result, double w, const LinkCoordinates& rate) {
  result.t += w * rate.t;
  for (std::size_t k = 0; k < 2; ++k) result.angle[k] += w * rate.angle[k];
  result.q = result.q + rate.q * w;
  for (std::size_t k = 0; k < 6; ++k) result.rate[k] += w * rate.rate[k];
}

}  // namespace

void stiffen(const System& s, const Island& island, double part, std::vector<Mat3>& added) {
  added.resize(s.state().awake());
  const double inertia = part * spread(s, island);
  for (const int t : island.trees)
    for (int i = s.forest.begin(t); i < s.forest.begin(t + 1); ++i) {
      Mat3& of_link = added[s.forest.links[static_cast<std::size_t>(i)].slot];
      of_link = of_link + Mat3::diagonal({inertia, inertia, inertia});
    }
}

void find_row_drift(System& s, const Island& island, bool first, std::vector<double>& jdot_u) {
  SolverContext context{s.rows(),
                        island.blocks,
                        s.c.constraints.bodies(),
                        s.state(),
                        s.c.constraints.list(),
                        s.c.constraints.row_settings(),
                        {},
                        s.c.step,
                        s.c.threads,
                        s.c.dynamics.gyroscopic(),
                        first};
  jdot_u.resize(static_cast<std::size_t>(s.rows().size()));
  for (const int b : island.blocks) bias_acceleration(context, b, jdot_u);
}

void SmoothMotion::collect_forces(System& s, bool first) {
  const BodyState& state = s.state();
  const std::size_t n = s.forest.links.size();
  applied_.resize(n), gyroscopic_.assign(n, {}), p_.resize(n), a_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t slot = s.forest.links[i].slot;
    applied_[i] = {state.force[slot], state.torque[slot]};
    if (s.c.dynamics.gyroscopic())
      gyroscopic_[i].t = cross(state.angular_velocity[slot], angular_momentum(state, slot));
  }
  if (!first) return;
  bias_at_start.resize(n);
  for (std::size_t i = 0; i < n; ++i) bias_at_start[i] = gyroscopic_[i] + -1.0 * applied_[i];
}

void SmoothMotion::push_by_springs(System& s, const Island& island, bool first) {
  Rows& rows = s.rows();
  for (const RowRef& ref : island.rows) {
    if (ref.kind != RowClass::soft) continue;
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(ref.block)];
    const double force = spring_force(rows, ref.row, row_velocity(rows, ref.row, block, s.c.constraints.bodies().u));
    subtract_row(rows, ref, -force, s.forest, applied_);
    if (first) rows.lambda[static_cast<std::size_t>(ref.row)] = s.h * force;
  }
}

void SmoothMotion::accelerate(System& s, ArticulatedBodies& bodies, int tree) {
  for (auto i = static_cast<std::size_t>(s.forest.begin(tree)); i < static_cast<std::size_t>(s.forest.begin(tree + 1));
       ++i)
    p_[i] = gyroscopic_[i] + -1.0 * applied_[i];
  bodies.propagate(tree, true, p_, a_);
}

/// A loop that pulls with the force λ at an arm r has transverse modes with (ω h)² = λ h² J M⁻¹ Jᵀ / r, and no explicit rule resolves
/// them if that is large. This happens near a dead point: a straight chain between two walls needs an unbounded force to hold its
/// weight. A mechanism that passes through a dead point has large forces, too, but they cancel each other, and a little
/// damping removes them.
bool SmoothMotion::are_taut(const System& s, double limit, std::vector<double> wanted) {
  const Rows& rows = s.rows();
  coupling_.damp(rows, equations_, kDamping);
  coupling_.solve(wanted);
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    const auto r = static_cast<std::size_t>(equations_[k].row);
    const Jacobian& J = rows.J[r];
    const double arm = std::max(length(part(J, 3)), length(part(J, 9)));
    if (is_angular(J) || !(arm > 0)) continue;
    if (!(std::abs(wanted[k]) * s.h * s.h * rows.diagonal[r] < limit * arm)) return true;
  }
  return false;
}

void SmoothMotion::close_loops(System& s, ArticulatedBodies& bodies, Island& island, bool first) {
  Rows& rows = s.rows();
  equations_.clear();
  for (const RowRef& ref : island.rows)
    if (ref.kind == RowClass::equation) equations_.push_back(ref);
  if (equations_.empty()) return;
  find_row_drift(s, island, first, jdot_u_);
  lambda_.resize(equations_.size());
  for (std::size_t k = 0; k < equations_.size(); ++k)
    lambda_[k] = -(along_row(rows, equations_[k], s.forest, a_) + jdot_u_[static_cast<std::size_t>(equations_[k].row)]);
  coupling_.matrix(bodies, rows, equations_);
  const std::vector<double> wanted = lambda_;
  coupling_.solve(lambda_);
  if (first)
    island.open = std::any_of(equations_.begin(), equations_.end(), [&](const RowRef& ref) {
      return std::abs(rows.C[static_cast<std::size_t>(ref.row)]) > kOpen;
    });
  island.taut = island.taut || are_taut(s, island.open ? kSlack : kTaut, wanted);
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    subtract_row(rows, equations_[k], -lambda_[k], s.forest, applied_);
    if (first) rows.lambda[static_cast<std::size_t>(equations_[k].row)] = s.h * lambda_[k];
  }
  for (const int tree : island.trees) accelerate(s, bodies, tree);
}

/// Updates the rows that act as forces, and the arms of all joints.
void SmoothMotion::rewrite_rows(System& s, const Island& island) {
  Rows& rows = s.rows();
  const ConstraintList& list = s.c.constraints.list();
  for (std::size_t k = 0; k < island.blocks.size(); ++k) {
    const int b = island.blocks[k];
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    const bool is_joint = block.source == RowBlock::Source::joint;
    if (island.forced[k] && is_joint && s.forest.in_a_tree[block.index])
      rewrite_without_locked(list, s.state(), s.c.constraints.row_settings(), b, rows);
    else if (island.forced[k])
      rewrite_block(list, s.state(), s.c.constraints.row_settings(), b, rows);
    else if (is_joint)
      rewrite_arm(list, s.state(), b, rows);
  }
}

void SmoothMotion::evaluate(System& s, ArticulatedBodies& bodies, std::span<const LinkCoordinates> at, double elapsed,
                            bool first, Stage& stage) {
  s.place(at, elapsed);
  s.c.dynamics.evaluate(s.c.time + elapsed);
  if (!first) bodies.factorise(s.forest, s.poses(), s.state());
  bodies.find_velocity_products(s.joints(), s.poses(), s.state(), at);
  collect_forces(s, first);
  const auto is_smooth = [](const Island& island) { return island.smooth; };
  if (std::any_of(s.islands.begin(), s.islands.end(), is_smooth)) s.c.constraints.bodies().capture(s.state());
  for (const Island& island : s.islands) {
    if (!island.smooth) continue;
    rewrite_rows(s, island);
    push_by_springs(s, island, first);
  }
  for (int t = 0; t < s.forest.tree_count(); ++t) accelerate(s, bodies, t);
  for (Island& island : s.islands)
    if (island.smooth) close_loops(s, bodies, island, first);
  stage.rate.resize(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    stage.rate[i].rate = bodies.rates(static_cast<int>(i));
    coordinate_rates(s.forest.links[i].motion, at[i], stage.rate[i]);
  }
  stage.total.assign(static_cast<std::size_t>(s.forest.tree_count()), {});
  for (const int t : s.forest.free_trees)
    stage.total[static_cast<std::size_t>(t)] =
        total_about(s.forest, t, applied_, center_of_mass(s.forest, t, s.state()), s.state());
}

void SmoothMotion::begin(System& s, const CoordinateRule& rule, ArticulatedBodies& at_start,
                         const std::vector<LinkCoordinates>& start) {
  stages_.resize(rule.c.size());
  s.place(start, 0);
  balance_begin.assign(static_cast<std::size_t>(s.forest.tree_count()), {});
  for (const int t : s.forest.free_trees)
    balance_begin[static_cast<std::size_t>(t)] = tree_momentum(s.forest, t, s.state());
  evaluate(s, at_start, start, rule.c[0] * s.h, true, stages_[0]);
}

void SmoothMotion::finish(System& s, const CoordinateRule& rule, const std::vector<LinkCoordinates>& start) {
  const double* row = rule.a.data();
  for (std::size_t k = 1; k < stages_.size(); ++k) {
    at_ = start;
    for (std::size_t j = 0; j < k; ++j)
      for (std::size_t i = 0; i < at_.size() && row[j] != 0; ++i) add(at_[i], s.h * row[j], stages_[j].rate[i]);
    row += k;
    evaluate(s, moving_, at_, rule.c[k] * s.h, false, stages_[k]);
  }
  finish_coordinates(s, rule, start);
  finish_balance(s, rule);
}

void SmoothMotion::finish_coordinates(System& s, const CoordinateRule& rule,
                                      const std::vector<LinkCoordinates>& start) {
  end = start;
  for (std::size_t i = 0; i < end.size(); ++i) {
    if (rule.velocities_first) {
      for (std::size_t k = 0; k < 6; ++k) end[i].rate[k] += s.h * stages_[0].rate[i].rate[k];
      advance(s.forest.links[i].motion, end[i].rate, s.h, end[i]);
      continue;
    }
    for (std::size_t k = 0; k < stages_.size(); ++k) add(end[i], s.h * rule.b[k], stages_[k].rate[i]);
    end[i].q = normalized(end[i].q);
  }
}

void SmoothMotion::finish_balance(System& s, const CoordinateRule& rule) {
  balance = balance_begin;
  for (const int tree : s.forest.free_trees) {
    const auto t = static_cast<std::size_t>(tree);
    TreeMomentum& m = balance[t];
    const Vec3 P = m.P;
    Vec3 way;  // kg m
    const double* row = rule.a.data();
    for (std::size_t k = 0; k < stages_.size(); ++k) {
      Vec3 P_stage = P;
      for (std::size_t j = 0; j < k; ++j) P_stage += s.h * row[j] * stages_[j].total[t].f;
      row += k;
      way += s.h * rule.b[k] * P_stage;
      m.P += s.h * rule.b[k] * stages_[k].total[t].f, m.L += s.h * rule.b[k] * stages_[k].total[t].t;
    }
    m.X += (rule.velocities_first ? s.h * m.P : way) / m.mass;
  }
}

}  // namespace rigor::articulated
