#include "lab/contact_capture.h"

#include <Eigen/Dense>

#include "rigor/error.h"
#include "solvers/cone_rows.h"
#include "world/stages.h"

namespace rigor {

namespace {

using Index = std::size_t;

/// A solver that stores the problem and does not solve it.
class Capture final : public Solver {
 public:
  SolverLevel level() const override { return SolverLevel::velocity; }
  SolverReport solve(SolverContext& c) override {
    if (!is_first_) return {};
    is_first_ = false;
    ConeRows rows;
    if (rows.split(c, /*together=*/true) == 0) return {};
    captured.problem = rows.assemble(c, 0);
    for (const int b : rows.row_blocks()) {
      const RowBlock& block = c.rows.blocks[Index(b)];
      blocks.push_back(block);
    }
    return {};
  }

  CapturedProblem captured;
  std::vector<RowBlock> blocks;

 private:
  bool is_first_ = true;
};

}  // namespace

CapturedProblem capture_problem(const World& given, const Method& method, double time, double h) {
  if (has_capability(entry(Kind::stepping, method.stepping.name, "stepping"), "solves-constraints"))
    throw Error("method",
                "the step '" + method.stepping.name +
                    "' solves constraints itself and poses no contact problem; choose another --method, such as nsgs");
  World world = given;
  Simulation found(world, method);
  found.find_contacts();
  ContactList contacts = found.contacts();
  const auto capture = std::make_shared<Capture>();
  SolverSet solvers = make_solvers(method);
  solvers.collision = solvers.contact = solvers.joint = capture;
  const ThreadPool threads(1);
  world.evaluate_forces(time);
  ConstraintStage stage;
  stage.prepare(world, contacts, solvers, {method.restitution_threshold, method.stick_speed}, 0, h, threads);
  if (!stage.rows().blocks.empty()) stage.solve_constraints(method.gyroscopic, {}, [] {});
  for (const RowBlock& block : capture->blocks) {
    if (block.source == RowBlock::Source::contact) {
      const Contact& c = *stage.list().contacts[block.index].contact;
      capture->captured.names.push_back(world.name(c.a) + "–" + world.name(c.b));
    } else {
      capture->captured.names.push_back(stage.list().joints[block.index].def->name);
    }
  }
  return std::move(capture->captured);
}

ConeProblem contacts_only(const CapturedProblem& captured) {
  const ConeProblem& p = captured.problem;
  std::vector<int> kept, gone, contact_of;  // rows; contact_of: by contact, its first row
  std::vector<double> mu;
  for (Index b = 0; b < p.blocks.size(); ++b) {
    const ConeBlock& block = p.blocks[b];
    const std::string& name = captured.names[b];
    if (block.contact) {
      if (block.groups > 1 || (block.groups == 1 && block.group[0].size != 2))
        throw Error("contact '" + name + "'",
                    "a friction-contact problem cannot express rolling and spinning friction");
      kept.push_back(block.begin), mu.push_back(block.groups > 0 ? block.group[0].mu : 0);
      contact_of.push_back(block.groups > 0 ? block.begin : -1);
      continue;
    }
    for (int i = block.begin; i < block.begin + block.size; ++i) {
      const double lo = p.lo[Index(i)], hi = p.hi[Index(i)];
      if (lo == -kUnbounded && hi == kUnbounded) {
        gone.push_back(i);
      } else if (lo == 0 && hi == kUnbounded) {
        kept.push_back(i), mu.push_back(0), contact_of.push_back(-1);
      } else {
        throw Error("joint '" + name + "'",
                    "a friction-contact problem cannot express a motor or a row with two bounds");
      }
    }
  }
  // Rows of the result: three per contact, −1 where there is no tangent.
  std::vector<int> rows;
  for (Index c = 0; c < kept.size(); ++c)
    for (int i = 0; i < 3; ++i) rows.push_back(i == 0 ? kept[c] : contact_of[c] >= 0 ? contact_of[c] + i : -1);
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(p.size(), p.size());
  for (int i = 0; i < p.W.blocks(); ++i)
    for (int k = p.W.row_begin[Index(i)]; k < p.W.row_begin[Index(i) + 1]; ++k) {
      const int j = p.W.column[Index(k)], m = p.W.size_of(j);
      for (int a = 0; a < p.W.size_of(i); ++a)
        for (int b = 0; b < m; ++b)
          W(p.W.start[Index(i)] + a, p.W.start[Index(j)] + b) = p.W.data[Index(p.W.data_begin[Index(k)] + a * m + b)];
    }
  const auto n = static_cast<Eigen::Index>(rows.size()), g = static_cast<Eigen::Index>(gone.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n), B = Eigen::MatrixXd::Zero(n, g), C(g, g);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(n), e(g);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (rows[Index(i)] < 0) {  // u_t = W_nn r_t, decoupled from all other rows
      const int normal = rows[Index(i - i % 3)];
      A(i, i) = W(normal, normal);
      continue;
    }
    q[i] = p.q[Index(rows[Index(i)])];
    for (Eigen::Index j = 0; j < n; ++j)
      if (rows[Index(j)] >= 0) A(i, j) = W(rows[Index(i)], rows[Index(j)]);
    for (Eigen::Index j = 0; j < g; ++j) B(i, j) = W(rows[Index(i)], gone[Index(j)]);
  }
  for (Eigen::Index i = 0; i < g; ++i) {
    e[i] = p.q[Index(gone[Index(i)])];
    for (Eigen::Index j = 0; j < g; ++j) C(i, j) = W(gone[Index(i)], gone[Index(j)]);
  }
  if (g > 0) {
    const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors(C);  // redundant joints: least norm
    A -= B * factors.solve(B.transpose());
    q -= B * factors.solve(e);
  }
  SparseEntries entries;
  entries.rows = entries.columns = static_cast<int>(n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      if (A(i, j) != 0) entries.add(static_cast<int>(i), static_cast<int>(j), A(i, j));
  return contact_problem(block_matrix(contact_starts(static_cast<int>(kept.size()), 3), entries),
                         std::vector<double>(q.data(), q.data() + n), mu, 3);
}

}  // namespace rigor
