// bender-schmitt at singular, redundant and far open joints: bodies stay, energy does not come from nowhere, and what does not converge is
// reported with the joint and the figure.
#include <gtest/gtest.h>

#include "constraints/joint_survey.h"
#include "rigor/joint_types.h"
#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

bool all_active(const World& world) {
  for (const BodyId id : world.bodies())
    if (!world.is_active(id)) return false;
  return true;
}

double energy(const Simulation& sim) { return sim.energy().kinetic + sim.energy().potential; }

TEST(BenderSchmitt, KeepsTheBridge) {
  const Scene scene = open_scene("bridge");
  Simulation sim(scene.world, preset("bender-schmitt"), scene.time);
  const double before = energy(sim);
  double most = before, open = 0;
  for (int i = 0; i < 200; ++i) {
    sim.step();
    most = std::max(most, energy(sim));
    open = std::max(open, joint_errors(sim.world()).linear);
  }
  EXPECT_TRUE(all_active(sim.world()));
  EXPECT_LT(most, 1.001 * before);
  EXPECT_LT(open, 0.01);
  for (const std::string& report : sim.take_reports())
    EXPECT_NE(report.find("joint 'hinge_"), std::string::npos) << report;
}

/// A straight chain as long as its span under gravity, of n rods of 1 kg, its ends fixed; turned about the vertical.
World taut_chain(int n, double angle) {
  World world;
  world.remove_body(world.ground());
  world.remove_force(world.drag());
  const double length = 4.0 / n;
  const Quat turn = quaternion_from_axis_angle({0, 1, 0}, angle);
  BodyId last = world.world_body();
  for (int i = 0; i < n; ++i) {
    BodyDef def;
    def.shape = box({length, 0.05, 0.05}), def.mass = 1, def.can_collide = false;
    def.position = rotate(turn, {(i + 0.5) * length, 0, 0}), def.orientation = turn;
    const BodyId id = world.add_body(def);
    JointDef joint = hinge_joint(world, last, id, rotate(turn, {i * length, 0, 0}), rotate(turn, {0, 0, 1}));
    joint.name = "joint_" + std::to_string(i);
    world.add_joint(joint);
    last = id;
  }
  JointDef joint = hinge_joint(world, last, world.world_body(), rotate(turn, {4, 0, 0}), rotate(turn, {0, 0, 1}));
  joint.name = "end";
  world.add_joint(joint);
  return world;
}

TEST(BenderSchmitt, TautChainsStayTaut) {
  for (const int n : {2, 3, 5, 8, 13})
    for (const double angle : {0.0, 0.7, 2.1})
      for (const double h : {0.002, 0.005, 0.01, 1.0 / 60}) {
        SCOPED_TRACE(std::to_string(n) + " rods at " + std::to_string(angle) + " rad, h = " + std::to_string(h));
        Simulation sim(taut_chain(n, angle), preset("bender-schmitt"));
        const double before = energy(sim);
        double most = 0;
        for (int i = 0; i < 100; ++i) {
          sim.step(h);
          most = std::max(most, energy(sim) - before);
        }
        double sag = 0;
        for (const BodyId id : sim.world().bodies()) sag = std::max(sag, std::abs(sim.world().position(id).y));
        EXPECT_LT(sag, 0.05);
        EXPECT_LT(most, 0.01 * 9.81 * n * 0.1) << "J, of the weight over a tenth of a metre";
        EXPECT_LT(joint_errors(sim.world()).linear, 1e-3);
      }
}

/// A chain that falls from the horizontal and whips: where a link turns over within a step, the equations of its joints have a second
/// solution, which throws it. It gave `chain` half of its energy in one step.
TEST(BenderSchmitt, ChainsThatWhipGainNoEnergy) {
  for (const int n : {4, 8, 12})
    for (const double angle : {0.0, 0.3})
      for (const double h : {0.0025, 0.005, 0.01}) {
        World world = taut_chain(n, angle);
        world.remove_joint(world.joints().back());  // its far end is free
        Simulation sim(world, preset("bender-schmitt"));
        const double before = energy(sim);
        double most = 0;
        for (double t = 0; t < 6; t += h) {
          sim.step(h);
          most = std::max(most, energy(sim) - before);
        }
        const double fall = 9.81 * n * 2;  // J, of the chain's center of mass
        EXPECT_LT(most, 0.05 * fall) << n << " rods at " << angle << " rad, h = " << h;
        EXPECT_LT(joint_errors(sim.world()).linear, 1e-4);
      }
}

TEST(BenderSchmitt, SelfAssemblyLosesNoBody) {
  const Scene scene = open_scene("self-assembly");
  Simulation sim(scene.world, preset("bender-schmitt"), scene.time);
  for (int i = 0; i < 300; ++i) sim.step();
  EXPECT_TRUE(all_active(sim.world()));
  EXPECT_LT(joint_errors(sim.world()).linear, 1e-6);
  EXPECT_LT(sim.energy().kinetic, 1e-6);
}

TEST(BenderSchmitt, TheWalkingMachineNeedsOneVelocityCorrection) {
  const Scene scene = open_scene("walking-machine");
  Simulation sim(scene.world, preset("bender-schmitt"), scene.time);
  int corrections = 0, missed = 0;
  for (int i = 0; i < 500; ++i) {
    sim.step();
    corrections += sim.statistics().correction.iterations;
    missed += !sim.statistics().correction.converged;
  }
  EXPECT_EQ(missed, 0);
  EXPECT_LE(corrections, 550);  // some steps are taken in parts
  EXPECT_TRUE(sim.take_reports().empty());
}

/// The iterative method on the paper's own car: every step converges, faster than real time.
TEST(Bender, ConvergesOnTheCar) {
  const Scene scene = open_scene("bender-car");
  Simulation sim(scene.world, preset("bender"), scene.time);
  int missed = 0, most = 0;
  for (int i = 0; i < 200; ++i) {
    sim.step();
    missed += !sim.statistics().joint.converged || !sim.statistics().correction.converged;
    most = std::max(most, sim.statistics().joint.iterations + sim.statistics().correction.iterations);
  }
  EXPECT_EQ(missed, 0);
  EXPECT_LT(most, 1000);  // 6500 rounds without conjugate gradients
  EXPECT_TRUE(sim.take_reports().empty());
}

/// Impulses found once per step act along rows that the bodies turn away from: a double pendulum gained 78 % of its energy in 10 s.
TEST(Sombatpanich, JointsDoNotGainEnergy) {
  for (const char* name : {"pendulum", "double-pendulum"})
    for (const double factor : {0.5, 1.0, 2.0}) {
      SCOPED_TRACE(std::string(name) + " with steps times " + std::to_string(factor));
      const Scene scene = open_scene(name);
      Simulation sim(scene.world, preset("sombatpanich"), scene.time);
      // J, of which the scale is the kinetic energy on the way down.
      const double before = energy(sim);
      double scale = 0, most = 0;
      const double h = factor * scene.time.step;
      for (double t = 0; t < 10; t += h) {
        sim.step(h);
        scale = std::max(scale, sim.energy().kinetic), most = std::max(most, energy(sim) - before);
      }
      EXPECT_LT(most, 0.01 * scale);
      EXPECT_LT(joint_errors(sim.world()).linear, 5e-3);
    }
}

/// Light links under tension swing faster than steps of 5 ms resolve.
TEST(Baraff, ChainsKeepTheirEnergy) {
  const Scene scene = open_scene("chain");
  Simulation sim(scene.world, preset("baraff"), scene.time);
  const double before = energy(sim);
  double scale = 0, most = 0;
  for (int i = 0; i < 400; ++i) {
    sim.step();
    scale = std::max(scale, sim.energy().kinetic), most = std::max(most, std::abs(energy(sim) - before));
  }
  EXPECT_LT(most, 1e-3 * scale);
  EXPECT_LT(joint_errors(sim.world()).linear, 1e-4);
  EXPECT_TRUE(sim.take_reports().empty());
}

/// A loop near a singular position took all that gravity can do in a step, in any direction: 10 MJ in 10 s.
TEST(Featherstone, TheBridgeGainsNoEnergy) {
  const Scene scene = open_scene("bridge");
  Simulation sim(scene.world, preset("featherstone"), scene.time);
  const double before = energy(sim);
  double most = before;
  for (int i = 0; i < 400; ++i) {
    sim.step();
    most = std::max(most, energy(sim));
  }
  EXPECT_TRUE(all_active(sim.world()));
  EXPECT_LT(most, 1.05 * before);
}

/// The ten iterations and the whole step of the thesis do not hold a tree of rods at steps of 1/30 s.
TEST(Garstenauer, JointsThatComeOpenAreReportedByName) {
  const Scene scene = open_scene("j-tree");
  Method method = preset("garstenauer");
  set(method, "stepping.max_step", 1e6);
  set(method, "solver.*.lcp.iterations", std::int64_t{10});
  Simulation sim(scene.world, method, scene.time);
  for (int i = 0; i < 300; ++i) sim.step();
  ASSERT_GT(joint_errors(sim.world()).linear, 1);
  const std::vector<std::string> reports = sim.take_reports();
  ASSERT_FALSE(reports.empty());
  EXPECT_NE(reports[0].find("is open by"), std::string::npos) << reports[0];
  EXPECT_LT(reports.size(), 10u);
}

/// Two bodies that nine joints hold, two of which contradict each other by 90°: found by the fuzzer of scene files. The row of a tilt had a Jacobian of
/// rounding errors there, its impulse was 10³⁶ N s, and two steps later `garstenauer` threw because velocities were not finite.
Scene contradicting_joints(const std::string& orientation) {
  return parse_scene(R"({"rigor":1,"world":{
"bodies":[{"name":"p","shape":{"sphere":0.5},"position":[0,3,0]},{"name":"q","shape":{"box":[1,1,1]},"position":[2,3,0]}],
"joints":[{"type":"hinge","name":"h","a":"world","b":"p","anchor":[0,3,0],"axis":[0,0,1],"lower":-1,"upper":2,"motor":"velocity","motor_target":3,"motor_force":5},
{"type":"slider","name":"s","a":"world","b":"q","anchor":[2,3,0],"axis":[1,0,0],"spring_stiffness":10,"friction":1},
{"type":"gear","first":"h","second":"s","ratio":-2},
{"type":"ball","a":"p","b":"q","anchor_a":[1,0,0],"anchor_b":[-1,0,0],"axis":[1,0,0],"max_swing":1,"max_twist":0.5,"break_force":1000},
{"type":"path","a":"world","b":"q","points":[[2,3,0],[3,3,0],[3,4,0]],"closed":true},
{"type":"car-wheel","a":"p","b":"q","anchor":[1,3,0],"axis":[0,1,0],"axis2":[0,0,1],"steering_lower":-1,"steering_motor":"servo","steering_motor_proportional":9},
{"type":"six-dof","a":"p","b":"q","frame_a":{"position":[1,0,0]},"frame_b":{"orientation":)" +
                     orientation + R"(},"rx":"limited","rx_upper":1,"z":"free"},
{"type":"rope","a":"p","b":"q","upper":3,"active":false},
{"type":"two-axis-rotation","a":"p","b":"q","axis":[1,0,0],"axis2":[1,0,1],"broken":true}]},
"run":{"dt":0.01,"duration":1}})");
}

TEST(ContradictingJoints, TiltedBy90DegreesDoNotEndAStepWithAnError) {
  for (const char* orientation : {"[0,1,0,-1]", "[0,1,1,0]", "[1,0,1,0]"}) {
    const Scene scene = contradicting_joints(orientation);
    for (const MethodInfo& method : methods()) {
      if (method.kind != Kind::preset) continue;
      Simulation sim(scene.world, preset(method.name), scene.time);
      for (int i = 0; i < 5; ++i) ASSERT_NO_THROW(sim.step()) << method.name << " " << orientation;
      for (const BodyId id : sim.world().bodies())
        EXPECT_TRUE(is_finite(sim.world().position(id)) && is_finite(sim.world().velocity(id)))
            << method.name << " " << orientation;
    }
  }
}

TEST(Garstenauer, JointsTiltedBy90DegreesPullGently) {
  Simulation sim(contradicting_joints("[0,1,0,-1]").world, preset("garstenauer"), TimeSettings{.step = 0.01});
  for (int i = 0; i < 50; ++i) sim.step();
  // The error of 1 is corrected at 10 rad/s at most, and tilts close to 90° ten times as fast. Chosen: both together, times the arm of 3 m.
  for (const char* name : {"p", "q"}) EXPECT_LT(length(sim.world().velocity(sim.world().find_body(name))), 300) << name;
}

}  // namespace
}  // namespace rigor::test
