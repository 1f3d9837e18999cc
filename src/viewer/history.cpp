#include "viewer/history.h"

#include <algorithm>
#include <cmath>

#include "lab/cpu_clock.h"

namespace rigor::viewer {

namespace {

/// What a copy of the simulations takes, roughly: arrays and definitions per body, manifolds per contact.
std::size_t estimated_bytes(const Runs& runs) {
  constexpr std::size_t kPerSimulation = 8192, kPerBody = 1200;
  std::size_t sum = 0;
  for (const Simulation& s : runs)
    sum += kPerSimulation + kPerBody * s.world().body_count() + sizeof(Contact) * s.contacts().size();
  return sum;
}

}  // namespace

void History::keep(std::uint64_t step, const Runs& runs) {
  forget_after(step);
  const bool again = !entries_.empty() && entries_.back().step == step;
  const auto stride = static_cast<std::uint64_t>(std::max(1.0, std::ceil(copy_milliseconds_ / kCopyMilliseconds)));
  if (!again && !entries_.empty() && step < entries_.back().step + stride) return;
  if (again) {
    bytes_ -= entries_.back().bytes;
    entries_.pop_back();
  }
  const double before = thread_seconds();  // what others do with the core says nothing about the copy
  entries_.push_back({step, runs, estimated_bytes(runs)});
  const double took = 1e3 * (thread_seconds() - before);
  copy_milliseconds_ = copy_milliseconds_ == 0 ? took : 0.9 * copy_milliseconds_ + 0.1 * took;
  bytes_ += entries_.back().bytes;
  if (bytes_ > budget_) thin_out();
}

/// Drops every second copy of the older half, and keeps the very first: one can always go back to the beginning.
void History::thin_out() {
  const std::size_t half = entries_.size() / 2;
  std::deque<Entry> kept;
  bytes_ = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (i < half && i % 2 == 1) continue;
    bytes_ += entries_[i].bytes;
    kept.push_back(std::move(entries_[i]));
  }
  entries_ = std::move(kept);
}

const Runs* History::at(std::uint64_t step) const {
  if (entries_.empty()) return nullptr;
  const auto after = std::upper_bound(entries_.begin(), entries_.end(), step,
                                      [](std::uint64_t s, const Entry& e) { return s < e.step; });
  return after == entries_.begin() ? &entries_.front().runs : &std::prev(after)->runs;
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
  copy_milliseconds_ = 0;
}

}  // namespace rigor::viewer
