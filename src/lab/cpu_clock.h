#pragma once

#include <ctime>

namespace rigor {

/// Processor time of this thread in seconds. Unlike wall-clock time it does not advance while other threads have the core.
inline double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace rigor
