// All impulses at once: (14) of Bender and Schmitt 2006, M p' = Δu, factorised along the joint graph.
//
// Rows with bounds (limits, motors, friction) are an active set: those at a bound act as known impulses, the others are
// equations. After a solve, rows that left their bounds go to them, rows at a bound that pull the wrong way are released,
// until nothing changes (block pivoting, Júdice and Pires 1994). If block pivoting cycles, only the first wrong row
// changes (Murty 1974; this ends if no rows depend on each other). If that does not end either, rows may only go to
// their bounds, so that impulses never leave their bounds. The factorisation is cached while rows, poses and masses
// stay the same, bit for bit: the joint correction of the next step reuses that of a velocity correction (4.5).
#include "constraints/row_math.h"
#include "math/same_bits.h"
#include "multibody/joint_problem.h"

namespace rigor {

namespace {

/// Chosen: block pivoting takes two or three passes if it converges.
constexpr int kBlockPasses = 10;

class ImpulsesAtOnce final : public JointImpulses {
 public:
  explicit ImpulsesAtOnce(LoopMethod loops) : loops_(loops) {}

  void prepare(const Rows& rows, int blocks, const StepBodies& bodies, const BodyState& state,
               const JointProblem& problem, RowsAre rows_are) override {
    if (rows_are == RowsAre::same && is_factorised_ && all_inside_) return;
    const std::size_t n = problem.size();
    awake_ = bodies.awake;
    if (rows_are == RowsAre::changed) return factorise_anew(rows, blocks, state, problem);
    see_masses(state);
    bounded_.clear();
    bound_state_.assign(n, BoundState::inside);
    all_inside_ = true;
    for (std::size_t i = 0; i < n; ++i) {
      if (!problem.is_bounded(i)) continue;
      all_inside_ = false;
      if (problem.is_out(i))
        bound_state_[i] = BoundState::lo;
      else
        bounded_.push_back(i);
    }
    blocks_ = {rows.blocks.data(), static_cast<std::size_t>(blocks)};
    if (all_inside_) return take_all(rows, problem);
    J_.assign(rows.J.begin(), rows.J.begin() + static_cast<std::ptrdiff_t>(n));
    diagonal_.assign(rows.diagonal.begin(), rows.diagonal.begin() + static_cast<std::ptrdiff_t>(n));
    is_fresh_ = true;
  }

  void improve(JointProblem& p, std::vector<BodyVelocity>& u) override {
    x_.resize(static_cast<std::size_t>(awake_));
    if (all_inside_) {
      factorise();
      delta_.resize(p.size());
      system_.solve(p.r, {}, delta_, x_);
    } else {
      improve_within_bounds(p);
    }
    for (std::size_t i = 0; i < x_.size(); ++i) {
      u[i].v += x_[i].v;
      u[i].w += x_[i].w;
    }
    for (std::size_t i = 0; i < p.size(); ++i) p.lambda[i] += delta_[i];
  }

  bool at_once() const override { return true; }

  void mark_dependent(std::vector<char>& rows) const override {
    std::fill(rows.begin(), rows.end(), char{0});
    if (!is_factorised_) return;
    system_.for_each_dependent(
        [&](int row) { rows[all_inside_ ? static_cast<std::size_t>(row) : row_[static_cast<std::size_t>(row)]] = 1; });
  }

  bool respond(std::span<const BodyVelocity> f, std::span<BodyVelocity> x) override {
    if (!all_inside_) return false;
    factorise();
    r_.assign(gamma_.size(), 0);
    lambda_.resize(gamma_.size());
    system_.solve(r_, f, lambda_, x);
    return true;
  }

 private:
  enum class BoundState : std::uint8_t { lo, inside, hi };
  /// Which rows change sets after a solve: all wrong ones, the first wrong one, or those beyond their bounds.
  enum class Pivots : std::uint8_t { block, first, to_bounds };

  /// Updates masses of the bodies in the world frame, for those that have changed or turned.
  void see_masses(const BodyState& s) {
    const auto n = static_cast<std::ptrdiff_t>(s.awake());
    const auto same = [n](const auto& now, const auto& before) {
      return same_bits(std::span(now).first(static_cast<std::size_t>(n)), before);
    };
    if (same(s.orientation, q_) && same(s.inverse_mass, inverse_mass_) && same(s.inertia, inertia_)) return;
    const auto keep = [n](const auto& now, auto& before) { before.assign(now.begin(), now.begin() + n); };
    keep(s.orientation, q_);
    keep(s.inverse_mass, inverse_mass_);
    keep(s.inertia, inertia_);
    body_masses(s, masses_);
    is_factorised_ = false;
  }

  /// Does not store copies for comparison with the next call.
  void factorise_anew(const Rows& rows, int blocks, const BodyState& state, const JointProblem& p) {
    q_.clear();
    active_J_.clear();
    body_masses(state, masses_);
    all_inside_ = true;
    blocks_ = {rows.blocks.data(), static_cast<std::size_t>(blocks)};
    edges_.clear();
    for (const RowBlock& block : blocks_) edges_.push_back(edge(block, block.begin, block.end));
    gamma_ = p.gamma;
    system_.factorise(awake_, edges_, masses_, {rows.J.data(), p.size()}, gamma_, loops_);
    is_factorised_ = true;
  }

  TreeEdge edge(const RowBlock& block, int begin, int end) const {
    return {block.a < awake_ ? block.a : -1, block.b < awake_ ? block.b : -1, begin, end};
  }

  /// Solves a problem in which every row is an equation.
  void take_all(const Rows& rows, const JointProblem& p) {
    next_edges_.clear();
    for (const RowBlock& block : blocks_) next_edges_.push_back(edge(block, block.begin, block.end));
    take(next_edges_, edges_);
    take({rows.J.data(), p.size()}, active_J_);
    take(p.gamma, gamma_);
  }

  template <class T> void take(std::type_identity_t<std::span<const T>> now, std::vector<T>& before) {
    if (same_bits(now, before)) return;
    before.assign(now.begin(), now.end());
    is_factorised_ = false;
  }

  void factorise() {
    if (!is_factorised_) system_.factorise(awake_, edges_, masses_, active_J_, gamma_, loops_);
    is_factorised_ = true;
  }

  void improve_within_bounds(const JointProblem& p) {
    bool changed = is_fresh_;
    if (is_fresh_)
      for (const std::size_t i : bounded_) guess(p, i);
    is_fresh_ = false;
    const int single = kBlockPasses + 2 * static_cast<int>(bounded_.size());
    for (int pass = 0;; ++pass) {
      if (changed) select(p);
      solve(p);
      changed = change_places(p, pass < kBlockPasses ? Pivots::block
                                 : pass < single     ? Pivots::first
                                                     : Pivots::to_bounds);
      if (!changed) break;
    }
  }

  void guess(const JointProblem& p, std::size_t i) {
    const double K = diagonal_[i] + p.gamma[i], wanted = K > 0 ? p.lambda[i] + p.r[i] / K : p.lo[i];
    bound_state_[i] = wanted <= p.lo[i] ? BoundState::lo : wanted >= p.hi[i] ? BoundState::hi : BoundState::inside;
  }

  /// Collects the rows that are equations now; factorises if they differ from those of the last call.
  void select(const JointProblem& p) {
    next_edges_.clear();
    next_J_.clear();
    next_gamma_.clear();
    row_.clear();
    for (const RowBlock& block : blocks_) {
      const int begin = static_cast<int>(row_.size());
      for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
        if (bound_state_[i] != BoundState::inside) continue;
        row_.push_back(i);
        next_J_.push_back(J_[i]);
        next_gamma_.push_back(p.gamma[i]);
      }
      next_edges_.push_back(edge(block, begin, static_cast<int>(row_.size())));
    }
    take(next_edges_, edges_);
    take(next_J_, active_J_);
    take(next_gamma_, gamma_);
    factorise();
  }

  void solve(const JointProblem& p) {
    delta_.assign(p.size(), 0);
    f_.clear();
    for (const std::size_t i : bounded_) {
      if (bound_state_[i] == BoundState::inside) continue;
      delta_[i] = (bound_state_[i] == BoundState::lo ? p.lo[i] : p.hi[i]) - p.lambda[i];
      if (delta_[i] != 0) push(i, delta_[i]);
    }
    r_.resize(row_.size());
    lambda_.resize(row_.size());
    for (std::size_t k = 0; k < row_.size(); ++k) r_[k] = p.r[row_[k]];
    system_.solve(r_, f_, lambda_, x_);
    for (std::size_t k = 0; k < row_.size(); ++k) delta_[row_[k]] = lambda_[k];
  }

  const RowBlock& block_of(std::size_t row) const {
    return *std::upper_bound(blocks_.begin(), blocks_.end(), static_cast<int>(row),
                             [](int r, const RowBlock& b) { return r < b.end; });
  }

  void push(std::size_t i, double impulse) {
    f_.resize(static_cast<std::size_t>(awake_));
    const RowBlock& block = block_of(i);
    if (block.a < awake_) {
      BodyVelocity& a = f_[static_cast<std::size_t>(block.a)];
      a.v += impulse * part(J_[i], 0);
      a.w += impulse * part(J_[i], 3);
    }
    if (block.b < awake_) {
      BodyVelocity& b = f_[static_cast<std::size_t>(block.b)];
      b.v += impulse * part(J_[i], 6);
      b.w += impulse * part(J_[i], 9);
    }
  }

  /// The remaining r of a row after the solve.
  double left(const JointProblem& p, std::size_t i) const {
    const RowBlock& block = block_of(i);
    double v = 0;
    if (block.a < awake_) {
      const BodyVelocity& a = x_[static_cast<std::size_t>(block.a)];
      v += dot(part(J_[i], 0), a.v) + dot(part(J_[i], 3), a.w);
    }
    if (block.b < awake_) {
      const BodyVelocity& b = x_[static_cast<std::size_t>(block.b)];
      v += dot(part(J_[i], 6), b.v) + dot(part(J_[i], 9), b.w);
    }
    return p.r[i] - v - p.gamma[i] * delta_[i];
  }

  bool change_places(const JointProblem& p, Pivots pivots) {
    bool changed = false;
    for (const std::size_t i : bounded_) {
      BoundState next = bound_state_[i];
      const double lambda = p.lambda[i] + delta_[i];
      if (bound_state_[i] == BoundState::inside)
        next = lambda < p.lo[i] ? BoundState::lo : lambda > p.hi[i] ? BoundState::hi : BoundState::inside;
      else if (const double rest = left(p, i);
               pivots != Pivots::to_bounds && (bound_state_[i] == BoundState::lo ? rest > 0 : rest < 0))
        next = BoundState::inside;
      if (next == bound_state_[i]) continue;
      changed = true;
      bound_state_[i] = next;
      if (pivots == Pivots::first) break;
    }
    return changed;
  }

  LoopMethod loops_;
  JointSystem system_;
  bool is_factorised_ = false;
  int awake_ = 0;
  std::span<const RowBlock> blocks_;  // as of prepare(): they do not change until the next call
  // The system that is factorised, and the next one.
  std::vector<TreeEdge> edges_, next_edges_;
  std::vector<Jacobian> active_J_, next_J_;
  std::vector<double> gamma_, next_gamma_;
  std::vector<BodyMass> masses_;
  std::vector<Quat> q_;               // that masses_ belong to
  std::vector<double> inverse_mass_;  // the same
  std::vector<Vec3> inertia_;         // the same
  std::vector<double> delta_;
  std::vector<BodyVelocity> x_;
  std::vector<double> r_, lambda_;
  // Used only if rows have bounds.
  bool all_inside_ = true, is_fresh_ = true;
  std::vector<Jacobian> J_;              // by row
  std::vector<double> diagonal_;         // by row
  std::vector<BoundState> bound_state_;  // by row
  std::vector<std::size_t> bounded_;     // rows
  std::vector<std::size_t> row_;         // of each equation
  std::vector<BodyVelocity> f_;
};

}  // namespace

std::unique_ptr<JointImpulses> impulses_at_once(LoopMethod loops) { return std::make_unique<ImpulsesAtOnce>(loops); }

}  // namespace rigor
