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
  bool is_closing = false;          // the interpreter shuts down
  std::exception_ptr interruption;  // KeyboardInterrupt or SystemExit of a function written in Python, within a step

  static ReleasedCalls& all() {
    static ReleasedCalls calls;
    return calls;
  }
};

/// Ends a step with an exception that is no Exception of Python, such as KeyboardInterrupt: without_lock() raises it. Call it with the lock held.
[[noreturn]] inline void end_step_with(std::exception_ptr interruption) {
  ReleasedCalls::all().interruption = std::move(interruption);
  throw Interrupted();
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
  } catch (const Interrupted&) {
    if (!calls.interruption) throw;
    std::rethrow_exception(std::exchange(calls.interruption, nullptr));
  }
}

/// Lets the module wait for running steps when the interpreter shuts down.
void wait_for_steps_at_exit();

}  // namespace rigor::python
