#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace rigor::cli {

static int columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

Progress::Progress(bool wanted)
    : wanted_(wanted),
      is_terminal_(isatty(STDERR_FILENO)),
      next_(start_ + std::chrono::seconds(is_terminal_ ? 1 : 60)) {}

Progress::~Progress() {
  if (shown_ && is_terminal_) fmt::print(stderr, "\r\x1b[K");
}

bool Progress::is_due() {
  if (!wanted_) return false;
  const Clock::time_point now = Clock::now();
  if (now < next_) return false;
  next_ = now + std::chrono::milliseconds(is_terminal_ ? 100 : 60'000);
  return true;
}

void Progress::show(double done, const std::string& text) {
  shown_ = true;
  constexpr std::size_t kBar = 30;
  const auto filled = std::min(kBar, static_cast<std::size_t>(done * kBar));
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string left = done > 0 ? fmt::format(", {:.0f} s left", elapsed * (1 / done - 1)) : "";
  if (!is_terminal_) {
    fmt::print(stderr, "{:.0f} %{}, {}\n", 100 * done, left, text);
    return;
  }
  const std::string line = fmt::format("[{}{}] {:3.0f} %{}, {}", std::string(filled, '='),
                                       std::string(kBar - filled, ' '), 100 * done, left, text);
  fmt::print(stderr, "\r\x1b[K{:.{}}", line, columns() - 1);  // a wrapped line cannot be erased
  std::fflush(stderr);
}

void Progress::tell(const std::string& line) const {
  if (!wanted_ || is_terminal_ || Clock::now() < start_ + std::chrono::seconds(10)) return;
  fmt::print(stderr, "{}\n", line);
}

}  // namespace rigor::cli
