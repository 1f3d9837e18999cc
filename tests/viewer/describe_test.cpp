// The description of joints, forces and the preview of the motion for a page.
#include "viewer/describe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "rigor/error.h"
#include "test_scenes.h"
#include "viewer/preview.h"

namespace rigor::viewer {
namespace {

Scene mechanisms() {
  return parse_scene(R"({ "rigor": 1, "world": {
    "bodies": [ { "name": "ball", "shape": { "sphere": 0.2 }, "position": [0, 2, 0] },
                { "name": "box", "shape": { "box": [1, 1, 1] }, "position": [3, 2, 0] },
                { "name": "belt", "shape": { "box": [4, 0.2, 1] }, "position": [0, 0.1, 5], "fixed": true,
                  "material": { "surface_velocity": [2, 0, 0] } } ],
    "joints": [ { "type": "rope", "name": "rope", "a": "world", "b": "ball", "anchor_a": [0, 4, 0], "anchor_b": [0, 2, 0], "upper": 3 },
                { "type": "hinge", "name": "axle", "a": "world", "b": "box", "anchor": [3, 2, 0], "axis": [0, 0, 1],
                  "motor": "velocity", "motor_target": 1 },
                { "type": "distance", "name": "rod", "a": "ball", "b": "box", "anchor_a": [0, 2, 0], "anchor_b": [3, 2, 0] } ],
    "forces": [ { "type": "spring", "name": "spring", "a": "ball", "b": "box", "stiffness": 12, "point_a": [0, 0.2, 0] },
                { "type": "buoyancy", "name": "water", "level": 1.5, "end_time": 4 } ] } })");
}

Json named(const Json& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Json& item) { return item["name"] == name; });
  return found == list.end() ? Json() : *found;
}

TEST(ViewerDescribe, JointsSayWhatTheyAreToBeDrawnAs) {
  const Json joints = describe_joints(mechanisms().world);
  EXPECT_EQ(named(joints, "rope")["link"], "rope");
  EXPECT_EQ(named(joints, "rope")["length"], 3);
  EXPECT_EQ(named(joints, "rod")["link"], "rod");
  EXPECT_EQ(named(joints, "axle")["free"], Json::array({3}));
  EXPECT_EQ(named(joints, "axle")["motors"], Json::array({3}));
  EXPECT_FALSE(named(joints, "axle").contains("springs"));
}

TEST(ViewerDescribe, ForcesComeWithBodiesAndParameters) {
  const Scene scene = mechanisms();
  const Json forces = describe_forces(scene.world);
  const Json spring = named(forces, "spring");
  EXPECT_EQ(spring["type"], "spring");
  EXPECT_EQ(spring["bodies"], Json::array({scene.world.find_body("ball").index, scene.world.find_body("box").index}));
  EXPECT_EQ(spring["parameters"]["stiffness"], 12);
  EXPECT_EQ(spring["parameters"]["point_a"], Json::array({0, 0.2, 0}));
  const Json water = named(forces, "water");
  EXPECT_EQ(water["end"], 4);
  EXPECT_EQ(water["parameters"]["level"], 1.5);
  EXPECT_TRUE(water["except"].empty());
}

TEST(ViewerDescribe, ABeltSaysHowFastItRuns) {
  const Scene scene = mechanisms();
  ShapeTable shapes;
  Json fresh = Json::array();
  EXPECT_EQ(describe_body(scene.world, scene.world.find_body("belt"), shapes, fresh)["surface"],
            Json::array({2, 0, 0}));
  EXPECT_FALSE(describe_body(scene.world, scene.world.find_body("box"), shapes, fresh).contains("surface"));
}

/// Every built-in scene can be described as JSON, whatever its joints and forces.
TEST(ViewerDescribe, EverySceneOfTheLibrary) {
  for (const std::string& name : builtin_scene_names()) {
    const Scene scene = open_scene(name);
    EXPECT_EQ(describe_joints(scene.world).size(), scene.world.joints().size()) << name;
    EXPECT_EQ(describe_forces(scene.world).size(), scene.world.forces().size()) << name;
  }
}

double largest(const Json& points, std::size_t axis, double sign) {
  double most = -1e300;
  for (std::size_t i = axis; i < points.size(); i += 3) most = std::max(most, sign * points[i].get<double>());
  return most;
}

/// A ball thrown at 3 m/s sideways and 6 m/s up: the highest point and the place after five seconds are in the hull.
TEST(ViewerPreview, SeesTheWholePathOfAThrow) {
  const Scene scene = parse_scene(R"({ "rigor": 1, "world": { "ground": false,
    "bodies": [ { "name": "ball", "shape": { "sphere": 0.1 }, "velocity": [3, 6, 0] } ] }, "method": "free-flight" })");
  const Json motion = describe_motion(scene);
  EXPECT_NEAR(motion["seconds"].get<double>(), 5, 0.02);
  EXPECT_NEAR(largest(motion["points"], 1, 1), 36 / (2 * 9.81) + 0.1, 0.05);
  EXPECT_NEAR(largest(motion["points"], 0, 1), 15.1, 0.1);
  EXPECT_NEAR(largest(motion["points"], 1, -1), 9.81 * 25 / 2 - 30 + 0.1, 0.5);
}

TEST(ViewerPreview, AnchorsAndFixedBodiesNearbyAreInTheHull) {
  const Scene scene = parse_scene(R"({ "rigor": 1, "world": { "ground": false,
    "bodies": [ { "name": "bob", "shape": { "sphere": 0.1 }, "position": [0, 1, 0] },
                { "name": "table", "shape": { "box": [1, 0.1, 1] }, "position": [0, 0.6, 0], "fixed": true },
                { "name": "hill", "shape": { "box": [500, 1, 500] }, "position": [0, -1, 0], "fixed": true } ],
    "joints": [ { "type": "hinge", "a": "world", "b": "bob", "anchor": [0, 3, 0], "axis": [0, 0, 1] } ] } })");
  const Json points = describe_motion(scene)["points"];
  EXPECT_NEAR(largest(points, 1, 1), 3, 0.01);
  EXPECT_NEAR(largest(points, 1, -1), -0.55, 0.01);
  EXPECT_LT(largest(points, 0, 1), 2);
}

/// The preview simulates a copy.
TEST(ViewerPreview, LeavesTheSceneAsItIs) {
  const Scene scene = small_scene();
  const std::string before = write_scene(scene);
  EXPECT_GT(describe_motion(scene)["points"].size(), 0u);
  EXPECT_EQ(write_scene(scene), before);
}

TEST(ViewerPreview, ManyBodiesAreSimulatedForAShorterTimeAndTakenToFall) {
  const Scene scene = parse_scene(R"({ "rigor": 1, "world": { "generate": [ { "grid": {
    "name": "b", "count": [12, 12, 12], "spacing": [2, 2, 2], "at": [0, 40, 0], "bodies": [ { "shape": { "sphere": 0.5 } } ] } } ] } })");
  const Json motion = describe_motion(scene);
  EXPECT_LT(motion["seconds"].get<double>(), 1);
  EXPECT_LT(largest(motion["points"], 1, -1), 0.6);
  EXPECT_GT(largest(motion["points"], 1, -1), -0.6);
}

TEST(Describe, SendsStartOrientationsOfWhatDoesNotTurn) {
  const Scene scene = parse_scene(R"({"rigor":1,"world":{"bodies":[
    {"name":"a","shape":{"sphere":1},"position":[0,3,0],"orientation":[0.8,0.6,0,0]},{"name":"b","shape":{"sphere":1},"position":[9,3,0]}]},
    "appearance":{"lights":[{"body":"a","turns":false},{"body":"b"}]}})");
  World later = scene.world;
  later.set_pose(later.find_body("a"), {0, 1, 0}, {});
  const Json starts = describe_scene(scene, later)["starts"];
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_NEAR(starts["a"][0].get<double>(), 0.8, 1e-12);
  EXPECT_NEAR(starts["a"][1].get<double>(), 0.6, 1e-12);
}

}  // namespace
}  // namespace rigor::viewer
