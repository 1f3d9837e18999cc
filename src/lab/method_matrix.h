// Every stepping method with every solver that is declared compatible, run on a scene: no
// number may become infinite or NaN.
#pragma once

#include <string>
#include <vector>

#include "rigor/method.h"
#include "rigor/scene.h"

namespace rigor {

struct MatrixEntry {
  std::string stepping, solver, correction;  // names; "itself" for a step that solves its constraints
  Method method;

  std::string name() const { return stepping + " with " + solver + " and " + correction; }
};

/// Combinations with the default settings of every solver:
///  - every step that solves constraints itself;
///  - every other step with each solver for contacts and joints, and each solver for joints alone beside sequential impulses,
///    with Baumgarte's correction if they use it;
///  - for the explicit step, each of those with every correction, and every solver for collisions.
/// Combinations that check() refuses are omitted.
std::vector<MatrixEntry> method_matrix();

/// Plain numbers.
struct MatrixResult {
  double reached = 0;        // s, simulated
  double fastest = 0;        // m/s, of any body at any time
  bool is_finite = true;     // every body at every step
  int quarantined = 0;       // bodies removed because they were not finite
  bool interrupted = false;  // before the end
};
/// Makes steps of the scene's size for `seconds`, unless an Interruption of this thread is due before.
MatrixResult run_matrix_entry(const Scene& scene, const MatrixEntry& entry, double seconds);

}  // namespace rigor
