#include "lab/contact_work.h"

#include "rigor/registry.h"
#include "support.h"

namespace rigor {
namespace {

ContactWork work_of(Simulation& simulation, int steps) {
  ContactWorkMeter meter;
  simulation.record_impulses(true);
  for (int i = 0; i < steps; ++i) {
    meter.before(simulation);
    simulation.step();
    meter.after(simulation);
  }
  return meter.sum();
}

Simulation with(const BodyDef& body, const Material& ground, const char* method, double step) {
  World world;
  world.set_material(world.ground(), ground);
  world.add_body(body);
  return Simulation(world, preset(method), TimeSettings{.step = step});
}

class ContactWorkOf : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Presets, ContactWorkOf, ::testing::Values("soft-step", "garstenauer", "tgs", "nsgs", "sap"));

/// A box that slides to rest loses all of its kinetic energy by friction, and none in impacts.
TEST_P(ContactWorkOf, ASlidingBoxLosesItsEnergyByFriction) {
  const Material wood{.name = "wood", .density = 600, .friction = 0.4};
  BodyDef box;
  box.shape = rigor::box(1, 0.2, 1);
  box.position = {0, 0.1, 0};
  box.velocity = {2, 0, 0};
  box.material = wood;
  Simulation simulation = with(box, wood, GetParam(), 1.0 / 120);
  const double before = simulation.energy().kinetic;
  const ContactWork work = work_of(simulation, 150);  // it stops after 2 / (0.4 · 9.81) s, 61 steps
  EXPECT_NEAR(work.friction / before, 1, 0.02);  // chosen: contacts that give way let the box sink and tilt a little
  EXPECT_NEAR(work.impacts / before, 0, 0.02);
}

/// A ball without friction loses 1 - e² of its kinetic energy in an impact.
TEST_P(ContactWorkOf, ABouncingBallLosesItsEnergyInImpacts) {
  const Material rubber{.name = "rubber", .density = 1000, .friction = 0, .restitution = 0.5};
  BodyDef ball;
  ball.shape = sphere(0.1);
  ball.position = {0, 1.1, 0};
  ball.velocity = {3, 0, 0};
  ball.material = rubber;
  Simulation simulation = with(ball, rubber, GetParam(), 1.0 / 240);
  const double fall = 9.81 * 1000 * 4.0 / 3 * kPi * 1e-3;  // m g h, h = 1 m
  const ContactWork work = work_of(simulation, 144);       // 0.6 s: one bounce, at 0.45 s; the next one is at 0.9 s
  EXPECT_NEAR(work.impacts / fall, 0.75,
              0.03);  // chosen: restitution is accurate to 1 %, and losses go with its square
  EXPECT_NEAR(work.friction / fall, 0, 1e-6);
}

/// The energy that contacts took equals the loss of energy.
TEST_P(ContactWorkOf, ImpactsAndFrictionTogetherExplainTheLoss) {
  const Material stone{.name = "stone", .density = 2000, .friction = 0.5, .restitution = 0.3};
  BodyDef box;
  box.shape = rigor::box(0.4, 0.4, 0.4);
  box.position = {0, 1, 0};
  box.orientation = normalized(Quat{1, 0.2, 0.1, 0.3});
  box.velocity = {2, 0, 1};
  box.material = stone;
  Simulation simulation = with(box, stone, GetParam(), 1.0 / 480);
  const double before = simulation.energy().total();
  const ContactWork work = work_of(simulation, 1440);
  const double lost = before - simulation.energy().total();
  EXPECT_GT(work.friction, 0.05 * lost);
  EXPECT_GT(work.impacts, 0.05 * lost);
  EXPECT_NEAR((work.friction + work.impacts) / lost, 1, 0.1);
}

/// A belt gives energy, by friction alone: its share is negative. A ball rolls, and takes its contact points along.
TEST_P(ContactWorkOf, ABeltGivesEnergyByFriction) {
  Material belt{.name = "belt", .density = 600, .friction = 0.5};
  BodyDef ball;
  ball.shape = sphere(0.3);
  ball.position = {0, 0.3, 0};
  ball.material = belt;
  belt.surface_velocity = {3, 0, 0};
  Simulation simulation = with(ball, belt, GetParam(), 1.0 / 120);
  const ContactWork work = work_of(simulation, 120);
  const double now = simulation.energy().kinetic;
  EXPECT_GT(now, 0);
  EXPECT_NEAR(work.friction / now, -1, 0.05);
  EXPECT_NEAR(work.impacts / now, 0, 0.02);
}

}  // namespace
}  // namespace rigor
