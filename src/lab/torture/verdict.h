// The verdicts about a run of a random world.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rigor {

enum class Verdict : std::uint8_t {
  crash,
  hang,
  not_finite,
  removed,
  energy,
  fast,
  momentum,
  through,
  deep,
  open,
  limit,
  restless
};
inline constexpr int kVerdicts = 12;
/// "not-finite", …
const char* to_string(Verdict verdict);
/// Its meaning in a sentence.
const char* meaning(Verdict verdict);
/// Error with similar names for an unknown one.
Verdict find_verdict(std::string_view name);

/// One finding: the first time at which a verdict held.
struct Finding {
  Verdict verdict = Verdict::crash;
  std::string object;              // names of a body, a pair or a joint; a sentence of a crash
  double time = 0;                 // s
  double figure = 0, allowed = 0;  // in the unit of the verdict: J, m/s, m, rad or 1
};

/// The outcome of a run.
struct Judgement {
  std::vector<Finding> findings;  // each verdict once at most, in the order of time
  double momentum_drift = 0;      // of worlds without external forces; relative, linear or angular
  double energy_excess = 0;       // J above the bound, relative to the energy that the world exchanges; may be negative
  double penetration = 0;         // m, deepest of all looks, one second after the start or later
  double joint_error = 0;         // m, largest of all steps; limits and ropes count by what they are exceeded
  std::vector<std::string> reports;  // the first few reports of the run
  std::uint64_t steps = 0;
  std::uint64_t hash = 0;  // of the bodies' last poses and velocities
  double seconds = 0;      // of computing, steps alone

  bool has(Verdict verdict) const;
  /// Stores the first finding of each verdict.
  void add(Finding finding);
};

}  // namespace rigor
