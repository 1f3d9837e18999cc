#include "viewer/residuals.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/cpu_clock.h"
#include "lab/residual_probe.h"
#include "rigor/error.h"

namespace rigor::viewer {

Json describe_residuals(const Simulation& simulation, int most) {
  const auto probe = [&](int iterations) {
    return residuals_over_iterations(simulation.world(), simulation.method(), simulation.time(),
                                     simulation.time_settings().step, iterations);
  };
  try {
    const double before = thread_seconds();
    std::vector<double> list = probe(1);
    const double one = std::max(1e-6, thread_seconds() - before);
    if (list.empty())
      return {{"why",
               "there are no iterations to show: nothing has to be solved, or the method solves constraints itself"}};
    // The k-th point costs k iterations and the rest of a step: at least this many are affordable.
    const int affordable = static_cast<int>(std::min<double>(most, std::floor(kResidualSeconds / one)));
    if (affordable > 1) list = probe(affordable);
    return {{"residuals", list}};
  } catch (const Error& error) {
    return {{"why", error.what()}};
  }
}

}  // namespace rigor::viewer
