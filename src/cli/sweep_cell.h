// Runs the cells of a sweep, each in a separate process.
#pragma once

#include <memory>
#include <string>

#include "cli/limited_run.h"
#include "cli/sweep_row.h"
#include "cli/torture_job.h"

namespace rigor::cli {

/// A cell that runs. The constructor starts it.
class RunningCell {
 public:
  /// `trajectory` is the file that every step of a scene is written to; empty: none.
  RunningCell(const SweepSpec& spec, const SweepCell& cell, const std::string& trajectory);
  /// Becomes readable when the cell has ended; -1: it has ended already, because it was refused.
  int descriptor() const { return process_ ? process_->descriptor() : -1; }
  /// Waits for the result. A process that crashed, did not end or was killed has that verdict.
  SweepRow result();

 private:
  SweepRow row_;
  std::unique_ptr<LimitedProcess> process_;
};

/// The verdict and the measures of a judged run.
void add_judgement(SweepRow& row, const TortureResult& result);
/// The verdict and the figures of a case at a step of `dt`, s.
void add_case(SweepRow& row, const reference::Case& problem, const Method& method, double dt);
void add_result(SweepRow& row, const reference::Case& problem, const Method& method, double dt,
                const reference::Result& result);

}  // namespace rigor::cli
