// Textures, lights, cameras and sensors of scene files.
#include <gtest/gtest.h>

#include "io/base64.h"
#include "rigor/error.h"
#include "rigor/scene.h"

namespace rigor {
namespace {

const std::string kPng = std::string("\x89PNG\r\n\x1a\n", 8) + "rest";

Scene with(const std::string& more) {
  return parse_scene(
      R"({"rigor":1,"world":{"materials":{"wood":{}},"bodies":[{"name":"post","shape":{"sphere":1},"fixed":true},
      {"name":"car","shape":{"sphere":1},"position":[0,3,0],"material":"wood"}],
      "joints":[{"name":"hinge","type":"hinge","a":"post","b":"car","anchor":[0,1,0],"axis":[1,0,0]}]},)" +
      more + "}");
}

std::string refusal(const std::string& more) {
  try {
    with(more);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(SceneAppearance, IsReadAndWritten) {
  const Scene scene = with(
      R"("appearance":{"textures":{"wood":{"pattern":"checker","color":"#AABBCC","mark":"edge","tint":"#808080","repeat":[2,3],"per_metre":true}},
      "sky":{"top":"#112233"},"headlight":{"color":"#ffffff","ambient":"#000000"},
      "lights":[{"name":"sun","directional":true,"direction":[1,0,-1],"shadows":false},{"body":"car","turns":false,"cutoff_deg":30}],
      "cameras":[{"name":"eye","body":"car","mode":"target","target":"post","position":[0,0,1],"orientation":[0.8,0.6,0,0],"fov_deg":60}]},
      "camera":{"use":"eye"})");
  const Appearance& a = scene.appearance;
  EXPECT_EQ(a.textures.at("wood").pattern, Texture::Pattern::checker);
  EXPECT_EQ(a.textures.at("wood").color, "#aabbcc");
  EXPECT_EQ(a.textures.at("wood").mark, Texture::Mark::edge);
  EXPECT_EQ(a.sky->top, "#112233");
  EXPECT_TRUE(a.lights[0].directional);
  EXPECT_EQ(a.lights[1].cutoff, 30);
  EXPECT_EQ(a.cameras[0].mode, MountedCamera::Mode::target);
  EXPECT_EQ(scene.camera.use, "eye");
  const Scene again = parse_scene(write_scene(scene));
  EXPECT_EQ(again.appearance, a);
  EXPECT_EQ(again.camera, scene.camera);
}

TEST(SceneAppearance, PicturesAreStoredInTheScene) {
  const Scene scene = with(R"("appearance":{"textures":{"wood":{"image":")" + base64(kPng) + R"("}}})");
  EXPECT_EQ(scene.appearance.textures.at("wood").image, kPng);
  EXPECT_EQ(parse_scene(write_scene(scene)).appearance, scene.appearance);
}

TEST(SceneAppearance, WhatRefersToRemovedBodiesIsNotWritten) {
  Scene scene =
      with(R"("appearance":{"lights":[{"body":"car"}],"cameras":[{"name":"eye","body":"car"}]},"camera":{"use":"eye"},
    "sensors":[{"name":"g","type":"gyro","body":"car"},{"name":"q","type":"joint_position","joint":"hinge","axis":3}])");
  scene.world.remove_body(scene.world.find_body("car"));
  const Scene again = parse_scene(write_scene(scene));
  EXPECT_EQ(again.appearance, Appearance{});
  EXPECT_TRUE(again.sensors.empty());
  EXPECT_TRUE(again.camera.use.empty());
}

TEST(SceneAppearance, MistakesAreNamedWithTheirPlace) {
  const auto expect = [](const std::string& more, const std::string& words) {
    EXPECT_NE(refusal(more).find(words), std::string::npos) << refusal(more);
  };
  expect(R"("appearance":{"textures":{"wood":{"color":"red"}}})", "appearance.textures.wood.color: expected a colour");
  expect(R"("appearance":{"textures":{"steel":{}}})", "there is no material 'steel'");
  expect(R"("appearance":{"textures":{"wood":{"image":"Zm9v"}}})",
         "appearance.textures.wood.image: the picture is neither PNG nor JPEG");
  expect(R"("appearance":{"textures":{"wood":{"image":"!"}}})", "appearance.textures.wood.image: the base64 text");
  expect(R"("appearance":{"textures":{"wood":{"pattern":"dots"}}})", "dots");
  expect(R"("appearance":{"lights":[{"body":"bus"}]})", "appearance.lights[0].body: there is no body 'bus'");
  expect(R"("appearance":{"cameras":[{"name":"c","mode":"target"}]})", "needs a \"target\"");
  expect(R"("camera":{"use":"eye"})", "camera.use: there is no camera 'eye'");
  expect(R"("camera":{"direction":[0,0,0]})", "camera.direction");
  expect(R"("sensors":[{"name":"s","type":"smell"}])", "smell");
  expect(R"("sensors":[{"name":"s","type":"joint_velocity","joint":"knee"}])", "there is no joint 'knee'");
  expect(R"("sensors":[{"name":"s","type":"gyro","joint":"hinge"}])", "does not measure at a joint");
}

TEST(SceneAppearance, KeysThatWouldHaveNoEffectAreRefused) {
  const auto expect = [](const std::string& more, const std::string& words) {
    EXPECT_NE(refusal(more).find(words), std::string::npos) << refusal(more);
  };
  expect(R"("appearance":{"textures":{"wood":{"pattern":"flat","file":"a.png"}}})", "only the pattern 'image'");
  expect(R"("appearance":{"textures":{"wood":{"image":"Zm9v","file":"a.png"}}})", "not both");
  expect(R"("appearance":{"cameras":[{"name":"c","target":"car"}]})", "only the mode 'target'");
  expect(R"("appearance":{"cameras":[{"name":"c"},{"name":"c"}]})",
         "appearance.cameras[1 'c'].name: there is already a camera 'c'");
  expect(R"("appearance":{"cameras":[{"name":"c","fov_deg":180}]})", "179");
  expect(R"("sensors":[{"name":"s","type":"clock"},{"name":"s","type":"clock"}])",
         "sensors[1 's'].name: there is already a sensor 's'");
  for (const char* key : {"\"joint\":\"hinge\"", "\"axis\":3", "\"factor\":2", "\"offset\":1"})
    expect(R"("sensors":[{"name":"s","type":"clock",)" + std::string(key) + "}]",
           "a clock does not measure at a joint");
  for (const char* type : {"force", "torque", "touch"})
    expect(R"("sensors":[{"name":"s","type":")" + std::string(type) + "\"}]", "needs a \"body\"");
  expect(R"("sensors":[{"name":"s","type":"joint_position","joint":"hinge","axis":0}])", "is locked");
}

TEST(SceneAppearance, SensorsHaveARateAndAFactor) {
  const Scene scene = with(R"("sensors":[{"name":"f","type":"force","body":"car","factor":-1,"rate":50}])");
  EXPECT_EQ(scene.sensors[0].factor, -1);
  EXPECT_EQ(scene.sensors[0].rate, 50);
  const Scene again = parse_scene(write_scene(scene));
  EXPECT_EQ(again.sensors[0].factor, -1);
  EXPECT_EQ(again.sensors[0].rate, 50);
  EXPECT_NE(refusal(R"("sensors":[{"name":"g","type":"gyro","factor":-1}])").find("have a factor"), std::string::npos);
  EXPECT_NE(refusal(R"("sensors":[{"name":"g","type":"gyro","rate":0}])").find("rate"), std::string::npos);
}

/// Tinted materials show one picture, and a file holds it once.
TEST(SceneAppearance, MaterialsShareAPicture) {
  const std::string picture = base64(kPng + std::string(1000, 'x'));
  std::string materials, textures;
  for (int i = 0; i < 60; ++i) {
    const std::string name = "m" + std::to_string(100 + i), tint = "#0000" + std::to_string(10 + i);
    materials += (i == 0 ? "\"" : ",\"") + name + "\":{}";
    textures += (i == 0 ? "\"" : ",\"") + name + "\":{\"tint\":\"" + tint + "\",\"image\":\"" + picture + "\"}";
  }
  const std::string head = "{\"rigor\":1,\"world\":{\"materials\":{" + materials + "}},\"appearance\":{\"textures\":{";
  const Scene scene = parse_scene(head + textures + "}}}");
  const std::string written = write_scene(scene);
  std::size_t count = 0;
  for (std::size_t at = 0; (at = written.find(picture, at)) != std::string::npos; ++at) ++count;
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(parse_scene(written).appearance, scene.appearance);
  for (const auto& [texture, words] :
       {std::pair{"{\"image_of\":\"m101\"}", "there is no texture 'm101' with a picture of its own"},
        {"{\"image_of\":\"m100\"}", "there is no texture 'm100' with a picture of its own"},
        {"{\"pattern\":\"flat\",\"image_of\":\"m101\"}", "only the pattern 'image'"}})
    try {
      parse_scene(head + "\"m100\":" + texture + "}}}");
      ADD_FAILURE() << texture;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}

TEST(SceneAppearance, PicturesAreBoundedTogether) {
  const std::string picture = base64(kPng + std::string(13'000'000, 'x'));
  std::string materials, textures;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    const std::string key = (materials.empty() ? "\"" : ",\"") + std::string(name) + "\":";
    materials += key + "{}";
    textures += key + "{\"image\":\"" + picture + "\"}";
  }
  try {
    parse_scene(R"({"rigor":1,"world":{"materials":{)" + materials + R"(}},"appearance":{"textures":{)" + textures +
                "}}}");
    FAIL() << "65 MB of pictures";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "appearance.textures.e: the pictures of the scene exceed 64 MB in all");
  }
}

TEST(SceneSensors, MeasureTheOnlyFreeAxisUnlessTold) {
  const Scene scene = with(R"("sensors":[{"name":"q","type":"joint_position","joint":"hinge"}])");
  EXPECT_EQ(scene.sensors[0].axis, 3);
}

TEST(SceneSensors, AreReadAndWritten) {
  const std::string text = R"("sensors":[{"name":"g","type":"gyro","body":"car","position":[0,1,0]},
    {"name":"t","type":"touch","body":"car","zone":{"sphere":0.5}},
    {"name":"q","type":"joint_position","joint":"hinge","axis":3,"factor":-1,"offset":0.5}])";
  const Scene scene = with(text);
  ASSERT_EQ(scene.sensors.size(), 3u);
  EXPECT_EQ(scene.sensors[2].offset, 0.5);
  EXPECT_EQ(write_scene(parse_scene(write_scene(scene))), write_scene(scene));
}

}  // namespace
}  // namespace rigor
