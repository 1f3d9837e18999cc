#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace rigor::cli {

Progress::Progress(std::uint64_t steps, bool wanted) : steps_(steps), wanted_(wanted && isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::update(std::uint64_t done) {
  if (!wanted_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  constexpr std::size_t kBar = 30;
  const double fraction = static_cast<double>(done) / static_cast<double>(steps_);
  const auto filled = static_cast<std::size_t>(fraction * kBar);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r\x1b[K[{}{}] {:3.0f} %, {} of {} steps, {:.0f} s left", std::string(filled, '='),
             std::string(kBar - filled, ' '), 100 * fraction, done, steps_, elapsed * (1 / fraction - 1));
  std::fflush(stderr);
}

}  // namespace rigor::cli
