// A line on standard error that tells how far a long run is.
#pragma once

#include <chrono>
#include <string>

namespace rigor::cli {

/// A bar on a terminal, shown after the first second. Elsewhere nothing, but for `tell` after ten seconds.
class Progress {
 public:
  explicit Progress(bool wanted);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // wipes the bar

  /// `done` of all, 0 to 1; `text` makes what stands behind it, such as "3 of 8 steps".
  template <class Text> void update(double done, const Text& text) {
    if (is_due()) show(done, text());
  }
  /// A part that has ended: a line for those who have no bar.
  void tell(const std::string& line) const;

 private:
  using Clock = std::chrono::steady_clock;

  bool is_due();
  void show(double done, const std::string& text);

  bool wanted_, is_terminal_, shown_ = false;
  Clock::time_point start_ = Clock::now(), next_ = start_ + std::chrono::seconds(1);
};

}  // namespace rigor::cli
