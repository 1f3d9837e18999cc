#include "solvers/convex_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "constraints/row_math.h"
#include "integrators/rotation.h"
#include "solvers/bias_acceleration.h"

namespace rigor {

namespace {

using Index = std::size_t;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (Index i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// a·M b.
double mass_product(std::span<const ConvexMass> mass, std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (Index i = 0; i < mass.size(); ++i) {
    double p[6];
    multiply_mass(mass[i], b.data() + 6 * i, p);
    for (Index k = 0; k < 6; ++k) sum += a[6 * i + k] * p[k];
  }
  return sum;
}

/// m/s: errors of bodies that hardly move are taken back with the kinetic energy of this speed. Chosen: below what is seen, and far above what the drift of resting joints asks for.
constexpr double kFreeSpeed = 0.02;

/// The largest part of the energy that damp_internal_motion() takes. Chosen: larger excesses are those of corrections at singular poses, whose impulses are wrong.
constexpr double kMostDamped = 0.01;

/// The largest s ≤ 1 with a s² + b s + e ≤ 0; 0 if e > 0.
double harmless_length(double a, double b, double e) {
  e = std::min(e, 0.0);
  if (!(a + b + e > 0)) return 1;
  const double root = std::sqrt(std::max(b * b - 4 * a * e, 0.0));
  const double s = b > 0 ? -2 * e / (b + root) : a > 0 ? (root - b) / (2 * a) : 1;
  return std::clamp(s, 0.0, 1.0);
}

bool is_slip_or_normal(RowKind kind) { return kind == RowKind::normal || kind == RowKind::friction; }

}  // namespace

double inverse_mass_of(const Rows& rows, const RowBlock& block, int row) {
  if (block.source != RowBlock::Source::contact) return rows.diagonal[Index(row)];
  const bool linear = is_slip_or_normal(rows.kind[Index(row)]);
  double sum = 0;
  int count = 0;
  for (int i = block.begin; i < block.end; ++i) {
    const RowKind kind = rows.kind[Index(i)];
    if (linear ? !is_slip_or_normal(kind) : kind != rows.kind[Index(row)]) continue;
    sum += rows.diagonal[Index(i)];
    ++count;
  }
  return sum / count;
}

SolverReport ConvexRows::solve(SolverContext& c, const Law& law, const ConvexSettings& settings) {
  SolverReport report;
  if (c.blocks.empty()) return report;
  stiffness_.collect(c.list, c.state, c.h());
  inverse_mass_ = c.bodies.mass;
  if (stiffness_.is_needed()) add_stiffness(c);
  for (const std::vector<int>& island : split_islands(c)) {
    assemble(c, island, law);
    guess(c, island);
    ConvexResult result = newton_.solve(problem_, v_, gamma_, settings);
    damping_.clear();
    if (result.converged) limit_energy(c, island, settings, result);
    if (!result.converged) {
      const double part = harmless_part();
      for (double& x : gamma_) x *= part;
    }
    store_multipliers(c, island, factor_, gamma_);
    add_velocities(c, damping_);
    if (stiffness_.is_needed()) give_back_turn(c, island);
    add(result, c, island, report);
  }
  if (stiffness_.is_needed()) {
    stiffness_.put_back(c.bodies);
    prepare_rows(c.bodies, c.rows);
  }
  report.changes_inertia = stiffness_.is_needed();
  return report;
}

/// The stiffness K = h² φ K_b of a joint under tension at the end of the step: M (v − v*) = Jᵀ γ − K v, or (M + K) v = M v* + Jᵀ γ, so that |v|_M ≤ |v*|_M where J v = 0. With the inertia M + K alone, (M + K) (v − v*) = Jᵀ γ,
/// a step could add ½ v*·K v*.
void ConvexRows::add_stiffness(SolverContext& c) {
  stiffness_.add_to(c.bodies);
  prepare_rows(c.bodies, c.rows);
  taken_turn_.assign(Index(c.bodies.awake), {});
  for (Index i = 0; i < taken_turn_.size(); ++i) {
    const Mat3 &with = c.bodies.mass[i].angular, &own = inverse_mass_[i].angular;
    if (with == own) continue;
    const Vec3 w = c.bodies.u[i].w - gyroscopic_part(c, i), L = inverse(own) * w;
    taken_turn_[i] = inverse(own) * (w - with * L);
    c.bodies.u[i].w -= w - with * L;
  }
}

int ConvexRows::local_body(const SolverContext& c, int place) {
  if (place >= c.bodies.awake) return -1;
  int& local = local_[Index(place)];
  if (local >= 0) return local;
  local = problem_.bodies();
  place_.push_back(place);
  const BodyInverseMass& inverse_mass = c.bodies.mass[Index(place)];
  problem_.mass.push_back({1 / inverse_mass.linear, inverse(inverse_mass.angular)});
  const BodyInverseMass& own = inverse_mass_[Index(place)];
  mass_.push_back({1 / own.linear, inverse(own.angular)});
  append_velocities(c, Index(place));
  return local;
}

/// The gyroscopic change in the predicted velocity of a body. Impacts that are solved at once have the velocities of the start.
Vec3 ConvexRows::gyroscopic_part(const SolverContext& c, Index i) const {
  const Vec3& w = c.state.angular_velocity[i];
  if (!c.gyroscopic || c.bodies.u[i].w == w) return {};
  return gyroscopic_change(c.state.orientation[i], c.state.inertia[i], w, c.h());
}

/// u, v* and what they differ by. The velocities of the context have the gyroscopic change g, which v* has not: the integrator turns bodies after the impulses, see limit_energy().
void ConvexRows::append_velocities(const SolverContext& c, Index i) {
  const BodyVelocity& predicted = c.bodies.u[i];
  const Vec3 &v = c.state.velocity[i], &w = c.state.angular_velocity[i];
  gyroscopic_.push_back(gyroscopic_part(c, i));
  const Vec3 free = predicted.w - gyroscopic_.back();
  const auto append = [](std::vector<double>& to, const Vec3& linear, const Vec3& angular) {
    for (int k = 0; k < 3; ++k) to.push_back(linear[k]);
    for (int k = 0; k < 3; ++k) to.push_back(angular[k]);
  };
  append(problem_.v_free, predicted.v, free);
  append(start_, v, w);
  // Geometric stiffness is no force: what it takes from v* is no work that a motion the other way would get back.
  const Vec3 taken = stiffness_.is_needed() ? inverse_mass_[i].angular * taken_turn_[i] : Vec3{};
  append(forced_, predicted.v - v, free + taken - w);
}

void ConvexRows::assemble(SolverContext& c, std::span<const int> blocks, const Law& law) {
  problem_.clear();
  place_.clear(), factor_.clear(), correction_.clear(), mass_.clear();
  start_.clear(), forced_.clear(), gyroscopic_.clear();
  movers_.clear(), moved_.clear();
  running_speed_ = 0;
  local_.resize(c.bodies.u.size(), -1);
  for (const int b : blocks) append(c, b, law);
  for (const int place : place_) local_[Index(place)] = -1;
}

/// Points of a joint move by h (k + ½ g) in the step. Contacts are left out: what rolls touches with other points later.
void ConvexRows::add_half_turn(const Jacobian& J, const ConvexBlock& block, ConvexTarget& target) const {
  double half = 0;
  if (block.a >= 0) half += 0.5 * dot(part(J, 3), gyroscopic_[Index(block.a)]);
  if (block.b >= 0) half += 0.5 * dot(part(J, 9), gyroscopic_[Index(block.b)]);
  target.velocity -= half, target.correction -= half;
}

BodyVelocity ConvexRows::path_velocity(const SolverContext& c, int place, int local) const {
  if (local < 0) return c.bodies.u[Index(place)];
  return {c.state.velocity[Index(place)], c.state.angular_velocity[Index(place)] + 0.5 * gyroscopic_[Index(local)]};
}

/// A joint has to be closed at the end of the step, C(q ⊕ h v) = 0 (SHAKE; Ryckaert, Ciccotti, Berendsen 1977), which conserves energy, while C + h J v = 0 leaves a turning joint open by ½ h² J̇ v. The part beyond linear rows is that of the
/// velocities at the start of the step.
void ConvexRows::find_path_errors(SolverContext& c, int b, const ConvexBlock& convex) {
  const RowBlock& block = c.rows.blocks[Index(b)];
  path_error_.assign(Index(block.size()), 0);
  for (int row = block.begin; row < block.end; ++row) {
    if (convex.contact || c.rows.kind[Index(row)] != RowKind::locked) continue;
    return path_error(c, b, path_velocity(c, block.a, convex.a), path_velocity(c, block.b, convex.b), path_error_);
  }
}

void ConvexRows::note_mover(const SolverContext& c, int place) {
  if (place < c.bodies.awake || std::find(movers_.begin(), movers_.end(), place) != movers_.end()) return;
  const BodyVelocity& u = c.bodies.u[Index(place)];
  if (u.v != Vec3{} || u.w != Vec3{}) movers_.push_back(place);
}

void ConvexRows::append(SolverContext& c, int b, const Law& law) {
  const RowBlock& block = c.rows.blocks[Index(b)];
  ConvexBlock convex;
  convex.a = local_body(c, block.a), convex.b = local_body(c, block.b);
  convex.begin = problem_.rows(), convex.size = block.size();
  convex.contact = block.source == RowBlock::Source::contact;
  for (const int place : {block.a, block.b}) note_mover(c, place);
  find_path_errors(c, b, convex);
  for (int row = block.begin; row < block.end; ++row) {
    ConvexTarget t = law(block, row);
    if (c.rows.kind[Index(row)] == RowKind::locked) {
      add_half_turn(c.rows.J[Index(row)], convex, t);
      const bool is_rigid = !std::isfinite(c.rows.stiffness[Index(row)]);
      const double back = is_rigid ? path_error_[Index(row - block.begin)] / c.h() : 0;
      t.velocity -= back, t.correction -= back;
    }
    const ImpulseBounds bounds = impulse_bounds(c.rows, row, c.h());
    const Jacobian& J = c.rows.J[Index(row)];
    double moved = 0;  // by bodies of infinite mass
    if (convex.a < 0)
      moved += dot(part(J, 0), c.bodies.u[Index(block.a)].v) + dot(part(J, 3), c.bodies.u[Index(block.a)].w);
    if (convex.b < 0)
      moved += dot(part(J, 6), c.bodies.u[Index(block.b)].v) + dot(part(J, 9), c.bodies.u[Index(block.b)].w);
    if (c.rows.kind[Index(row)] == RowKind::friction && convex.contact)
      running_speed_ = std::max(running_speed_, std::abs(c.rows.bias[Index(row)]));
    moved_.push_back(moved);
    problem_.J.push_back(J);
    problem_.target.push_back(t.velocity - moved), problem_.R.push_back(t.R);
    problem_.inverse_mass.push_back(inverse_mass_of(c.rows, block, row));
    problem_.lo.push_back(bounds.lo), problem_.hi.push_back(std::max(bounds.hi, bounds.lo));
    factor_.push_back(1), correction_.push_back(t.correction);
    convex.slack += t.slack;
  }
  if (convex.contact) {
    const Index first = Index(convex.begin + 1);
    const FrictionGroups groups = friction_groups(c.rows, block, std::span(factor_).subspan(first));
    convex.groups = groups.count, convex.group = groups.group;
    for (Index k = first; k < factor_.size(); ++k) {
      for (double& x : problem_.J[k]) x *= factor_[k];
      problem_.target[k] *= factor_[k];
    }
  }
  problem_.blocks.push_back(convex);
}

/// The impulses of the last step, and the velocities at its end or those without constraints.
void ConvexRows::guess(const SolverContext& c, std::span<const int> blocks) {
  gamma_.clear();
  for (const int b : blocks) {
    const RowBlock& block = c.rows.blocks[Index(b)];
    for (int row = block.begin; row < block.end; ++row) {
      const double f = factor_[gamma_.size()], last = f > 0 ? c.rows.lambda[Index(row)] / f : 0;
      gamma_.push_back(std::isfinite(last) ? last : 0);
    }
  }
  v_ = start_;
  if (!(newton_.evaluate(problem_, v_, {}) < newton_.evaluate(problem_, problem_.v_free, {}))) v_ = problem_.v_free;
}

/// Impulses γ add the energy ½ γᵀ J M⁻¹ Jᵀ γ + γᵀ(J v* − v̂), apart from what targets ask for. This is the largest part of γ that adds none, for impulses that
/// did not converge. It leaves them in their cones.
double ConvexRows::harmless_part() const {
  std::vector<double> p(problem_.v_free.size(), 0), v_c(gamma_.size());
  if (!std::all_of(gamma_.begin(), gamma_.end(), [](double x) { return std::isfinite(x); })) return 0;
  add_impulses(problem_, gamma_, p);
  row_velocities(problem_, problem_.v_free, v_c);
  double linear = 0, quadratic = 0;
  for (Index i = 0; i < gamma_.size(); ++i) linear += gamma_[i] * (v_c[i] - problem_.target[i] + correction_[i]);
  for (int i = 0; i < problem_.bodies(); ++i) {
    const double* q = p.data() + 6 * i;
    const Vec3 P{q[0], q[1], q[2]}, L{q[3], q[4], q[5]};
    const ConvexMass& mass = problem_.mass[Index(i)];
    quadratic += dot(P, P) / mass.linear + dot(L, inverse(mass.angular) * L);
  }
  if (!(quadratic > 0)) return linear <= 0 ? 1 : 0;
  return std::clamp(-2 * linear / quadratic, 0.0, 1.0);
}

bool ConvexRows::has_corrections() const {
  return std::any_of(correction_.begin(), correction_.end(), [](double x) { return x != 0; });
}

/// T(k) − k·h F − γ·v̂', the energy after the step less the work of forces and of targets other than corrections. Geometric stiffness, −K k, only takes energy.
double ConvexRows::energy_beyond_forces(std::span<const double> k, std::span<const double> gamma) const {
  return 0.5 * mass_product(mass_, k, k) - mass_product(mass_, k, forced_) - dot(gamma, own_target_);
}

bool ConvexRows::is_driven() const { return !movers_.empty() || running_speed_ > 0; }

/// v̂' by row: targets without corrections. The work of movers is bounded otherwise, see driven_energy().
void ConvexRows::find_own_targets() {
  own_target_.assign(correction_.size(), 0);
  for (const ConvexBlock& block : problem_.blocks)
    for (Index i = Index(block.begin); i < Index(block.begin + block.size); ++i) {
      if (!is_driven()) own_target_[i] = problem_.target[i] - correction_[i];
      if (is_driven() && !block.contact) own_target_[i] = problem_.target[i] - correction_[i] + moved_[i];
    }
}

/// What energy_beyond_forces() may be. T(u), and what contacts hold: an impact that was slowed down to reach the surface has lost λ ½ (s + c), s and c being its speeds before and after, which its rebound r ≤ s may take;
/// a contact with the load f has ½ f |C|. A push p may lift the load and give the lighter body its speed, and no more than p gives all bodies.
double ConvexRows::allowed_energy(const SolverContext& c, std::span<const int> blocks) const {
  double mass = 0, forces = 0, held = 0;  // kg, N s, J
  for (Index i = 0; i < mass_.size(); ++i) {
    mass += mass_[i].linear;
    forces += mass_[i].linear * length(Vec3{forced_[6 * i], forced_[6 * i + 1], forced_[6 * i + 2]});
  }
  for (Index b = 0; b < blocks.size(); ++b) {
    const RowBlock& block = c.rows.blocks[Index(blocks[b])];
    const ConvexBlock& convex = problem_.blocks[b];
    const Index i = Index(block.begin);
    const double p = correction_[Index(convex.begin)], w = problem_.inverse_mass[Index(convex.begin)];
    if (!convex.contact || !(p > 0)) continue;
    const double last = std::max(c.rows.lambda[i], 0.0), most = (0.5 * mass * p + forces) * p;
    if (block.colliding && c.rows.bias[i] > 0) {
      double closing = 0;
      for (const auto& [body, first] : {std::pair{convex.a, Index(0)}, std::pair{convex.b, Index(6)}})
        for (Index k = 0; body >= 0 && k < 6; ++k) closing -= c.rows.J[i][first + k] * start_[6 * Index(body) + k];
      held += std::min(0.5 * last * std::max(p + closing, 0.0), most);
    } else {
      held += std::min(last * std::max(-0.5 * c.rows.C[i] / c.h(), p) + (w > 0 ? 0.5 * p * p / w : 0), most);
    }
  }
  const double start = 0.5 * mass_product(mass_, start_, start_);
  return std::max(start, 0.5 * mass * kFreeSpeed * kFreeSpeed) + held;
}

/// Three parts of a step can add energy that nothing has stored, and their work γ·v̂ is without bound where a constraint's direction is nearly perpendicular to the motion:
/// - A joint is linearised where the step begins. The error C that its turning leaves is of second order, and its correction is −C/(h + τ): a taut bridge that sags by the angle θ is thrown back with C/(h θ).
/// - A rebound by Newton's law is a target as well. With joints, friction or several impacts at once it can ask for more than the impact had (Stronge 1990).
/// - The integrator turns bodies after the impulses, so these make k = u + M⁻¹ (h F + Jᵀ γ), and velocities along the path are k + ½ g, g being the gyroscopic change. Joints with the velocity k + θ g
///   change the energy by (θ − ½) |J g|² / w in each step: θ = ½ conserves it, but then an impact adds ½ γ·J g.
/// So energy may not grow by them. With the velocities u at the start of the step and forces that do their work along k,
///
///   T(k) − k·h F − γ·v̂' ≤ max(T(u), T_free) + E,   v̂' = v̂ − correction,   E held by contacts
///
/// The solution k₀, γ₀ without corrections and with θ = 0 satisfies it, and k₀ + s (k₁ − k₀) does for all s up to the root of a quadratic equation. Impulses in between stay in their cones,
/// which are convex, and velocities on the right side of their contacts. s goes on to where damp_internal_motion() takes the most that it may. A pendulum that turns by θ in a step loses ½ m (v θ)² by its linearisation, which is just what the correction needs.
void ConvexRows::limit_energy(const SolverContext& c, std::span<const int> blocks, const ConvexSettings& settings,
                              ConvexResult& result) {
  if (!is_driven() && !has_corrections()) return;
  find_own_targets();
  const double allowed = is_driven() ? driven_energy(c, blocks) : allowed_energy(c, blocks);
  const std::vector<double> k1 = v_, gamma1 = gamma_;
  if (!(energy_beyond_forces(k1, gamma1) > allowed)) return;
  if (!is_driven() && damp_internal_motion(c, allowed)) return;
  const std::vector<double> target = problem_.target;
  for (Index i = 0; i < target.size(); ++i) problem_.target[i] -= correction_[i];
  const ConvexResult plain = newton_.solve(problem_, v_, gamma_, settings);
  problem_.target = target;
  result.iterations = std::max(result.iterations, plain.iterations);
  result.residual = std::max(result.residual, plain.residual);
  result.converged = plain.converged;
  if (!plain.converged) return;
  std::vector<double> dk(v_.size()), dgamma(gamma_.size());
  for (Index i = 0; i < v_.size(); ++i) dk[i] = k1[i] - v_[i];
  for (Index i = 0; i < gamma_.size(); ++i) dgamma[i] = gamma1[i] - gamma_[i];
  const double excess = energy_beyond_forces(v_, gamma_) - allowed;
  const double linear = mass_product(mass_, v_, dk) - mass_product(mass_, dk, forced_) - dot(dgamma, own_target_);
  const std::vector<double> k0 = v_, gamma0 = gamma_;
  const auto go = [&](double excess_of_part) {
    const double part = harmless_length(0.5 * mass_product(mass_, dk, dk), linear, excess_of_part);
    for (Index i = 0; i < v_.size(); ++i) v_[i] = k0[i] + part * dk[i];
    for (Index i = 0; i < gamma_.size(); ++i) gamma_[i] = gamma0[i] + part * dgamma[i];
  };
  // As much of the corrections as damping can pay for: with what is allowed alone, a slack chain that swings opens by centimetres.
  const double budget = is_driven() ? 0 : 0.5 * kMostDamped * mass_product(mass_, k0, k0);
  go(excess - budget);
  if (energy_beyond_forces(v_, gamma_) > allowed && !damp_internal_motion(c, allowed)) go(excess);
  if (excess > 0 && is_driven()) shorten_impulses(allowed);
}

/// Shortens all impulses to what is allowed.
void ConvexRows::shorten_impulses(double allowed) {
  std::vector<double> d(start_.size(), 0);  // M⁻¹ Jᵀ γ
  add_impulses(problem_, gamma_, d);
  for (Index i = 0; i < mass_.size(); ++i) {
    double* q = d.data() + 6 * i;
    const Vec3 w = inverse(problem_.mass[i].angular) * Vec3{q[3], q[4], q[5]};
    for (int k = 0; k < 3; ++k) q[k] /= problem_.mass[i].linear, q[3 + k] = w[k];
  }
  const std::vector<double>& v = problem_.v_free;
  const double linear = mass_product(mass_, v, d) - mass_product(mass_, d, forced_) - dot(gamma_, own_target_);
  const double excess = 0.5 * mass_product(mass_, v, v) - mass_product(mass_, v, forced_) - allowed;
  const double part = harmless_length(0.5 * mass_product(mass_, d, d), linear, excess);
  for (double& x : gamma_) x *= part;
}

/// U: the speed that a mover would give the body if it were part of it, or that of a running surface.
double ConvexRows::driven_speed(const SolverContext& c, Index body) const {
  double most = running_speed_;
  const Vec3& x = c.state.position[Index(place_[body])];
  for (const int place : movers_) {
    const BodyVelocity& u = c.bodies.u[Index(place)];
    most = std::max(most, length(u.v + cross(u.w, x - c.state.position[Index(place)])));
  }
  return most;
}

/// What energy_beyond_forces() may be where bodies of infinite mass move or surfaces run. They do any work, and between two of them that close no velocities satisfy all constraints: impulses are as large as the compliance lets them be, and a body in
/// a wedge of the angle α is squeezed out with U cot α. So they may bring the energy of the island to that of bodies with the speed 2 U, against their weight, and add 2 U to the speed √(2 T/m) of a body that rebounds from them, as full restitution does. What contacts hold does not count here, because loads between closing
/// bodies are without bound. If even the solution without corrections has more energy, impulses are shortened: the bodies overlap or joints open, which nothing could prevent.
double ConvexRows::driven_energy(const SolverContext& c, std::span<const int> blocks) const {
  std::vector<char> rebounds(mass_.size(), 0);
  for (Index b = 0; b < blocks.size(); ++b) {
    const RowBlock& block = c.rows.blocks[Index(blocks[b])];
    const ConvexBlock& convex = problem_.blocks[b];
    if (!block.colliding || !(c.rows.bias[Index(block.begin)] > 0) || (convex.a >= 0 && convex.b >= 0)) continue;
    const int other = convex.a < 0 ? block.a : block.b;
    const bool is_mover = std::find(movers_.begin(), movers_.end(), other) != movers_.end();
    if (is_mover) rebounds[Index(std::max(convex.a, convex.b))] = 1;
  }
  double driven = 0, added = 0, weight = 0;  // J: of speeds 2 U, of rebounds, of lifting with 2 U
  for (Index i = 0; i < mass_.size(); ++i) {
    const std::span<const double> u = std::span(start_).subspan(6 * i, 6);
    const double m = mass_[i].linear, speed = std::sqrt(mass_product(std::span(mass_).subspan(i, 1), u, u) / m);
    const double most = std::max(2 * driven_speed(c, i), kFreeSpeed);
    driven += 0.5 * m * most * most;
    if (rebounds[i]) added += 0.5 * m * most * (2 * speed + most);
    weight += m * most * length(Vec3{forced_[6 * i], forced_[6 * i + 1], forced_[6 * i + 2]});
  }
  const double lifting = std::clamp(-mass_product(mass_, v_, forced_), 0.0, weight);
  return std::max(0.5 * mass_product(mass_, start_, start_), driven) + added + lifting;
}

bool ConvexRows::is_held() const {
  return std::any_of(problem_.blocks.begin(), problem_.blocks.end(),
                     [](const ConvexBlock& block) { return block.a < 0 || block.b < 0; });
}

/// The velocities of the island as one rigid body with the momentum P and the angular momentum L about its center of mass, six numbers for each body.
std::vector<double> ConvexRows::rigid_motion(const SolverContext& c, const Vec3& P, const Vec3& L) const {
  const Vec3 center = center_of_mass(c);
  Mat3 inertia;
  double total = 0;
  for (Index i = 0; i < mass_.size(); ++i) {
    const Vec3 r = c.state.position[Index(place_[i])] - center;
    const double r2 = dot(r, r);
    inertia = inertia + mass_[i].angular + mass_[i].linear * (Mat3::diagonal({r2, r2, r2}) - outer(r, r));
    total += mass_[i].linear;
  }
  const Vec3 w = inverse(inertia) * L;
  std::vector<double> motion;
  for (const int place : place_) {
    const Vec3 v = P / total + cross(w, c.state.position[Index(place)] - center);
    motion.insert(motion.end(), {v.x, v.y, v.z, w.x, w.y, w.z});
  }
  return motion;
}

Vec3 ConvexRows::center_of_mass(const SolverContext& c) const {
  Vec3 center;
  double total = 0;
  for (Index i = 0; i < mass_.size(); ++i) {
    center += mass_[i].linear * c.state.position[Index(place_[i])];
    total += mass_[i].linear;
  }
  return center / total;
}

/// A small excess of energy is taken from the motion of the bodies relative to each other, k ← r + σ (k − r), r being the island as one rigid body with the momenta of k, or zero if something outside holds it. Since J r = 0, constraints have the velocities
/// σ J k: corrections lose as little as the motion does, while leaving them out would open joints for good. Returns false if more than kMostDamped of the energy would be taken.
bool ConvexRows::damp_internal_motion(const SolverContext& c, double allowed) {
  const double excess = energy_beyond_forces(v_, gamma_) - allowed;
  const auto [taken, d] = internal_damping(c, v_, allowed);
  if (!(excess <= kMostDamped * 0.5 * mass_product(mass_, v_, v_)) || !(taken <= kMostDamped)) return false;
  damping_.resize(d.size());
  for (Index i = 0; i < d.size(); ++i) damping_[i] = -taken * d[i];
  return true;
}

/// The motion k − r relative to the rigid one, and the part 1 − σ of it that has to be taken from it so that energy_beyond_forces() of k is what is allowed; infinite if no part does.
ConvexRows::InternalDamping ConvexRows::internal_damping(const SolverContext& c, std::span<const double> k,
                                                         double allowed) const {
  Vec3 P, L;
  const Vec3 center = center_of_mass(c);
  for (Index i = 0; i < mass_.size(); ++i) {
    const double* q = k.data() + 6 * i;
    const Vec3 p = mass_[i].linear * Vec3{q[0], q[1], q[2]};
    P += p;
    L += mass_[i].angular * Vec3{q[3], q[4], q[5]} + cross(c.state.position[Index(place_[i])] - center, p);
  }
  if (is_held()) P = L = {};
  const std::vector<double> r = rigid_motion(c, P, L);
  InternalDamping result{std::numeric_limits<double>::infinity(), std::vector<double>(k.size())};
  std::vector<double>& d = result.motion;
  for (Index i = 0; i < d.size(); ++i) d[i] = k[i] - r[i];
  const double squared = mass_product(mass_, d, d), excess = energy_beyond_forces(k, gamma_) - allowed;
  // The energy falls with the slope −d·M (k − f) as σ falls from one.
  const double slope = mass_product(mass_, d, k) - mass_product(mass_, d, forced_);
  const double root = slope * slope - 2 * squared * excess;
  if (slope > 0 && root >= 0) result.taken = 2 * excess / (slope + std::sqrt(root));
  return result;
}

/// A body with geometric stiffness takes up less angular momentum than its joints give it, as if something held it. Nothing does in an island that is free: the difference D turns the whole of it about its center of mass,
/// as a rigid body, which no joint and no contact resists. That turn has an energy that limit_energy() has not seen. Rigid motion has the least energy of all motions with the momenta of the island, which are those of the start of the step and what forces add;
/// so the excess is taken from the motion of the bodies relative to each other.
void ConvexRows::give_back_turn(SolverContext& c, std::span<const int> blocks) {
  if (is_held()) return;
  std::vector<double> p(6 * mass_.size(), 0);
  add_impulses(problem_, gamma_, p);
  Vec3 D;
  for (Index i = 0; i < mass_.size(); ++i) {
    const Vec3 L{p[6 * i + 3], p[6 * i + 4], p[6 * i + 5]};
    D += L - mass_[i].angular * (inverse(problem_.mass[i].angular) * L) + taken_turn_[Index(place_[i])];
  }
  if (D == Vec3{}) return;
  std::vector<double> turn = rigid_motion(c, {}, D), k(turn.size(), 0);
  add_velocities(c, turn);
  if (is_driven()) return;
  for (Index i = 0; i < mass_.size(); ++i) {  // with what limit_energy() has made of γ
    const BodyVelocity& u = c.bodies.u[Index(place_[i])];
    const Vec3 w = u.w - gyroscopic_[i];
    for (Index j = 0; j < 3; ++j) k[6 * i + j] = u.v[static_cast<int>(j)], k[6 * i + 3 + j] = w[static_cast<int>(j)];
  }
  find_own_targets();
  const double allowed = allowed_energy(c, blocks);
  if (!(energy_beyond_forces(k, gamma_) > allowed)) return;
  auto [taken, d] = internal_damping(c, k, allowed);
  taken = std::min(taken, 1.0);
  for (double& x : d) x *= -taken;
  add_velocities(c, d);
}

void ConvexRows::add_velocities(SolverContext& c, std::span<const double> change) const {
  for (Index i = 0; i < change.size() / 6; ++i) {
    BodyVelocity& u = c.bodies.u[Index(place_[i])];
    const double* d = change.data() + 6 * i;
    u.v += Vec3{d[0], d[1], d[2]}, u.w += Vec3{d[3], d[4], d[5]};
  }
}

void ConvexRows::add(const ConvexResult& result, const SolverContext& c, std::span<const int> blocks,
                     SolverReport& report) const {
  report.iterations = std::max(report.iterations, result.iterations);
  report.residual = std::max(report.residual, result.residual);
  if (result.converged) return;
  report.converged = false, report.cut_short = true;
  report.trouble =
      "Newton's method on the convex problem did not converge; impulses were shortened to what adds no energy";
  if (!(result.worst_error > report.worst_error)) return;
  report.worst_error = result.worst_error;
  for (const int b : blocks) {
    const RowBlock& block = c.rows.blocks[Index(b)];
    if (result.worst_body < 0) break;
    const int place = place_[Index(result.worst_body)];
    if (block.a == place || block.b == place) report.worst_row = block.begin;
  }
}

}  // namespace rigor
