// MJCF and URDF: textures, sky, lights, cameras and sensors reach the scene.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "rigor/error.h"
#include "rigor/model.h"

namespace rigor {
namespace {

Scene load(const std::string& text, ModelReport* report = nullptr) {
  return parse_model("<mujoco>" + text + "</mujoco>", {}, report);
}

void expect_no_notes(const ModelReport& report) {
  for (const ModelNote& note : report.notes)
    if (!note.what.starts_with("sites are not drawn")) ADD_FAILURE() << to_text(note);
  EXPECT_EQ(report.elements, report.elements_honoured);
}

TEST(MjcfVisual, PatternsCoverTheGeomsOfTheirMaterial) {
  ModelReport report;
  const Scene scene = load(
      R"(<asset><texture name="grid" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" mark="edge" markrgb="0 1 0"/>
      <texture name="cube" builtin="flat" rgb1="0 1 0"/>
      <material name="floor" texture="grid" texrepeat="5 10" texuniform="true"/><material name="skin" texture="cube" rgba="0.5 0.5 0.5 1"/></asset>
      <worldbody><geom name="ground" type="plane" size="2 2 1" material="floor"/>
      <body name="ball"><freejoint/><geom size="1" material="skin"/></body></worldbody>)",
      &report);
  expect_no_notes(report);
  ASSERT_EQ(scene.appearance.textures.size(), 2u);
  const World& world = scene.world;
  const Texture& floor = scene.appearance.textures.at(world.body_def(world.find_body("ground")).material.name);
  EXPECT_EQ(floor.pattern, Texture::Pattern::checker);
  EXPECT_EQ(floor.color, "#ff0000");
  EXPECT_EQ(floor.second_color, "#0000ff");
  EXPECT_EQ(floor.mark, Texture::Mark::edge);
  EXPECT_EQ(floor.repeat, (std::array<double, 2>{5, 10}));
  EXPECT_TRUE(floor.per_metre);
  const std::string skin = world.body_def(world.find_body("ball")).material.name;
  EXPECT_TRUE(skin.ends_with("#008000")) << skin;  // the mean colour, where textures are not drawn
  EXPECT_TRUE(scene.appearance.textures.at(skin).on_each_side);
  EXPECT_EQ(scene.appearance.textures.at(skin).tint, "#808080");
  EXPECT_EQ(parse_scene(write_scene(scene)).appearance, scene.appearance);
}

TEST(MjcfVisual, RepeatsOfAPlaneCountOverItsSize) {
  const Scene scene = load(
      R"(<asset><texture name="grid" type="2d" builtin="checker"/><material name="floor" texture="grid" texrepeat="60 60"/></asset>
      <worldbody><geom type="plane" size="40 20 1" material="floor"/></worldbody>)");
  const Texture& floor = scene.appearance.textures.begin()->second;
  EXPECT_EQ(floor.repeat, (std::array<double, 2>{60.0 / 80, 60.0 / 40}));
  EXPECT_TRUE(floor.per_metre);
}

TEST(MjcfVisual, AMissingPictureIsNotHonoured) {
  ModelReport report;
  const Scene scene = load(
      R"(<asset><texture file="nowhere.png"/><material name="m" texture="nowhere"/></asset>
      <worldbody><geom size="1" material="m"/></worldbody>)",
      &report);
  EXPECT_TRUE(scene.appearance.textures.empty());
  EXPECT_EQ(report.elements, report.elements_honoured + 1);
  ASSERT_FALSE(report.notes.empty());
  EXPECT_NE(report.notes[0].what.find("'nowhere.png' is left out"), std::string::npos);
  EXPECT_THROW(load(R"(<asset><material name="m" texture="t"/></asset>)"), Error);
}

TEST(MjcfVisual, PicturesAreReadFromTheirFolder) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "rigor_textures";
  std::filesystem::create_directories(folder / "images");
  const std::string png("\x89PNG\r\n\x1a\nrest", 12);
  std::ofstream(folder / "images" / "wood.png", std::ios::binary) << png;
  std::ofstream(folder / "model.xml")
      << R"(<mujoco><compiler texturedir="images"/><asset><texture type="2d" file="wood.png"/>
    <material name="m" texture="wood"/></asset><worldbody><geom size="1" material="m"/></worldbody></mujoco>)";
  std::ofstream(folder / "robot.urdf")
      << R"(<robot name="r"><link name="world"><visual><geometry><sphere radius="1"/></geometry>
    <material name="m"><texture filename="images/wood.png"/></material></visual></link></robot>)";
  for (const char* file : {"model.xml", "robot.urdf"}) {
    ModelReport report;
    const Scene scene = load_model((folder / file).string(), {}, &report);
    expect_no_notes(report);
    ASSERT_EQ(scene.appearance.textures.size(), 1u) << file;
    EXPECT_EQ(scene.appearance.textures.begin()->second.image, png) << file;
  }
}

TEST(MjcfVisual, TheSkyIsAGradient) {
  ModelReport report;
  const Scene scene = load(
      R"(<asset><texture type="skybox" builtin="gradient" rgb1="1 1 1" rgb2="0 0 0"/></asset><worldbody><geom size="1"/></worldbody>)",
      &report);
  expect_no_notes(report);
  ASSERT_TRUE(scene.appearance.sky);
  EXPECT_EQ(scene.appearance.sky->top, "#ffffff");
  EXPECT_EQ(scene.appearance.sky->bottom, "#000000");
}

TEST(MjcfVisual, LightsAndCamerasMoveWithTheirBodies) {
  ModelReport report;
  const Scene scene = load(
      R"(<visual><headlight diffuse="1 1 1" ambient="0 0 0"/><global azimuth="180" elevation="0"/></visual><statistic center="1 2 3" extent="2"/>
      <worldbody><light pos="0 0 5" dir="1 0 -1" directional="true" diffuse="1 0 0"/><light active="false"/>
      <camera name="wide" pos="0 -3 1" xyaxes="1 0 0 0 0 1" fovy="60"/>
      <body name="torso" pos="0 0 1"><freejoint/><geom size="0.1"/><light pos="0 0 1" mode="track" castshadow="false"/>
        <camera name="track" mode="track" pos="0 -3 0"/><camera name="look" mode="targetbody" target="box"/></body>
      <body name="box" pos="1 0 0"><freejoint/><geom size="0.1"/></body></worldbody>)",
      &report);
  expect_no_notes(report);
  const Appearance& a = scene.appearance;
  ASSERT_EQ(a.lights.size(), 2u);
  EXPECT_TRUE(a.lights[0].directional);
  EXPECT_EQ(a.lights[0].color, "#ff0000");
  EXPECT_LT(length(a.lights[0].direction - normalized(Vec3{1, 0, -1})), 1e-12);
  EXPECT_EQ(a.lights[1].body, "torso");
  EXPECT_FALSE(a.lights[1].turns);
  EXPECT_FALSE(a.lights[1].shadows);
  ASSERT_EQ(a.cameras.size(), 3u);
  EXPECT_EQ(a.cameras[0].fov, 60);
  EXPECT_LT(length(rotate(a.cameras[0].orientation, {0, 0, -1}) - Vec3{0, 1, 0}), 1e-12);
  EXPECT_EQ(a.cameras[1].mode, MountedCamera::Mode::track);
  EXPECT_EQ(a.cameras[2].target, "box");
  EXPECT_EQ(a.headlight->color, "#ffffff");
  // The free camera stands at 1.5 times the extent, looking along the azimuth.
  ASSERT_TRUE(scene.camera.position && scene.camera.target);
  EXPECT_LT(length(*scene.camera.position - Vec3{4, 2, 3}), 1e-12);
  EXPECT_EQ(*scene.camera.target, (Vec3{1, 2, 3}));
  EXPECT_EQ(parse_scene(write_scene(scene)).appearance, a);
}

TEST(MjcfVisual, CamerasOfMasslessBodiesGoWithTheirCarriers) {
  const Scene scene = load(
      R"(<worldbody><body name="torso" pos="0 0 1"><freejoint/><geom size="0.1"/><body name="head" pos="0 0 0.5"><camera name="eye" pos="0.1 0 0"/></body></body></worldbody>)");
  ASSERT_EQ(scene.appearance.cameras.size(), 1u);
  EXPECT_EQ(scene.appearance.cameras[0].body, "torso");
  EXPECT_LT(length(scene.appearance.cameras[0].position - Vec3{0.1, 0, 0.5}), 1e-12);
}

TEST(MjcfSensors, AreRecordedAtTheirFrames) {
  ModelReport report;
  const Scene scene = load(
      R"(<worldbody><body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0" ref="10"/><geom size="0.1" pos="0.5 0 0"/>
      <site name="imu" pos="0.2 0 0" size="0.3"/></body></worldbody>
      <sensor><gyro name="g" site="imu"/><accelerometer site="imu"/><velocimeter site="imu"/><touch name="t" site="imu"/><force site="imu"/>
      <torque site="imu"/><framepos objtype="xbody" objname="arm"/><framequat objtype="site" objname="imu"/><framelinvel objtype="body" objname="arm"/>
      <jointpos name="q" joint="elbow"/><jointvel joint="elbow"/><jointactuatorfrc joint="elbow"/><clock/></sensor>)",
      &report);
  expect_no_notes(report);
  ASSERT_EQ(scene.sensors.size(), 13u);
  EXPECT_EQ(scene.sensors[0].body, "arm");
  EXPECT_EQ(scene.sensors[0].position, (Vec3{0.2, 0, 0}));
  ASSERT_TRUE(scene.sensors[3].zone);
  EXPECT_EQ(scene.sensors[3].zone->as<Sphere>()->radius, 0.3);
  EXPECT_LT(length(scene.sensors[8].position - Vec3{0.5, 0, 0}), 1e-12);  // the center of mass
  EXPECT_EQ(scene.sensors[9].joint, "elbow");
  EXPECT_NEAR(scene.sensors[9].offset, 10 * kPi / 180, 1e-12);
}

TEST(MjcfSensors, OfActuatorsAreThoseOfTheirJoints) {
  const auto notes = [](const std::string& actuators, const std::string& sensors, Scene* scene = nullptr) {
    ModelReport report;
    Scene read = load(
        R"(<default><general gear="2"/></default><worldbody><body><joint name="j" axis="0 1 0" ref="10"/><geom size="0.1"/></body></worldbody>)" +
            ("<actuator>" + actuators + "</actuator><sensor>" + sensors + "</sensor>"),
        &report);
    if (scene) *scene = std::move(read);
    std::string all;
    for (const ModelNote& note : report.notes) all += to_text(note) + "\n";
    return all;
  };
  const std::string all = R"(<actuatorpos actuator="a"/><actuatorvel actuator="a"/><actuatorfrc actuator="a"/>)";
  Scene scene;
  EXPECT_EQ(notes(R"(<motor name="a" joint="j"/>)", all, &scene), "");
  ASSERT_EQ(scene.sensors.size(), 3u);
  EXPECT_EQ(scene.sensors[0].factor, 2);
  EXPECT_NEAR(scene.sensors[0].offset, 2 * 10 * kPi / 180, 1e-12);
  EXPECT_EQ(scene.sensors[2].factor, 0.5);
  EXPECT_NE(notes(R"(<motor name="a" joint="j"/><motor joint="j"/>)", all).find("alone drives its joint"),
            std::string::npos);
  EXPECT_NE(notes(R"(<velocity name="a" joint="j"/>)", all).find("alone drives its joint"), std::string::npos);
  EXPECT_THROW(notes("", all), Error);
}

TEST(MjcfVisual, UnknownMarksAreMistakesAndOtherLayersAreListed) {
  try {
    load("<asset>\n<texture name=\"t\" type=\"2d\" builtin=\"flat\" mark=\"dots\"/></asset>");
    FAIL() << "the mark is unknown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(":2: "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("'dots'"), std::string::npos) << error.what();
  }
  ModelReport report;
  load(R"(<asset><texture name="t" type="2d" builtin="flat"/><material name="m"><layer role="rgb" texture="t"/>
      <layer role="normal" texture="t"/></material></asset><worldbody><geom size="1" material="m"/></worldbody>)",
       &report);
  EXPECT_EQ(report.elements, report.elements_honoured + 1);
}

TEST(MjcfVisual, ExtremeRepeatsAndViewsCanBeReadAgain) {
  const Scene scene = load(
      R"(<statistic center="0 0 0" extent="1e12"/><visual><global azimuth="0" elevation="0"/></visual>
      <asset><texture name="grid" type="2d" builtin="checker"/><material name="floor" texture="grid" texrepeat="1e-8 1"/></asset>
      <worldbody><geom type="plane" size="1000 1 1" material="floor"/></worldbody>)");
  EXPECT_EQ(scene.appearance.textures.begin()->second.repeat[0], 1e-9);
  const Scene again = parse_scene(write_scene(scene));
  EXPECT_EQ(again.appearance, scene.appearance);
  EXPECT_EQ(again.camera, scene.camera);
}

TEST(MjcfSensors, EqualNamesAreNumbered) {
  const Scene scene = load(
      R"(<worldbody><camera name="camera 2"/><camera/><camera/><body name="arm"><joint name="elbow"/><geom size="0.1"/><site name="s"/></body></worldbody>
      <sensor><gyro site="s"/><gyro site="s"/><clock name="gyro"/></sensor>)");
  ASSERT_EQ(scene.sensors.size(), 3u);
  EXPECT_EQ(scene.sensors[0].name, "gyro 2");
  EXPECT_EQ(scene.sensors[1].name, "gyro 3");
  EXPECT_EQ(scene.sensors[2].name, "gyro");
  EXPECT_EQ(parse_scene(write_scene(scene)).appearance.cameras.size(), 3u);
}

TEST(MjcfSensors, TouchAtTheWorldIsLeftOut) {
  ModelReport report;
  const Scene scene = load(
      R"(<worldbody><site name="s"/><geom size="1"/></worldbody><sensor><touch site="s"/><clock/></sensor>)", &report);
  EXPECT_EQ(scene.sensors.size(), 1u);
  EXPECT_EQ(report.elements, report.elements_honoured + 1);
}

TEST(MjcfSensors, OtherKindsAreListed) {
  ModelReport report;
  load(R"(<worldbody><site name="s"/><body name="b"><joint name="j" type="ball"/><geom size="1"/></body></worldbody>
      <sensor><magnetometer site="s"/><subtreecom body="b"/><jointpos joint="j"/><framepos objtype="geom" objname="g"/></sensor>)",
       &report);
  EXPECT_EQ(report.elements, report.elements_honoured + 4);
  EXPECT_THROW(load(R"(<sensor><gyro site="nowhere"/></sensor>)"), Error);
  EXPECT_THROW(load(R"(<sensor><jointpos joint="nowhere"/></sensor>)"), Error);
}

}  // namespace
}  // namespace rigor
