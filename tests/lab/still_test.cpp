#include "lab/still.h"

#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

/// The camera of a row of `count` balls, one of which flies `high` at one of forty instants.
Camera camera_of(int count, double high) {
  Scene scene;
  for (int i = 0; i < count; ++i) {
    BodyDef def;
    def.shape = sphere(0.5);
    def.position = {static_cast<double>(i), 0.5, 0};
    scene.world.add_body(def);
  }
  std::vector<BodyPose> rest;
  for (const BodyId id : moving_bodies(scene.world)) rest.push_back({scene.world.position(id), {}});
  std::vector<std::vector<BodyPose>> poses(40, rest);
  poses[7][0].position.y = high;
  return fitting_camera(scene, poses);
}

double distance(const Camera& camera) { return length(camera.eye - camera.target); }

/// 10 balls are 10 m long: what flies 9 m high is seen, what flies to the moon is not waited for.
TEST(Still, OfFewBodiesAllAreSeenThatStayNear) {
  EXPECT_GT(camera_of(10, 9).target.y, 4);
  EXPECT_GT(distance(camera_of(10, 9)), 1.2 * distance(camera_of(10, 0.5)));
  EXPECT_EQ(camera_of(10, 4e8).eye, camera_of(10, 0.5).eye);
}

TEST(Still, OfManyBodiesTheOutermostMayBeOutside) { EXPECT_EQ(camera_of(150, 50).eye, camera_of(150, 0.5).eye); }

/// Bodies of models have the colours of their file.
TEST(Still, PartsHaveTheColoursThatTheirMaterialsName) {
  Scene scene;
  Material red, green;
  red.name = "paint #ff0000";
  green.name = "#00ff00";
  BodyDef def;
  def.shape = composite({{box(1, 1, 1), {}, std::nullopt}, {box(1, 1, 1), {{3, 0, 0}, {}}, green}});
  def.material = red;
  scene.world.add_body(def);
  std::vector<BodyPose> poses;
  for (const BodyId id : moving_bodies(scene.world)) poses.push_back({scene.world.position(id), {}});
  const std::vector<std::vector<BodyPose>> instants = {poses};
  const std::string svg = render_still(scene, poses, fitting_camera(scene, instants));
  const auto has_fill = [&](const std::string& start, const std::string& end) {
    for (std::size_t at = svg.find("fill=\"#"); at != std::string::npos; at = svg.find("fill=\"#", at + 1)) {
      const std::string color = svg.substr(at + 7, 6);
      if (color.starts_with(start) && color.ends_with(end) && color != "000000") return true;
    }
    return false;
  };
  EXPECT_TRUE(has_fill("", "0000")) << svg;
  EXPECT_TRUE(has_fill("00", "00")) << svg;
  EXPECT_FALSE(has_fill("5b", "")) << svg;  // the first colour of the palette
}

/// Floors of models are planes that are turned, and parts of the body of the world.
TEST(Still, FloorsThatAreTurnedOrPartsAreDrawn) {
  const ShapePtr turned = transformed(plane(), {{}, quaternion_from_axis_angle({1, 0, 0}, kPi / 2)});
  for (const ShapePtr& floor :
       {plane(), turned, composite({{turned, {}, std::nullopt}, {box(1, 1, 1), {}, std::nullopt}})}) {
    Scene scene;
    BodyDef def;
    def.shape = floor;
    def.fixed = true;
    scene.world.add_body(def);
    def.fixed = false;
    def.shape = sphere(0.5);
    scene.world.add_body(def);
    std::vector<BodyPose> poses;
    for (const BodyId id : moving_bodies(scene.world)) poses.push_back({scene.world.position(id), {}});
    const std::vector<std::vector<BodyPose>> instants = {poses};
    EXPECT_NE(render_still(scene, poses, fitting_camera(scene, instants)).find("class=\"g\""), std::string::npos);
  }
}

}  // namespace
}  // namespace rigor::test
