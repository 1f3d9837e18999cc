// Andrews' squeezing mechanism: seven bodies in a plane, ten hinges, three loops and a spring, driven by a constant torque (Schiehlen 1990,
// Multibody Systems Handbook; Hairer, Wanner 1996, VII.7). Angles after 30 ms, in which the crank turns two and a half times, are
// those of the Test Set for IVP Solvers to 15 digits.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "rigor/rigor.h"
#include "support.h"

namespace rigor::test {
namespace {

// Names as in the literature; m, kg, kg m².
constexpr double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
constexpr double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874;
constexpr double sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449;
constexpr double zf = 0.02, zt = 0.04, fa = 0.01421;
constexpr std::array<double, 7> kMass = {0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498};
constexpr std::array<double, 7> kInertia = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
constexpr double beta = -0.0617138900142764496, theta = 0, gamma = 0.4552798191630703803, phi = 0.2226683901658858847,
                 delta = 0.4873649795438425502, omega = -0.2226683901658858847, epsilon = 1.2305474445498211925;
/// What crank, K3, K5 and K7 have turned by in 30 ms.
constexpr std::array<double, 4> kTurned = {15.81077119629904 - beta, 0.04082224013073101 - gamma,
                                           0.5244099658805304 - delta, 1.048080741042263 - epsilon};
constexpr double kEnd = 0.03;  // s

double turned(const World& world, const char* name) {
  const Quat q = world.orientation(world.find_body(name));
  return 2 * std::atan2(q.z, q.w);
}

void add_bodies(World& world) {
  const std::array<Vec3, 7> centers = {
      Vec3{ra * std::cos(beta), ra * std::sin(beta), 0},
      Vec3{rr * std::cos(beta) - da * std::cos(beta + theta), rr * std::sin(beta) - da * std::sin(beta + theta), 0},
      Vec3{xb + sa * std::sin(gamma) + sb * std::cos(gamma), yb - sa * std::cos(gamma) + sb * std::sin(gamma), 0},
      Vec3{xa + zt * std::cos(delta) + (e - ea) * std::sin(phi + delta),
           ya + zt * std::sin(delta) - (e - ea) * std::cos(phi + delta), 0},
      Vec3{xa + ta * std::cos(delta) - tb * std::sin(delta), ya + ta * std::sin(delta) + tb * std::cos(delta), 0},
      Vec3{xa + u * std::sin(epsilon) + (zf - fa) * std::cos(omega + epsilon),
           ya - u * std::cos(epsilon) + (zf - fa) * std::sin(omega + epsilon), 0},
      Vec3{xa + ua * std::sin(epsilon) - ub * std::cos(epsilon), ya - ua * std::cos(epsilon) - ub * std::sin(epsilon),
           0}};
  for (std::size_t i = 0; i < 7; ++i) {
    const double I = kInertia[i];
    BodyDef def = body_with_inertia("K" + std::to_string(i + 1), kMass[i], {I, I, I});
    def.can_collide = false;
    def.position = centers[i];
    world.add_body(def);
  }
}

World squeezer() {
  World world = empty_world();
  add_bodies(world);
  const auto body = [&](int k) { return k == 0 ? world.world_body() : world.find_body("K" + std::to_string(k)); };
  const auto hinge = [&](int a, int b, double x, double y) {
    world.add_joint(hinge_joint(world, body(a), body(b), {x, y, 0}, {0, 0, 1}));
  };
  const double x = rr * std::cos(beta) - d * std::cos(beta + theta),
               y = rr * std::sin(beta) - d * std::sin(beta + theta);
  hinge(0, 1, 0, 0);
  hinge(1, 2, rr * std::cos(beta), rr * std::sin(beta));
  for (const int k : {3, 4, 6}) hinge(2, k, x, y);
  hinge(0, 3, xb, yb);
  hinge(4, 5, xa + zt * std::cos(delta), ya + zt * std::sin(delta));
  hinge(0, 5, xa, ya);
  hinge(6, 7, xa + u * std::sin(epsilon), ya - u * std::cos(epsilon));
  hinge(0, 7, xa, ya);
  PointForce drive;
  drive.torque = {0, 0, 0.033};
  world.add_force(drive, Affected::list({body(1)}));
  Spring spring;
  spring.stiffness = 4530;
  spring.rest_length = 0.07785;
  const Vec3 hook{xb + sc * std::sin(gamma) + sd * std::cos(gamma), yb - sc * std::cos(gamma) + sd * std::sin(gamma),
                  0};
  spring.point_a = hook - world.position(body(3));
  spring.point_b = {xc, yc, 0};
  world.add_force(spring, Affected::pair(body(3), world.world_body()));
  return world;
}

/// The largest error of the four angles, rad.
double error_of_angles(const char* method, int steps) {
  Simulation sim(squeezer(), preset(method));
  for (int i = 0; i < steps; ++i) sim.step(kEnd / steps);
  double worst = 0;
  const char* names[] = {"K1", "K3", "K5", "K7"};
  for (std::size_t i = 0; i < 4; ++i)
    worst = std::max(worst, std::abs(std::remainder(turned(sim.world(), names[i]) - kTurned[i], 2 * kPi)));
  return worst;
}

/// Its error grew from 2e-4 to 4e-2 with smaller steps.
TEST(SevenBodies, BaraffGetsNoWorseWithSmallerSteps) {
  EXPECT_LT(error_of_angles("baraff", 30), 1e-3);
  EXPECT_LT(error_of_angles("baraff", 100), 1e-5);
  EXPECT_LT(error_of_angles("baraff", 300), 1e-6);
}

TEST(SevenBodies, ReducedCoordinatesAreOfFourthOrder) {
  const double coarse = error_of_angles("featherstone", 300), fine = error_of_angles("featherstone", 600);
  EXPECT_LT(coarse, 1e-5);
  EXPECT_GT(std::log2(coarse / fine), 3.6);
}

TEST(SevenBodies, BenderSchmittIsOfSecondOrder) {
  const double coarse = error_of_angles("bender-schmitt", 300), fine = error_of_angles("bender-schmitt", 600);
  EXPECT_LT(coarse, 1e-2);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.2);
}

}  // namespace
}  // namespace rigor::test
