// The past of a session: snapshots of its simulations, one per step while memory lasts, fewer further back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "rigor/simulation.h"

namespace rigor::viewer {

using Runs = std::vector<Simulation>;

class History {
 public:
  explicit History(std::size_t budget = kBudget) : budget_(budget) {}

  /// Stores the state of this step, or skips it if saving costs more than kSaveMilliseconds per step. A second state of the same step
  /// replaces the first and is never skipped: the user has changed something.
  void keep(std::uint64_t step, const Runs& runs);
  /// Restores `runs` to the last stored state that is not after `step`, or to the first one if there is none. False if nothing
  /// is stored.
  bool restore(std::uint64_t step, Runs& runs) const;
  /// Drops the states after `step`, when the session continues from there.
  void forget_after(std::uint64_t step);
  void clear();

  std::size_t count() const { return entries_.size(); }
  std::uint64_t first() const { return entries_.empty() ? 0 : entries_.front().step; }
  std::uint64_t last() const { return entries_.empty() ? 0 : entries_.back().step; }
  std::size_t bytes() const { return bytes_; }

  static constexpr std::size_t kBudget = 256u << 20;  // bytes that snapshots do not share
  static constexpr double kSaveMilliseconds = 2;

 private:
  struct Entry {
    std::uint64_t step;
    std::vector<Snapshot> runs;
    std::size_t bytes;
  };
  void thin_out();  // to the budget

  std::deque<Entry> entries_;
  std::size_t budget_, bytes_ = 0;
  double save_milliseconds_ = 0;  // recent mean
};

}  // namespace rigor::viewer
