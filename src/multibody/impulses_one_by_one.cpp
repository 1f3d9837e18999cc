// The iterative method: an iteration visits joint after joint. The rows of a joint that are equations are solved together, K λ = d
// with (6), (8), (10), (12) of Bender and Schmitt 2006 for all six basic joints alike; bounded rows one by one. Within an iteration
// the error of a joint is linear in the velocities, r − J Δu, as in (6); the next
// prediction replaces it.
//
// Gauss–Seidel on blocks converges linearly: slowly for long chains, for many joints on one body and for heavy bodies
// on light ones. On the paper's car each sweep over the joints removes half a percent of the error. With `accelerated`,
// an iteration makes several sweeps, until the changes are a tenth of the first ones, and uses each sweep as the gradient of
// a conjugate gradient method (Silcowitz-Hansen, Niebe, Erleben 2010): it adds β times the last change to the change of
// the sweep, β = ‖Δλ‖² / ‖Δλ before‖². It restarts when β > 1.
#include "constraints/row_math.h"
#include "multibody/joint_problem.h"
#include "solvers/block_factor.h"

namespace rigor {

namespace {

class ImpulsesOneByOne final : public JointImpulses {
 public:
  explicit ImpulsesOneByOne(bool accelerated) : accelerated_(accelerated) {}

  void prepare(const Rows& rows, int blocks, const StepBodies& bodies, const BodyState&, const JointProblem& problem,
               RowsAre) override {
    const auto n = static_cast<std::ptrdiff_t>(problem.size());
    blocks_.assign(rows.blocks.begin(), rows.blocks.begin() + blocks);
    J_.assign(rows.J.begin(), rows.J.begin() + n);
    JW_.assign(rows.JW.begin(), rows.JW.begin() + n);
    diagonal_.assign(rows.diagonal.begin(), rows.diagonal.begin() + n);
    delta_u_.resize(bodies.u.size());
    delta_lambda_.resize(problem.size());
    targets_.resize(static_cast<std::size_t>(rows.size()));
    factors_.resize(blocks_.size());
    for (std::size_t b = 0; b < blocks_.size(); ++b) factorise(rows, b, problem);
  }

  void improve(JointProblem& p, std::vector<BodyVelocity>& u) override {
    std::fill(delta_u_.begin(), delta_u_.end(), BodyVelocity{});
    std::fill(delta_lambda_.begin(), delta_lambda_.end(), 0.0);
    if (accelerated_)
      sweep_until_small(p);
    else
      for (std::size_t b = 0; b < blocks_.size(); ++b) visit(p, b);
    for (std::size_t i = 0; i < u.size(); ++i) {
      u[i].v += delta_u_[i].v;
      u[i].w += delta_u_[i].w;
    }
    for (std::size_t i = 0; i < p.size(); ++i) p.lambda[i] += delta_lambda_[i];
  }

  bool at_once() const override { return false; }

 private:
  void factorise(const Rows& rows, std::size_t b, const JointProblem& p) {
    const RowBlock& block = blocks_[b];
    bool soft = false;
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      targets_[i] = {0, p.gamma[i]};
      if (std::isfinite(rows.stiffness[i]) && !p.is_out(i)) soft = true;
    }
    factors_[b].factorise(rows, block, targets_, soft ? BlockFactor::Equations::all : BlockFactor::Equations::rigid);
  }

  double missing(const JointProblem& p, const RowBlock& block, std::size_t i) const {
    return p.r[i] - p.gamma[i] * delta_lambda_[i] -
           speed_along(J_[i], delta_u_[static_cast<std::size_t>(block.a)], delta_u_[static_cast<std::size_t>(block.b)]);
  }

  void add(const RowBlock& block, std::size_t i, double impulse) {
    BodyVelocity &a = delta_u_[static_cast<std::size_t>(block.a)], &b = delta_u_[static_cast<std::size_t>(block.b)];
    const Jacobian& JW = JW_[i];
    delta_lambda_[i] += impulse;
    a.v += impulse * part(JW, 0);
    a.w += impulse * part(JW, 3);
    b.v += impulse * part(JW, 6);
    b.w += impulse * part(JW, 9);
  }

  void visit(const JointProblem& p, std::size_t b) {
    const RowBlock& block = blocks_[b];
    const BlockFactor& factor = factors_[b];
    std::array<double, BlockFactor::kMaxRows> x{};
    std::array<bool, 64> done{};
    for (int k = 0; k < factor.size(); ++k) {
      x[static_cast<std::size_t>(k)] = missing(p, block, static_cast<std::size_t>(factor.row(k)));
      done[static_cast<std::size_t>(factor.row(k) - block.begin)] = true;
    }
    factor.solve(x);
    for (int k = 0; k < factor.size(); ++k)
      add(block, static_cast<std::size_t>(factor.row(k)), x[static_cast<std::size_t>(k)]);
    for (int row = block.begin; row < block.end; ++row) {
      const auto i = static_cast<std::size_t>(row);
      const double K = diagonal_[i] + p.gamma[i];
      if (done[static_cast<std::size_t>(row - block.begin)] || p.is_out(i) || !(K > 0)) continue;
      const double lambda = p.lambda[i] + delta_lambda_[i];
      add(block, i, std::clamp(lambda + missing(p, block, i) / K, p.lo[i], p.hi[i]) - lambda);
    }
  }

  void sweep_until_small(const JointProblem& p) {
    constexpr int kMostSweeps = 100;
    constexpr double kSmall = 0.01;  // squared; chosen, as the number above
    direction_.assign(p.size(), 0);
    double first = 0, last = 0;
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      before_ = delta_lambda_;
      for (std::size_t b = 0; b < blocks_.size(); ++b) visit(p, b);
      // The norm of changes is weighted by the diagonal, as an energy.
      double squared = 0;
      for (std::size_t i = 0; i < p.size(); ++i) {
        const double change = delta_lambda_[i] - before_[i];
        squared += diagonal_[i] * change * change;
      }
      if (sweep == 0) first = squared;
      if (!(squared > kSmall * first) && sweep > 0) return;
      accelerate(p, last > 0 ? squared / last : 0);
      last = squared;
    }
  }

  void accelerate(const JointProblem& p, double beta) {
    if (!(beta <= 1)) {
      std::fill(direction_.begin(), direction_.end(), 0.0);
      return;
    }
    for (const RowBlock& block : blocks_)
      for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
        const double step = beta * direction_[i];
        direction_[i] = step + delta_lambda_[i] - before_[i];
        if (step == 0 || p.is_out(i)) continue;
        const double lambda = p.lambda[i] + delta_lambda_[i];
        add(block, i, std::clamp(lambda + step, p.lo[i], p.hi[i]) - lambda);
      }
  }

  bool accelerated_;
  std::vector<RowBlock> blocks_;
  std::vector<Jacobian> J_, JW_;
  std::vector<double> diagonal_, delta_lambda_;
  std::vector<double> before_, direction_;  // of conjugate gradients: before the visit, and the last change
  std::vector<BodyVelocity> delta_u_;
  std::vector<VelocityRow> targets_;
  std::vector<BlockFactor> factors_;
};

}  // namespace

std::unique_ptr<JointImpulses> impulses_one_by_one(bool accelerated) {
  return std::make_unique<ImpulsesOneByOne>(accelerated);
}

}  // namespace rigor
