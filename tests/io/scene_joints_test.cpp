// Joints, materials and their rules in scene files: read as meant, written and read back to the same bits.
#include <gtest/gtest.h>

#include "constraints/joint_samples.h"
#include "io/scene_bad_scenes.h"
#include "rigor/scene.h"

namespace rigor::test {
namespace {

void expect_same_joints(const World& a, const World& b) {
  ASSERT_EQ(a.joint_count(), b.joint_count());
  for (const JointId id : a.joints()) {
    const JointDef& def = a.joint(id);
    const JointId other = b.find_joint(def.name);
    ASSERT_TRUE(other) << def.name;
    const JointDef& again = b.joint(other);
    EXPECT_EQ(again.type, def.type) << def.name;
    EXPECT_EQ(again.kind, def.kind) << def.name;
    EXPECT_EQ(again.frame_a, def.frame_a) << def.name;
    EXPECT_EQ(again.frame_b, def.frame_b) << def.name;
    EXPECT_EQ(b.name(again.a), a.name(def.a));
    EXPECT_EQ(again.collide, def.collide);
    EXPECT_EQ(again.break_force, def.break_force);
    EXPECT_EQ(again.break_torque, def.break_torque);
    EXPECT_EQ(again.erp, def.erp);
    EXPECT_EQ(b.joint_state(other).broken, a.joint_state(id).broken);
  }
}

TEST(SceneJoints, EveryTypeReadsBackToTheSameBits) {
  for (const std::string& type : pair_joint_types()) {
    for (const bool everything : {false, true}) {
      Random random(21);
      JointPair pair(random);
      JointDef def = sample_joint(pair, type, random, everything);
      def.name = "the joint";
      def.collide = everything;
      if (everything) def.break_force = 1.0 / 3;
      pair.world.add_joint(def);
      if (everything) pair.world.set_joint_broken(pair.world.find_joint("the joint"), true);
      Scene scene;
      scene.world = pair.world;
      const Scene again = parse_scene(write_scene(scene));
      SCOPED_TRACE(type);
      expect_same_joints(scene.world, again.world);
    }
  }
}

TEST(SceneJoints, GearsReadBack) {
  const std::string text =
      test::world(R"("bodies":[{"name":"p","shape":{"sphere":1}},{"name":"q","shape":{"sphere":1}}],
    "joints":[{"type":"hinge","name":"turn","a":"world","b":"p","anchor":[0,0,0],"axis":[0,0,1]},
              {"type":"slider","name":"slide","a":"world","b":"q","anchor":[0,0,0],"axis":[1,0,0]},
              {"type":"gear","name":"rack","first":"turn","second":"slide","ratio":-2.5}])");
  const Scene scene = parse_scene(text);
  const GearJoint& gear = std::get<GearJoint>(scene.world.joint(scene.world.find_joint("rack")).kind);
  EXPECT_EQ(gear.first_axis, 3);
  EXPECT_EQ(gear.second_axis, 0);
  const Scene again = parse_scene(write_scene(scene));
  expect_same_joints(scene.world, again.world);
  EXPECT_EQ(write_scene(again), write_scene(scene));
}

TEST(SceneJoints, AnchorsInWorldAndBodyCoordinatesMeanTheSame) {
  const auto scene = [](const std::string& where) {
    return parse_scene(test::world(R"("bodies":[{"name":"p","shape":{"sphere":1},"position":[1,2,3],
      "orientation":[0.7071067811865476,0,0.7071067811865476,0]}],"joints":[{"type":"hinge","a":"world","b":"p",)" +
                                   where + "}]"));
  };
  const Scene world = scene(R"("anchor":[1,2,5],"axis":[0,0,2])");
  // b's x axis points along −z of the world, its z axis along x.
  const Scene body = scene(R"("anchor_a":[1,2,5],"axis_a":[0,0,1],"anchor_b":[-2,0,0],"axis_b":[-1,0,0])");
  for (const Scene* s : {&world, &body}) {
    const JointDef& def = s->world.joint(s->world.joints()[0]);
    EXPECT_LT(distance(def.frame_a.translation, {1, 2, 5}), 1e-15);
    EXPECT_LT(distance(def.frame_b.translation, {-2, 0, 0}), 1e-15);
    EXPECT_LT(distance(rotate(def.frame_a.rotation, {1, 0, 0}), {0, 0, 1}), 1e-15);
    EXPECT_LT(distance(rotate(def.frame_b.rotation, {1, 0, 0}), {-1, 0, 0}), 1e-15);
  }
}

TEST(SceneJoints, AJointThatNoTypeDescribesIsSavedAsSixDof) {
  Scene scene;
  World& world = scene.world;
  BodyDef def;
  def.shape = sphere(1);
  const BodyId b = world.add_body(def);
  JointDef joint = hinge_joint(world, world.world_body(), b, {}, {0, 0, 1});
  AxesJoint& kind = std::get<AxesJoint>(joint.kind);
  kind.axes[0].motion = AxisMotion::limited, kind.axes[0].upper = 0.25;
  kind.axes[3].motor = {.kind = AxisMotor::Kind::velocity, .target = 3};
  world.add_joint(joint);
  const World again = parse_scene(write_scene(scene)).world;
  EXPECT_EQ(again.joint(again.joints()[0]).type, "six-dof");
  EXPECT_EQ(again.joint(again.joints()[0]).kind, joint.kind);
}

TEST(SceneJoints, MaterialsAndRulesReadBack) {
  const std::string text = test::world(R"("ground":{"material":"belt"},"materials":{"belt":{"friction":0.8,
    "static_friction":0.9,"rolling_friction":0.01,"spinning_friction":0.02,"grain":[1,0,0],"friction_across":0.5,
    "surface_velocity":[0,0,2]},"x":{}},"bodies":[{"name":"p","shape":{"sphere":1},"material":{"rolling_friction":0.125}}],
    "material_rules":{"friction":"mean","restitution":"product","pairs":[{"a":"x","b":"belt","friction":0.1}]})");
  const Scene scene = parse_scene(text), again = parse_scene(write_scene(scene));
  const Material& belt = scene.materials.at("belt");
  EXPECT_EQ(belt.rolling_friction, 0.01);
  EXPECT_EQ(belt.surface_velocity, (Vec3{0, 0, 2}));
  EXPECT_EQ(belt.grain, (Vec3{1, 0, 0}));
  EXPECT_EQ(again.materials, scene.materials);
  EXPECT_EQ(scene.world.body_def(scene.world.ground()).material, belt);
  EXPECT_EQ(again.world.body_def(again.world.find_body("p")).material.rolling_friction, 0.125);
  EXPECT_EQ(scene.world.material_rules().friction, Combine::mean);
  EXPECT_EQ(scene.world.material_rules().pairs.at({"belt", "x"}).friction, 0.1);
  EXPECT_EQ(again.world.material_rules(), scene.world.material_rules());

  // A rule for bodies that are still to come survives saving.
  Scene early = scene;
  MaterialRules rules = early.world.material_rules();
  rules.pairs[{"belt", "rubber"}].friction = 0.9;
  early.world.set_material_rules(rules);
  EXPECT_EQ(parse_scene(write_scene(early)).world.material_rules(), rules);
}

}  // namespace
}  // namespace rigor::test
