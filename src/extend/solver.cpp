// Constraint solvers of extensions: rows, velocities and islands are passed as plain arrays, and only λ is returned.
#include "rigor/extend/solver.h"

#include "extend/adapters.h"
#include "math/disjoint_sets.h"
#include "registry/extension_call.h"
#include "solvers/velocity_rows.h"

namespace rigor {

namespace {

/// The rows of some blocks, one after the other.
struct GatheredRows {
  std::vector<extend::ImpulseBlock> blocks;
  std::vector<Jacobian> J, JW;
  std::vector<double> diagonal, target, softness, lo, hi, mu, lambda;
  std::vector<int> friction_of;
  std::vector<RowKind> kind;
  std::vector<extend::Velocity> velocity;
  int islands = 0;

  void gather(const SolverContext& c) {
    clear();
    for (const int b : c.blocks) add_block(c, c.rows.blocks[static_cast<std::size_t>(b)]);
    for (const BodyVelocity& u : c.bodies.u) velocity.push_back({u.v, u.w});
    find_islands(c.bodies.awake);
  }

 private:
  void clear() {
    blocks.clear(), J.clear(), JW.clear(), diagonal.clear(), target.clear(), softness.clear(), lo.clear(), hi.clear();
    mu.clear(), lambda.clear(), friction_of.clear(), kind.clear(), velocity.clear();
  }

  void add_block(const SolverContext& c, const RowBlock& block) {
    const int begin = static_cast<int>(J.size());
    blocks.push_back(
        {block.a, block.b, begin, begin + block.size(), block.source == RowBlock::Source::contact, block.colliding, 0});
    const Baumgarte correction = c.correction.of(block);
    for (int i = block.begin; i < block.end; ++i) {
      const auto r = static_cast<std::size_t>(i);
      const VelocityRow row = velocity_row(c.rows, i, c.h(), correction);
      J.push_back(c.rows.J[r]), JW.push_back(c.rows.JW[r]);
      diagonal.push_back(c.rows.diagonal[r] > 0 ? c.rows.diagonal[r] + row.gamma : 0);
      target.push_back(row.wanted), softness.push_back(row.gamma);
      lo.push_back(c.h() * c.rows.lo[r]), hi.push_back(c.h() * c.rows.hi[r]);
      mu.push_back(c.rows.mu[r]), kind.push_back(c.rows.kind[r]), lambda.push_back(c.rows.lambda[r]);
      friction_of.push_back(c.rows.friction_of[r] < 0 ? -1 : c.rows.friction_of[r] - block.begin + begin);
    }
  }

  /// Islands are numbered in the order of their first blocks.
  void find_islands(int awake) {
    const auto moves = [awake](int body) { return body < awake; };
    DisjointSets sets(static_cast<std::size_t>(awake));
    for (const extend::ImpulseBlock& b : blocks)
      if (moves(b.a) && moves(b.b)) sets.unite(static_cast<std::uint32_t>(b.a), static_cast<std::uint32_t>(b.b));
    std::vector<int> number(static_cast<std::size_t>(awake), -1);
    islands = 0;
    for (extend::ImpulseBlock& b : blocks) {
      if (!moves(b.a) && !moves(b.b)) {
        b.island = islands++;
        continue;
      }
      int& island = number[sets.root(static_cast<std::uint32_t>(moves(b.a) ? b.a : b.b))];
      if (island < 0) island = islands++;
      b.island = island;
    }
  }
};

class SolverAdapter final : public Solver {
 public:
  explicit SolverAdapter(const Extension& extension)
      : name_(extension.name), extension_(extension.instance<extend::Solver>()) {}

  void fields(FieldVisitor& v) override { visit_extension(Kind::solver, name_, *extension_, v); }
  SolverLevel level() const override { return SolverLevel::velocity; }

  SolverReport solve(SolverContext& c) override {
    throw_if_interrupted();
    rows_.gather(c);
    extend::ImpulseProblem problem{
        c.h(),          c.step,   rows_.islands, rows_.blocks,      rows_.J,  rows_.JW,   rows_.diagonal, rows_.target,
        rows_.softness, rows_.lo, rows_.hi,      rows_.friction_of, rows_.mu, rows_.kind, rows_.velocity, rows_.lambda};
    scratch_.reset();
    const extend::SolveResult result =
        call_extension(Kind::solver, name_, [&] { return extension_->solve(problem, scratch_); });
    put_back(c);
    SolverReport report;
    report.iterations = result.iterations;
    report.residual = velocity_residual(c);
    report.converged = result.converged;
    return report;
  }

 private:
  void put_back(SolverContext& c) const {
    std::size_t row = 0;
    for (const int b : c.blocks) {
      const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
      for (int i = block.begin; i < block.end; ++i, ++row) {
        const double lambda = rows_.lambda[row];
        if (!std::isfinite(lambda))
          throw ExtensionFailure(extension_name(Kind::solver, name_), "it returned an impulse that is not finite");
        c.rows.lambda[static_cast<std::size_t>(i)] = lambda;
        if (lambda != 0) apply_row(c.rows, i, block, lambda, c.bodies.u);
      }
    }
  }

  std::string name_;
  std::unique_ptr<extend::Solver> extension_;
  GatheredRows rows_;
  extend::Scratch scratch_;
};

}  // namespace

std::unique_ptr<Configurable> adapt_solver(const Extension& extension) {
  return std::make_unique<SolverAdapter>(extension);
}

}  // namespace rigor
