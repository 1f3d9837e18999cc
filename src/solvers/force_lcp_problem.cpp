// Unknowns, limits and matrix of ForceProblem (force_lcp.h); the equations are in force_lcp.cpp.
#include "constraints/contact_rows.h"
#include "lcp/dense_limit.h"
#include "solvers/bias_acceleration.h"
#include "solvers/force_lcp.h"

namespace rigor {

namespace {

/// Contacts that part faster carry no force; slower ones are held by 2α Ċ until rounding is gone. Chosen.
constexpr double kParting = 1e-6;  // m/s

/// Slip along the two tangents.
struct Slip {
  double x, y;
  double speed() const { return std::hypot(x, y); }
};

Slip slip_of(const SolverContext& c, const RowBlock& block) {
  const auto along = [&](int i) {
    return row_velocity(c.rows, i, block, c.bodies.u) - c.rows.bias[static_cast<std::size_t>(i)];
  };
  return {along(block.begin + 1), along(block.begin + 2)};
}

bool has_friction(const RowBlock& block) { return block.size() >= 3; }

/// The most that friction changes the slip by in one step, by the normal force known so far.
double stopping_speed(const SolverContext& c, const RowBlock& block) {
  const auto n = static_cast<std::size_t>(block.begin);
  const double K = std::max(c.rows.diagonal[n + 1], c.rows.diagonal[n + 2]);
  return K * std::max(c.rows.mu[n + 1], c.rows.mu[n + 2]) * std::max(c.rows.lambda[n], 0.0);
}

}  // namespace

void ForceProblem::clear() {
  unknowns_.clear();
  b_.clear(), lo_.clear(), hi_.clear(), factor_.clear(), x_.clear(), dependency_.clear();
}

void ForceProblem::assemble(SolverContext& c, const Stabilisation& stabilisation, double stick_speed) {
  clear();
  stabilisation_ = stabilisation, stick_speed_ = stick_speed;
  if (c.begins) find_modes(c);
  free_accelerations(c, acceleration_);
  apply_springs(c, acceleration_);
  c_.resize(static_cast<std::size_t>(c.rows.size()));
  for (const int b : c.blocks) {
    const bool joint = c.rows.blocks[static_cast<std::size_t>(b)].source == RowBlock::Source::joint;
    joint ? append_joint(c, b) : append_contact(c, b);
  }
  fill_matrix(c);
}

/// True if an inequality can carry a force: it touches and does not separate. A deep contact separates at up to β times its depth.
bool ForceProblem::is_closed(const SolverContext& c, const RowBlock& block, int row) const {
  const double C = c.rows.C[static_cast<std::size_t>(row)];
  return C <= c.settings.touching &&
         row_velocity(c.rows, row, block, c.bodies.u) <= std::max(kParting, -stabilisation_.beta * C);
}

ForceProblem::Mode ForceProblem::contact_mode(const SolverContext& c, const RowBlock& block) const {
  if (!is_closed(c, block, block.begin)) return Mode::open;
  if (!has_friction(block)) return Mode::sticks;
  const double speed = slip_of(c, block).speed();
  return speed <= stick_speed_ ? Mode::sticks : speed <= stopping_speed(c, block) ? Mode::stops : Mode::slides;
}

void ForceProblem::find_modes(const SolverContext& c) {
  modes_.assign(c.rows.blocks.size(), Mode::open);
  closed_.assign(static_cast<std::size_t>(c.rows.size()), 0);
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    if (block.source == RowBlock::Source::contact) {
      modes_[static_cast<std::size_t>(b)] = contact_mode(c, block);
      continue;
    }
    for (int i = block.begin; i < block.end; ++i)
      closed_[static_cast<std::size_t>(i)] =
          !is_inequality(c.rows.kind[static_cast<std::size_t>(i)]) || is_closed(c, block, i);
  }
}

void ForceProblem::append_joint(SolverContext& c, int b) {
  const RowBlock block = c.rows.blocks[static_cast<std::size_t>(b)];
  bias_acceleration(c, b, c_);
  for (int i = block.begin; i < block.end; ++i) {
    if (is_soft(c.rows, i) || !closed_[static_cast<std::size_t>(i)]) continue;
    const double velocity = row_velocity(c.rows, i, block, c.bodies.u);
    append(c, {i, b, {0, 0}}, wanted_acceleration(c.rows, i, velocity, c.h(), stabilisation_), -1);
  }
}

void ForceProblem::append_contact(SolverContext& c, int b) {
  const RowBlock block = c.rows.blocks[static_cast<std::size_t>(b)];
  if (modes_[static_cast<std::size_t>(b)] == Mode::open) return;
  const int n = block.begin;
  const double velocity = row_velocity(c.rows, n, block, c.bodies.u);
  bias_acceleration(c, b, c_);
  const int normal = static_cast<int>(unknowns_.size());
  append(c, {n, b, {0, 0}}, wanted_acceleration(c.rows, n, velocity, c.h(), stabilisation_), -1);
  if (has_friction(block)) append_friction(c, b, normal);
  // Rolling and spinning friction act like motors that want rest.
  for (int i = n + 3; i < block.end; ++i)
    append(c, {i, b, {0, 0}}, -row_velocity(c.rows, i, block, c.bodies.u) / c.h(), normal);
}

void ForceProblem::append_friction(SolverContext& c, int b, int normal) {
  const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
  const Slip slip = slip_of(c, block);
  const auto t = static_cast<std::size_t>(block.begin) + 1;
  const Mode mode = modes_[static_cast<std::size_t>(b)];
  if (mode == Mode::slides) {
    // Dynamic: opposite to the slip with mu N; the largest dissipation on the ellipse where mu depends on the direction.
    const double mu_1 = c.rows.mu[t], mu_2 = c.rows.mu[t + 1], size = std::hypot(mu_1 * slip.x, mu_2 * slip.y);
    double* slide = unknowns_[static_cast<std::size_t>(normal)].slide;
    if (size > 0) slide[0] = -mu_1 * mu_1 * slip.x / size, slide[1] = -mu_2 * mu_2 * slip.y / size;
    return;
  }
  // Static: no acceleration along the surface, as far as mu N holds. Slip that friction can end within this step is ended.
  const double rate = mode == Mode::stops ? 1 / c.h() : 2 * stabilisation_.alpha;
  append(c, {block.begin + 1, b, {0, 0}}, -rate * slip.x, normal);
  append(c, {block.begin + 2, b, {0, 0}}, -rate * slip.y, normal);
}

void ForceProblem::append(SolverContext& c, const Unknown& unknown, double wanted, int normal) {
  const auto r = static_cast<std::size_t>(unknown.row);
  const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(unknown.block)];
  unknowns_.push_back(unknown);
  b_.push_back(row_velocity(c.rows, unknown.row, block, acceleration_) + c_[r] - wanted);
  lo_.push_back(normal < 0 ? c.rows.lo[r] : 0), hi_.push_back(normal < 0 ? c.rows.hi[r] : 0);
  dependency_.push_back(normal), factor_.push_back(normal < 0 ? 0 : c.rows.mu[r]);
  x_.push_back(c.rows.lambda[r] / c.h());
}

/// Column j of A and, in case that contact j slides, that of A without its friction.
void ForceProblem::fill_column(const SolverContext& c, std::size_t j) {
  const Unknown& u = unknowns_[j];
  const auto r = static_cast<std::size_t>(u.row);
  const auto add = [&](const Jacobian& F, double scale, std::vector<double>& A) {
    const RowBlock& from = c.rows.blocks[static_cast<std::size_t>(u.block)];
    const std::size_t n = unknowns_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const RowBlock& to = c.rows.blocks[static_cast<std::size_t>(unknowns_[i].block)];
      const Jacobian& J = c.rows.J[static_cast<std::size_t>(unknowns_[i].row)];
      const auto add_shared = [&](int place_to, std::size_t at_to, int place_from, std::size_t at_from) {
        if (place_to != place_from || place_to >= c.bodies.awake) return;
        for (std::size_t k = 0; k < 6; ++k) A[i * n + j] += scale * J[at_to + k] * F[at_from + k];
      };
      add_shared(to.a, 0, from.a, 0), add_shared(to.a, 0, from.b, 6);
      add_shared(to.b, 6, from.a, 0), add_shared(to.b, 6, from.b, 6);
    }
  };
  add(c.rows.JW[r], 1, A_);
  if (!without_slip_.empty()) add(c.rows.JW[r], 1, without_slip_);
  for (std::size_t k = 0; k < 2; ++k)
    if (u.slide[k] != 0) add(c.rows.JW[r + 1 + k], u.slide[k], A_);
}

void ForceProblem::fill_matrix(const SolverContext& c) {
  const std::size_t n = unknowns_.size();
  check_dense_size(n);
  A_.assign(n * n, 0.0);
  without_slip_.assign(slides() ? n * n : 0, 0.0);
  for (std::size_t j = 0; j < n; ++j) fill_column(c, j);
}

LcpProblem ForceProblem::with_friction_of(std::span<const double> x) {
  const std::size_t n = unknowns_.size();
  pushed_ = b_;
  for (std::size_t j = 0; j < n; ++j) {
    const Unknown& u = unknowns_[j];
    if (u.slide[0] == 0 && u.slide[1] == 0) continue;
    for (std::size_t i = 0; i < n; ++i) pushed_[i] += (A_[i * n + j] - without_slip_[i * n + j]) * x[j];
  }
  return {without_slip_, pushed_, {lo_, hi_, dependency_, factor_}};
}

void ForceProblem::apply(SolverContext& c) const {
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    for (int i = block.begin; i < block.end; ++i)
      if (!is_soft(c.rows, i)) c.rows.lambda[static_cast<std::size_t>(i)] = 0;
  }
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    const auto r = static_cast<std::size_t>(unknowns_[k].row);
    c.rows.lambda[r] = c.h() * x_[k];
    for (std::size_t t = 0; t < 2; ++t)
      if (unknowns_[k].slide[t] != 0) c.rows.lambda[r + 1 + t] = c.h() * unknowns_[k].slide[t] * x_[k];
  }
}

}  // namespace rigor
