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

#include "cli/sweep_row.h"

struct sqlite3;
struct sqlite3_stmt;

namespace rigor::cli {

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
    std::string limit;                          // s of computing for each cell
    std::map<std::string, std::string> scenes;  // hashes by name, without random worlds
  };
  /// Stores the source of the file; Error if it has another one.
  void begin(const Source& source);
  Source source() const;
  std::string name() const { return meta("name"); }
  std::string version() const { return meta("version"); }
  std::size_t cells() const { return std::stoull(meta("cells")); }
  /// s of computing for each cell; empty in files of earlier versions.
  std::string limit() const;

  /// Claims the next of `wanted` (ascending) that has no result and no living owner. Returns nothing if there is none.
  std::optional<std::size_t> claim(const std::vector<std::size_t>& wanted, std::size_t& from);
  /// Writes the heartbeat of this process.
  void beat();
  void put(const SweepRow& row);
  /// Cells whose process was killed from outside. begin() removes them, so that they run again.
  std::size_t killed() const;
  /// Adds a row of another file; false if it exists already, or was killed. Error if the two differ.
  bool merge(const SweepRow& row);
  void for_rows(const std::function<void(const SweepRow&)>& visit) const;
  std::size_t done() const;

 private:
  std::string meta(const std::string& key) const;
  void create_tables();
  void check_pages();
  std::string difference(const Source& source) const;
  void execute(const char* sql) const;
  bool has_living_owner(std::size_t number) const;
  bool has_figures() const;
  std::vector<SweepFigure> figures_of(std::size_t number) const;
  void put_figures(const SweepRow& row);

  sqlite3* file_ = nullptr;
  bool is_begun_ = false;  // all of its descriptions are there
  std::string path_, owner_;
};

}  // namespace rigor::cli
