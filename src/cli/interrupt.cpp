#include "cli/interrupt.h"

#include <csignal>

namespace rigor::cli {

namespace {

volatile std::sig_atomic_t interrupted = 0;

void remember(int) { interrupted = 1; }

}  // namespace

void watch_for_interrupts() {
  struct sigaction action {};
  action.sa_handler = remember;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void throw_if_interrupted() {
  if (interrupted) throw Interrupted{};
}

}  // namespace rigor::cli
