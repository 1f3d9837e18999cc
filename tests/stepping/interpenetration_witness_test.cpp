// Witnesses of interpenetration: a point inside another body shows an overlap without collision detection.
#include "stepping/interpenetration_witness.h"

#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

TEST(InterpenetrationWitness, DepthOfAPointInAShape) {
  EXPECT_DOUBLE_EQ(depth_inside(*box({2, 4, 6}), {0.9, 1, -1}), 0.1);
  EXPECT_DOUBLE_EQ(depth_inside(*box({2, 4, 6}), {1.5, 0, 0}), -0.5);
  EXPECT_DOUBLE_EQ(depth_inside(*sphere(1), {0, 0.6, 0.8 - 0.3}), 1 - std::hypot(0.6, 0.5));
  EXPECT_DOUBLE_EQ(depth_inside(*plane(), {7, -0.2, 3}), 0.2);
  EXPECT_LT(depth_inside(*cylinder(1, 1), {}), -1e300);  // gives no witness
}

/// A tilted box above the ground.
World tilted_box(double height, BodyId* id) {
  World world;
  BodyDef def;
  def.name = "box", def.shape = box({1, 1, 1}), def.position = {0, height, 0};
  def.orientation = quaternion_from_rotation_vector({0.3, 0.1, 0.5});
  def.material.restitution = 0.7;
  world.set_material(world.ground(), def.material);
  *id = world.add_body(def);
  return world;
}

TEST(InterpenetrationWitness, FollowsItsBodies) {
  BodyId id;
  Simulation sim(tilted_box(0.7, &id), preset("baraff"));
  sim.find_contacts();
  double deepest = 0;
  for (const Contact& c : sim.contacts())
    for (int i = 0; i < c.count; ++i) deepest = std::max(deepest, -c.points[static_cast<std::size_t>(i)].separation);
  ASSERT_GT(deepest, 0.05);
  InterpenetrationWitness witness;
  EXPECT_FALSE(witness.shows(sim.world(), 0));
  ContactList contacts;
  for (const Contact& c : sim.contacts()) contacts.push_back(c);
  witness.find(sim.world(), contacts);
  EXPECT_TRUE(witness.shows(sim.world(), 0.99 * deepest));
  EXPECT_FALSE(witness.shows(sim.world(), 1.01 * deepest));
  // The box is lifted by half of the depth: the same corner is still inside.
  sim.world().set_pose(id, {0, 0.7 + 0.5 * deepest, 0}, sim.world().orientation(id));
  EXPECT_TRUE(witness.shows(sim.world(), 0.49 * deepest));
  EXPECT_FALSE(witness.shows(sim.world(), 0.51 * deepest));
  sim.world().remove_body(id);
  EXPECT_FALSE(witness.shows(sim.world(), 0));
}

/// Bisection reads the sign of a trial only, so that the motion is the same to the bit.
TEST(InterpenetrationWitness, ChangesNoMotion) {
  std::vector<Vec3> path[2];
  for (const bool on : {false, true}) {
    BodyId id;
    World world = tilted_box(2, &id);
    BodyDef other;
    other.shape = convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}),
    other.position = {0.2, 3.2, 0.1};
    world.add_body(other);
    Method method = preset("baraff");
    method.stepping.settings["search"] = std::string("bisection");
    method.stepping.settings["witness"] = on;
    Simulation sim(world, method);
    for (int i = 0; i < 60; ++i) {
      sim.step(0.01);
      path[on].push_back(sim.world().position(id));
    }
  }
  EXPECT_EQ(path[0], path[1]);
}

}  // namespace
}  // namespace rigor::test
