// The Runge–Kutta step for constant forces, all stages of a body at once: the same bits as stage after stage.
#include "integrators/rk4_lanes.h"

#include <gtest/gtest.h>

#include "integrators/integrator.h"
#include "io/random.h"
#include "registry/entry.h"
#include "support.h"

namespace rigor::test {
namespace {

/// More bodies than the widest register has lanes, and some left over; one of them is moved by hand.
World spinning_bodies() {
  World world;
  world.remove_body(world.ground());
  world.remove_force(world.drag());
  rigor::Random random(5);
  for (int i = 0; i < 21; ++i) {
    BodyDef def = body_with_inertia("body" + std::to_string(i), 1 + random.uniform(), {1, 1.5, 2});
    def.position = random.symmetric_vector(10), def.orientation = random.rotation();
    def.velocity = random.symmetric_vector(3), def.angular_velocity = random.symmetric_vector(20);
    def.can_collide = false, def.fixed = i == 20;
    const BodyId id = world.add_body(def);
    if (i % 3 == 0 && !def.fixed) world.set_user_force(id, random.symmetric_vector(2), random.symmetric_vector(5));
  }
  return world;
}

TEST(Rk4Lanes, GiveTheSameBitsAsStageAfterStage) {
  World one = spinning_bodies(), two = one;
  IntegratorMemory memory;
  const auto integrate = [&](World& world, bool constant) {
    Dynamics dynamics(world, true, memory);
    dynamics.set_constant(constant);
    const auto integrator = create<Integrator>(Kind::integrator, {"rk4", {}}, "integrator");
    for (int i = 0; i < 10; ++i) integrator->integrate(dynamics, i / 30.0, 1.0 / 30);
  };
  integrate(one, false), integrate(two, true);
  EXPECT_EQ(one.state().position, two.state().position);
  EXPECT_EQ(one.state().orientation, two.state().orientation);
  EXPECT_EQ(one.state().velocity, two.state().velocity);
  EXPECT_EQ(one.state().angular_velocity, two.state().angular_velocity);
}

}  // namespace
}  // namespace rigor::test
