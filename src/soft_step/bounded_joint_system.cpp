#include "soft_step/bounded_joint_system.h"

#include <algorithm>
#include <limits>

#include "constraints/row_math.h"

namespace rigor {

namespace {

constexpr double kTolerable = 1e-3;  // relative violation of bounds that is not reported; chosen
constexpr int kPatience = 3;         // passes that move all failing rows without fewer of them; chosen
constexpr int kMostPasses = 40;      // chosen: from a good guess one or two are made
// Relative to the largest impulse and to the fastest row: rounding. Rows that depend on others but for a compliance of 1e-7 know
// their velocities less exactly.
constexpr double kSmallImpulse = 1e-11, kSmallSpeed = 1e-8;

double along(const Jacobian& J, const TreeEdge& joint, std::span<const BodyVelocity> x) {
  double sum = 0;
  if (joint.a >= 0) {
    const BodyVelocity& a = x[static_cast<std::size_t>(joint.a)];
    sum += dot(part(J, 0), a.v) + dot(part(J, 3), a.w);
  }
  if (joint.b >= 0) {
    const BodyVelocity& b = x[static_cast<std::size_t>(joint.b)];
    sum += dot(part(J, 6), b.v) + dot(part(J, 9), b.w);
  }
  return sum;
}

/// visit(row, joint) for all rows.
template <class Visit> void for_rows(std::span<const TreeEdge> joints, const Visit& visit) {
  for (const TreeEdge& joint : joints)
    for (auto i = static_cast<std::size_t>(joint.begin); i < static_cast<std::size_t>(joint.end); ++i) visit(i, joint);
}

}  // namespace

bool BoundedJointSystem::solve(BoundedRows& rows, std::span<const TreeEdge> joints, std::span<const BodyMass> masses,
                               std::span<BodyVelocity> x) {
  take_joints(joints);
  std::size_t fewest = rows.size() + 1;
  int patience = kPatience;
  double best = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kMostPasses; ++pass) {
    select(rows, joints, masses);
    solve_selected(rows, joints, masses, x);
    const double violation = find_failing(rows, joints, x);
    if (failing_.empty()) return true;
    if (violation < best) best = violation, best_ = rows.place, best_failing_ = failing_;
    if (failing_.size() < fewest)
      fewest = failing_.size(), patience = kPatience;
    else
      --patience;
    const std::size_t first = patience > 0 ? 0 : failing_.size() - 1;
    for (std::size_t k = first; k < failing_.size(); ++k) rows.place[failing_[k].row] = failing_[k].next;
  }
  take_best(rows);
  select(rows, joints, masses);
  solve_selected(rows, joints, masses, x);
  return best < kTolerable;
}

/// The set that came nearest to a solution, within its bounds.
void BoundedJointSystem::take_best(BoundedRows& rows) {
  culprit_ = failing_.back().row;
  if (best_.size() != rows.size()) return;
  rows.place = best_;
  for (const Failing& f : best_failing_)
    if (f.next != RowPlace::inside) rows.place[f.row] = f.next;
  culprit_ = best_failing_.back().row;
}

/// Collects the rows that are equations now, and factorises unless one of the two cached factorisations has the same
/// rows and compliances.
void BoundedJointSystem::select(const BoundedRows& rows, std::span<const TreeEdge> joints,
                                std::span<const BodyMass> masses) {
  next_row_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows.place[i] == RowPlace::inside) next_row_.push_back(i);
  const auto is_next = [&](const Factors& factors) { return factors.has_graph && factors.row == next_row_; };
  if (!is_next(factors_[now_])) {
    now_ = 1 - now_;
    if (!is_next(factors_[now_])) find_graph(rows, joints, masses.size());
  }
  Factors& factors = factors_[now_];
  for (std::size_t k = 0; k < factors.row.size(); ++k) {
    const double gamma = rows.gamma[factors.row[k]];
    if (factors.gamma[k] != gamma) factors.gamma[k] = gamma, factors.is_valid = false;
  }
  if (factors.is_valid) return;
  J_.clear();
  for (const std::size_t i : factors.row) J_.push_back(rows.J[i]);
  if (factors.has_loops)
    factors.loops.factorise(static_cast<int>(masses.size()), factors.edges, masses, J_, factors.gamma);
  else
    factors.tree.factorise(masses, J_, factors.gamma);
  factors.is_valid = true;
}

/// Discards the cached graphs if the joints have changed: rows are numbered joint by joint, so the same numbers then
/// mean other rows.
void BoundedJointSystem::take_joints(std::span<const TreeEdge> joints) {
  if (std::equal(joints.begin(), joints.end(), joints_.begin(), joints_.end())) return;
  joints_.assign(joints.begin(), joints.end());
  for (Factors& factors : factors_) factors.has_graph = false;
}

/// Finds the graph of the rows in next_row_.
void BoundedJointSystem::find_graph(const BoundedRows& rows, std::span<const TreeEdge> joints, std::size_t bodies) {
  Factors& factors = factors_[now_];
  factors.row = next_row_;
  factors.gamma.clear();
  for (const std::size_t i : factors.row) factors.gamma.push_back(rows.gamma[i]);
  factors.edges.clear();
  int begin = 0;
  for (const TreeEdge& joint : joints) {
    int end = begin;
    for (auto i = static_cast<std::size_t>(joint.begin); i < static_cast<std::size_t>(joint.end); ++i)
      if (rows.place[i] == RowPlace::inside) ++end;
    if (end > begin) factors.edges.push_back({joint.a, joint.b, begin, end});
    begin = end;
  }
  factors.tree.set_graph(static_cast<int>(bodies), factors.edges);
  factors.has_loops = !factors.tree.loops().empty();
  factors.has_graph = true, factors.is_valid = false;
}

void BoundedJointSystem::push_known(const BoundedRows& rows, std::span<const TreeEdge> joints) {
  const auto push = [&](int body, const Jacobian& J, int at, double impulse) {
    if (body < 0) return;
    BodyVelocity& f = f_[static_cast<std::size_t>(body)];
    f.v += impulse * part(J, at), f.w += impulse * part(J, at + 3);
  };
  for_rows(joints, [&](std::size_t i, const TreeEdge& joint) {
    if (rows.place[i] == RowPlace::inside || rows.place[i] == RowPlace::out) return;
    delta_[i] = (rows.place[i] == RowPlace::lo ? rows.lo[i] : rows.hi[i]) - rows.lambda[i];
    if (delta_[i] == 0) return;
    push(joint.a, rows.J[i], 0, delta_[i]), push(joint.b, rows.J[i], 6, delta_[i]);
  });
}

void BoundedJointSystem::solve_selected(const BoundedRows& rows, std::span<const TreeEdge> joints,
                                        std::span<const BodyMass> masses, std::span<BodyVelocity> x) {
  delta_.assign(rows.size(), 0);
  f_.assign(x.size(), {});
  push_known(rows, joints);
  Factors& factors = factors_[now_];
  const std::vector<std::size_t>& row = factors.row;
  r_.resize(row.size()), lambda_.resize(row.size());
  for (std::size_t k = 0; k < row.size(); ++k) r_[k] = rows.r[row[k]];
  if (factors.has_loops) {
    factors.loops.solve(r_, f_, lambda_, x);
  } else {
    for (std::size_t i = 0; i < x.size(); ++i) {  // the tree knows only bodies whose joints have equations
      const bool is_pushed = f_[i].v != Vec3{} || f_[i].w != Vec3{};
      x[i] =
          is_pushed ? BodyVelocity{f_[i].v / masses[i].linear, inverse(masses[i].angular) * f_[i].w} : BodyVelocity{};
    }
    factors.tree.solve(r_, f_, lambda_, x);
  }
  for (std::size_t k = 0; k < row.size(); ++k) delta_[row[k]] = lambda_[k];
}

/// The rows whose conditions do not hold; returns by how much at most, relative to the largest impulse or the fastest row.
double BoundedJointSystem::find_failing(const BoundedRows& rows, std::span<const TreeEdge> joints,
                                        std::span<const BodyVelocity> x) {
  failing_.clear();
  double violation = 0, impulse = 1e-300, speed = 1e-6;  // m/s: below what anybody sees
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.place[i] == RowPlace::out) continue;
    impulse = std::max(impulse, std::abs(rows.lambda[i] + delta_[i])), speed = std::max(speed, std::abs(rows.r[i]));
  }
  for_rows(joints, [&](std::size_t i, const TreeEdge& joint) {
    const RowPlace place = rows.place[i];
    if (place == RowPlace::out || !rows.is_bounded(i)) return;
    const double lambda = rows.lambda[i] + delta_[i];
    const auto fail = [&](RowPlace next, double by) {
      failing_.push_back({i, next});
      if (!(by <= violation)) violation = by;  // also when it is not a number
    };
    if (place == RowPlace::inside) {
      const double below = (rows.lo[i] - lambda) / impulse, above = (lambda - rows.hi[i]) / impulse;
      if (below > kSmallImpulse) fail(RowPlace::lo, below);
      if (above > kSmallImpulse) fail(RowPlace::hi, above);
    } else {
      const double rest = (rows.r[i] - along(rows.J[i], joint, x) - rows.gamma[i] * delta_[i]) / speed;
      if (place == RowPlace::lo ? rest > kSmallSpeed : rest < -kSmallSpeed) fail(RowPlace::inside, std::abs(rest));
    }
  });
  return violation;
}

}  // namespace rigor
