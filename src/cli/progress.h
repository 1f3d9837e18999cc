// A line on standard error that tells how far a long run is.
#pragma once

#include <chrono>
#include <cstdint>

namespace rigor::cli {

/// Shown only on a terminal and only after the first second.
class Progress {
 public:
  Progress(std::uint64_t steps, bool wanted);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // wipes the line

  void update(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::uint64_t steps_;
  bool wanted_, shown_ = false;
  Clock::time_point start_ = Clock::now(), next_ = start_ + std::chrono::seconds(1);
};

}  // namespace rigor::cli
