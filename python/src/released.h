// Steps without Python's global lock.
//
// Python ends a thread that asks for its lock while the interpreter shuts down, and a C++ function cannot be left that way. So the module waits for
// running steps before the interpreter shuts down, and refuses new ones.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <utility>

#include "rigor/error.h"
#include "rigor/interruption.h"

namespace rigor::python {

/// Counts the calls that have released the lock. All of it is read and written with the lock held.
struct ReleasedCalls {
  int running = 0;
  bool is_closing = false;  // the interpreter shuts down

  static ReleasedCalls& all() {
    static ReleasedCalls calls;
    return calls;
  }
};

/// Ends a step with an exception that is no Exception of Python, such as KeyboardInterrupt: without_lock() raises it. It carries the exception, so that
/// each of several threads gets its own.
class InterruptedByPython final : public Interrupted {
 public:
  explicit InterruptedByPython(std::exception_ptr cause) : cause_(std::move(cause)) {}
  [[noreturn]] void raise() const { std::rethrow_exception(cause_); }

 private:
  std::exception_ptr cause_;
};
[[noreturn]] inline void end_step_with(std::exception_ptr interruption) {
  throw InterruptedByPython(std::move(interruption));
}

/// Calls f without the lock of Python.
template <class F> auto without_lock(const F& f) {
  ReleasedCalls& calls = ReleasedCalls::all();
  if (calls.is_closing) throw Error("step", "the Python interpreter is shutting down");
  const struct Count {
    int& running;
    explicit Count(int& of) : running(of) { ++running; }
    ~Count() { --running; }
  } count(calls.running);
  try {
    const pybind11::gil_scoped_release release;
    return f();
  } catch (const InterruptedByPython& interruption) {
    interruption.raise();
  }
}

/// Lets the module wait for running steps when the interpreter shuts down.
void wait_for_steps_at_exit();

}  // namespace rigor::python
