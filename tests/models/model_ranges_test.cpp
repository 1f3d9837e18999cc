// Models have the ranges of scene files: whatever is read can be converted and run, and what is refused is refused with its line.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/json_text.h"
#include "io/scene_ranges.h"
#include "models/model_text.h"
#include "rigor/model.h"

namespace rigor {
namespace {

void expect(const std::string& text, const std::string& words) {
  EXPECT_NE(refusal_of(text).find(words), std::string::npos) << refusal_of(text);
}

std::string link(const std::string& name, const std::string& mass) {
  return "<link name=\"" + name + "\"><inertial><mass value=\"" + mass +
         "\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>\n";
}

TEST(ModelRanges, AreThoseOfSceneFiles) {
  expect("<robot name=\"r\">\n" + link("a", "1e-40") + "</robot>",
         "model:2: <mass>: value: expected a mass in kg from 1e-30 to 1e+50, got '1e-40'");
  // The file's numbers are within 1e12, and their sum is not.
  const std::string far =
      R"(<joint name="NAME" type="fixed"><parent link="PARENT"/><child link="CHILD"/><origin xyz="1e12 0 0"/></joint>)";
  const auto joint = [&](const char* name, const char* parent, const char* child) {
    std::string text = far;
    text.replace(text.find("NAME"), 4, name).replace(text.find("PARENT"), 6, parent);
    return text.replace(text.find("CHILD"), 5, child) + "\n";
  };
  expect("<robot name=\"r\">\n" + link("a", "1") + link("b", "1") + link("c", "1") + joint("j", "a", "b") +
             joint("k", "b", "c") + "</robot>",
         "model:4: <link>: its position: expected");
}

/// The line and the attribute are those of the file, not those of the scene that would be made of it.
TEST(ModelRanges, NameTheElementAndItsAttribute) {
  const auto body = [](const std::string& attributes, const std::string& inner) {
    return "<mujoco><worldbody><body " + attributes + "><freejoint/>\n" + inner + "\n</body></worldbody></mujoco>";
  };
  const std::string ball = "<geom size=\"1\"/>";
  expect(body("", R"(<geom size="1" friction="1e9"/>)"),
         "model:2: <geom>: friction: expected coefficients from 0 to 1e+06, got '1e9'");
  expect(body("gravcomp=\"1e11\"", ball),
         "model:1: <body>: gravcomp: expected a number from -1e+08 to 1e+08, got '1e11'");
  expect(body("", R"(<geom size="1e-10"/>)"), "model:2: <geom>: size: expected lengths in m");
  expect(body("", R"(<geom size="1" mass="1e-40"/>)"), "model:2: <geom>: mass: expected a mass in kg");
  expect(body("", R"(<geom type="capsule" size="1" fromto="0 0 0 1e12 1e12 1e12"/>)"),
         "model:2: <geom>: fromto: expected");
  expect(body("", ball + R"(<inertial pos="0 0 0" mass="1e-40" diaginertia="1 1 1"/>)"),
         "model:2: <inertial>: mass: expected");
  expect("<mujoco><default>\n<geom friction=\"1e9\"/></default><worldbody><body><freejoint/>" + ball +
             "</body></worldbody></mujoco>",
         "model:2: <geom>: friction: expected");
  const auto urdf = [&](const std::string& inner) {
    return "<robot name=\"r\"><link name=\"a\">\n" + inner + "\n</link></robot>";
  };
  expect(urdf(R"(<collision><geometry><sphere radius="1e-10"/></geometry></collision>)"),
         "model:2: <sphere>: radius: expected a length in m");
  expect(urdf(R"(<collision><geometry><box size="1 1 1e-10"/></geometry></collision>)"),
         "model:2: <box>: size: expected lengths in m");
  expect(urdf(R"(<contact><lateral_friction value="1e9"/></contact>)"),
         "model:2: <lateral_friction>: value: expected a coefficient");
}

TEST(ModelRanges, ShapesThatBodiesShareAreCheckedOnce) {
  CheckedShapes checked;
  const ShapePtr shape = sphere(1), other = sphere(1);
  EXPECT_TRUE(checked.is_new(shape));
  EXPECT_FALSE(checked.is_new(shape));
  EXPECT_TRUE(checked.is_new(other));
  EXPECT_THROW(check_shape(sphere(1e-10), checked), Error);
}

TEST(ModelRanges, LongNamesAreCutBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 150; ++i) name += "\u00e4";
  const Scene scene = parse_model("<robot name=\"x" + name + "\">" + link("x" + name, "1") + "</robot>");
  EXPECT_TRUE(is_utf8(scene.name));
  for (const BodyId id : scene.world.bodies()) EXPECT_TRUE(is_utf8(scene.world.name(id)));
  EXPECT_EQ(parse_scene(write_scene(scene)).name, scene.name);
  EXPECT_EQ(first_characters("a\u00e4b", 2), "a");
  EXPECT_EQ(first_characters("a\u00e4b", 3), "a\u00e4");
  EXPECT_EQ(first_characters("", 3), "");
}

TEST(ModelRanges, NamesAreUtf8) {
  expect("<robot name=\"\xff\">" + link("a", "1") + "</robot>", "model:1: <robot>: name: expected text in UTF-8");
  expect("<robot name=\"&#xd800;\">" + link("a", "1") + "</robot>", "name: expected text in UTF-8");
  const Scene scene =
      parse_model("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><robot name=\"\xe4\">" + link("a", "1") + "</robot>");
  EXPECT_EQ(scene.name, "\u00e4");
  EXPECT_FALSE(is_utf8("\xc0\x80"));
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80"));
  EXPECT_TRUE(is_utf8("\xf4\x8f\xbf\xbf"));
}

TEST(ModelRanges, OddAttributesAreRefusedOrNoted) {
  const std::string two = link("a", "1") + link("b", "1");
  const auto urdf = [&](const std::string& type, const std::string& inner) {
    return "<robot name=\"r\">" + two + "<joint name=\"j\" type=\"" + type +
           "\"><parent link=\"a\"/><child link=\"b\"/>" + inner + "</joint></robot>";
  };
  expect(urdf("revolute", R"(<limit lower="0" lower="1"/>)"), "<limit>: lower: it is given twice");
  EXPECT_NE(notes_of(urdf("fixed", R"(<mimic joint="k"/>)")).find("a fixed joint follows no other"), std::string::npos);
  EXPECT_NE(notes_of(urdf("continuous", R"(<limit lower="0" upper="1"/>)")).find("turns without limits"),
            std::string::npos);
  const auto mjcf = [](const std::string& inner) {
    return "<mujoco>" + inner + "<worldbody><body><freejoint/><geom size=\"1\"/></body></worldbody></mujoco>";
  };
  expect(mjcf(R"(<default><default class="c"/><default class="c"/></default>)"),
         "<default>: there is already a default class named 'c'");
  expect(mjcf(R"(<worldbody><replicate count="2.5"><geom size="1"/></replicate></worldbody>)"),
         "<replicate>: count: expected a whole number, got '2.5'");
  expect(mjcf(R"(<worldbody><geom size="1" contype="1.5"/></worldbody>)"), "contype: expected a whole number");
  expect(mjcf(R"(<worldbody><geom size="1" condim="2"/></worldbody>)"), "condim: expected 1, 3, 4 or 6");
  expect(mjcf(R"(<worldbody><geom size="1" group="0.5"/></worldbody>)"), "group: expected a whole number");
  expect(mjcf(R"(<asset><material name="m"/><material name="m"/></asset>)"), "there is already a material named 'm'");
  expect(mjcf(R"(<worldbody><site name="s"/><site name="s"/></worldbody>)"), "there is already a site named 's'");
  expect(mjcf(R"(<worldbody><light mode="fix"/></worldbody>)"),
         "mode: expected fixed, track, trackcom, targetbody or targetbodycom, got 'fix'");
  expect(mjcf(R"(<option><flag gravity="off"/></option>)"), "<flag>: gravity: expected enable or disable, got 'off'");
}

TEST(ModelRanges, APipeIsNotWaitedFor) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "rigor_model_pipe";
  fs::create_directories(folder);
  for (const char* name : {"pipe.xml", "pipe.urdf", "pipe.json", "pipe.stl"}) {
    const std::string path = (folder / name).string();
    fs::remove(path);
    ASSERT_EQ(std::system(("mkfifo '" + path + "'").c_str()), 0);
    try {
      open_scene(path);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("this is a device or a pipe, not a file"), std::string::npos)
          << error.what();
    }
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace rigor
