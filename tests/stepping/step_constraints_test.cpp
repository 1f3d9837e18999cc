// Rows that a step leaves for the next one: kept while nothing has moved, written again after anything else.
#include "stepping/step_constraints.h"

#include <gtest/gtest.h>

#include "constraints/joint_survey.h"
#include "rigor/joint_types.h"
#include "support.h"

namespace rigor::test {
namespace {

struct Hanging {
  World world;
  BodyId a, b;
  JointId joint;
  ContactList contacts;
  ConstraintList list;

  explicit Hanging(bool hinge = false) {
    BodyDef def;
    def.shape = box({1, 0.2, 0.2});
    def.position = {0.5, 0, 0};
    a = world.add_body(def);
    def.position = {1.5, 0, 0};
    b = world.add_body(def);
    world.add_joint(ball_joint(world, world.world_body(), a, {}));
    joint =
        world.add_joint(hinge ? hinge_joint(world, a, b, {1, 0, 0}, {0, 0, 1}) : ball_joint(world, a, b, {1, 0, 0}));
    list.collect(world, contacts);
  }
};

TEST(RowCache, HoldUntilABodyMoves) {
  Hanging h;
  RowCache kept;
  EXPECT_FALSE(kept.hold(h.list, h.world.state()));
  kept.keep(h.list, h.world.state());
  EXPECT_TRUE(kept.hold(h.list, h.world.state()));
  h.world.state().velocity[0].x += 1;  // rows of locked axes do not ask for it
  EXPECT_TRUE(kept.hold(h.list, h.world.state()));
  h.world.state().position[0].x += 1e-15;
  EXPECT_FALSE(kept.hold(h.list, h.world.state()));
  kept.keep(h.list, h.world.state());
  h.world.state().inverse_mass[1] *= 2;
  EXPECT_FALSE(kept.hold(h.list, h.world.state()));
}

TEST(RowCache, AreThoseOfTheListOnly) {
  Hanging h;
  RowCache kept;
  kept.keep(h.list, h.world.state());
  h.world.remove_joint(h.joint);
  h.list.collect(h.world, h.contacts);
  EXPECT_FALSE(kept.hold(h.list, h.world.state()));
}

// A limit that is far away has no row now, and may have one in the next step.
TEST(RowCache, LimitsAndSpringsAreNotKept) {
  Hanging plain(true);
  RowCache kept;
  EXPECT_TRUE(kept.follow_from_poses(plain.list));
  for (const bool soft : {false, true}) {
    Hanging h(true);
    JointDef def = h.world.joint(h.joint);
    auto& axes = std::get<AxesJoint>(def.kind);
    if (soft)
      axes.stiffness = 1e4;
    else
      axes.axes[5].motion = AxisMotion::limited, axes.axes[5].lower = -3, axes.axes[5].upper = 3;
    h.world.remove_joint(h.joint);
    h.world.add_joint(def);
    h.list.collect(h.world, h.contacts);
    EXPECT_FALSE(kept.follow_from_poses(h.list));
    kept.keep(h.list, h.world.state());
    EXPECT_FALSE(kept.hold(h.list, h.world.state()));
  }
}

// What was changed between two steps counts: the joint is pulled together again from where the body was put.
TEST(RowCache, ABodyThatIsPutElsewhereIsSeen) {
  Simulation simulation(std::move(Hanging().world), preset("bender-schmitt"));
  for (int i = 0; i < 5; ++i) simulation.step();
  simulation.world().state().position[1].x += 0.01;
  simulation.step();
  EXPECT_LE(joint_errors(simulation.world()).linear, 1e-6);  // the tolerance of the preset
}

}  // namespace
}  // namespace rigor::test
