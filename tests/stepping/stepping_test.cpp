// What every stepping method has to do, and what single ones promise.
#include <gtest/gtest.h>

#include "conformance/solver_cases.h"
#include "support.h"

namespace rigor::test {
namespace {

Method with_step(const std::string& stepping) {
  Method m = preset("garstenauer-sequential");
  m.stepping.name = stepping;
  if (has_capability(*find_method(Kind::stepping, stepping), "solves-constraints"))
    m.collision_solver = m.contact_solver = m.joint_solver = m.correction = {"none", {}};
  return m;
}

class EveryStepping : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Steppings, EveryStepping, testing::ValuesIn(names_of(Kind::stepping)), method_test_name);

bool projects_positions(const std::string& stepping) {
  return has_capability(*find_method(Kind::stepping, stepping), "level:position");
}

TEST_P(EveryStepping, ABulletDoesNotPassAPlate) {
  for (const double angle : {0.0, 0.7}) {
    World world = empty_world();
    BodyDef plate;
    plate.name = "plate", plate.shape = box({0.01, 2000, 2000}), plate.fixed = true;
    plate.orientation = quaternion_from_rotation_vector({0, 0, angle});
    world.add_body(plate);
    BodyDef bullet;
    bullet.name = "bullet", bullet.shape = sphere(0.005), bullet.position = {-5, 0, 0}, bullet.velocity = {1000, 0, 0};
    const BodyId id = world.add_body(bullet);
    Simulation sim(world, with_step(GetParam()));
    double farthest = -5;
    for (int i = 0; i < 30; ++i) {
      sim.step(1.0 / 60);
      farthest = std::max(farthest, dot(sim.world().position(id), rotate(plate.orientation, {1, 0, 0})));
    }
    EXPECT_LT(farthest, 0.0) << "plate turned by " << angle;
  }
}

TEST(ExplicitStep, LongStepsAreTakenInPartsOfTheMaximumStep) {
  Method parts = preset("garstenauer"), whole = parts;
  parts.stepping.settings["max_step"] = 0.005;
  whole.stepping.settings["max_step"] = 1e6;
  World world;
  for (int i = 0; i < 3; ++i) {
    BodyDef def;
    def.shape = box({1, 1, 1}), def.position = {0.1 * i, 0.8 + 1.3 * i, 0};
    world.add_body(def);
  }
  Simulation once(world, parts), often(world, whole);
  for (int i = 0; i < 50; ++i) {
    once.step(0.02);
    for (int k = 0; k < 4; ++k) often.step(0.005);
  }
  for (const BodyId id : once.world().bodies())
    EXPECT_LT(length(once.world().position(id) - often.world().position(id)), 1e-9);
  EXPECT_NEAR(once.time(), 1, 1e-12);
}

/// A body that wakes changes its slot with those that move by themselves: a step's caches by slot must not be older.
TEST_P(EveryStepping, ABodyThatWakesStaysWhereItIs) {
  World world;
  BodyDef def;
  def.name = "platform", def.shape = box({1, 0.2, 1}), def.position = {-30, 5, 0};
  def.fixed = true, def.velocity = {0.1, 0, 0};
  world.add_body(def);
  def.name = "wall", def.shape = box({1, 20, 20}), def.position = {-20, 0, 0}, def.velocity = {};
  world.add_body(def);
  def = {};
  def.name = "sleeper", def.shape = box({1, 1, 1}), def.position = {0, 0.5, 0};
  const BodyId id = world.add_body(def);
  def.name = "ball", def.shape = sphere(0.3), def.position = {0, 10, 0}, def.velocity = {0, -1, 0};
  world.add_body(def);
  Method m = with_step(GetParam());
  m.sleep = {"velocity", {{"min_wake_time", 0.1}}};
  Simulation sim(world, m);
  bool slept = false, woke = false;
  while (sim.time() < 2) {
    sim.step(1.0 / 60);
    const bool asleep = sim.world().slot(id) >= sim.world().state().begin(BodySet::sleeping);
    woke = woke || (slept && !asleep), slept = slept || asleep;
    EXPECT_LT(distance(sim.world().position(id), {0, 0.5, 0}), 0.3) << sim.time();  // pushed about, not more
    if (HasFailure()) return;
  }
  EXPECT_TRUE(slept && woke);
}

TEST_P(EveryStepping, AStackStands) {
  World world;
  std::vector<BodyId> ids;
  for (int i = 0; i < 4; ++i) {
    BodyDef def;
    def.shape = box({1, 1, 1}), def.position = {0, 0.5 + i, 0};
    ids.push_back(world.add_body(def));
  }
  Method m = with_step(GetParam());
  if (m.contact_solver.name != "none") {
    m.contact_solver.settings["iterations"] = std::int64_t{100};
    m.contact_solver.settings["warm_start"] = true;  // from step to step the rounds converge
    m.collision_solver = m.joint_solver = m.contact_solver;
  }
  // A millimetre is the slop. Four contacts of soft springs and a millimetre where the step solves in its own way. Projections of
  // positions let stacks creep, as their pages say: there the boxes still lie on each other.
  const double allowed = projects_positions(GetParam()) ? 0.1 : m.contact_solver.name == "none" ? 5e-3 : 1e-3;
  Simulation sim(world, m);
  run(sim, 5, 1.0 / 60);
  for (int i = 0; i < 4; ++i)
    EXPECT_LT(distance(sim.world().position(ids[static_cast<std::size_t>(i)]), {0, 0.5 + i, 0}), allowed)
        << "box " << i;
}

/// A ball rolls at 5/7 g sin α. Steps that look for contacts ahead used to keep the material point that would touch by then:
/// off the line through the center by ω h, it turned the weight into a torque, 3 to 4 % of the acceleration.
TEST_P(EveryStepping, ASphereRolls) {
  const double angle = kPi / 9, g = 9.81, h = 1.0 / 240;
  World world;
  Material rough;
  rough.friction = 0.5;
  const BodyId id = add_body_on_slope(world, angle, sphere(0.5), 0.5, rough);
  Simulation sim(world, with_step(GetParam()));
  run(sim, 0.25, h);
  const double v0 = sim.world().velocity(id).x;
  run(sim, 1, h);
  const double expected = 5.0 / 7 * g * std::sin(angle);
  // First order: a millimetre of depth, h v of way and h ω of turn count for some thousandths each; 0.5 % is chosen.
  EXPECT_NEAR(sim.world().velocity(id).x - v0, expected, 5e-3 * expected);
}

TEST_P(EveryStepping, APendulumSwings) {
  World world;
  world.remove_body(world.ground());
  BodyDef def;
  def.shape = box({1, 0.1, 0.1}), def.position = {0.5, 0, 0};
  const BodyId id = world.add_body(def);
  JointDef joint;
  joint.a = world.world_body(), joint.b = id, joint.frame_b.translation = {-0.5, 0, 0};
  AxesJoint ball;
  for (std::size_t i = 3; i < 6; ++i) ball.axes[i].motion = AxisMotion::free;
  joint.kind = ball;
  world.add_joint(joint);
  Simulation sim(world, with_step(GetParam()));
  const double energy = sim.energy().total();
  run(sim, 2, 1.0 / 240);
  EXPECT_LT(length(sim.world().to_world(id, {-0.5, 0, 0})), 5e-3);
  // Half the height of the swing: first-order steps lose or win some of it in two seconds. Projections of positions only lose.
  const double some = 0.05 * 9.81 * 10 * 0.5;
  EXPECT_LT(sim.energy().total(), energy + some);
  if (!projects_positions(GetParam())) {
    EXPECT_GT(sim.energy().total(), energy - some);
  }
}

/// Notes when forces are asked for.
class Clockwork final : public ForceEffect {
 public:
  explicit Clockwork(std::vector<double>& times) : times_(times) {}
  std::string_view type() const override { return "clockwork"; }
  void fields(FieldVisitor&) override {}
  void apply(const ForceContext& context) const override { times_.push_back(context.time); }

 private:
  std::vector<double>& times_;
};

/// Two steps of any kind that leave constraints to solvers: a ball lands and rests beside a box.
TEST(Fractioned, OfAnyTwoSteps) {
  int pairs = 0;
  for (const std::string& first : names_of(Kind::stepping))
    for (const std::string& second : names_of(Kind::stepping)) {
      Method method = preset("garstenauer");
      method.stepping = {"fractioned", {{"first", first}, {"second", second}}};
      try {
        check(method);
      } catch (const Error&) {
        continue;  // steps that solve constraints themselves are refused
      }
      ++pairs;
      World world;
      BodyDef def;
      def.shape = sphere(0.2), def.position = {1, 0.4, 0};
      const BodyId ball = world.add_body(def);
      def.shape = box({0.4, 0.4, 0.4}), def.position = {0, 0.2, 0};
      const BodyId crate = world.add_body(def);
      Simulation sim(std::move(world), method);
      for (int i = 0; i < 100; ++i) sim.step(0.01);
      for (const BodyId id : {ball, crate}) {
        EXPECT_NEAR(sim.world().position(id).y, 0.2, 5e-3) << first << ", then " << second;
        EXPECT_LT(length(sim.world().velocity(id)), 0.02) << first << ", then " << second;
      }
    }
  EXPECT_GE(pairs, 25);
}

/// The rest of a step was its end less what was done, and missed it by rounding: one more step of 1e-18 s was made there.
TEST(Bisection, DoesNotStepBeyondTheEnd) {
  std::vector<double> times;
  World world;
  BodyDef def;
  def.name = "ball", def.shape = sphere(0.1), def.position = {0, 1, 0}, def.material.restitution = 0.9;
  world.add_body(def);
  world.set_material(world.ground(), def.material);
  world.add_force(Clockwork(times));
  Method m = with_step("bisection");
  m.integrator.name = "semi-implicit-euler";  // asks at the start of a step only
  Simulation sim(world, m);
  const double h = 0.013;
  for (int i = 0; i < 400; ++i) {
    times.clear();
    const double end = sim.time() + h;
    sim.step(h);
    for (const double t : times) EXPECT_LT(t, end - 1e-12) << "step " << i;
  }
}

class ExactImpact : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Steppings, ExactImpact, testing::Values("bisection", "root", "conservative-advancement"),
                         method_test_name);

TEST_P(ExactImpact, AFastSphereTurnsRoundAtTheWall) {
  const double tolerance = 1e-5, speed = 50, radius = 0.1, h = 1.0 / 60;
  World world = empty_world();
  BodyDef wall;
  wall.name = "wall", wall.shape = box({1, 4, 4}), wall.fixed = true, wall.position = {0.5, 0, 0};
  wall.material.friction = 0, wall.material.restitution = 1;
  world.add_body(wall);
  BodyDef ball = wall;
  ball.name = "ball", ball.fixed = false, ball.shape = sphere(radius), ball.position = {-0.5, 0, 0};
  ball.velocity = {speed, 0, 0};
  const BodyId id = world.add_body(ball);
  Method m = with_step(GetParam() == "root" ? "bisection" : GetParam());
  if (GetParam() == "root") m.stepping.settings["search"] = std::string("root");
  m.stepping.settings["tolerance"] = tolerance;
  m.correction = {"none", {}};
  m.contact_envelope = 1e-4;
  Simulation sim(world, m);
  run(sim, 5 * h, h);
  // It flies 0.4 m to the wall and back for the rest of the time; the turning point is known to the tolerance, and the
  // approach that is slowed down to meet the surface to the envelope.
  const double expected = -radius - (speed * 5 * h - (0.5 - radius));
  EXPECT_NEAR(sim.world().position(id).x, expected, 2 * (tolerance + m.contact_envelope));
  EXPECT_NEAR(sim.world().velocity(id).x, -speed, 1e-9);
}

}  // namespace
}  // namespace rigor::test
