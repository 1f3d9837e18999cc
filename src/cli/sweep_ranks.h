// The ranks of an MPI job that runs a sweep. Rank 0 owns the file of results: it hands out one cell after the other and writes the rows
// that the other ranks send. So only its machine needs the file.
//
// Without mpirun, and in a program that was built without MPI, there is one rank.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "cli/sweep_results.h"

namespace rigor::cli {

class SweepRanks {
 public:
  /// Starts MPI if mpirun started this process.
  SweepRanks();
  /// Waits for the other ranks.
  ~SweepRanks();
  SweepRanks(const SweepRanks&) = delete;
  SweepRanks& operator=(const SweepRanks&) = delete;

  int rank() const { return rank_; }
  int count() const { return count_; }

  // For rank 0.
  struct Message {
    enum class Kind : std::uint8_t { asks_for_cell, result, has_ended };
    Kind kind = Kind::asks_for_cell;
    int from = 0;
    SweepRow row = {};  // a result
  };
  /// The next message that has arrived, if any.
  std::optional<Message> receive() const;
  /// Answers a rank that asks for a cell; nothing: none is left.
  void answer(int rank, std::optional<std::size_t> cell) const;
  /// Other ranks that have not ended. The destructor waits for them and has no more cells for them.
  int busy() const { return busy_; }

  // For the other ranks.
  /// Asks for a cell and waits for the answer; nothing: none is left.
  std::optional<std::size_t> ask() const;
  void send(const SweepRow& row) const;
  /// Tells rank 0 that no result follows.
  void end() const;

 private:
  struct Mpi;
  std::unique_ptr<Mpi> mpi_;  // null: one rank
  int rank_ = 0, count_ = 1;
  mutable int busy_ = 0;  // of rank 0
};

}  // namespace rigor::cli
