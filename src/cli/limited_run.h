// Runs work in a separate process with a limit on its computing time: work that hangs or crashes does not end the program.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

#include "rigor/error.h"

namespace rigor::cli {

/// The process was ended by a signal from outside before its computing time was over: by a user, or for want of memory.
class Killed : public Error {
 public:
  using Error::Error;
};

/// A process that answers with bytes. The constructor starts it.
class LimitedProcess {
 public:
  /// After `seconds` of processor time, steps in the process are interrupted; it is killed a second later.
  LimitedProcess(int seconds, const std::function<std::string()>& work);
  ~LimitedProcess();
  LimitedProcess(const LimitedProcess&) = delete;
  LimitedProcess& operator=(const LimitedProcess&) = delete;

  /// Becomes readable when the process answers or ends.
  int descriptor() const { return end_; }
  /// Waits for the answer. Empty if its computing time was over; Killed if it was ended from outside; Error with the message of an
  /// exception of `work`.
  std::optional<std::string> answer();

 private:
  pid_t child_ = -1;
  int seconds_;   // of processor time
  int end_ = -1;  // of the pipe
};

/// The same with an answer of plain numbers.
template <class Result> class LimitedRun {
  static_assert(std::is_trivially_copyable_v<Result>);

 public:
  template <class F>
  LimitedRun(int seconds, F work)
      : process_(seconds, [&] {
          const Result result = work();
          return std::string(reinterpret_cast<const char*>(&result), sizeof result);
        }) {}

  std::optional<Result> result() {
    const std::optional<std::string> bytes = process_.answer();
    if (!bytes) return std::nullopt;
    Result result;
    std::memcpy(static_cast<void*>(&result), bytes->data(), sizeof result);
    return result;
  }

 private:
  LimitedProcess process_;
};

}  // namespace rigor::cli
