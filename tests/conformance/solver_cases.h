// Every registered constraint solver in the slots that it claims, made ready for the same physics. New ones join by
// themselves.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "rigor/rigor.h"

namespace rigor::test {

struct SolverCase {
  std::string name;
  std::string level;  // force, velocity, position, bias
  Method method;
  double dt;  // s
  bool solves_collisions, solves_contacts, solves_joints;

  bool is_position_level() const { return level == "position"; }
};

inline std::ostream& operator<<(std::ostream& out, const SolverCase& c) { return out << c.name; }

/// Solvers that claim all of `tasks` ("collision", "contact", "joint"); those for error correction work on top of the
/// reference solver and are in every list.
std::vector<SolverCase> solver_cases(const std::vector<std::string>& tasks);
std::string case_name(const testing::TestParamInfo<SolverCase>& info);

/// A box of density 1000 on a slope of `angle` rad about z; gravity is turned instead of the ground. Returns its id.
BodyId add_body_on_slope(World& world, double angle, const ShapePtr& shape, double height, const Material& material);
/// A ball on a rod of one metre that is held level, its other end at the origin; takes the ground away. Returns its id.
BodyId add_pendulum(World& world);
/// Runs for a time.
void run(Simulation& sim, double seconds, double dt);

}  // namespace rigor::test
