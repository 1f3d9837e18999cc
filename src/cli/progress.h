// Shows the progress of a long run on standard error.
#pragma once

#include <chrono>
#include <string>

namespace rigor::cli {

/// A bar on a terminal, shown after the first second. Elsewhere a line in every minute, and what `tell` prints after ten seconds.
class Progress {
 public:
  explicit Progress(bool wanted);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // erases a bar

  /// `done` is the fraction, 0 to 1; `text` makes the label, such as "3 of 8 steps".
  template <class Text> void update(double done, const Text& text) {
    if (is_due()) show(done, text());
  }
  /// Reports that a part has ended, in a line of its own if there is no bar.
  void tell(const std::string& line) const;

 private:
  using Clock = std::chrono::steady_clock;

  bool is_due();
  void show(double done, const std::string& text);

  bool wanted_, is_terminal_, shown_ = false;
  Clock::time_point start_ = Clock::now(), next_;
};

}  // namespace rigor::cli
