// The results of a sweep as tables in Markdown, as pages of the documentation have them: figures of scenarios and cases, rates of failures.
#pragma once

#include <string>
#include <vector>

#include "cli/sweep_results.h"

namespace rigor::cli {

struct SweepTable {
  std::string title;  // empty: none
  std::string text;   // a paragraph above it
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // entries may begin with a part in bold: **…**
};
std::string markdown(const SweepTable& table);

/// One table for each scenario and case: a row for each method, a column for each figure. `limit` is the number of seconds of computing
/// after which a run was given up; empty: it is not known.
std::vector<SweepTable> figure_tables(const std::vector<SweepRow>& rows, const std::string& limit);
/// Failures by scene or class of random worlds, and by verdict: a row for each method. Without scenarios and cases.
SweepTable rate_table(const std::vector<SweepRow>& rows, const std::string& limit);

std::vector<SweepTable> sweep_tables(const SweepResults& results);
std::string sweep_markdown(const SweepResults& results);
/// The page with the sweep between the marks of its name. Error if it has no such marks; `path` names it there.
std::string with_sweep(const std::string& page, const std::string& path, const SweepResults& results);

/// True for a scenario or a case.
bool has_own_figures(const SweepRow& row);
/// A method, with its parameters where they vary.
std::string contestant(const SweepRow& row);
/// The class of a random world, or the scene.
std::string group_of(const SweepRow& row);

}  // namespace rigor::cli
