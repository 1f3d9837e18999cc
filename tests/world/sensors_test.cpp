// Sensors: bodies that overlap others without a response and report it.
#include <gtest/gtest.h>

#include "rigor/snapshot_file.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kStep = 1.0 / 60;

BodyDef make(const std::string& name, ShapePtr shape, const Vec3& at) {
  BodyDef def;
  def.name = name;
  def.shape = std::move(shape);
  def.position = at;
  return def;
}

BodyDef zone(const std::string& name, const Vec3& at, double size = 1) {
  BodyDef def = make(name, box(size, size, size), at);
  def.fixed = true;
  def.sensor = true;
  return def;
}

int count(const Simulation& sim, Event::Kind kind, BodyId sensor, BodyId body) {
  return static_cast<int>(std::count_if(sim.events().begin(), sim.events().end(), [&](const Event& e) {
    return e.kind == kind && e.a == sensor && e.b == body;
  }));
}

/// Runs until an event comes; the number of steps, or -1.
int run_until(Simulation& sim, Event::Kind kind, BodyId sensor, BodyId body, int most) {
  for (int i = 1; i <= most; ++i) {
    sim.step(kStep);
    if (count(sim, kind, sensor, body) == 1) return i;
  }
  return -1;
}

class SensorPreset : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Sensors, SensorPreset, testing::ValuesIn(names_of(Kind::preset)), method_test_name);

TEST_P(SensorPreset, BodiesPassAsIfItWereNotThere) {
  const auto fall = [](bool with_sensor) {
    World world;
    world.remove_body(world.ground());
    BodyDef def = make("ball", sphere(0.25), {0, 3, 0});
    const BodyId ball = world.add_body(def);
    const BodyId sensor = with_sensor ? world.add_body(zone("zone", {0, 0, 0})) : BodyId{};
    Simulation sim(world, preset(GetParam()));
    int begins = 0, ends = 0, contacts = 0;
    for (int i = 0; i < 90; ++i) {
      sim.step(kStep);
      for (const Event& e : sim.events()) {
        begins += e.kind == Event::Kind::sensor_begin && e.a == sensor && e.b == ball;
        ends += e.kind == Event::Kind::sensor_end && e.a == sensor && e.b == ball;
        contacts += e.kind == Event::Kind::contact_begin;
      }
    }
    EXPECT_EQ(begins, with_sensor ? 1 : 0);
    EXPECT_EQ(ends, with_sensor ? 1 : 0);
    EXPECT_EQ(contacts, 0);
    return sim.world().position(ball);
  };
  EXPECT_EQ(fall(false), fall(true));
}

TEST(Sensors, ReportWhatIsInsideFromTheFirstStepOn) {
  World world;
  const BodyId inside = world.add_body(make("inside", sphere(0.5), {0, 0.5, 0}));
  const BodyId outside = world.add_body(make("outside", sphere(0.5), {5, 0.5, 0}));
  BodyDef def = zone("zone", {0, 1.5, 0}, 2);
  const BodyId sensor = world.add_body(def);
  world.ignore_collisions(sensor, world.ground());
  Simulation sim(world);
  EXPECT_TRUE(sim.sensor_overlaps().empty());
  sim.step();
  ASSERT_EQ(sim.sensor_overlaps(sensor).size(), 1U);
  EXPECT_EQ(sim.sensor_overlaps(sensor)[0].body, inside);
  EXPECT_EQ(count(sim, Event::Kind::sensor_begin, sensor, inside), 1);
  sim.step();
  EXPECT_EQ(count(sim, Event::Kind::sensor_begin, sensor, inside), 0);
  EXPECT_NE(error_of([&] { sim.sensor_overlaps(outside); }).find("not a sensor"), std::string::npos);
}

TEST(Sensors, KeepSleepingBodies) {
  World world;
  const BodyId crate = world.add_body(make("crate", box(1, 1, 1), {0, 0.5, 0}));
  const BodyId sensor = world.add_body(zone("zone", {0, 0.5, 0}));
  world.ignore_collisions(sensor, world.ground());
  Simulation sim(world);
  ASSERT_EQ(run_until(sim, Event::Kind::sensor_begin, sensor, crate, 1), 1);
  EXPECT_EQ(run_until(sim, Event::Kind::sensor_end, sensor, crate, 150), -1);
  ASSERT_TRUE(sim.world().is_asleep(crate));
  ASSERT_EQ(sim.sensor_overlaps().size(), 1U);
  // A sensor that leaves a sleeper ends its overlap and does not wake it.
  sim.world().set_velocity(sensor, {6, 0, 0}, {});
  const int steps = run_until(sim, Event::Kind::sensor_end, sensor, crate, 60);
  EXPECT_GE(steps, 10);
  EXPECT_LE(steps, 12);
  EXPECT_TRUE(sim.world().is_asleep(crate));
  sim.world().set_pose(sensor, {0.2, 0.5, 0}, {});
  sim.world().set_velocity(sensor, {}, {});
  EXPECT_EQ(run_until(sim, Event::Kind::sensor_begin, sensor, crate, 1), 1);
  EXPECT_TRUE(sim.world().is_asleep(crate));
}

TEST(Sensors, SeeKinematicAndFixedBodies) {
  World world;
  const BodyId sensor = world.add_body(zone("zone", {0, 2, 0}));
  BodyDef lift = make("lift", box(1, 0.2, 1), {0, 0.5, 0});
  lift.fixed = true;
  const BodyId id = world.add_body(lift);
  BodyDef post = make("post", box(0.2, 3, 0.2), {0.4, 2, 0});
  post.fixed = true;
  const BodyId still = world.add_body(post);
  Simulation sim(world);
  sim.step(kStep);
  EXPECT_EQ(count(sim, Event::Kind::sensor_begin, sensor, still), 1);
  sim.world().set_velocity(id, {0, 1, 0}, {});
  EXPECT_GT(run_until(sim, Event::Kind::sensor_begin, sensor, id, 70), 40);
  sim.world().set_velocity(id, {}, {});
  EXPECT_EQ(run_until(sim, Event::Kind::sensor_end, sensor, id, 10), -1);
  sim.world().set_velocity(id, {0, 4, 0}, {});
  EXPECT_GT(run_until(sim, Event::Kind::sensor_end, sensor, id, 60), 0);
}

TEST(Sensors, MoveWithBodiesThatCarryThem) {
  World world = empty_world();
  BodyDef carrier = make("robot", sphere(0.5), {0, 0, 0});
  carrier.velocity = {2, 0, 0};
  const BodyId robot = world.add_body(carrier);
  BodyDef eye = make("eye", sphere(1), {0, 0, 0});
  eye.sensor = true, eye.velocity = {2, 0, 0}, eye.mass = 0.1;
  const BodyId sensor = world.add_body(eye);
  world.add_joint(fixed_joint(world, robot, sensor));
  const BodyId target = world.add_body(make("target", sphere(0.25), {3, 0.8, 0}));
  Simulation sim(world);
  EXPECT_GT(run_until(sim, Event::Kind::sensor_begin, sensor, target, 90), 0);
  EXPECT_TRUE(sim.sensor_overlaps(sensor).size() == 1) << "the body that carries it is not reported";
  EXPECT_LT(distance(sim.world().position(robot), sim.world().position(sensor)), 1e-6);
}

TEST(Sensors, ObeyGroupsMasksAndActivity) {
  World world = empty_world();
  BodyDef sensor_def = zone("zone", {});
  sensor_def.mask = 2;
  const BodyId sensor = world.add_body(sensor_def);
  BodyDef one = make("one", sphere(0.2), {}), two = make("two", sphere(0.2), {0.5, 0, 0});
  two.group = 2;
  const BodyId a = world.add_body(one), b = world.add_body(two);
  world.ignore_collisions(a, b);
  const BodyId other = world.add_body(zone("other", {0.1, 0, 0}));
  Simulation sim(world);
  sim.step(kStep);
  ASSERT_EQ(sim.sensor_overlaps(sensor).size(), 1U);
  EXPECT_EQ(sim.sensor_overlaps(sensor)[0].body, b);
  EXPECT_EQ(sim.sensor_overlaps(other).size(), 2U) << "sensors do not see each other";
  sim.world().set_active(b, false);
  sim.step(kStep);
  EXPECT_EQ(count(sim, Event::Kind::sensor_end, sensor, b), 1);
  sim.world().set_active(b, true);
  sim.step(kStep);
  EXPECT_EQ(count(sim, Event::Kind::sensor_begin, sensor, b), 1);
  sim.world().remove_body(b);
  sim.step(kStep);
  EXPECT_EQ(count(sim, Event::Kind::sensor_end, sensor, b), 1);
  sim.world().remove_body(other);
  sim.step(kStep);
  EXPECT_EQ(count(sim, Event::Kind::sensor_end, other, a), 1);
}

TEST(Sensors, MayBecomeSolid) {
  World world = empty_world();
  const BodyId sensor = world.add_body(zone("zone", {}, 2));
  BodyDef ball = make("ball", sphere(0.2), {0, 5, 0});
  ball.velocity = {0, -3, 0};
  const BodyId id = world.add_body(ball);
  Simulation sim(world);
  sim.world().set_sensor(sensor, false);
  EXPECT_TRUE(sim.world().sensors().empty());
  for (int i = 0; i < 120; ++i) sim.step(kStep);
  EXPECT_GT(sim.world().position(id).y, 1.1);
  sim.world().set_sensor(sensor, true);
  sim.world().set_velocity(id, {0, -3, 0}, {});
  EXPECT_GT(run_until(sim, Event::Kind::sensor_begin, sensor, id, 60), 0);
}

TEST(Sensors, ContinueFromSnapshots) {
  World world;
  const BodyId sensor = world.add_body(zone("zone", {0, 1, 0}));
  const BodyId ball = world.add_body(make("ball", sphere(0.25), {0, 2, 0}));
  Simulation sim(world);
  ASSERT_GT(run_until(sim, Event::Kind::sensor_begin, sensor, ball, 60), 0);
  const Snapshot saved = sim.save();
  Simulation other(read_snapshot(write_snapshot({saved, "", "", 1})).snapshot);
  EXPECT_EQ(*other.save().state, *saved.state);
  sim.step(kStep), other.step(kStep);
  EXPECT_EQ(count(other, Event::Kind::sensor_begin, sensor, ball), 0);
  ASSERT_EQ(sim.sensor_overlaps().size(), other.sensor_overlaps().size());
  EXPECT_EQ(sim.hash(), other.hash());
}

TEST(Sensors, AreSeenByQueriesThatAskForThem) {
  World world = empty_world();
  const BodyId sensor = world.add_body(zone("zone", {}));
  const Queries queries(world);
  EXPECT_FALSE(queries.ray_cast({-5, 0, 0}, {10, 0, 0}));
  QueryFilter filter;
  filter.sensors = true;
  ASSERT_TRUE(queries.ray_cast({-5, 0, 0}, {10, 0, 0}, filter));
  EXPECT_EQ(queries.ray_cast({-5, 0, 0}, {10, 0, 0}, filter)->body, sensor);
}

/// Many sensors and bodies, against all pairs one by one.
TEST(Sensors, AgreeWithAllPairs) {
  World world;
  std::vector<BodyId> sensors, bodies;
  const auto at = [](int i, int k) { return std::fmod(0.37 * i * k + 0.61 * i + 0.2 * k, 1.0); };
  for (int i = 0; i < 20; ++i) sensors.push_back(world.add_body(zone("", {6 * at(i, 1), 3 * at(i, 2), 6 * at(i, 3)})));
  for (int i = 0; i < 40; ++i)
    bodies.push_back(world.add_body(make("", box(0.4, 0.5, 0.6), {6 * at(i, 5), 0.5 + 4 * at(i, 6), 6 * at(i, 7)})));
  for (int i = 0; i < 5; ++i) world.set_velocity(sensors[static_cast<std::size_t>(i)], {0.5, 0, 0}, {0, 1, 0});
  Simulation sim(world);
  for (int step = 0; step < 200; ++step) {
    sim.step(kStep);
    if (step % 20 != 0) continue;
    QueryFilter filter;
    std::vector<SensorOverlap> expected;
    const World& w = sim.world();
    const Queries& ask = sim.queries();
    for (const BodyId s : sensors)
      for (const BodyId b : ask.overlap(*w.body_def(s).shape, {w.position(s), w.orientation(s)}, filter))
        expected.push_back({s, b});
    std::sort(expected.begin(), expected.end());
    const auto found = sim.sensor_overlaps();
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end())) << step;
  }
}

}  // namespace
}  // namespace rigor::test
