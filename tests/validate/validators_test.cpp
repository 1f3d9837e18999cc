// Validators that remove, clamp and report; and those of the user.
#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

BodyDef ball(const std::string& name, const Vec3& position, const Vec3& velocity = {}) {
  BodyDef def;
  def.name = name, def.shape = sphere(0.5), def.position = position, def.velocity = velocity;
  return def;
}

Method with_validators(std::vector<Choice> validators) {
  Method m = method_with("rk4");
  m.validators = std::move(validators);
  return m;
}

bool mentions(const std::vector<std::string>& reports, const std::string& text) {
  for (const std::string& r : reports)
    if (r.find(text) != std::string::npos) return true;
  return false;
}

TEST(WorldBoundary, RemovesWhatLeavesTheBoxAndTellsByEventAndReport) {
  World world = empty_world();
  const BodyId inside = world.add_body(ball("inside", {9, 0, 0}));
  const BodyId leaves = world.add_body(ball("leaves", {9.5, 0, 0}, {1, 0, 0}));
  const BodyId above = world.add_body(ball("above", {0, 4.5, 0}, {0, 1, 0}));
  Simulation sim(world, with_validators({{"world-boundary", {{"half_x", 10.0}, {"half_y", 5.0}}}}));
  sim.step(0.25);
  EXPECT_EQ(sim.world().body_count(), world.body_count());
  sim.step(0.5);
  EXPECT_TRUE(sim.world().contains(inside));
  EXPECT_FALSE(sim.world().contains(leaves));
  EXPECT_FALSE(sim.world().contains(above));
  ASSERT_EQ(sim.events().size(), 2u);
  EXPECT_EQ(sim.events()[0].kind, Event::Kind::body_removed);
  EXPECT_EQ(sim.events()[0].a, leaves);
  EXPECT_EQ(sim.events()[1].a, above);
  EXPECT_TRUE(mentions(sim.take_reports(), "'leaves' left the world"));
}

TEST(WorldBoundary, ASphereAboutACenter) {
  World world = empty_world();
  const BodyId in = world.add_body(ball("in", {9, 0, 0}));
  const BodyId out = world.add_body(ball("out", {0, 0, 0}));
  Simulation sim(
      world, with_validators({{"world-boundary", {{"shape", "sphere"}, {"center", Vec3{10, 0, 0}}, {"radius", 2.0}}}}));
  sim.step(0.1);
  EXPECT_TRUE(sim.world().contains(in));
  EXPECT_FALSE(sim.world().contains(out));
  EXPECT_TRUE(sim.world().contains(sim.world().world_body())) << "the world body is no body that could leave";
}

TEST(MaxVelocity, ClampsSpeedAndSpinAndKeepsDirections) {
  World world = empty_world();
  BodyDef def = ball("fast", {}, {30, 40, 0});
  def.angular_velocity = {0, 0, 20};
  const BodyId fast = world.add_body(def);
  const BodyId slow = world.add_body(ball("slow", {9, 0, 0}, {1, 0, 0}));
  Simulation sim(world, with_validators({{"max-velocity", {{"speed", 10.0}, {"spin", 5.0}}}}));
  sim.step(0.01);
  // Chosen: rounding of a few operations on numbers near 10.
  EXPECT_LT(distance(sim.world().velocity(fast), {6, 8, 0}), 1e-13);
  EXPECT_LT(distance(sim.world().angular_velocity(fast), {0, 0, 5}), 1e-13);
  EXPECT_EQ(sim.world().velocity(slow), (Vec3{1, 0, 0}));
  const std::vector<std::string> reports = sim.take_reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_TRUE(mentions(reports, "'fast' was slowed down from 50 m/s"));
  sim.step(0.01);
  EXPECT_TRUE(sim.take_reports().empty()) << "now it is slow enough";
}

TEST(EnergyValidator, ReportsAJumpAndNotAFall) {
  World world;
  const BodyId id = world.add_body(ball("ball", {0, 100, 0}));
  Method method = with_validators({{"energy", {}}});
  Simulation sim(world, method);
  for (int i = 0; i < 60; ++i) sim.step();
  EXPECT_TRUE(sim.take_reports().empty()) << "falling keeps the energy";
  sim.world().set_velocity(id, {0, 50, 0}, {});
  sim.step();
  EXPECT_TRUE(mentions(sim.take_reports(), "the energy grew by"));
  sim.world().set_velocity(id, {}, {});
  sim.step();
  EXPECT_TRUE(sim.take_reports().empty()) << "losses were not asked for";
  set(method, "validators.energy.losses", true);
  sim.set_method(method);
  sim.step();
  sim.world().set_velocity(id, {0, 50, 0}, {});
  sim.step();
  sim.take_reports();
  sim.world().set_velocity(id, {}, {});
  sim.step();
  EXPECT_TRUE(mentions(sim.take_reports(), "the energy fell by"));
}

TEST(MomentumValidator, ReportsWhenSomethingPushesFromOutside) {
  World world = empty_world();
  const BodyId id = world.add_body(ball("a", {0, 0, 0}, {1, 0, 0}));
  world.add_body(ball("b", {5, 0, 0}, {-1, 0, 2}));
  Simulation sim(world, with_validators({{"momentum", {}}}));
  for (int i = 0; i < 100; ++i) sim.step();
  EXPECT_TRUE(sim.take_reports().empty()) << "free bodies keep their momentum";
  sim.world().set_user_force(id, {0, 10, 0});
  for (int i = 0; i < 10; ++i) sim.step();
  EXPECT_EQ(sim.take_reports().size(), 1u) << "once, when it begins";
}

TEST(PenetrationValidator, NamesTheTwoBodies) {
  World world = empty_world();
  world.add_body(ball("left", {0, 0, 0}));
  const BodyId right = world.add_body(ball("right", {0.9, 0, 0}));
  Method method = with_validators({{"penetration", {{"depth", 0.2}}}});
  method.broadphase.name = "brute-force";
  Simulation sim(world, method);
  sim.step();
  EXPECT_FALSE(mentions(sim.take_reports(), "deep")) << "0.1 m is allowed";
  sim.world().set_pose(right, {0.7, 0, 0}, {});
  sim.step(), sim.step();
  const std::vector<std::string> reports = sim.take_reports();
  ASSERT_EQ(reports.size(), 1u) << "not in every step";
  EXPECT_TRUE(mentions(reports, "'left' and 'right' are 0.3 m deep"));
}

TEST(UserValidator, MayRemoveBodiesAndIsKeptByCopies) {
  World world = empty_world();
  const BodyId id = world.add_body(ball("doomed", {}));
  Simulation original(world, with_validators({}));
  original.add_validator([](World& w, double time, std::vector<std::string>& reports) {
    const BodyId found = w.find_body("doomed");
    if (!found || time < 0.15) return;
    reports.push_back("doomed at last");
    w.remove_body(found);
  });
  Simulation copy = original;
  copy.set_method(method_with("midpoint"));
  copy.step(0.1);
  EXPECT_TRUE(copy.world().contains(id));
  copy.step(0.1);
  EXPECT_FALSE(copy.world().contains(id));
  ASSERT_EQ(copy.events().size(), 1u);
  EXPECT_EQ(copy.events()[0].kind, Event::Kind::body_removed);
  EXPECT_TRUE(mentions(copy.take_reports(), "doomed at last"));
  EXPECT_TRUE(original.world().contains(id));
}

TEST(Validators, AreChosenByKeysLikeOtherParts) {
  Method m;
  set(m, "validators", std::string("finite, max-velocity"));
  ASSERT_EQ(m.validators.size(), 2u);
  EXPECT_EQ(m.validators[1].name, "max-velocity");
  set(m, "validators.max-velocity.speed", 12.5);
  EXPECT_EQ(m.validators[1].settings.at("speed"), Value(12.5));
  set(m, "validators.energy.tolerance", 1.0);
  ASSERT_EQ(m.validators.size(), 3u) << "it was not there before";
  EXPECT_EQ(m.validators[2].name, "energy");
  EXPECT_NO_THROW(check(m));
  set(m, "validators", std::string("none"));
  EXPECT_TRUE(m.validators.empty());

  EXPECT_NE(error_of([&] { set(m, "validators", std::string("finit")); }).find("finite"), std::string::npos);
  EXPECT_NE(error_of([&] { set(m, "validators", std::string("finite,,energy")); }), "");
  EXPECT_NE(error_of([&] { set(m, "validators", 3.0); }).find("names of validators"), std::string::npos);
  EXPECT_NE(error_of([&] { set(m, "validators.energy", 3.0); }).find("expected validators.energy.PARAMETER"),
            std::string::npos);
  EXPECT_NE(error_of([&] { set(m, "validators.energy.tolerance", -1.0); }).find("tolerance"), std::string::npos);
  EXPECT_TRUE(m.validators.empty()) << "nothing changed by mistakes";
}

}  // namespace
}  // namespace rigor::test
