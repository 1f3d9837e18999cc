#include "cli/run_tally.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/numbers.h"

namespace rigor::cli {

namespace {

bool is_silent(const SweepRow& row) {
  if (!row.report.empty()) return false;
  for (const std::string& verdict : split(row.verdict, ' '))
    for (const Verdict v : {Verdict::not_finite, Verdict::energy, Verdict::fast, Verdict::deep, Verdict::open})
      if (verdict == to_string(v)) return true;
  return false;
}

}  // namespace

void RunTally::add(const SweepRow& row) {
  refused += is_refused(row);
  killed += is_killed(row);
  if (!is_judged(row)) return;
  ++judged;
  failed += is_failed(row);
  silent += is_silent(row);
  for (const std::string& verdict : split(row.verdict, ' '))
    for (std::size_t v = 0; v < kVerdicts; ++v) by_verdict[v] += verdict == to_string(static_cast<Verdict>(v));
  momentum_drift = std::max(momentum_drift, row.momentum_drift);
  if (row.steps == 0 || !row.figures.empty()) return;  // it crashed or hung, or has figures of its own
  depth.push_back(row.penetration);
  joint.push_back(row.joint_error);
  milliseconds.push_back(1e3 * row.seconds / static_cast<double>(row.steps));
}

std::string RunTally::fraction() const { return fmt::format("{} of {}", failed, judged); }

std::string killed_text(int killed) {
  if (killed == 0) return "";
  return killed == 1 ? "one was killed from outside, so that nothing is known about it"
                     : fmt::format("{} were killed from outside, so that nothing is known about them", killed);
}

}  // namespace rigor::cli
