// The experiments of Bender and Schmitt 2006, section 5: trees, stars and spread stars of rods on spherical joints, hung up and turning, with
// the impulses found joint by joint and by the system of linear equations. Time per step is processor time of the thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rigor/world.h"

namespace rigor {

enum class JointBenchShape : std::uint8_t {
  tree,    // every rod carries two
  star,    // every rod hangs on the tip of the first
  spread,  // every rod is where it is in the tree, but its joint connects it with the first: the paper's model of 127 joints at one body
};

/// A binary tree of 2^levels - 1 rods of equal density, 11.4 m (the first) to 1 m long, on as many ball joints; the first hangs on
/// the world. It turns about the vertical with 0.5 rad/s, where the paper has a torque act on the first rod.
World bender_world(JointBenchShape shape, int levels);

struct JointBenchCase {
  JointBenchShape shape = JointBenchShape::tree;
  int levels = 7;
  double tolerance = 1e-6;  // m, and m/s
  bool at_once = true;      // the system of linear equations
  int steps = 30;           // of 1/30 s
};

struct JointBenchRow {
  JointBenchCase what;
  int joints = 0;
  double ms_per_step = 0;                                // median over the steps
  double joint_iterations = 0, velocity_iterations = 0;  // mean per step
  double joint_error = 0;                                // m, largest after a step
};
/// Runs the cases in turn, `rounds` times: every round computes the same, and the time of a step is the smallest one, which is the least
/// disturbed.
std::vector<JointBenchRow> run_joint_bench(std::span<const JointBenchCase> cases, int rounds);
/// One case alone, in one round.
JointBenchRow run_joint_bench(const JointBenchCase& what);

/// All of tables 1 to 3 and the star; `steps` of each case. Pairs: joint by joint, and by the linear system.
std::vector<JointBenchCase> bender_tables(int steps);
/// The exponent p of cost ~ joints^p, by least squares on logarithms.
double fitted_exponent(const std::vector<JointBenchRow>& rows);

}  // namespace rigor
