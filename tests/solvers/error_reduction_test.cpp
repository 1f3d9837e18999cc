// Error reduction per constraint (Garstenauer 2006, 5.1 and 7.4.3): a joint's own parameter takes the place of the method's.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/joint_types.h"
#include "rigor/queries.h"
#include "rigor/scene.h"
#include "rigor/snapshot_file.h"
#include "support.h"

namespace rigor::test {
namespace {

constexpr double kOpen = 0.02;  // m

/// Three pairs of bodies whose ball joints are open: with erp 0, with erp 0.4, and without one of its own.
World open_joints() {
  World world = empty_world();
  const std::optional<double> erp[] = {0.0, 0.4, std::nullopt};
  for (int k = 0; k < 3; ++k) {
    const std::string number = std::to_string(k);
    for (const auto& [name, mass] : {std::pair("a", 1.0), std::pair("b", 3.0)}) {
      BodyDef def = body_with_inertia(name + number, mass, {1, 1, 1});
      def.can_collide = false;
      def.position = {0, 3.0 * k, 0};
      world.add_body(def);
    }
    const BodyId b = world.find_body("b" + number);
    JointDef joint = ball_joint(world, world.find_body("a" + number), b, {0, 3.0 * k, 0});
    joint.erp = erp[k];
    world.add_joint(joint);
    world.set_pose(b, {kOpen, 3.0 * k, 0}, {});
  }
  return world;
}

double gap(const World& w, int k) {
  const std::string number = std::to_string(k);
  return length(w.position(w.find_body("b" + number)) - w.position(w.find_body("a" + number)));
}

Method corrected_by(const std::string& joints, const Choice& correction) {
  Method m;
  m.integrator.name = "semi-implicit-euler";
  m.collision_solver = m.contact_solver = m.joint_solver = {joints, {}};
  m.correction = correction;
  return m;
}

/// C falls by the factor 1 − erp in each step (5.3).
TEST(ErrorReduction, PerConstraintUnderEveryCorrection) {
  struct Case {
    const char *joints, *correction;
    double erp;  // of the method
  };
  for (const Case& c : {Case{"sequential-impulse", "baumgarte", 0.2}, Case{"simultaneous-impulse", "baumgarte", 0.2},
                        Case{"cone-impulse", "baumgarte", 0.2}, Case{"sequential-impulse", "impulse-correction", 0.2},
                        Case{"sequential-impulse", "sequential-position", 1},
                        Case{"simultaneous-impulse", "simultaneous-position", 1}}) {
    const Method method = corrected_by(c.joints, {c.correction, {}});
    EXPECT_TRUE(honours(method, "error-reduction"));
    Simulation sim(open_joints(), method);
    for (int n = 1; n <= 5; ++n) {
      sim.step(0.01);
      SCOPED_TRACE(std::string(c.joints) + ", " + c.correction + ", step " + std::to_string(n));
      // What is iterated ends at 1e-6 m.
      EXPECT_NEAR(gap(sim.world(), 0), kOpen, 1e-5);
      EXPECT_NEAR(gap(sim.world(), 1), kOpen * std::pow(0.6, n), 1e-5);
      EXPECT_NEAR(gap(sim.world(), 2), kOpen * std::pow(1 - c.erp, n), 1e-5);
    }
  }
}

TEST(ErrorReduction, ThatIsNotHonouredIsReported) {
  for (const char* name : {"soft-step", "xpbd", "featherstone", "bender-schmitt", "servin", "baraff"}) {
    Simulation sim(open_joints(), preset(name));
    const std::vector<std::string> reports = sim.take_reports();
    EXPECT_TRUE(std::any_of(reports.begin(), reports.end(), [](const std::string& r) {
      return r.find("does not honour error-reduction") != std::string::npos;
    })) << name;
  }
}

TEST(ErrorReduction, IsAPartOfTheError) {
  World world = open_joints();
  JointDef joint = world.joint(world.joints().front());
  joint.name = "late";
  joint.erp = 1.5;
  EXPECT_NE(error_of([&] { world.add_joint(joint); }).find("erp: expected a number from 0 to 1"), std::string::npos);
}

TEST(ErrorReduction, ReadsBackFromScenesAndSnapshots) {
  Scene scene;
  scene.world = open_joints();
  const Scene again = parse_scene(write_scene(scene));
  const Simulation sim(open_joints(), preset("garstenauer"));
  const Simulation restored(read_snapshot(write_snapshot({sim.save(), "", "", 1})).snapshot);
  for (const World* w : {&again.world, &restored.world()}) {
    const std::vector<JointId> joints = w->joints();
    ASSERT_EQ(joints.size(), 3u);
    EXPECT_EQ(w->joint(joints[0]).erp, 0.0);
    EXPECT_EQ(w->joint(joints[1]).erp, 0.4);
    EXPECT_FALSE(w->joint(joints[2]).erp.has_value());
  }
}

}  // namespace
}  // namespace rigor::test
