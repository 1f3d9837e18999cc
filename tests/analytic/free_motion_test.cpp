// Free motion against exact solutions (tests/data/free_motion.json). Tolerances are those that the reference data advise or
// follow from the order of the integrator; where one is chosen, the line says so.
#include <gtest/gtest.h>

#include "analytic/reference.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr const char* kFile = "free_motion.json";

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
    const char* key = name == "explicit-euler" ? "explicit_euler"
                      : name == "semi-implicit-euler" || name == "implicit-euler" || name == "kick-drift"
                          ? "semi_implicit_euler"
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
  // ω₀ = 5 /s, five seconds. Rounding: 5000 steps, each of a unit in the last place of the position, which is near 10.
  const double h = 1e-3, rate = 5, t = 5, rounding = t / h * 10 * 0x1.0p-53;
  for (const std::string& name : names_of(Kind::integrator)) {
    const double truncation = truncation_bound(rate, t, h, order_of(name));
    EXPECT_LT(damped_spring_error(method_with(name), h), truncation + rounding) << name;
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

}  // namespace
}  // namespace rigor::test
