// All mistakes of a model at once, each with its line, and none that only follows from another.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "models/load_model.h"
#include "models/own_models.h"
#include "models/own_robots.h"
#include "models/shared_models.h"
#include "rigor/error.h"
#include "rigor/model.h"

namespace rigor {
namespace {

void expect_mistakes(const std::string& text, const std::vector<std::string>& expected) {
  const std::vector<std::string> found = models::text_mistakes(text, {});
  for (const std::string& words : expected)
    EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                            [&](const std::string& mistake) { return mistake.find(words) != std::string::npos; }))
        << "missing: " << words;
  EXPECT_EQ(found.size(), expected.size());
  if (testing::Test::HasFailure())
    for (const std::string& mistake : found) std::cout << mistake << "\n";
  ASSERT_FALSE(found.empty());
  // load_model() throws one of them.
  try {
    parse_model(text);
    ADD_FAILURE() << "it is read";
  } catch (const Error& error) {
    EXPECT_NE(std::find(found.begin(), found.end(), error.what()), found.end()) << error.what();
  }
}

TEST(ModelMistakes, OfUrdfAreAllReported) {
  expect_mistakes(
      R"(<robot name="x">
  <material name="m"><color rgba="1 2"/></material>
  <link name="a"><inertial><mass value="abc"/><inertia ixx="q" iyy="r"/></inertial><visual><geometry><sphere radius="-1"/></geometry></visual></link>
  <link name="b"><collision><geometry><box size="1 2"/></geometry></collision></link>
  <link name="a"/>
  <link/>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 0"/><limit lower="2" upper="1" effort="x"/></joint>
  <joint name="k" type="fixed"><parent link="a"/><child link="c"/></joint>
  <joint name="l" type="fixed"><parent link="e"/><child link="d"/></joint>
  <joint name="n" type="fixed"><parent link="d"/><child link="e"/></joint>
  <link name="d"/><link name="e"/>
  <joint name="o" type="fixed"><parent link="a"/></joint>
</robot>)",
      {"model:2: <color>: rgba", "model:3: <mass>: value", "model:3: <inertia>: ixx", "model:3: <inertia>: iyy",
       "model:3: <sphere>: radius", "model:4: <box>: size", "model:5: <link>: there is already a link",
       "model:6: <link>: its name is missing", "model:7: <axis>: the axis is zero", "model:7: <limit>: effort",
       "model:8: <joint>: there is no link named 'c'", "cycle", "model:12: <joint>: its child link"});
}

TEST(ModelMistakes, JointsThatFollowThemselvesAreRefused) {
  const std::string links =
      R"(<robot name="x"><link name="world"/><link name="a"><inertial><mass value="1"/></inertial></link>
  <link name="b"><inertial><mass value="1"/></inertial></link>)";
  const auto joint = [](const char* name, const char* child, const char* leader) {
    return std::string("\n<joint name=\"") + name + "\" type=\"continuous\"><parent link=\"world\"/><child link=\"" +
           child + "\"/><mimic joint=\"" + leader + "\"/></joint>";
  };
  expect_mistakes(links + joint("i", "a", "i") + joint("j", "b", "i") + "</robot>",
                  {"model:3: <mimic>: the joint 'i' follows itself"});
  expect_mistakes(links + joint("i", "a", "j") + joint("j", "b", "i") + "</robot>", {"follows itself through others"});
  expect_mistakes(R"(<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
  <equality><joint joint1="j" joint2="j" polycoef="0 0.5"/></equality></mujoco>)",
                  {"model:2: <joint>: the joint 'j' follows itself"});
}

TEST(ModelMistakes, NegativeFrictionIsRefused) {
  expect_mistakes(R"(<mujoco><worldbody>
  <geom size="1" friction="-1"/></worldbody></mujoco>)",
                  {"model:2: <geom>: friction: must not be negative"});
  expect_mistakes(
      R"(<robot name="x"><link name="a"><contact>
  <lateral_friction value="-1"/></contact></link><link name="b"/>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <dynamics friction="-1" damping="-2"/></joint></robot>)",
      {"model:2: <lateral_friction>: value", "model:4: <dynamics>: friction", "model:4: <dynamics>: damping"});
}

TEST(ModelMistakes, KeyframesHaveAsManyNumbersAsTheModel) {
  expect_mistakes(R"(<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody><keyframe>
  <key name="good" qpos="0 0 0 1 0 0 0"/>
  <key name="short" qpos="0 0 1"/></keyframe></mujoco>)",
                  {"model:3: <key>: qpos: expected 7 numbers, got 3"});
}

TEST(ModelMistakes, UnknownAnglesAndSitesAreRefused) {
  expect_mistakes(R"(<mujoco><option timestep="1e12"/></mujoco>)", {"model:1: <option>: timestep"});
  expect_mistakes(R"(<mujoco><compiler angle="grad"/></mujoco>)", {"<compiler>: angle: expected radian or degree"});
  expect_mistakes(R"(<mujoco><worldbody><site name="s"/></worldbody><tendon><spatial>
  <site site="s"/><site site="t"/><site site="s"/></spatial></tendon></mujoco>)",
                  {"model:2: <site>: there is no site named 't'"});
}

TEST(ModelMistakes, LinksInACycleAreNotReportedAsMissing) {
  expect_mistakes(R"(<robot name="x"><link name="a"/><link name="b"/>
  <joint name="i" type="fixed"><parent link="a"/><child link="b"/></joint>
  <joint name="j" type="fixed"><parent link="b"/><child link="a"/></joint></robot>)",
                  {"the links form a cycle"});
}

TEST(ModelMistakes, AnElementWithoutANameIsReadOn) {
  expect_mistakes(R"(<robot name="x">
  <link><inertial><mass value="one"/></inertial></link>
  <link name="a"/><link name="b"/>
  <joint type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 0"/></joint></robot>)",
                  {"model:2: <link>: its name is missing", "model:2: <mass>: value",
                   "model:4: <joint>: its name is missing", "model:4: <axis>: the axis is zero"});
}

TEST(ModelMistakes, CoordinatesStayFinite) {
  const std::string body = R"(<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody><tendon>
  <fixed name="t"><joint joint="j" coef="1e-310"/></fixed></tendon>)";
  expect_mistakes(body + R"(<equality><tendon tendon1="t" polycoef="1"/></equality></mujoco>)", {"so small"});
}

TEST(ModelNotes, AConstantOfAConstraintThatIsLeftOutHasOneNote) {
  ModelReport report;
  parse_model(
      R"(<mujoco><worldbody><body><joint name="i"/><joint name="j" axis="1 0 0"/><joint name="k" axis="0 1 0"/><geom size="1"/></body></worldbody>
  <tendon><fixed name="t"><joint joint="i" coef="1"/><joint joint="j" coef="1"/><joint joint="k" coef="1"/></fixed></tendon>
  <equality><tendon tendon1="t" polycoef="0.5"/></equality></mujoco>)",
      {}, &report);
  EXPECT_EQ(std::count_if(report.notes.begin(), report.notes.end(),
                          [](const ModelNote& n) { return n.line == 3 && n.kind != ModelNote::Kind::appearance; }),
            1);
}

TEST(ModelMistakes, OfMjcfAreAllReported) {
  expect_mistakes(R"(<mujoco>
  <compiler eulerseq="abc" autolimits="maybe"/>
  <option timestep="-1" gravity="0 0"/>
  <default><site pos="x"/></default>
  <asset><mesh name="m" vertex="1 2 3 4 5 6 7 8 9 10 11 12 13"/><material name="q" rgba="1 x"/></asset>
  <worldbody>
    <geom type="sphere"/>
    <geom type="box" size="1 1"/>
    <body name="a" pos="1 2" quat="0 0 0 0">
      <joint name="h" type="round"/>
      <joint name="i" axis="0 0 0" range="2 1"/>
      <geom type="sphere" size="y" mass="z"/>
      <site/><site/>
      <body name="a" childclass="none"><geom size="0.1" class="nn"/><freejoint/></body>
    </body>
  </worldbody>
  <equality><joint joint1="h" joint2="i"/><connect body1="a" body2="qq"/></equality>
  <actuator><motor joint="h"/><motor joint="nope"/></actuator>
</mujoco>)",
                  {"model:2: <compiler>: eulerseq",
                   "model:2: <compiler>: autolimits",
                   "model:3: <option>: timestep",
                   "model:3: <option>: gravity",
                   "model:4: <site>: pos",
                   "model:5: <mesh>: vertex",
                   "model:5: <material>: rgba",
                   "model:7: <geom>: size",
                   "model:8: <geom>: size",
                   "model:9: <body>: pos",
                   "model:9: <body>: quat",
                   "model:10: <joint>: type",
                   "model:11: <joint>: axis",
                   "model:11: <joint>: range",
                   "model:12: <geom>: size",
                   "model:12: <geom>: mass",
                   "model:14: <body>: there is already a body",
                   "model:14: <body>: there is no default class 'none'",
                   "model:14: <geom>: there is no default class 'nn'",
                   "model:14: <freejoint>: only bodies of the world",
                   "model:17: <connect>: body2",
                   "model:18: <motor>: joint: there is no joint named 'nope'"});
}

TEST(ModelMistakes, ConsequencesAreNotReported) {
  // The limits are not compared if one of them is malformed; a joint that is left out is not missing.
  expect_mistakes(R"(<robot name="x"><link name="a"/><link name="b"/>
    <joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="?" upper="-1"/></joint></robot>)",
                  {"lower: expected numbers"});
  expect_mistakes(R"(<mujoco><worldbody><body><joint name="j" type="?"/><geom size="1"/></body></worldbody>
    <actuator><motor joint="j"/></actuator></mujoco>)",
                  {"type: expected free, ball, slide or hinge"});
  // A mistake of a class is reported once, for all elements of the class.
  expect_mistakes(R"(<mujoco><default><geom fromto="0 0 0 0 ? 1" size="1"/></default>
    <worldbody><geom type="capsule"/><geom type="capsule"/></worldbody></mujoco>)",
                  {"fromto: expected numbers"});
}

TEST(ModelMistakes, ReplicasRepeatNone) {
  expect_mistakes(
      R"(<mujoco><worldbody><replicate count="200000"><replicate count="200000"><geom size="-1"/></replicate>
    </replicate><geom size="-2"/></worldbody></mujoco>)",
      {"model:1: <geom>: size", "model:2: <geom>: size"});
}

TEST(ModelMistakes, EmptyReplicasHaveAnEnd) {
  expect_mistakes(R"(<mujoco><worldbody><replicate count="200000"><replicate count="200000"/></replicate></worldbody>
    </mujoco>)",
                  {"more than 5000000 elements"});
}

TEST(ModelMistakes, ThereAreAtMostAHundred) {
  std::string geoms;
  for (int i = 0; i < 300; ++i) geoms += "<geom size=\"-1\"/>\n";
  EXPECT_EQ(models::text_mistakes("<mujoco><worldbody>" + geoms + "</worldbody></mujoco>", {}).size(),
            models::kMostMistakes);
}

TEST(ModelMistakes, StrictListsAllThatIsNotHonoured) {
  const std::string inertial = R"(<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>)";
  const std::string text = "<robot name=\"x\"><link name=\"a\">" + inertial + "</link><link name=\"b\">" + inertial +
                           R"(</link>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/><limit velocity="3"/><safety_controller/></joint></robot>)";
  EXPECT_TRUE(models::text_mistakes(text, {}).empty());
  EXPECT_EQ(models::text_mistakes(text, {.strict = true}).size(), 2u);
}

TEST(ModelMistakes, AFileThatCannotBeIncludedHasNoConsequences) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "rigor_mistakes";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "broken.xml") << "<mujocoinclude><body></mujocoinclude>";
  const std::string file = (folder / "main.xml").string();
  std::ofstream(file) << R"(<mujoco><worldbody><include file="broken.xml"/></worldbody>
    <actuator><motor joint="j"/></actuator></mujoco>)";
  const std::vector<std::string> mistakes = models::model_mistakes(file, {});
  ASSERT_EQ(mistakes.size(), 1u);
  EXPECT_NE(mistakes[0].find("broken.xml:1"), std::string::npos) << mistakes[0];
  std::filesystem::remove_all(folder);
}

TEST(ModelMistakes, GoodModelsHaveNone) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "rigor_good_models";
  std::filesystem::create_directories(folder);
  test::write_own_models(folder);
  test::write_own_robots(folder);
  std::vector<std::string> files = test::model_files(folder);
  for (const std::string& file : test::model_files(test::shared_models())) files.push_back(file);
  EXPECT_FALSE(files.empty());
  for (const std::string& file : files) {
    const std::vector<std::string> mistakes = models::model_mistakes(file, {});
    EXPECT_TRUE(mistakes.empty()) << file << ": " << mistakes[0];
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace rigor
