// The result of one cell of a sweep.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/sweep_spec.h"

namespace rigor::cli {

/// A figure of a scenario or a case, which have their own.
struct SweepFigure {
  std::string name, unit;  // "1": relative, or a number
  double value = 0;        // NaN if it is not finite
  double tolerance = 0;    // 0: it is not judged

  bool is_finite() const { return std::isfinite(value); }
  bool is_met() const { return is_finite() && (tolerance == 0 || value <= tolerance); }
};

/// The result of a cell. Everything except `seconds` is determined by the spec and the version.
struct SweepRow {
  SweepCell cell;
  std::string scene_hash, method_json, version;
  std::string verdict;  // see docs/sweep.md; several are separated by spaces
  std::uint64_t steps = 0;
  std::string state_hash;
  double momentum_drift = 0, energy_excess = 0, penetration = 0, joint_error = 0;  // as docs/torture.md has them; m
  std::vector<SweepFigure> figures;
  std::string report;  // the first sentence, or why it was refused
  double seconds = 0;  // of computing
};

/// The verdict of a cell whose process was killed from outside, so that nothing is known about it.
inline constexpr const char* kKilled = "killed";

inline bool is_killed(const SweepRow& row) { return row.verdict == kKilled; }
/// True if the method or engine cannot hold the scene.
inline bool is_refused(const SweepRow& row) { return row.verdict == "refused" || row.verdict == "not-claimed"; }
/// True if the run counts: the others neither succeeded nor failed.
inline bool is_judged(const SweepRow& row) { return !is_refused(row) && !is_killed(row); }
inline bool is_failed(const SweepRow& row) { return is_judged(row) && row.verdict != "fine"; }

// The fields of a row that a process or rank which ran it sends to the one that stores it.
std::string to_text(const SweepRow& row);
SweepRow sweep_row(const std::string& text);

}  // namespace rigor::cli
