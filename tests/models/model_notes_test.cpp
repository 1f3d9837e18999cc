// What `check` lists: misspelt names with similar ones, sensors that are left out, and what converting loses.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/load_model.h"
#include "rigor/error.h"
#include "rigor/model.h"

namespace rigor {
namespace {

ModelReport report_of(const std::string& text) {
  ModelReport report;
  parse_model(text, {}, &report);
  return report;
}

std::string unknown_names(const std::string& text) {
  std::string all;
  for (const ModelNote& note : report_of(text).notes)
    if (note.kind == ModelNote::Kind::unknown) all += to_text(note) + "\n";
  return all;
}

TEST(ModelNotes, MisspeltNamesHaveSimilarOnes) {
  EXPECT_EQ(unknown_names(R"(<mujoco><worldbody>
<geom type="plane" size="1 1 1" frictoin="0.5"/></worldbody></mujoco>)"),
            "model:2: geom @frictoin: unknown attribute, left out; did you mean friction?\n");
  EXPECT_EQ(unknown_names(R"(<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous">
<parent link="a"/><child link="b"/><dynamics dampng="1"/></joint></robot>)"),
            "model:2: dynamics @dampng: unknown attribute, left out; did you mean damping?\n");
  const std::string element = unknown_names("<mujoco><worldbody><boddy/></worldbody></mujoco>");
  EXPECT_NE(element.find("unknown element, left out with all that it holds; did you mean body"), std::string::npos)
      << element;
  // What the table names is listed and not unknown.
  EXPECT_EQ(unknown_names(R"(<mujoco><worldbody><geom type="plane" size="1 1 1" margin="1"/></worldbody></mujoco>)"),
            "");
}

TEST(ModelNotes, MissingNamesHaveSimilarOnes) {
  const auto message = [](const std::string& rest) -> std::string {
    try {
      parse_model(R"(<mujoco><worldbody><body name="upper"><joint name="elbow"/><geom size="1"/></body></worldbody>)" +
                  rest + "</mujoco>");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(R"(<actuator><motor joint="elbo"/></actuator>)").find("'elbo'; did you mean elbow?"),
            std::string::npos);
  EXPECT_NE(message(R"(<equality><connect body1="uper" anchor="0 0 0"/></equality>)").find("did you mean upper?"),
            std::string::npos);
}

/// A table of readings that lacks a column is not what the file asks for.
TEST(ModelNotes, StrictRefusesSensorsThatAreLeftOut) {
  const std::string body = R"(<body name="b"><joint name="j"/><geom size="1"/><site name="s"/></body></worldbody>)";
  for (const char* sensor : {R"(<rangefinder site="s"/>)", R"(<magnetometer site="s"/>)",
                             R"(<framepos objtype="body" objname="b" reftype="site" refname="s"/>)"}) {
    const std::string text = "<mujoco><worldbody>" + body + "<sensor>" + sensor + "</sensor></mujoco>";
    const ModelReport report = report_of(text);
    EXPECT_TRUE(std::any_of(report.notes.begin(), report.notes.end(), [](const ModelNote& note) {
      return note.kind == ModelNote::Kind::ignored;
    })) << sensor;
    EXPECT_THROW(parse_model(text, {.strict = true}), Error) << sensor;
    EXPECT_EQ(report.moving_elements, report.moving_elements_honoured) << "sensors do not affect the motion";
  }
  const std::string read = "<mujoco><worldbody>" + body + R"(<sensor><jointpos joint="j"/></sensor></mujoco>)";
  EXPECT_NO_THROW(parse_model(read, {.strict = true}));
  EXPECT_THROW(parse_model(R"(<robot name="r"><link name="a"/><sensor name="eye"/></robot>)", {.strict = true}), Error);
}

TEST(ModelNotes, ConvertingListsWhatASceneCannotHold) {
  const std::string text =
      R"(<mujoco><worldbody><body><joint name="j"/><geom size="1"/><site name="tip"/></body></worldbody>
    <actuator><position name="servo" joint="j" ctrlrange="-1 1"/></actuator>
    <keyframe><key name="home" qpos="0"/><key name="up" qpos="1"/></keyframe></mujoco>)";
  ModelReport report;
  parse_model(text, {.keyframe = "home"}, &report);
  std::string lost;
  for (const std::string& sentence : report.lost) lost += sentence + "\n";
  for (const char* words : {"keyframe", "'up'", "'tip'", "'servo'", "ranges of controls are not kept (1)"})
    EXPECT_NE(lost.find(words), std::string::npos) << words << "\n" << lost;
  EXPECT_EQ(lost.find("'home'"), std::string::npos) << lost;
  EXPECT_TRUE(report_of("<mujoco><worldbody><geom size=\"1\"/></worldbody></mujoco>").lost.empty());
}

}  // namespace
}  // namespace rigor
