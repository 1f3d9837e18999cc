#include "cli/matrix_page.h"

#include <fmt/format.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.h"
#include "cli/limited_run.h"
#include "io/json_text.h"
#include "lab/method_matrix.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

constexpr const char* kScene = "seesaw";

struct Row {
  const MatrixEntry& entry;
  std::optional<MatrixResult> result;
  std::string trouble;

  bool has_failed() const { return !trouble.empty() || (result && (!result->is_finite || result->quarantined > 0)); }
  bool is_slow() const { return trouble.empty() && (!result || result->interrupted); }
};

std::string outcome(const Row& row, const MatrixOptions& options) {
  if (!row.trouble.empty()) return "failed: " + row.trouble;
  if (!row.result) return fmt::format("too slow: not done after {} s of computing", options.limit);
  if (!row.result->is_finite) return "not finite";
  if (row.result->quarantined > 0) return fmt::format("{} bodies not finite", row.result->quarantined);
  if (row.result->interrupted)
    return fmt::format("too slow: finite up to {:.2f} s, after {} s of computing", row.result->reached, options.limit);
  return "finite";
}

/// Runs all rows in order, as many at the same time as the options allow.
std::vector<Row> make_runs(const std::vector<MatrixEntry>& entries, const MatrixOptions& options) {
  const Scene scene = open_scene(kScene);
  std::vector<Row> rows;
  std::deque<LimitedRun<MatrixResult>> running;
  std::size_t next = 0;
  while (rows.size() < entries.size()) {
    for (; next < entries.size() && running.size() < static_cast<std::size_t>(options.jobs); ++next)
      running.emplace_back(options.limit, [&] { return run_matrix_entry(scene, entries[next], options.seconds); });
    Row row{entries[rows.size()], std::nullopt, ""};
    try {
      row.result = running.front().result();
    } catch (const Error& error) {
      row.trouble = error.what();
    }
    running.pop_front();
    // The table may take hours, so each result is printed at once.
    fmt::print(stderr, "{} of {}: {}: {}\n", rows.size() + 1, entries.size(), row.entry.name(), outcome(row, options));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string page(const std::vector<Row>& rows, const MatrixOptions& options) {
  std::size_t failed = 0, slow = 0;
  for (const Row& row : rows) {
    failed += row.has_failed();
    slow += !row.has_failed() && row.is_slow();
  }
  std::string text = fmt::format(
      "# Every step with every solver\n\n"
      "The seesaw of Garstenauer 2006, 8.2, under every stepping method with every compatible solver, at their "
      "default\n"
      "settings; the explicit step with every error correction. Made by `rigor robustness --matrix`.\n\n"
      "- *itself*: the step solves contacts and joints by itself and takes no solver. *A after B*: B solves impacts, A "
      "the rest.\n"
      "- *times*: {:.6g} s are simulated, in steps of {:.6g} s. A run is given up after {} s of computing (`--limit`); "
      "too slow is\n"
      "  not the same as failed, and such a row has the simulated time that it reached.\n"
      "- *fastest body*: the greatest speed of any body in the run. The heavy box lands on the board with 16.4 m/s. "
      "Where it is\n"
      "  more, that is the light box when it comes down beside the pyramid: with 17 to 18 m/s after a throw to 18 m, "
      "with 20 to\n"
      "  26 m/s after one to 23 m or more; the total energy stays below that at the start. Faster than that is wrong: "
      "under\n"
      "  conservative-advancement with guendelman-contact the top box of the pyramid, at rest until then, is flung "
      "away.\n\n"
      "{} combinations: {} finite to the end, {} too slow, {} failed.\n\n"
      "| step | solver | correction | outcome | fastest body, m/s |\n| --- | --- | --- | --- | --- |\n",
      options.seconds, open_scene(kScene).time.step, options.limit, rows.size(), rows.size() - failed - slow, slow,
      failed);
  for (const Row& row : rows)
    text += fmt::format("| {} | {} | {} | {} | {} |\n", row.entry.stepping, row.entry.solver, row.entry.correction,
                        outcome(row, options), row.result ? fmt::format("{:.3g}", row.result->fastest) : "");
  return text;
}

Json to_json(const Row& row, const MatrixOptions& options) {
  Json json = {{"stepping", row.entry.stepping},   {"solver", row.entry.solver}, {"correction", row.entry.correction},
               {"outcome", outcome(row, options)}, {"failed", row.has_failed()}, {"too_slow", row.is_slow()}};
  if (row.result) {
    json["reached"] = row.result->reached;
    json["fastest"] = row.result->fastest;
  }
  return json;
}

}  // namespace

int print_matrix(const MatrixOptions& options) {
  const std::vector<MatrixEntry> entries = method_matrix();
  const std::vector<Row> rows = make_runs(entries, options);
  bool failed = false;
  Json list = Json::array();
  for (const Row& row : rows) {
    failed = failed || row.has_failed();
    list.push_back(to_json(row, options));
  }
  if (options.json)
    print(list);
  else
    print(page(rows, options));
  return failed ? kFailure : kSuccess;
}

}  // namespace rigor::cli
