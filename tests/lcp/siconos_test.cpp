// Siconos' numerics as an oracle: its error function, and its Gauss–Seidel.
#include <gtest/gtest.h>

#include "lcp/cone_figures.h"
#include "lcp/contact_files.h"
#include "registry/entry.h"

#if RIGOR_HAVE_SICONOS
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <fc3d_Solvers.h>
#include <fc3d_compute_error.h>
#endif

namespace rigor::test {
namespace {

#if RIGOR_HAVE_SICONOS

/// Their problem from ours, so that global files are compared, too; a plane problem has no counterpart.
class Theirs {
 public:
  explicit Theirs(const ConeProblem& p) : n_(p.size()), matrix_(NM_create(NM_DENSE, n_, n_)) {
    for (int i = 0; i < p.W.blocks(); ++i)
      for (int k = p.W.row_begin[std::size_t(i)]; k < p.W.row_begin[std::size_t(i) + 1]; ++k) {
        const int j = p.W.column[std::size_t(k)];
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            matrix_->matrix0[(3 * i + a) + n_ * (3 * j + b)] =
                p.W.data[std::size_t(p.W.data_begin[std::size_t(k)] + 3 * a + b)];
      }
    q_ = p.q;
    for (const ConeBlock& block : p.blocks) mu_.push_back(block.group[0].mu);
    problem_ = frictionContactProblem_new_with_data(3, n_ / 3, matrix_, q_.data(), mu_.data());
  }
  ~Theirs() {
    NM_clear(matrix_);
    free(matrix_);
    free(problem_);
  }
  Theirs(const Theirs&) = delete;
  Theirs& operator=(const Theirs&) = delete;

  double error(std::vector<double> r) {
    std::vector<double> u(r.size());
    double norm = 0, error = 0;
    for (const double x : q_) norm += x * x;
    fc3d_compute_error(problem_, r.data(), u.data(), 1e-9, nullptr, std::sqrt(norm), &error);
    return error;
  }
  /// Their Gauss–Seidel.
  std::vector<double> solve(double tolerance, int& info) {
    std::vector<double> r(q_.size(), 0), u(q_.size(), 0);
    SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 1000;
    info = fc3d_driver(problem_, r.data(), u.data(), options);
    solver_options_delete(options);  // only what it points to
    free(options);
    return r;
  }

 private:
  int n_;
  NumericsMatrix* matrix_;
  std::vector<double> q_, mu_;
  FrictionContactProblem* problem_;
};

TEST(Siconos, JudgesAsWeDo) {
  RIGOR_NEEDS_CONTACT_FILES();
  for (const auto& path : contact_files()) {
    const ContactFile file = load(path);
    if (file.dimension != 3) continue;
    const ConeProblem p = file.problem();
    Theirs theirs(p);
    for (int k = 0; k < 5; ++k) {  // from zero to far outside of the cones
      std::vector<double> r(p.q.size());
      for (std::size_t i = 0; i < r.size(); ++i) r[i] = k * std::sin(double(i) + k);
      const ConeFigures f = cone_figures(p, r);
      const double error = theirs.error(r);
      EXPECT_NEAR(error, f.siconos, 1e-10 * std::max(1.0, error)) << path << " " << k;
    }
  }
}

/// Each of our solvers that converges is right by their measure, and their solution is right by ours. Impulses themselves need not be the same: redundant contacts
/// share loads in many ways.
TEST(Siconos, AgreesWithEveryExactSolver) {
  RIGOR_NEEDS_CONTACT_FILES();
  int compared = 0;
  for (const auto& path : contact_files()) {
    const ContactFile file = load(path);
    if (file.dimension != 3) continue;
    const ConeProblem p = file.problem();
    Theirs theirs(p);
    int info = 0;
    const std::vector<double> r = theirs.solve(1e-9, info);
    if (info == 0) {
      EXPECT_LT(cone_figures(p, r).siconos, 1e-8) << path;
    }
    for (const char* name : {"nsgs", "admm", "alart-curnier", "fischer-burmeister"}) {
      std::vector<double> x(p.q.size(), 0);
      const ConeResult result = create<ConeSolver>(Kind::cone, {name, {}}, "cone")->solve(p, x, nullptr);
      if (!result.converged) continue;
      // The two measures weigh impulses against velocities differently.
      EXPECT_LT(theirs.error(x), 10 * 1e-9) << name << " on " << path;
      ++compared;
    }
  }
  EXPECT_GE(compared, 60);
}

#else

TEST(Siconos, IsMissing) { GTEST_SKIP() << "built without Siconos' numerics (Debian: libsiconos-numerics-dev)"; }

#endif

}  // namespace
}  // namespace rigor::test
