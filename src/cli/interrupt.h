// Ctrl-C ends steps and loops by Interrupted, so that half-written files are removed on the way out.
#pragma once

#include "rigor/interruption.h"

namespace rigor::cli {

/// Catches SIGINT and SIGTERM from now on, for the steps and loops of this thread: see throw_if_interrupted(). The program then
/// exits with 130; a second signal ends it at once.
void watch_for_interrupts();
/// For other threads.
const Interruption& interruption();

}  // namespace rigor::cli
