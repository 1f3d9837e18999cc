// Impulses of contact events are those of the whole step, under every stepping method.
#include <gtest/gtest.h>
#include <malloc.h>

#include <numeric>

#include "conformance/solver_cases.h"
#include "support.h"

namespace rigor::test {
namespace {

Method method_for(const std::string& stepping) {
  Method m = preset("garstenauer-sequential");
  m.stepping.name = stepping;
  if (has_capability(*find_method(Kind::stepping, stepping), "solves-constraints"))
    m.collision_solver = m.contact_solver = m.joint_solver = m.correction = {"none", {}};
  return m;
}

class ContactImpulses : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Steppings, ContactImpulses, testing::ValuesIn(names_of(Kind::stepping)), method_test_name);

/// All contacts begin in the first step; no later one needs the memory of so many events.
TEST(ContactEvents, ManyOfOneStepLeaveNoMemoryBehind) {
  constexpr int kBalls = 2000;
  World world;
  BodyDef def;
  def.shape = sphere(0.5);
  for (int i = 0; i < kBalls; ++i) {
    const int row = i / 50;
    def.position = {2.0 * (i % 50), 0.5, 2.0 * row};
    world.add_body(def);
  }
  Method method = default_method();
  method.sleep = {"never", {}};
  Simulation sim(world, method);
  sim.step(0.01);
  EXPECT_EQ(sim.events().size(), std::size_t{kBalls});
  const auto allocated = [] { return static_cast<std::ptrdiff_t>(mallinfo2().uordblks + mallinfo2().hblkhd); };
  const std::ptrdiff_t before = allocated();
  for (int i = 0; i < 3; ++i) sim.step(0.01);
  EXPECT_LT(allocated() - before, -static_cast<std::ptrdiff_t>(kBalls * sizeof(Event)) / 2);
}

/// A ball that bounces and comes to rest: what the ground pushed with is what gravity brought in, less what is left of it.
TEST_P(ContactImpulses, AddUpToTheMomentumOfTheFall) {
  World world;
  BodyDef def;
  def.shape = sphere(0.2), def.position = {0, 0.7, 0}, def.mass = 3, def.material.restitution = 0.5;
  const BodyId id = world.add_body(def);
  Simulation sim(world, method_for(GetParam()));
  sim.set_event_settings({.contact_begin_and_end = true, .contact_stay = true});
  double pushed = 0, fastest = 0;
  for (int i = 0; i < 150; ++i) {
    sim.step(0.01);
    for (const Event& e : sim.events()) {
      pushed += e.impulse;
      if (e.kind == Event::Kind::contact_begin) fastest = std::max(fastest, e.speed);
    }
  }
  const double expected = 3 * (9.81 * sim.time() + sim.world().velocity(id).y);
  // Momentum is what impulses are. Rounding; manifolds in lanes are in single precision, bodies are not.
  EXPECT_NEAR(pushed, expected, (GetParam() == "soft-step" ? 0x1p-24 : 1e-9) * expected);
  EXPECT_NEAR(fastest, std::sqrt(2 * 9.81 * 0.5), 9.81 * 0.01);  // the speed after 0.5 m, to one step's gravity
}

/// A step may bring the pairs of the last one up to date in place; not so where every pair is an event. The others are the same.
TEST(ContactEvents, BeginAndEndDoNotDependOnWhatElseIsReported) {
  World world;
  BodyDef def;
  for (int i = 0; i < 40; ++i) {
    def.shape = i % 3 ? box({0.5, 0.3, 0.4}) : sphere(0.2);
    def.position = {0.45 * (i % 3), 0.4 + 0.55 * (i / 3), 0.1 * (i % 5)}, def.material.restitution = 0.4;
    world.add_body(def);
  }
  const auto begin_and_end = [&](bool with_stay) {
    Simulation sim(world, preset("soft-step"));
    sim.set_event_settings({.contact_begin_and_end = true, .contact_stay = with_stay});
    std::vector<Event> events;
    for (int i = 0; i < 200; ++i) {
      sim.step(0.01);
      for (const Event& e : sim.events())
        if (e.kind == Event::Kind::contact_begin || e.kind == Event::Kind::contact_end) events.push_back(e);
    }
    return events;
  };
  const std::vector<Event> in_place = begin_and_end(false), anew = begin_and_end(true);
  ASSERT_EQ(in_place.size(), anew.size());
  EXPECT_GT(anew.size(), 100u);
  for (std::size_t k = 0; k < anew.size(); ++k) {
    EXPECT_EQ(in_place[k].kind, anew[k].kind);
    EXPECT_EQ(in_place[k].time, anew[k].time);
    EXPECT_EQ(in_place[k].a, anew[k].a);
    EXPECT_EQ(in_place[k].b, anew[k].b);
    EXPECT_EQ(in_place[k].impulse, anew[k].impulse);
    EXPECT_EQ(in_place[k].point, anew[k].point);
  }
}

}  // namespace
}  // namespace rigor::test
