#pragma once

#include <ctime>

namespace rigor {

/// Seconds that this thread has computed. Unlike the time on the wall it does not run while others have the core.
inline double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace rigor
