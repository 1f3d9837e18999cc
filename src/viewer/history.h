// The past of a session: snapshots of its simulations, one per step while memory lasts, fewer of what lies further back.
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

  /// Keeps the state of this step, or skips it when saving costs more than kSaveMilliseconds per step. A second one of a step
  /// replaces the first, and is never skipped: something was changed by hand.
  void keep(std::uint64_t step, const Runs& runs);
  /// Puts `runs` back to the last state kept that is not after `step`, or to the first one when there is none. False when nothing
  /// is kept.
  bool restore(std::uint64_t step, Runs& runs) const;
  /// When the session goes on from `step`, what came after it is no future any more.
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
  double save_milliseconds_ = 0;  // of late
};

}  // namespace rigor::viewer
