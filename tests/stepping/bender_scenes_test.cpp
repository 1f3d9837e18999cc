// The car and the walking machine of Bender and Schmitt drive and walk; the benchmark trees hold together.
#include <gtest/gtest.h>

#include "constraints/joint_survey.h"
#include "lab/cpu_clock.h"
#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

struct Trip {
  double distance = 0;     // m, along x
  double height = 0;       // m, of the body at the end
  double upright = 0;      // cosine of its tilt at the end
  double joint_error = 0;  // m or rad, largest after a step
  double computed = 0;     // s of this thread
};

Trip travel(const char* scene_name, const char* body, double seconds, const Method* method = nullptr) {
  Scene scene = open_scene(scene_name);
  if (method) scene.method = *method;
  Simulation sim(scene.world, scene.method, scene.time);
  const BodyId id = scene.world.find_body(body);
  Trip trip;
  const double begin = thread_seconds();
  const auto steps = static_cast<int>(std::lround(seconds / scene.time.step));
  for (int i = 0; i < steps; ++i) {
    sim.step();
    const JointErrors errors = joint_errors(sim.world());
    trip.joint_error = std::max({trip.joint_error, errors.linear, errors.angular});
  }
  trip.computed = thread_seconds() - begin;
  const Vec3 way = sim.world().position(id) - scene.world.position(id);
  trip.distance = std::hypot(way.x, way.z);
  trip.height = sim.world().position(id).y;
  trip.upright = rotate(sim.world().orientation(id), {0, 1, 0}).y;
  EXPECT_TRUE(sim.take_reports().empty());
  return trip;
}

TEST(BenderScenes, TheCarDrives) {
  const Trip trip = travel("bender-car", "chassis", 3);
  // Wheels of 0.35 m at 10 rad/s are 3.5 m/s; starting and steering take a part of 10.5 m.
  EXPECT_GT(trip.distance, 6);
  EXPECT_LT(trip.distance, 10.5);
  EXPECT_GT(trip.upright, 0.98);
  EXPECT_LE(trip.joint_error, 1e-6);
  EXPECT_LT(trip.computed, 3);  // faster than real time
}

/// The limits of friction at its driven wheels do not settle by block pivoting, and 787 of 1000 steps ended with Gauss–Seidel.
TEST(BenderScenes, ServinDrivesTheCarWithEveryStepConverged) {
  const Scene scene = open_scene("bender-car");
  for (const double h : {0.01, 1.0 / 60, 0.005}) {
    Simulation sim(scene.world, preset("servin"));
    const BodyId chassis = scene.world.find_body("chassis");
    double apart = 0, height = 0;
    for (double t = 0; t < 2; t += h) {
      sim.step(h);
      ASSERT_TRUE(sim.statistics().contact.converged) << t << ' ' << h;
      apart = std::max(apart, joint_errors(sim.world()).linear);
      height = std::max(height, sim.world().position(chassis).y);
    }
    EXPECT_TRUE(sim.take_reports().empty()) << h;
    EXPECT_LT(apart, 1e-3) << h;  // m, chosen: ε f of the heaviest load is 1e-6
    EXPECT_LT(height, scene.world.position(chassis).y + 0.1) << h;
  }
}

TEST(BenderScenes, TheMachineWalks) {
  const Trip trip = travel("walking-machine", "trunk", 3);
  // Feet push back by about 0.1 m × 1.3 × 4 rad/s where they stand, 2/π of it in the mean: 0.33 m/s.
  EXPECT_GT(trip.distance, 0.6);
  EXPECT_LT(trip.distance, 1.4);
  EXPECT_GT(trip.upright, 0.95);
  EXPECT_GT(trip.height, 0.75);
  EXPECT_LE(trip.joint_error, 1e-6);
  EXPECT_LT(trip.computed, 3);
}

/// "No approximation is made for the velocity correction and so the exact solution can be determined in one step" (4.5).
TEST(BenderScenes, OneVelocityCorrectionPerStep) {
  for (const char* name : {"walking-machine", "bender-car"}) {
    const Scene scene = open_scene(name);
    Simulation sim(scene.world, preset("bender-schmitt"), scene.time);
    for (int i = 0; i < 200; ++i) {
      sim.step();
      ASSERT_EQ(sim.statistics().correction.iterations, 1) << name << " at step " << i;
    }
  }
}

TEST(BenderScenes, BenchmarkTreesHold) {
  Method method = preset("bender-schmitt");
  method.stepping.settings = {{"tolerance", 1e-4}, {"velocity_tolerance", 1e-3}};
  EXPECT_LE(travel("j-tree", "rod_0", 0.5, &method).joint_error, 1e-4);
}

}  // namespace
}  // namespace rigor::test
