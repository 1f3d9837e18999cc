// Every solver of src/lcp/ on every class of random problems of tests/lcp, at sizes 30 and 150: time per problem, and as
// counters the mean iterations and the share solved. `rows` runs the iterative ones on 3000 rows in factors, ten sweeps.
#include <benchmark/benchmark.h>

#include "../tests/lcp/random_problems.h"
#include "../tests/lcp/solvers.h"

namespace rigor::test {
namespace {

void solve(benchmark::State& state, const std::string& name, ProblemClass problem_class) {
  constexpr int kCount = 10;
  const int n = static_cast<int>(state.range(0));
  ProblemMaker maker(1);
  std::vector<RandomProblem> problems;
  for (int k = 0; k < kCount; ++k)
    problems.push_back(maker.make(problem_class, n, !has_capability(lcp_entry(name), "inequalities")));
  const std::unique_ptr<LcpSolver> solver = make_lcp(name);
  std::vector<double> x(n);
  double iterations = 0, solved = 0, runs = 0;
  for (auto _ : state)
    for (const RandomProblem& p : problems) {
      std::fill(x.begin(), x.end(), 0.0);
      const LcpResult r = solver->solve(p.problem(), x);
      iterations += r.iterations;
      solved += r.converged ? 1 : 0;
      ++runs;
    }
  state.counters["us_per_problem"] =
      benchmark::Counter(kCount * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["iterations"] = iterations / runs;
  state.counters["solved"] = solved / runs;
}

void rows(benchmark::State& state, const std::string& name) {
  constexpr int kRows = 3000;
  ProblemMaker maker(1);
  const RandomProblem p = maker.make_rows(ProblemClass::contact, kRows);
  const std::unique_ptr<LcpSolver> solver = make_lcp(name, {{"iterations", std::int64_t{10}}, {"tolerance", 0.0}});
  std::vector<double> x(kRows);
  for (auto _ : state) {
    std::fill(x.begin(), x.end(), 0.0);
    benchmark::DoNotOptimize(solver->solve_rows(p.rows(), x));
  }
  state.counters["ns_per_row_and_sweep"] = benchmark::Counter(
      10.0 * kRows * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

const bool registered = [] {
  for (const Entry& e : lcp_entries()) {
    for (const ProblemClass c : kProblemClasses)
      benchmark::RegisterBenchmark(("lcp/" + e.name + "/" + name_of(c)).c_str(), solve, e.name, c)->Arg(30)->Arg(150);
    if (has_capability(e, "matrix-free") && has_capability(e, "inequalities"))
      benchmark::RegisterBenchmark(("lcp/" + e.name + "/rows").c_str(), rows, e.name);
  }
  return true;
}();

}  // namespace
}  // namespace rigor::test
