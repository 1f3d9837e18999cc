#include "viewer/history.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/cpu_clock.h"

namespace rigor::viewer {

void History::keep(std::uint64_t step, const Runs& runs) {
  forget_after(step);
  const bool again = !entries_.empty() && entries_.back().step == step;
  const auto stride = static_cast<std::uint64_t>(std::max(1.0, std::ceil(save_milliseconds_ / kSaveMilliseconds)));
  if (!again && !entries_.empty() && step < entries_.back().step + stride) return;
  if (again) {
    bytes_ -= entries_.back().bytes;
    entries_.pop_back();
  }
  const double before = thread_seconds();  // processor time: other processes on the core do not count
  Entry entry{step, {}, 0};
  for (const Simulation& s : runs) {
    entry.runs.push_back(s.save());
    entry.bytes += entry.runs.back().size();
  }
  entries_.push_back(std::move(entry));
  const double took = 1e3 * (thread_seconds() - before);
  save_milliseconds_ = save_milliseconds_ == 0 ? took : 0.9 * save_milliseconds_ + 0.1 * took;
  bytes_ += entries_.back().bytes;
  thin_out();
}

/// Drops the state whose removal widens a gap least, relative to its age, so that the remaining states are denser towards the
/// present. The first state is never dropped, so that the user can always go back to the beginning.
void History::thin_out() {
  while (bytes_ > budget_ && entries_.size() > 2) {
    std::size_t least = 1;
    double least_gap = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i + 1 < entries_.size(); ++i) {
      const double gap = static_cast<double>(entries_[i + 1].step - entries_[i - 1].step) /
                         static_cast<double>(last() + 1 - entries_[i].step);
      if (gap < least_gap) {
        least = i;
        least_gap = gap;
      }
    }
    bytes_ -= entries_[least].bytes;
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(least));
  }
}

bool History::restore(std::uint64_t step, Runs& runs) const {
  if (entries_.empty()) return false;
  const auto after = std::upper_bound(entries_.begin(), entries_.end(), step,
                                      [](std::uint64_t s, const Entry& e) { return s < e.step; });
  const Entry& entry = after == entries_.begin() ? entries_.front() : *std::prev(after);
  runs.resize(entry.runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].restore(entry.runs[i]);
  return true;
}

void History::forget_after(std::uint64_t step) {
  while (!entries_.empty() && entries_.back().step > step) {
    bytes_ -= entries_.back().bytes;
    entries_.pop_back();
  }
}

void History::clear() {
  entries_.clear();
  bytes_ = 0;
  save_milliseconds_ = 0;
}

}  // namespace rigor::viewer
