// Free rotation against exact solutions (tests/data/free_motion.json). Tolerances are those that the reference data advise
// or follow from the order of the integrator and from rounding.
#include <gtest/gtest.h>

#include "analytic/reference.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr const char* kFile = "free_motion.json";
constexpr double kUlp = 0x1.0p-53;

Vec3 body_angular_velocity(const World& world, BodyId id) {
  return rotate_inverse(world.orientation(id), world.angular_velocity(id));
}

Simulation free_top(const Vec3& inertia, const Vec3& omega, const Method& method) {
  World world = empty_world();
  BodyDef def = body_with_inertia("top", 1, inertia);
  def.angular_velocity = omega;
  world.add_body(def);
  return Simulation(world, method);
}

// The advice of the reference: "angle error of q: second-order integrator at h=1e-3 about 1e-6..1e-5 at t=10; |L| and L
// direction should stay at 1e-12 for momentum-conserving integrators", which all of ours are.
TEST(SymmetricTop, EveryIntegratorMatchesTheClosedForm) {
  const auto ref = reference(kFile, "torque_free_symmetric_top");
  const double h = 1e-3, t_end = 10, rounding = t_end / h * 2 * kUlp;
  for (const char* kind : {"prolate", "oblate"})
    for (const std::string& name : names_of(Kind::integrator)) {
      SCOPED_TRACE(std::string(kind) + " " + name);
      const MethodInfo& info = *find_method(Kind::integrator, name);
      const auto expected = ref["expected"][kind];
      const Vec3 inertia = vec3(ref["parameters"][kind]["I"]), omega = vec3(ref["parameters"]["omega0_body"]);
      const Vec3 L = vec3(expected["L_world"]);
      const double rate = std::max(length(omega), expected["space_precession_rate"].get<double>());
      const int order = free_motion_order_of(name);
      const double truncation = has_capability(info, "exact-free-motion") ? 0 : truncation_bound(rate, t_end, h, order);
      // The bound is the leading term of one Runge–Kutta integration. A rotation matrix reaches it, and the error of ω adds to it.
      const double terms = name == "rotation-matrix" ? 2 : 1;
      const double angle = order == 2 ? std::min(1e-5, truncation + rounding) : terms * truncation + rounding;

      Simulation sim = free_top(inertia, omega, method_with(name));
      const BodyId id = sim.world().find_body("top");
      for (const auto& state : expected["states"]) {
        advance_to(sim, state["t"], h);
        EXPECT_LT(angle_between(sim.world().orientation(id), quat(state["q_wxyz"])), angle);
        EXPECT_LT(distance(body_angular_velocity(sim.world(), id), vec3(state["omega_body"])), rate * angle);
        EXPECT_LT(distance(sim.world().angular_momentum(id), L), 1e-12 * length(L));
      }
      if (has_capability(info, "conserves-energy")) {
        EXPECT_NEAR(sim.world().kinetic_energy() / expected["kinetic_energy"].get<double>(), 1, 1e-12);
      }
    }
}

TEST(SymmetricTop, ExactRotationNeedsNoSmallSteps) {
  const auto ref = reference(kFile, "torque_free_symmetric_top");
  for (const char* kind : {"prolate", "oblate"}) {
    const Vec3 inertia = vec3(ref["parameters"][kind]["I"]), omega = vec3(ref["parameters"]["omega0_body"]);
    for (const auto& state : ref["expected"][kind]["states"]) {
      Simulation sim = free_top(inertia, omega, method_with("exact-rotation"));
      sim.step(state["t"].get<double>());
      const BodyId id = sim.world().find_body("top");
      // Up to 60 rad in the step; rounding is a fraction of the angle.
      EXPECT_LT(angle_between(sim.world().orientation(id), quat(state["q_wxyz"])), 100 * kUlp * 10) << kind;
    }
  }
}

// A rounding unit in E and L in each step, if all went one way. In an orbit of modulus m the quarter period is
// K(m) ≈ ln(4/√(1-m)), and 1 - m is the distance from the separatrix relative to E and L: a relative error ε of these
// shifts each quarter period by ε/(2 (1-m)) of its natural unit 1/λ. As ε grows with time, half its last value counts. That
// is the growth exp(λt) between flips, summed up: 1e4 ε a quarter for the Dzhanibekov case, 3e5 ε for the book.
TEST(AsymmetricTop, ExactRotationMatchesTheEllipticFunctions) {
  const auto expected = reference(kFile, "torque_free_asymmetric_top")["expected"];
  for (const char* name : {"dzhanibekov", "generic_high_L", "generic_low_L", "spinning_book"}) {
    const auto c = expected[name];
    const double m1 = 1 - c["info"]["modulus_m"].get<double>(), period = c["info"]["omega_period"], h = 1.0 / 60;
    Simulation sim = free_top(vec3(c["I"]), vec3(c["omega_body_at"][0], 1), method_with("exact-rotation"));
    const BodyId id = sim.world().find_body("top");
    for (const auto& row : c["omega_body_at"]) {
      const double t = row[0];
      advance_to(sim, t, h);
      const double tolerance = (1 + t / h) * kUlp * (1 + 0.5 * (4 * t / period) / (2 * m1));
      const double error = distance(body_angular_velocity(sim.world(), id), vec3(row, 1)) / length(vec3(row, 1));
      EXPECT_LT(error, tolerance) << name << " t = " << t;
    }
  }
}

TEST(AsymmetricTop, RungeKuttaMatchesTheEllipticFunctions) {
  const auto expected = reference(kFile, "torque_free_asymmetric_top")["expected"];
  for (const char* name : {"generic_high_L", "generic_low_L"}) {
    const auto c = expected[name];
    Simulation sim = free_top(vec3(c["I"]), vec3(c["omega0_body"]), method_with("rk4"));
    const BodyId id = sim.world().find_body("top");
    for (const auto& row : c["omega_body_at"]) {
      advance_to(sim, row[0], 1e-3);
      EXPECT_LT(distance(body_angular_velocity(sim.world(), id), vec3(row, 1)), 1e-9) << name;
    }
  }
}

/// Mean time between sign changes of the middle component of ω in the body frame.
double flip_interval(Simulation& sim, double h, int flips) {
  const BodyId id = sim.world().find_body("top");
  double last = body_angular_velocity(sim.world(), id).y, first_time = 0;
  for (int seen = 0; seen <= flips;) {
    sim.step(h);
    const double now = body_angular_velocity(sim.world(), id).y;
    if (now * last < 0) {
      const double crossing = sim.time() - h * now / (now - last);
      if (seen++ == 0) first_time = crossing;
      if (seen > flips) return (crossing - first_time) / flips;
    }
    last = now;
  }
  return 0;
}

TEST(AsymmetricTop, FlipIntervalOfTheDzhanibekovCase) {
  const auto c = reference(kFile, "torque_free_asymmetric_top")["expected"]["dzhanibekov"];
  const double expected = c["info"]["flip_interval"];
  for (const auto& [name, h, tolerance] : {std::tuple{"energy-momentum", 1e-3, 1e-3}, std::tuple{"rk4", 1e-3, 1e-3},
                                           std::tuple{"exact-rotation", 1.0 / 60, 1e-4}}) {
    Simulation sim = free_top(vec3(c["I"]), vec3(c["omega0_body"]), method_with(name));
    EXPECT_NEAR(flip_interval(sim, h, 3) / expected, 1, tolerance) << name;
  }
}

// A body spinning about its middle axis for 1000 s at 1/60 s.
TEST(AsymmetricTop, ThousandSecondsWithoutDrift) {
  for (const char* name : {"energy-momentum", "exact-rotation"}) {
    Simulation sim = free_top({1, 2, 3}, {0.01, 2, 0.01}, method_with(name));
    const double energy = sim.world().kinetic_energy();
    const Vec3 L = sim.world().angular_momentum();
    double worst = 0, mean_first = 0, mean_last = 0;
    const int n = 60000, tenth = n / 10;
    for (int i = 0; i < n; ++i) {
      sim.step(1.0 / 60);
      const double drift = sim.world().kinetic_energy() / energy - 1;
      worst = std::max(worst, std::abs(drift));
      if (i < tenth) mean_first += drift / tenth;
      if (i >= n - tenth) mean_last += drift / tenth;
      ASSERT_LT(distance(sim.world().angular_momentum(), L), n * kUlp * length(L)) << name;
    }
    // A unit in the last place in each step, if all went one way: 7e-12, where 1e-9 is asked for.
    EXPECT_LT(worst, n * kUlp) << name;
    EXPECT_LT(std::abs(mean_last - mean_first), n * kUlp) << name << ": a trend";
  }
}

}  // namespace
}  // namespace rigor::test
