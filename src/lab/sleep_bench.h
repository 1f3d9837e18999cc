// The cost of a step when all bodies sleep, compared with the same bodies awake.
#pragma once

#include "rigor/method.h"

namespace rigor {

struct SleepBenchResult {
  int bodies = 0, asleep = 0;      // asleep: in the run that may sleep, when it was measured
  double awake = 0, sleeping = 0;  // ms per step, medians of the thread's time
  double share() const { return awake > 0 ? sleeping / awake : 0; }
};

/// `bodies` boxes in piles of two at rest under the method: once with sleep off, once with its sleep rule (`velocity` when it
/// never sleeps) until all of them sleep. Steps are of 1/60 s.
SleepBenchResult run_sleep_bench(const Method& method, int bodies, int measured_steps);

}  // namespace rigor
