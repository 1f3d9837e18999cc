#include "rigor/profile.h"

#include <numeric>
#include <utility>

namespace rigor {

thread_local Profile* Profile::current_ = nullptr;

std::string_view stage_name(Stage stage) {
  static constexpr std::string_view kNames[] = {"forces", "broad_phase", "narrow_phase", "rows",
                                                "solve",  "integration", "correction",   "continuous",
                                                "sleep",  "validation",  "events",       "step"};
  static_assert(std::size(kNames) == kStageCount);
  return kNames[static_cast<std::size_t>(stage)];
}

void Profile::charge(Clock::time_point now) {
  if (!open_.empty())
    seconds_[static_cast<std::size_t>(open_.back().stage)] += std::chrono::duration<double>(now - last_).count();
  last_ = now;
}

void Profile::enter(Stage stage) {
  const Clock::time_point now = Clock::now();
  charge(now);
  ++visits_[static_cast<std::size_t>(stage)];
  open_.push_back({stage, now});
}

void Profile::leave() {
  const Clock::time_point now = Clock::now();
  charge(now);
  const Open& visit = open_.back();
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  if (keeps_spans_) spans_.push_back({visit.stage, seconds(visit.begin - start_), seconds(now - visit.begin)});
  open_.pop_back();
}

double Profile::total() const { return std::accumulate(seconds_.begin(), seconds_.end(), 0.0); }

void Profile::clear() {
  seconds_ = {};
  visits_ = {};
  spans_.clear();
}

std::vector<Profile::Span> Profile::take_spans() { return std::exchange(spans_, {}); }

}  // namespace rigor
