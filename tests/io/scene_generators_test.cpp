// Generators put the right number of bodies at the right places.
#include <gtest/gtest.h>

#include <set>

#include "io/scene_bad_scenes.h"
#include "rigor/scene.h"

namespace rigor {
namespace {

World generated(const std::string& content) { return parse_scene(test::generator(content)).world; }

Vec3 place(const World& world, const std::string& name) { return world.position(world.find_body(name)); }

constexpr std::uint32_t kDefaultBodies = 2;

TEST(SceneGenerators, Pyramid) {
  const World world = generated(R"("pyramid":{"base":6,"box":[1,1,1],"at":[8,0,0]})");
  EXPECT_EQ(world.body_count(), kDefaultBodies + 21);
  EXPECT_EQ(place(world, "pyramid_0"), (Vec3{5.5, 0.5, 0}));
  EXPECT_EQ(place(world, "pyramid_5"), (Vec3{10.5, 0.5, 0}));
  EXPECT_EQ(place(world, "pyramid_6"), (Vec3{6, 1.5, 0}));
  EXPECT_EQ(place(world, "pyramid_20"), (Vec3{8, 5.5, 0}));
}

TEST(SceneGenerators, PyramidFollowsUp) {
  const Scene scene =
      parse_scene(test::world(R"("up":"z","generate":[{"pyramid":{"base":2,"box":[1,2,4],"gap":0.5}}])"));
  EXPECT_EQ(place(scene.world, "pyramid_0"), (Vec3{-0.75, 0, 2}));
  EXPECT_EQ(place(scene.world, "pyramid_2"), (Vec3{0, 0, 6}));
}

TEST(SceneGenerators, SquarePyramid) {
  const World world = generated(R"("pyramid3d":{"base":3,"box":[1,1,1]})");
  EXPECT_EQ(world.body_count(), kDefaultBodies + 9 + 4 + 1);
  EXPECT_EQ(place(world, "pyramid3d_0"), (Vec3{-1, 0.5, -1}));
  EXPECT_EQ(place(world, "pyramid3d_13"), (Vec3{0, 2.5, 0}));
}

TEST(SceneGenerators, StackAndWall) {
  const World stack = generated(R"("stack":{"name":"s","count":3,"box":[1,2,1],"gap":0.5,"at":[0,1,0]})");
  EXPECT_EQ(place(stack, "s_0"), (Vec3{0, 2, 0}));
  EXPECT_EQ(place(stack, "s_2"), (Vec3{0, 7, 0}));
  const World wall = generated(R"("wall":{"columns":2,"courses":2,"box":[2,1,1]})");
  EXPECT_EQ(place(wall, "wall_0"), (Vec3{-1.5, 0.5, 0}));
  EXPECT_EQ(place(wall, "wall_3"), (Vec3{1.5, 1.5, 0}));
}

TEST(SceneGenerators, GridAlternatesBodies) {
  const World world = generated(R"("grid":{"count":[2,3,1],"spacing":[1,2,3],"at":[0,10,0],
      "bodies":[{"shape":{"sphere":0.1}},{"shape":{"box":[1,1,1]},"velocity":[1,0,0]}]})");
  EXPECT_EQ(world.body_count(), kDefaultBodies + 6);
  EXPECT_EQ(place(world, "grid_0"), (Vec3{-0.5, 8, 0}));
  EXPECT_EQ(place(world, "grid_5"), (Vec3{0.5, 12, 0}));
  EXPECT_EQ(world.body_def(world.find_body("grid_0")).shape->type(), "sphere");
  EXPECT_EQ(world.body_def(world.find_body("grid_1")).shape->type(), "box");
  EXPECT_EQ(world.body_def(world.find_body("grid_3")).shape->type(), "box");
  EXPECT_EQ(world.velocity(world.find_body("grid_1")), (Vec3{1, 0, 0}));
}

TEST(SceneGenerators, JitterIsBoundedAndReproducible) {
  const std::string jittered = R"("stack":{"count":50,"box":[1,1,1],"jitter":{"seed":5,"position":0.1,"velocity":2}})";
  const World a = generated(jittered), b = generated(jittered);
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_NE(a.hash(),
            generated(R"("stack":{"count":50,"box":[1,1,1],"jitter":{"seed":6,"position":0.1,"velocity":2}})").hash());
  double widest = 0;
  for (int i = 0; i < 50; ++i) {
    const Vec3 p = place(a, "stack_" + std::to_string(i));
    EXPECT_LE(std::abs(p.x), 0.1);
    EXPECT_LE(std::abs(p.y - 0.5 - i), 0.1);
    widest = std::max(widest, std::abs(p.x));
  }
  EXPECT_GT(widest, 0.05);
}

TEST(SceneGenerators, CloudIsInsideItsBoxAndTurned) {
  const World world = generated(
      R"("cloud":{"count":300,"size":[2,4,6],"at":[10,0,0],"seed":9,"bodies":[{"shape":{"box":[1,1,1]}},{"shape":{"sphere":1}}]})");
  std::set<std::string_view> types;
  for (int i = 0; i < 300; ++i) {
    const BodyId id = world.find_body("cloud_" + std::to_string(i));
    const Vec3 p = world.position(id) - Vec3{10, 0, 0};
    EXPECT_LE(std::abs(p.x), 1);
    EXPECT_LE(std::abs(p.y), 2);
    EXPECT_LE(std::abs(p.z), 3);
    EXPECT_NE(world.orientation(id), Quat{});
    EXPECT_NEAR(dot(world.orientation(id), world.orientation(id)), 1, 1e-15);
    types.insert(world.body_def(id).shape->type());
  }
  EXPECT_EQ(types.size(), 2u);
}

TEST(SceneGenerators, TheSameNumbersOnEveryMachine) {
  const World world = generated(R"("cloud":{"count":2,"size":[1,1,1],"seed":1,"bodies":[{"shape":{"sphere":1}}]})");
  // First output of SplitMix64 with seed 1 is 0x910a2dec89025cc1.
  EXPECT_EQ(place(world, "cloud_0").x, static_cast<double>(0x910a2dec89025cc1u >> 11) * 0x1p-53 - 0.5);
}

TEST(SceneGenerators, SecondOfAKindIsNumbered) {
  const Scene scene = parse_scene(test::world(
      R"("generate":[{"stack":{"count":1,"box":[1,1,1]}},{"stack":{"count":1,"box":[1,1,1],"at":[5,0,0]}}])"));
  EXPECT_EQ(place(scene.world, "stack2_0"), (Vec3{5, 0.5, 0}));
}

TEST(SceneGenerators, ForcesMayNameGeneratedBodies) {
  const Scene scene = parse_scene(test::world(
      R"("generate":[{"stack":{"count":2,"box":[1,1,1]}}],"forces":[{"type":"drag","name":"d","bodies":["stack_1"]}])"));
  EXPECT_EQ(scene.world.force(scene.world.find_force("d")).affected.bodies[0], scene.world.find_body("stack_1"));
}

}  // namespace
}  // namespace rigor
