#include "solvers/position_rows.h"

#include <algorithm>
#include <cmath>

#include "solvers/velocity_rows.h"

namespace rigor {

void position_fields(PositionSettings& s, FieldVisitor& v) {
  v.integer("iterations", s.iterations, {"1", 1, 100000, "rounds; each evaluates the errors anew"});
  v.number("tolerance", s.tolerance, {"m", 0, 1, "stops when no error is larger (angles: rad)"});
  v.number("slop", s.slop, {"m", 0, 1, "depth of contacts and limits that is left alone (angles: rad)"});
  v.number("max_correction", s.max_correction, {"m", 0, 1e6, "most that a step takes from one error (angles: rad)"});
}

bool PositionRows::is_corrected(const Rows& rows, int i) const {
  const auto r = static_cast<std::size_t>(i);
  return (rows.kind[r] == RowKind::locked || is_inequality(rows.kind[r])) && std::isinf(rows.stiffness[r]);
}

void PositionRows::prepare(const SolverContext& c, const PositionSettings& s) {
  const Rows& rows = c.rows;
  goals_.resize(static_cast<std::size_t>(rows.size()));
  for (std::size_t i = 0; i < goals_.size(); ++i) {
    const double C = rows.C[i];
    goals_[i] = is_inequality(rows.kind[i]) ? std::min(-s.slop, C + s.max_correction)
                                            : C - std::clamp(C, -s.max_correction, s.max_correction);
  }
  for (const int b : c.blocks) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    if (block.erp < 0) continue;
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      const double C = rows.C[i], way = goals_[i] - C;
      const bool holds = is_inequality(rows.kind[i]) && way <= 0;
      if (!holds) goals_[i] = C + block.erp * way;
    }
  }
}

double PositionRows::error(const Rows& rows, int i) const {
  const double m = missing(rows, i);
  return is_inequality(rows.kind[static_cast<std::size_t>(i)]) ? std::max(m, 0.0) : std::abs(m);
}

void refresh_block(SolverContext& c, int b) {
  rewrite_block(c.list, c.state, c.settings, b, c.rows);
  const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
  prepare_rows(c.bodies, block, c.rows);
}

void move_body(SolverContext& c, int place, const PoseChange& change) {
  if (place >= c.bodies.awake) return;
  const auto i = static_cast<std::size_t>(place);
  c.state.position[i] += change.x;
  c.state.orientation[i] = normalized(quaternion_from_rotation_vector(change.r) * c.state.orientation[i]);
  c.bodies.mass[i].angular = inverse_inertia_world(c.state, static_cast<std::uint32_t>(place));
}

}  // namespace rigor
