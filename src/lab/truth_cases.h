// Small worlds on which the figures of truth are measured: at rest, sliding, stacked, heaped.
#pragma once

#include <span>
#include <vector>

#include "lab/truth.h"
#include "rigor/scene.h"

namespace rigor {

struct TruthCase {
  const char* name;
  const char* description;
  const char* world;  // JSON
  double settle;      // s that the default method simulates first
  int steps;          // of 1/60 s, all of them measured
};
std::span<const TruthCase> truth_cases();
/// Error with similar names for an unknown one.
const TruthCase& find_truth_case(const std::string& name);

/// The state from which a case is measured, with steps of 1/60 s. Bodies do not sleep.
Simulation start_truth_case(const TruthCase& problem, Method method);

struct TruthOfCase {
  std::vector<TruthFigure> figures;
  double milliseconds = 0;  // per step, median, without the measuring
};
/// Figures of `steps` steps; 0: those of the case.
TruthOfCase measure_truth(const TruthCase& problem, const Method& method, int steps = 0);

}  // namespace rigor
