// What the program prints about models, beyond what the reader lists.
#include "test_paths.h"

#ifdef RIGOR_PROGRAM

#include "cli/cli.h"

namespace rigor {
namespace {

using ModelsCli = Cli;

constexpr const char* kModel =
    R"(<mujoco><worldbody><body name="b"><joint name="j" armature="1"/><geom size="1" frictoin="1"/><site name="s"/></body></worldbody>
<actuator><motor name="m" joint="j" ctrlrange="-1 1"/></actuator>
<keyframe><key name="home" qpos="0.1" ctrl="0.5"/><key name="up" qpos="1"/></keyframe></mujoco>)";

/// The command that is recommended lists all that is counted.
TEST_F(ModelsCli, TheRecommendedCommandListsAllNotes) {
  std::ofstream(folder_ / "m.xml") << kModel;
  const Result run = rigor("run m.xml --keyframe home --steps 1");
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string command = "`rigor check m.xml --keyframe home`";
  ASSERT_NE(run.err.find(command), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("@frictoin: unknown attribute, left out; did you mean friction?"), std::string::npos);
  const Result check = rigor("check m.xml --keyframe home");
  std::size_t listed = 0;
  for (const char* kind : {"\nignored: ", "\nreplaced: ", "\nunknown: "})
    for (std::size_t at = 0; (at = check.out.find(kind, at)) != std::string::npos; ++at) ++listed;
  EXPECT_NE(run.err.find(std::to_string(listed) + " elements of this model"), std::string::npos)
      << run.err << check.out;
  const std::size_t unknown = check.out.find("\nunknown: "), other = check.out.find("\nignored: ");
  EXPECT_LT(unknown, other) << check.out;
}

TEST_F(ModelsCli, ConvertListsWhatNoSceneHolds) {
  std::ofstream(folder_ / "m.xml") << kModel;
  const Result r = rigor("convert m.xml again.xml");
  ASSERT_EQ(r.code, 0) << r.err;
  for (const char* words : {"left out: a scene starts from one keyframe", "'home', 'up'", "'s'", "'m'"})
    EXPECT_NE(r.err.find(words), std::string::npos) << words << "\n" << r.err;
}

TEST_F(ModelsCli, AnEmptyTableOfSensorsIsMentioned) {
  std::ofstream(folder_ / "m.xml") << kModel;
  const Result r = rigor("run m.xml --steps 1 --record r.csv --table sensors");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.err.find("the scene has no sensors, so the table 'sensors' stays empty"), std::string::npos) << r.err;
}

TEST_F(ModelsCli, AMissingMeshIsAMistake) {
  std::ofstream(folder_ / "m.xml") << "<mujoco><asset>\n<mesh name=\"m\" file=\"no.stl\"/></asset><worldbody><body>"
                                      "<joint/><geom type=\"mesh\" mesh=\"m\"/></body></worldbody></mujoco>";
  for (const char* verb : {"check", "run"})
    expect_mistake(std::string(verb) + " m.xml", "m.xml:2: <mesh>: the mesh cannot be read: ");
}

}  // namespace
}  // namespace rigor

#endif  // RIGOR_PROGRAM
