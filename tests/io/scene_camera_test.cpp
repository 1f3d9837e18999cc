// The camera of a scene file.
#include <gtest/gtest.h>

#include "rigor/error.h"
#include "rigor/scene.h"

namespace rigor {
namespace {

Scene with_camera(const std::string& camera) {
  return parse_scene(
      R"({ "rigor": 1, "world": { "bodies": [ { "name": "car", "shape": { "sphere": 1 } } ] }, "camera": )" + camera +
      " }");
}

std::string refusal(const std::string& camera) {
  try {
    with_camera(camera);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(SceneCamera, IsReadAndWritten) {
  const Scene scene =
      with_camera(R"({ "position": [1, 2, 3], "target": [0, 1, 0], "follow": "car", "trails": ["car"] })");
  EXPECT_EQ(scene.camera.position, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.camera.follow, "car");
  EXPECT_EQ(parse_scene(write_scene(scene)).camera, scene.camera);
}

TEST(SceneCamera, IsNotWrittenWhereThereIsNone) {
  EXPECT_EQ(write_scene(parse_scene(R"({ "rigor": 1 })")).find("camera"), std::string::npos);
}

TEST(SceneCamera, NamesOfRemovedBodiesAreNotWritten) {
  Scene scene = with_camera(R"({ "follow": "car", "trails": ["car"] })");
  scene.world.remove_body(scene.world.find_body("car"));
  EXPECT_EQ(parse_scene(write_scene(scene)).camera, SceneCamera{});
}

TEST(SceneCamera, MistakesAreNamedWithTheirPlace) {
  EXPECT_NE(refusal(R"({ "follow": "cart" })").find("camera.follow: there is no body 'cart'"), std::string::npos);
  EXPECT_NE(refusal(R"({ "trails": ["car", "bus"] })").find("camera.trails[1]: there is no body 'bus'"),
            std::string::npos);
  EXPECT_NE(refusal(R"({ "position": [1, 1, 1], "target": [1, 1, 1] })").find("must differ"), std::string::npos);
  EXPECT_NE(refusal(R"({ "zoom": 2 })").find("zoom"), std::string::npos);
}

}  // namespace
}  // namespace rigor
