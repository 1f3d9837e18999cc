// All impulses at once: (14) of Bender and Schmitt 2006, M p' = Δu, factorised along the joint graph.
//
// Rows with bounds (limits, motors, friction) are an active set: those at a bound act as known impulses, the others are
// equations. After a solve, rows that left their bounds go to them, rows at a bound that pull the wrong way are let go, until
// nothing changes (Júdice and Pires 1994: block pivoting). The factorisation is kept while rows, poses and masses stay the same,
// bit for bit: the one of a velocity correction serves the joint correction of the next step (4.5).
#include "constraints/row_math.h"
#include "multibody/joint_problem.h"

namespace rigor {

namespace {

/// Chosen: block pivoting takes two or three passes where it converges at all.
constexpr int kMostPasses = 10;

class ImpulsesAtOnce final : public JointImpulses {
 public:
  explicit ImpulsesAtOnce(LoopMethod loops) : loops_(loops) {}

  void prepare(const Rows& rows, int blocks, const StepBodies& bodies, const BodyState& state,
               const JointProblem& problem) override {
    awake_ = bodies.awake;
    blocks_.assign(rows.blocks.begin(), rows.blocks.begin() + blocks);
    J_.assign(rows.J.begin(), rows.J.begin() + static_cast<std::ptrdiff_t>(problem.size()));
    diagonal_.assign(rows.diagonal.begin(), rows.diagonal.begin() + static_cast<std::ptrdiff_t>(problem.size()));
    body_masses(state, next_masses_);
    bounded_.clear();
    for (std::size_t i = 0; i < problem.size(); ++i)
      if (problem.is_bounded(i) && !problem.is_out(i)) bounded_.push_back(i);
    place_.assign(problem.size(), Place::inside);
    for (std::size_t i = 0; i < problem.size(); ++i)
      if (problem.is_out(i)) place_[i] = Place::lo;
    is_fresh_ = true;
  }

  void improve(JointProblem& p, std::vector<BodyVelocity>& u) override {
    x_.resize(static_cast<std::size_t>(awake_));
    bool changed = is_fresh_ || is_stale_;
    if (is_fresh_)
      for (const std::size_t i : bounded_) guess(p, i);
    is_fresh_ = false;
    for (int pass = 0; pass < kMostPasses; ++pass) {
      if (changed) select(p);
      solve(p);
      changed = change_places(p);
      if (!changed) break;
    }
    is_stale_ = changed;  // the places have moved on since the last selection
    for (std::size_t i = 0; i < x_.size(); ++i) u[i].v += x_[i].v, u[i].w += x_[i].w;
    for (std::size_t i = 0; i < p.size(); ++i) p.lambda[i] += delta_[i];
  }

  bool at_once() const override { return true; }

 private:
  enum class Place : std::uint8_t { lo, inside, hi };

  void guess(const JointProblem& p, std::size_t i) {
    const double K = diagonal_[i] + p.gamma[i], wanted = K > 0 ? p.lambda[i] + p.r[i] / K : p.lo[i];
    place_[i] = wanted <= p.lo[i] ? Place::lo : wanted >= p.hi[i] ? Place::hi : Place::inside;
  }

  /// Collects the rows that are equations now; factorises when they are not those of the last time.
  void select(const JointProblem& p) {
    next_edges_.clear(), next_J_.clear(), next_gamma_.clear(), row_.clear();
    for (const RowBlock& block : blocks_) {
      const int begin = static_cast<int>(row_.size());
      for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
        if (place_[i] != Place::inside) continue;
        row_.push_back(i), next_J_.push_back(J_[i]), next_gamma_.push_back(p.gamma[i]);
      }
      const int end = static_cast<int>(row_.size());
      next_edges_.push_back({block.a < awake_ ? block.a : -1, block.b < awake_ ? block.b : -1, begin, end});
    }
    if (next_J_ == active_J_ && next_gamma_ == gamma_ && next_edges_ == edges_ && next_masses_ == masses_) return;
    std::swap(next_J_, active_J_), std::swap(next_gamma_, gamma_), std::swap(next_edges_, edges_);
    masses_ = next_masses_;
    system_.factorise(awake_, edges_, masses_, active_J_, gamma_, loops_);
  }

  void solve(const JointProblem& p) {
    delta_.assign(p.size(), 0);
    f_.clear();
    for (const std::size_t i : bounded_) {
      if (place_[i] == Place::inside) continue;
      delta_[i] = (place_[i] == Place::lo ? p.lo[i] : p.hi[i]) - p.lambda[i];
      if (delta_[i] != 0) push(i, delta_[i]);
    }
    r_.resize(row_.size()), lambda_.resize(row_.size());
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
      a.v += impulse * part(J_[i], 0), a.w += impulse * part(J_[i], 3);
    }
    if (block.b < awake_) {
      BodyVelocity& b = f_[static_cast<std::size_t>(block.b)];
      b.v += impulse * part(J_[i], 6), b.w += impulse * part(J_[i], 9);
    }
  }

  /// What the solve has left of a row's r.
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

  bool change_places(const JointProblem& p) {
    bool changed = false;
    for (const std::size_t i : bounded_) {
      Place next = place_[i];
      const double lambda = p.lambda[i] + delta_[i];
      if (place_[i] == Place::inside)
        next = lambda < p.lo[i] ? Place::lo : lambda > p.hi[i] ? Place::hi : Place::inside;
      else if (const double rest = left(p, i); place_[i] == Place::lo ? rest > 0 : rest < 0)
        next = Place::inside;
      changed |= next != place_[i];
      place_[i] = next;
    }
    return changed;
  }

  LoopMethod loops_;
  JointSystem system_;
  int awake_ = 0;
  bool is_fresh_ = true, is_stale_ = false;
  std::vector<RowBlock> blocks_;
  std::vector<Jacobian> J_;           // by row
  std::vector<double> diagonal_;      // by row
  std::vector<Place> place_;          // by row
  std::vector<std::size_t> bounded_;  // rows
  std::vector<std::size_t> row_;      // of each equation
  std::vector<TreeEdge> edges_, next_edges_;
  std::vector<Jacobian> active_J_, next_J_;
  std::vector<double> gamma_, next_gamma_;
  std::vector<BodyMass> masses_, next_masses_;
  std::vector<double> r_, lambda_, delta_;
  std::vector<BodyVelocity> f_, x_;
};

}  // namespace

std::unique_ptr<JointImpulses> impulses_at_once(LoopMethod loops) { return std::make_unique<ImpulsesAtOnce>(loops); }

}  // namespace rigor
