// The validator that reports energy from nowhere.
#include <gtest/gtest.h>

#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

Method watched(const char* integrator) {
  Method m = method_with(integrator);
  m.validators.push_back({"unexplained-energy", {}});
  return m;
}

/// Two bodies on a spring that swings with ω h = 0.5, far too fast for explicit Euler.
void add_stiff_spring(World& world, const Vec3& position) {
  BodyDef def;
  def.shape = sphere(0.1), def.mass = 1, def.can_collide = false;
  def.position = position, def.name = "left";
  const BodyId a = world.add_body(def);
  def.position.x += 1.2, def.name = "right";
  const BodyId b = world.add_body(def);
  Spring spring;
  spring.stiffness = 450, spring.rest_length = 1;
  world.add_force(spring, Affected::pair(a, b));
}

World stiff_spring() {
  World world = empty_world();
  add_stiff_spring(world, {});
  return world;
}

TEST(UnexplainedEnergy, IsReportedWithFigureAndBody) {
  Simulation sim(stiff_spring(), watched("explicit-euler"));
  for (int i = 0; i < 60; ++i) sim.step(1.0 / 60);
  const std::vector<std::string> reports = sim.take_reports();
  ASSERT_FALSE(reports.empty());
  EXPECT_NE(reports[0].find("the energy has grown by"), std::string::npos) << reports[0];
  EXPECT_NE(reports[0].find("the fastest body is '"), std::string::npos) << reports[0];
  EXPECT_LT(reports.size(), 20u) << "again only when it is ten times as much";
}

TEST(UnexplainedEnergy, IsNotReportedOfAccurateMotion) {
  Simulation sim(stiff_spring(), watched("rk4"));
  for (int i = 0; i < 600; ++i) sim.step(1.0 / 600);
  EXPECT_TRUE(sim.take_reports().empty());
}

/// A beam on a hinge whose anchors are apart by d at the start, upwards: closing it lifts and accelerates the beam.
World open_hinge(double d) {
  World world;
  BodyDef def;
  def.shape = box({2, 0.2, 0.5}), def.mass = 100, def.position = {0, 3, 0};
  const BodyId beam = world.add_body(def);
  JointDef joint = make_joint(world, "hinge", world.world_body(), beam, {{0, 3, 0}, Vec3{0, 0, 1}, {}});
  joint.frame_a.translation.y += d;
  world.add_joint(joint);
  return world;
}

TEST(UnexplainedEnergy, JointsThatAreOpenAtTheStartExplainWhatClosesThem) {
  for (const char* name : {"tgs", "nncg", "garstenauer-sequential", "garstenauer", "guendelman", "bender-schmitt",
                           "featherstone", "jakobsen", "xpbd", "avbd", "sap", "sombatpanich", "moore-wilhelms"})
    for (const double d : {0.001, 0.08, 0.5})
      for (const double h : {1.0 / 60, 0.01, 0.004}) {
        Simulation sim(open_hinge(d), preset(name));
        for (double t = 0; t < 0.5; t += h) sim.step(h);
        for (const std::string& report : sim.take_reports())
          EXPECT_EQ(report.find("the energy has grown"), std::string::npos)
              << name << ", " << d << " m at " << h << " s: " << report;
      }
}

/// What is closed at the start and comes open later explains nothing.
TEST(UnexplainedEnergy, JointsThatComeOpenExplainNothing) {
  World world = stiff_spring();
  BodyDef def;
  def.shape = sphere(0.1), def.mass = 1, def.position = {0, 3, 0};
  const BodyId ball = world.add_body(def);
  world.add_joint(make_joint(world, "ball", world.world_body(), ball, {{0, 3, 0}, Vec3{0, 0, 1}, {}}));
  Simulation sim(world, watched("explicit-euler"));
  for (int i = 0; i < 60; ++i) sim.step(1.0 / 60);
  EXPECT_FALSE(sim.take_reports().empty());
}

/// What a user gives to a body between two steps comes from the user.
TEST(UnexplainedEnergy, LeavesOutWhatUsersChange) {
  World world = empty_world();
  BodyDef def;
  def.shape = sphere(0.1);
  const BodyId id = world.add_body(def);
  Simulation sim(std::move(world), watched("rk4"));
  for (int i = 0; i < 10; ++i) {
    sim.step(1.0 / 60);
    sim.world().set_velocity(id, {10.0 * i, 0, 0}, {});
  }
  EXPECT_TRUE(sim.take_reports().empty());
}

/// Bodies that fall, rebound and roll, a motor, and overlaps that come apart gain nothing that is not explained.
TEST(UnexplainedEnergy, IsNotReportedWhereWorkIsDone) {
  World world;
  for (int i = 0; i < 6; ++i) {
    BodyDef def;
    def.shape = i % 2 ? sphere(0.2) : box({0.3, 0.2, 0.4});
    def.position = {0.25 * i, 0.5 + 0.3 * i, 0.05 * i};
    def.material.restitution = 0.6;
    world.add_body(def);
  }
  BodyDef def;
  def.shape = box({1, 0.1, 0.1}), def.position = {-3, 1, 0};
  const BodyId arm = world.add_body(def);
  JointDef motor = make_joint(world, "hinge", world.world_body(), arm, {{-3, 1, 0}, Vec3{0, 0, 1}, {}});
  AxisMotor& axis = std::get<AxesJoint>(motor.kind).axes[3].motor;
  axis.kind = AxisMotor::Kind::velocity, axis.target = 8, axis.max_force = 20;
  world.add_joint(motor);
  for (const char* name : {"garstenauer", "tgs", "avbd"}) {
    Simulation sim(world, preset(name));
    for (int i = 0; i < 240; ++i) sim.step(1.0 / 120);
    for (const std::string& report : sim.take_reports()) EXPECT_EQ(report.find("energy"), std::string::npos) << report;
  }
}

/// A box of a tonne that lies in the ground by `depth`, and the stiff spring above it, which gains 2 kJ from nowhere.
std::vector<std::string> reports_beside_an_overlap(double depth) {
  World world;
  BodyDef def;
  def.shape = box({1, 1, 1}), def.mass = 1000, def.position = {0, 0.5 - depth, 0};
  world.add_body(def);
  add_stiff_spring(world, {0, 20, 0});
  Method method = preset("garstenauer");
  method.integrator = {"explicit-euler", {}}, method.validators = {{"unexplained-energy", {}}};
  Simulation sim(std::move(world), method);
  for (int i = 0; i < 24; ++i) sim.step(1.0 / 60);
  return sim.take_reports();
}

/// Touching boxes sink by g h² in the first step of a solver that does not converge, which counted as an overlap that may push them apart with
/// kilojoules.
TEST(UnexplainedEnergy, IsNotExplainedByWhatAFirstStepSinks) {
  const double g_h2 = 9.81 / 3600;
  const std::vector<std::string> reports = reports_beside_an_overlap(1.5 * g_h2);
  ASSERT_FALSE(reports.empty());
  EXPECT_NE(reports[0].find("the energy has grown by"), std::string::npos) << reports[0];
  EXPECT_TRUE(reports_beside_an_overlap(4 * g_h2).empty());
}

/// The advice follows the island of the fastest body: a motor elsewhere has not done this work.
TEST(UnexplainedEnergy, NamesMotorsThatDriveTheFastestBody) {
  const auto advice = [](bool is_connected) {
    World world = stiff_spring();
    for (const char* name : {"left", "right"}) {
      const BodyId ball = world.find_body(name);
      BodyDef def;
      def.shape = sphere(0.1), def.mass = 0.1, def.can_collide = false;
      def.position = world.position(ball) + (is_connected ? Vec3{} : Vec3{0, 50, 0});
      const BodyId wheel = world.add_body(def);
      JointDef motor = make_joint(world, "hinge", is_connected ? ball : world.world_body(), wheel,
                                  {def.position, Vec3{1, 0, 0}, {}});
      AxisMotor& axis = std::get<AxesJoint>(motor.kind).axes[3].motor;
      axis.kind = AxisMotor::Kind::velocity, axis.target = 0.01;
      world.add_joint(motor);
    }
    Method method = preset("garstenauer");
    method.integrator = {"explicit-euler", {}}, method.validators = {{"unexplained-energy", {}}};
    Simulation sim(std::move(world), method);
    for (int i = 0; i < 60; ++i) sim.step(1.0 / 60);
    const std::vector<std::string> reports = sim.take_reports();
    return reports.empty() ? std::string() : reports.back();
  };
  EXPECT_NE(advice(false).find("a smaller step may help"), std::string::npos) << advice(false);
  EXPECT_NE(advice(true).find("motors without a bound on their force"), std::string::npos) << advice(true);
}

/// The account is part of what is saved: a restored run reports the same sentences.
TEST(UnexplainedEnergy, SurvivesSaveAndRestore) {
  Simulation sim(stiff_spring(), watched("explicit-euler"));
  for (int i = 0; i < 2; ++i) sim.step(1.0 / 60);
  const Snapshot saved = sim.save();
  static_cast<void>(sim.take_reports());
  const auto rest = [&] {
    for (int i = 0; i < 60; ++i) sim.step(1.0 / 60);
    return sim.take_reports();
  };
  const std::vector<std::string> first = rest();
  sim.restore(saved);
  EXPECT_EQ(rest(), first);
}

}  // namespace
}  // namespace rigor::test
