#include "cli/interrupt.h"

#include <csignal>

namespace rigor::cli {

namespace {

Interruption by_signal;

void remember(int) { by_signal.request(); }

}  // namespace

const Interruption& interruption() { return by_signal; }

void watch_for_interrupts() {
  static const InterruptibleThread here(&by_signal);
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

DefaultSignals::DefaultSignals() {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGINT, &usual, &interrupt_);
  sigaction(SIGTERM, &usual, &terminate_);
}

DefaultSignals::~DefaultSignals() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

}  // namespace rigor::cli
