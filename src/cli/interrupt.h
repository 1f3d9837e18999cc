// Ctrl-C ends steps and loops by Interrupted, so that half-written files are removed on the way out.
#pragma once

#include <csignal>

#include "rigor/interruption.h"

namespace rigor::cli {

/// Catches SIGINT and SIGTERM from now on, for the steps and loops of this thread: see throw_if_interrupted(). The program then
/// exits with 130; a second signal ends it at once.
void watch_for_interrupts();
/// While it exists, the first SIGINT or SIGTERM ends the program at once: for the reading of files, which does not look for interrupts and leaves nothing
/// behind.
class DefaultSignals {
 public:
  DefaultSignals();
  ~DefaultSignals();
  DefaultSignals(const DefaultSignals&) = delete;
  DefaultSignals& operator=(const DefaultSignals&) = delete;

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};
/// For other threads.
const Interruption& interruption();

}  // namespace rigor::cli
