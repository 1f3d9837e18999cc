// A joint of an extension: a point on a helix.
#include <cmath>

#include "extend/extend.h"
#include "rigor/queries.h"
#include "rigor/snapshot_file.h"

namespace rigor::test {

namespace {

constexpr double kRadius = 0.5, kPitch = 0.4;

/// A bead that slides down a helix with a vertical axis, from the origin.
BodyId add_bead(World& world, const Settings& more = {}) {
  BodyDef def;
  def.name = "bead", def.shape = sphere(0.05), def.can_collide = false;
  const BodyId id = world.add_body(def);
  Settings parameters = {{"radius", kRadius}, {"pitch", kPitch}};
  parameters.insert(more.begin(), more.end());
  JointDef joint = make_joint(world, "helix", world.world_body(), id, {{0, 0, 0}, Vec3{0, 1, 0}, {}}, parameters);
  joint.name = "slide";
  world.add_joint(joint);
  return id;
}

World slide(const Settings& more = {}) {
  World world;
  world.remove_body(world.ground());
  world.remove_force(world.drag());
  add_bead(world, more);
  return world;
}

/// m, how far the bead is from the helix, which is found anew from the joint's frame.
double error_of_bead(const World& world) {
  const JointDef& joint = world.joint(world.find_joint("slide"));
  const Vec3 p = inverse_transform_point(joint.frame_a, world.position(joint.b));
  const double phi = 2 * kPi * p.x / kPitch;
  return std::hypot(p.y - kRadius * (std::cos(phi) - 1), p.z - kRadius * std::sin(phi));
}

}  // namespace

/// Without friction a bead goes down by s(t) = ½ g sin²(α) t² with tan α = pitch / (2π r), whatever its turns.
TEST(Helix, EveryStepAndSolverHoldsIt) {
  use_plugin("joint");
  const double slope = std::atan(kPitch / (2 * kPi * kRadius)), t = 2;
  const double exact = 0.5 * 9.81 * std::pow(std::sin(slope), 2) * t * t;
  for (const char* method : {"soft-step", "garstenauer", "garstenauer-sequential", "bender", "servin", "featherstone",
                             "xpbd", "avbd", "cline-pai", "baraff"}) {
    World world = slide();
    const BodyId id = world.find_body("bead");
    Simulation sim(world, preset(method));
    for (int i = 0; i < 1000; ++i) sim.step(t / 1000);
    EXPECT_LT(error_of_bead(sim.world()), 0.01) << method;
    EXPECT_NEAR(-sim.world().position(id).y, exact, 0.03 * exact) << method;
  }
}

TEST(Helix, ItsStopHolds) {
  use_plugin("joint");
  World world = slide({{"turns", 1.0}});
  Simulation sim(world, preset("soft-step"));
  for (int i = 0; i < 1000; ++i) sim.step(0.01);
  EXPECT_NEAR(sim.world().position(sim.world().find_body("bead")).y, -kPitch, 0.01);
}

TEST(Helix, SceneFilesAndSnapshotsHoldIt) {
  use_plugin("joint");
  Scene scene;
  scene.name = "slide", scene.world = slide({{"turns", 3.0}});
  const std::string text = write_scene(scene);
  EXPECT_NE(text.find("\"helix\""), std::string::npos) << text;
  const Scene again = parse_scene(text);
  EXPECT_EQ(write_scene(again), text);
  EXPECT_NE(scene_schema().find("\"pitch\""), std::string::npos);
  Simulation sim(again.world, preset("soft-step"));
  for (int i = 0; i < 100; ++i) sim.step(0.01);
  const std::string bytes = write_snapshot({sim.save(), "slide", "", 1});
  Simulation other(World{}, default_method());
  other.restore(read_snapshot(bytes).snapshot);
  for (int i = 0; i < 100; ++i) sim.step(0.01), other.step(0.01);
  EXPECT_EQ(sim.hash(), other.hash());
  EXPECT_EQ(sim.world().joint(sim.world().find_joint("slide")).kind,
            other.world().joint(other.world().find_joint("slide")).kind);
}

TEST(Helix, ParametersCanBeChanged) {
  use_plugin("joint");
  World world = slide();
  const JointId id = world.find_joint("slide");
  const JointKind before = world.joint(id).kind;
  set_joint_parameters(world, id, {{"turns", 2.0}});
  EXPECT_FALSE(world.joint(id).kind == before);
  EXPECT_EQ(std::get<double>(describe_joint(world.joint(id)).parameters.at("turns")), 2);
  EXPECT_EQ(std::get<double>(describe_joint(world.joint(id)).parameters.at("pitch")), kPitch);
  EXPECT_THROW(set_joint_parameters(world, id, {{"pitch", -1.0}}), Error);
  EXPECT_THROW(world.set_joint(id, ExtensionJoint{}), Error);
}

TEST(Helix, SameBitsForAnyNumberOfThreads) {
  use_plugin("joint");
  const auto run = [](int threads) {
    World world;
    for (int i = 0; i < 8; ++i) {
      BodyDef def;
      def.shape = sphere(0.1), def.position = {1.0 * i, 3, 0};
      const BodyId id = world.add_body(def);
      world.add_joint(make_joint(world, "helix", world.world_body(), id, {def.position, Vec3{0.1 * i, 1, 0}, {}},
                                 {{"pitch", 0.2 + 0.1 * i}}));
    }
    Simulation sim(world, preset("soft-step"));
    sim.set_threads(threads);
    for (int i = 0; i < 100; ++i) sim.step(0.01);
    return sim.hash();
  };
  EXPECT_EQ(run(1), run(4));
}

}  // namespace rigor::test
