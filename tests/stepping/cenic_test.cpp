// The error at the end of a run follows the accuracy of `cenic`. A part of the step has an error of at most the accuracy a, parts are
// about √a long, so the errors add up to about √a: a hundredth of the accuracy gives a tenth of the error.
#include <gtest/gtest.h>

#include <cmath>

#include "lab/convergence/convergence.h"
#include "lab/truth_cases.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kGravity = 9.81;  // m/s²

Method cenic(double accuracy) {
  Method m = preset("cenic");
  m.stepping.settings["accuracy"] = accuracy;
  return m;
}

/// m, the error of a block that slides with friction 0.3 from 2 m/s, after half a second.
double sliding_error(double accuracy) {
  World world;
  BodyDef block;
  block.name = "block";
  block.shape = box(0.4, 0.2, 0.3);
  block.position = {0, 0.1, 0};
  block.velocity = {2, 0, 0};
  block.material.friction = 0.3;
  world.add_body(block);
  world.set_material(world.ground(), block.material);
  Simulation sim(world, cenic(accuracy));
  for (int k = 0; k < 50; ++k) sim.step(0.01);
  const double exact = 2 * 0.5 - 0.5 * 0.3 * kGravity * 0.25;
  return std::abs(sim.world().position(sim.world().find_body("block")).x - exact);
}

/// m, the distance of a pendulum from an accurate run in reduced coordinates, after a second.
double pendulum_error(double accuracy) {
  const auto end = [](const Method& method, double h) {
    World world;
    world.remove_body(world.ground());
    BodyDef bob;
    bob.name = "bob";
    bob.shape = box(1, 0.1, 0.1);
    bob.position = {0.5, 0, 0};
    const BodyId id = world.add_body(bob);
    world.add_joint(hinge_joint(world, world.world_body(), id, {0, 0, 0}, {0, 0, 1}));
    Simulation sim(world, method);
    for (int k = 0; k < std::lround(1 / h); ++k) sim.step(h);
    return sim.world().position(id);
  };
  static const Vec3 exact = end(preset("featherstone"), 1e-3);
  return distance(end(cenic(accuracy), 0.01), exact);
}

TEST(Cenic, TheErrorOfSlidingFollowsTheAccuracy) {
  const double coarse = sliding_error(1e-5), fine = sliding_error(1e-7);
  EXPECT_LT(coarse, 5e-3);
  EXPECT_LT(fine, 0.15 * coarse);
  EXPECT_GT(fine, 0);
}

TEST(Cenic, TheErrorOfALinkageFollowsTheAccuracy) {
  const double coarse = pendulum_error(1e-5), fine = pendulum_error(1e-7);
  EXPECT_LT(coarse, 5e-3);
  EXPECT_LT(fine, 0.15 * coarse);
}

/// Over three decades of the accuracy the error falls in every decade, and altogether about as the square root: 10^1.5 = 32, of which a third is asked for, since the errors of
/// impacts and of flight may cancel for one accuracy and not for the next. From 1e-4 m on, parts are shorter than the step of 1/60 s in all of the problems.
TEST(Cenic, TheErrorFollowsTheAccuracyOverThreeDecades) {
  for (const convergence::Problem& problem : convergence::accuracy_problems()) {
    std::vector<double> errors;
    for (const double accuracy : {1e-4, 1e-5, 1e-6, 1e-7}) {
      const convergence::Point point = convergence::measure_point(problem, cenic(accuracy), 1.0 / 60);
      ASSERT_EQ(point.reason, "") << problem.name;
      if (!errors.empty()) {
        EXPECT_LT(point.error, errors.back()) << problem.name << " at " << accuracy;
      }
      errors.push_back(point.error);
    }
    EXPECT_LT(errors.back(), errors.front() / 10) << problem.name;
  }
}

/// The same from a centimetre on, with steps of 0.1 s, so that the accuracy and not the step decides how long the parts are.
TEST(Cenic, TheErrorFollowsCoarseAccuraciesOverThreeDecades) {
  for (const convergence::Problem& problem : convergence::accuracy_problems()) {
    const convergence::Point coarse = convergence::measure_point(problem, cenic(1e-2), 0.1);
    const convergence::Point fine = convergence::measure_point(problem, cenic(1e-5), 0.1);
    ASSERT_EQ(coarse.reason + fine.reason, "") << problem.name;
    EXPECT_LT(fine.error, coarse.error / 10) << problem.name;
  }
}

/// A box that slides is carried by an overlap of some micrometres. In parts of 0.2 ms, what brings it back to the surface within a part is 10 mm/s, and it hopped with that speed.
TEST(Cenic, SlidingBodiesDoNotHopInShortParts) {
  for (const TruthFigure& f : measure_truth(find_truth_case("sliding"), preset("cenic")).figures)
    if (f.name == std::string_view("natural_map")) {
      EXPECT_LT(f.figure.max, 2e-3) << f.worst;
    }
}

}  // namespace
}  // namespace rigor::test
