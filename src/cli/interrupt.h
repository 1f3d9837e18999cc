// Ctrl-C as a flag that loops look at, so that half-written files are removed on the way out.
#pragma once

namespace rigor::cli {

/// Thrown by throw_if_interrupted(); the program then exits with 130.
struct Interrupted {};

/// Catches SIGINT and SIGTERM from now on.
void watch_for_interrupts();
void throw_if_interrupted();

}  // namespace rigor::cli
