// Parts of a world that have no effect, or lock a motion by mistake, are reported in one sentence each.
#include "world/doubtful_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rigor/rigor.h"
#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

BodyId add_box(World& world, const char* name, const Material& material = {}, bool fixed = false) {
  BodyDef def;
  def.name = name, def.shape = box({1, 1, 1}), def.position = {0, 2, 0}, def.material = material, def.fixed = fixed;
  return world.add_body(def);
}

TEST(DoubtfulParts, StaticFrictionBelowFrictionIsTold) {
  for (const double smaller : {0.0, 0.1, 0.499}) {
    World world;
    Material m;
    m.name = "ice", m.friction = 0.5, m.static_friction = smaller;
    add_box(world, "crate", m);
    add_box(world, "second", m);
    EXPECT_THAT(doubtful_parts(world), ElementsAre(HasSubstr("material 'ice' of 'crate' has a static friction of")));
    Simulation sim(world);
    EXPECT_THAT(sim.take_reports(), ElementsAre(HasSubstr("static friction")));
  }
}

TEST(DoubtfulParts, StaticFrictionOfAPairBelowItsFrictionIsTold) {
  World world;
  MaterialRules rules;
  rules.pairs[{"ice", "wood"}] = {0.5, 0.2, -1};
  world.set_material_rules(rules);
  EXPECT_THAT(doubtful_parts(world), ElementsAre(HasSubstr("the pair 'ice', 'wood'")));
}

TEST(DoubtfulParts, FrictionAcrossAZeroGrainIsTold) {
  World world;
  Material m;
  m.friction_across = 0.2;
  add_box(world, "ski", m);
  EXPECT_THAT(doubtful_parts(world), ElementsAre(HasSubstr("its grain is zero")));
  m.grain = {1, 0, 0};
  world.set_material(world.find_body("ski"), m);
  EXPECT_THAT(doubtful_parts(world), IsEmpty());
}

TEST(DoubtfulParts, JointsBetweenBodiesThatCannotMoveAreTold) {
  World world;
  const BodyId wall = add_box(world, "wall", {}, true);
  world.add_joint(ball_joint(world, world.world_body(), wall, {0, 2, 0}));
  world.add_joint(ball_joint(world, world.world_body(), world.ground(), {0, 0, 0}));
  EXPECT_THAT(doubtful_parts(world), ElementsAre(HasSubstr("'wall', neither of which can move"),
                                                 HasSubstr("'ground', neither of which can move")));
}

TEST(DoubtfulParts, TwoHingesWithDifferentAxesAreTold) {
  World world;
  const BodyId frame = add_box(world, "frame", {}, true), door = add_box(world, "door");
  world.add_joint(hinge_joint(world, frame, door, {0, 1, 0}, {0, 1, 0}));
  world.add_joint(hinge_joint(world, door, frame, {0, 3, 0}, {0, 1, 0}));  // a second hinge of the same door
  EXPECT_THAT(doubtful_parts(world), IsEmpty());
  world.add_joint(hinge_joint(world, frame, door, {1, 1, 0}, {0, 1, 0}));
  EXPECT_THAT(doubtful_parts(world), ElementsAre(HasSubstr("cannot turn against each other")));
  world.add_joint(hinge_joint(world, frame, door, {0, 1, 0}, {1, 0, 0}));
  EXPECT_EQ(doubtful_parts(world).size(), 2u);
}

TEST(DoubtfulParts, ScenesOfTheLibraryHaveNone) {
  for (const std::string& name : builtin_scene_names())
    EXPECT_THAT(doubtful_parts(open_scene(name).world), IsEmpty()) << name;
}

TEST(DoubtfulParts, RestitutionThatTheGroundSwallows) {
  const auto reports = [](double ground, int balls, Combine rule) {
    World world;
    BodyDef def;
    def.shape = sphere(0.5);
    def.material.restitution = 0.8;
    for (int i = 0; i < balls; ++i) {
      def.position = {2.0 * i, 2, 0};
      world.add_body(def);
    }
    Material floor = world.body_def(world.ground()).material;
    floor.restitution = ground;
    world.set_material(world.ground(), floor);
    MaterialRules rules;
    rules.restitution = rule;
    world.set_material_rules(rules);
    EXPECT_EQ(lost_restitution(world).empty(), ground > 0 || rule != Combine::minimum);
    return Simulation(world).take_reports();
  };
  EXPECT_THAT(reports(0, 1, Combine::minimum), ElementsAre(HasSubstr("does not bounce on the ground")));
  EXPECT_TRUE(reports(0.5, 1, Combine::minimum).empty());
  EXPECT_TRUE(reports(0, 1, Combine::maximum).empty());
  EXPECT_TRUE(reports(0, 2, Combine::minimum).empty()) << "they bounce off each other";
}

}  // namespace
}  // namespace rigor::test
