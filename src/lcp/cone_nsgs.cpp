// Block Gauss–Seidel with exact contacts (Jourdan, Alart, Jean 1998; nsgs of Siconos; Hwangbo, Lee, Hutter 2018):
//
//   for every contact i:   r_i ← the exact solution of its 3 × 3 problem with v_i = q_i + Σ_{j≠i} W_ij r_j
//
// and joints by blocks of their own. Sweeps go forwards and backwards in turn where `symmetric` is set. There is no proof of convergence
// with friction, and in practice hardly a failure; it is linear, and slow where W is badly conditioned: high stacks, long chains, large
// mass ratios. Redundant contacts do no harm. Cost of a sweep: one product with W and a scalar equation per contact that slips.
//
// Before the error is evaluated in full, the largest change of a sweep has to fall below the tolerance.
#include "lcp/cone_sweeps.h"
#include "registry/entry.h"

namespace rigor {

namespace {

class Nsgs final : public ConeSolver {
 public:
  Nsgs() { settings_.iterations = 10000; }

  void fields(FieldVisitor& v) override {
    settings_.fields(v);
    v.flag("symmetric", symmetric_, "every other sweep goes backwards");
  }

  ConeResult solve(const ConeProblem& problem, std::span<double> r, ConeTrace* trace) override {
    check_problem(problem, r);
    project(problem, r);
    ConeJudge judge(problem, settings_, trace);
    ConeSweeps sweeps(problem);
    double scale = 0;
    for (const double x : problem.q) scale = std::max(scale, std::abs(x));
    int k = 0;
    bool done = judge.done(r);
    double gate = settings_.tolerance * scale;
    int next_look = 1;
    while (!done && k < settings_.iterations) {
      const double change = sweeps.sweep(r, symmetric_ && k % 2 == 1);
      ++k;
      const bool looks =
          trace || change <= gate || k == settings_.iterations || !std::isfinite(change) || k >= next_look;
      if (!looks) continue;
      if (k >= next_look) next_look = 2 * k;
      done = judge.done(r);
      if (change <= gate) gate = 0.5 * change;  // the change was too kind an estimate
    }
    return judge.finish(r, k);
  }

 private:
  ConeSettings settings_;
  bool symmetric_ = false;
};

}  // namespace

Entry register_cone_nsgs() {
  return {Kind::cone,
          "nsgs",
          "block Gauss–Seidel, each contact solved exactly with its cone",
          "Jourdan, Alart, Jean 1998; Hwangbo, Lee, Hutter 2018",
          {"warm-start", "singular", "exact-contacts"},
          make_default<Nsgs>,
          {}};
}

}  // namespace rigor
