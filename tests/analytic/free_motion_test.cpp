// Free motion against exact solutions (tests/data/free_motion.json). Tolerances are those that the reference data advise or
// follow from the order of the integrator; where one is chosen, the line says so.
#include <gtest/gtest.h>

#include "analytic/reference.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr const char* kFile = "free_motion.json";

Vec3 body_angular_velocity(const World& world, BodyId id) {
  return rotate_inverse(world.orientation(id), world.angular_velocity(id));
}

/// In equal steps of at most h.
void advance_to(Simulation& sim, double t, double h) {
  const int n = static_cast<int>(std::ceil((t - sim.time()) / h - 1e-9));
  const double step = n > 0 ? (t - sim.time()) / n : 0;
  for (int i = 0; i < n; ++i) sim.step(step);
}

// ---- free fall ----------------------------------------------------------------------------------------------------

double fall_after_one_second(const std::string& integrator, int substeps = 1) {
  World world;
  world.remove_body(world.ground());
  BodyDef def;
  def.shape = sphere(0.5);
  const BodyId id = world.add_body(def);
  Simulation sim(world, method_with(integrator));
  for (int i = 0; i < 60 * substeps; ++i) sim.step(1.0 / 60 / substeps);
  EXPECT_NEAR(sim.world().velocity(id).y, -9.81, 1e-12);
  return sim.world().position(id).y;
}

TEST(FreeFall, DiscreteResultsOfEveryIntegrator) {
  const auto ref = reference(kFile, "free_fall_projectile")["expected"];
  const auto discrete = ref["discrete_1s_h60"];
  for (const std::string& name : names_of(Kind::integrator)) {
    // Implicit and semi-implicit Euler both move with the velocity at the end of the step.
    const char* key = name == "explicit-euler"                                    ? "explicit_euler"
                      : name == "semi-implicit-euler" || name == "implicit-euler" ? "semi_implicit_euler"
                                                                                  : "exact_or_verlet_or_midpoint";
    const double expected = discrete[key].get<double>();
    EXPECT_NEAR(fall_after_one_second(name), expected, 1e-13 * std::abs(expected)) << name;
  }
  const double k4 = ref["substepped"]["k4"].get<double>();
  EXPECT_NEAR(fall_after_one_second("semi-implicit-euler", 4), k4, 1e-11);
}

TEST(FreeFall, ProjectileIsExactFromOrderTwoOn) {
  const auto ref = reference(kFile, "free_fall_projectile");
  for (const std::string& name : names_of(Kind::integrator)) {
    if (order_of(name) < 2) continue;
    for (const auto& row : ref["expected"]["projectile"]["pos"]) {
      World world;
      BodyDef def;
      def.shape = box(1, 2, 3);
      def.velocity = vec3(ref["parameters"]["v0"]);
      const BodyId id = world.add_body(def);
      Simulation sim(world, method_with(name));
      for (int i = 0; i < 50; ++i) sim.step(row[0].get<double>() / 50);
      EXPECT_LT(distance(sim.world().position(id), vec3(row, 1)), 1e-13 * length(vec3(row, 1))) << name;
    }
  }
}

// ---- damped spring --------------------------------------------------------------------------------------------------

double damped_spring_error(const Method& method, double h) {
  const auto ref = reference(kFile, "spring_damper");
  const auto p = ref["parameters"];
  World world = empty_world();
  BodyDef def = body_with_inertia("mass", p["m"], {1, 1, 1});
  // Far along the spring's axis the spring of rest length 10 is the one-dimensional oscillator of the reference.
  def.position = {10 + p["x0"].get<double>(), 0, 0};
  const BodyId id = world.add_body(def);
  Spring spring;
  spring.stiffness = p["k"];
  spring.damping = p["c"];
  spring.rest_length = 10;
  world.add_force(spring, Affected::pair(world.world_body(), id));
  Simulation sim(world, method);
  double worst = 0;
  for (const auto& row : ref["expected"]["x_at"]) {
    advance_to(sim, row[0], h);
    worst = std::max(worst, std::abs(sim.world().position(id).x - 10 - row[1].get<double>()));
  }
  return worst;
}

TEST(DampedSpring, EveryIntegratorFollowsTheClosedForm) {
  // Error constants were chosen from one run and rounded up; the orders are measured in order_test.cpp.
  for (const std::string& name : names_of(Kind::integrator)) {
    const int order = order_of(name);
    const double h = 1e-3, w = 5;
    EXPECT_LT(damped_spring_error(method_with(name), h), 10 * std::pow(w * h, order) + 1e-8) << name;
  }
}

TEST(DampedSpring, DormandPrinceReachesItsTolerance) {
  EXPECT_LT(damped_spring_error(method_with("dormand-prince", {{"relative_tolerance", 1e-12}}), 0.1), 1e-9);
}

// ---- Kepler ---------------------------------------------------------------------------------------------------------

struct Kepler {
  Simulation sim;
  BodyId planet;

  explicit Kepler(const Method& method) : sim(make(), method), planet(sim.world().find_body("planet")) {}

  static World make() {
    World world = empty_world();
    BodyDef def = body_with_inertia("planet", 1, {1, 1, 1});
    def.position = {0.4, 0, 0};
    def.velocity = {0, 2, 0};
    world.add_body(def);
    world.add_force(CustomForce(
        [](const ForceContext& c) {
          for (std::uint32_t i : c.bodies) {
            const Vec3 r = c.state.position[i];
            c.force[i] -= r / (length(r) * length_squared(r));
          }
        },
        false));
    return world;
  }
  double energy() const {
    const Vec3 x = sim.world().position(planet), v = sim.world().velocity(planet);
    return 0.5 * length_squared(v) - 1 / length(x);
  }
};

TEST(KeplerOrbit, DormandPrinceMatchesTheTable) {
  Kepler k(method_with("dormand-prince", {{"relative_tolerance", 1e-13}, {"absolute_tolerance", 1e-14}}));
  for (const auto& row : reference(kFile, "kepler_two_body")["expected"]["t_x_y_vx_vy"]) {
    const double t = row[0];
    if (t > k.sim.time()) k.sim.step(t - k.sim.time());
    EXPECT_NEAR(k.sim.world().position(k.planet).x, row[1].get<double>(), 1e-9) << t;
    EXPECT_NEAR(k.sim.world().position(k.planet).y, row[2].get<double>(), 1e-9) << t;
    EXPECT_NEAR(k.sim.world().velocity(k.planet).x, row[3].get<double>(), 1e-9) << t;
    EXPECT_NEAR(k.sim.world().velocity(k.planet).y, row[4].get<double>(), 1e-9) << t;
  }
}

TEST(KeplerOrbit, SymplecticMethodsHaveNoSecularDrift) {
  for (const char* name : {"semi-implicit-euler", "velocity-verlet", "leapfrog", "energy-momentum", "exact-rotation"}) {
    Kepler k(method_with(name));
    const int orbit = 6283;  // steps of 1e-3 s
    double worst_first = 0, worst_last = 0;
    for (int i = 0; i < 10 * orbit; ++i) {
      k.sim.step(1e-3);
      const double error = std::abs(k.energy() + 0.5);
      if (i < orbit) worst_first = std::max(worst_first, error);
      if (i >= 9 * orbit) worst_last = std::max(worst_last, error);
    }
    EXPECT_LT(worst_first, 4e-3) << name;  // "about 1e-3" for symplectic Euler
    EXPECT_LT(worst_last, 1.1 * worst_first) << name;
    EXPECT_NEAR(cross(k.sim.world().position(k.planet), k.sim.world().velocity(k.planet)).z, 0.8, 1e-11) << name;
  }
}

// ---- tops -----------------------------------------------------------------------------------------------------------

Simulation free_top(const Vec3& inertia, const Vec3& omega, const Method& method) {
  World world = empty_world();
  BodyDef def = body_with_inertia("top", 1, inertia);
  def.angular_velocity = omega;
  world.add_body(def);
  return Simulation(world, method);
}

TEST(SymmetricTop, ConservingIntegratorsMatchTheClosedForm) {
  const auto ref = reference(kFile, "torque_free_symmetric_top");
  const struct {
    const char* name;
    double h, angle, omega;
  } cases[] = {
      {"energy-momentum", 1e-3, 1e-4, 1e-4}, {"rk4", 1e-3, 1e-8, 1e-8}, {"exact-rotation", 1.0 / 60, 1e-11, 1e-11}};
  for (const char* kind : {"prolate", "oblate"}) {
    const auto expected = ref["expected"][kind];
    for (const auto& c : cases) {
      Simulation sim =
          free_top(vec3(ref["parameters"][kind]["I"]), vec3(ref["parameters"]["omega0_body"]), method_with(c.name));
      const BodyId id = sim.world().find_body("top");
      for (const auto& state : expected["states"]) {
        advance_to(sim, state["t"], c.h);
        EXPECT_LT(angle_between(sim.world().orientation(id), quat(state["q_wxyz"])), c.angle) << kind << " " << c.name;
        EXPECT_LT(distance(body_angular_velocity(sim.world(), id), vec3(state["omega_body"])), c.omega)
            << kind << " " << c.name;
      }
      const Vec3 L = vec3(expected["L_world"]);
      EXPECT_LT(distance(sim.world().angular_momentum(id), L), 1e-12 * length(L) * 10) << kind << " " << c.name;
      if (std::string(c.name) != "rk4") {
        EXPECT_NEAR(sim.world().kinetic_energy(), expected["kinetic_energy"].get<double>(), 1e-11);
      }
    }
  }
}

TEST(AsymmetricTop, ExactRotationMatchesTheEllipticFunctions) {
  const auto expected = reference(kFile, "torque_free_asymmetric_top")["expected"];
  for (const char* name : {"dzhanibekov", "generic_high_L", "generic_low_L", "spinning_book"}) {
    const auto c = expected[name];
    const bool unstable = std::string(name) == "dzhanibekov" || std::string(name) == "spinning_book";
    const auto first = c["omega_body_at"][0];
    Simulation sim = free_top(vec3(c["I"]), vec3(first, 1), method_with("exact-rotation"));
    const BodyId id = sim.world().find_body("top");
    for (const auto& row : c["omega_body_at"]) {
      advance_to(sim, row[0], 1.0 / 60);
      // Near the middle axis rounding grows by exp(rate · time) between flips.
      const double tolerance = unstable ? 1e-5 : 1e-11;
      EXPECT_LT(distance(body_angular_velocity(sim.world(), id), vec3(row, 1)), tolerance * length(vec3(row, 1)))
          << name << " t = " << row[0];
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
      ASSERT_LT(distance(sim.world().angular_momentum(), L), 1e-9 * length(L)) << name;
    }
    EXPECT_LT(worst, 1e-9) << name;
    // R I⁻¹ Rᵀ and R I Rᵀ undo each other to rounding; if all of it went one way, some ten units in the last place a step.
    EXPECT_LT(std::abs(mean_last - mean_first), n * 10 * 0x1.0p-53) << name;
    EXPECT_LT(mean_last - mean_first, 1e-11) << name << ": an upward trend";
  }
}

}  // namespace
}  // namespace rigor::test
