// The results of a sweep as a SQLite file: one row per cell, written when its run has ended. A program that is killed loses the cells that
// were running, and nothing else.
//
// Several processes may work on one file. Each process claims the next free cell in a transaction and writes a heartbeat. When a
// heartbeat stops, other processes claim the cells of that process.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/sweep_spec.h"

struct sqlite3;
struct sqlite3_stmt;

namespace rigor::cli {

/// The result of a cell. Everything except `seconds` is determined by the spec and the version.
struct SweepRow {
  SweepCell cell;
  std::string scene_hash, method_json, version;
  std::string verdict;  // "fine", "refused", or the verdicts of the run, separated by spaces
  std::uint64_t steps = 0;
  std::string state_hash;
  double momentum_drift = 0, energy_excess = 0, penetration = 0, joint_error = 0;  // as docs/torture.md has them; m
  std::string report;  // the first sentence, or why it was refused
  double seconds = 0;  // of computing
};

class SweepResults {
 public:
  enum class Open : std::uint8_t { create_or_continue, read };
  /// Error if the file cannot be opened, or is not a result of a sweep.
  SweepResults(const std::string& path, Open how);
  ~SweepResults();
  SweepResults(const SweepResults&) = delete;
  SweepResults& operator=(const SweepResults&) = delete;

  /// Which sweep and version a file belongs to.
  struct Source {
    std::string name, spec, version;            // `spec`: a hash
    std::string cells;                          // their number
    std::map<std::string, std::string> scenes;  // hashes by name, without random worlds
  };
  /// Stores the source of the file; Error if it has another one.
  void begin(const Source& source);
  Source source() const;
  std::string name() const { return meta("name"); }
  std::string version() const { return meta("version"); }
  std::size_t cells() const { return std::stoull(meta("cells")); }

  /// Claims the next of `wanted` (ascending) that has no result and no living owner. Returns nothing if there is none.
  std::optional<std::size_t> claim(const std::vector<std::size_t>& wanted, std::size_t& from);
  /// Writes the heartbeat of this process.
  void beat();
  void put(const SweepRow& row);
  /// Adds a row of another file; false if it exists already. Error if the two differ.
  bool merge(const SweepRow& row);
  void for_rows(const std::function<void(const SweepRow&)>& visit) const;
  std::size_t done() const;

 private:
  std::string meta(const std::string& key) const;
  std::string difference(const Source& source) const;
  void execute(const char* sql) const;
  bool has_living_owner(std::size_t number) const;

  sqlite3* file_ = nullptr;
  bool is_begun_ = false;  // all of its descriptions are there
  std::string path_, owner_;
};

}  // namespace rigor::cli
