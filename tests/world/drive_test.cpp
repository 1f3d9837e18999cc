// Targets of motors over time.
#include "rigor/drive.h"

#include <gtest/gtest.h>

#include "rigor/error.h"
#include "rigor/scene.h"

namespace rigor {
namespace {

const char* kScene = R"({"rigor":1,"world":{"gravity":[0,0,0],"ground":false,
  "bodies":[{"name":"arm","shape":{"box":[1,0.1,0.1]},"position":[0.5,0,0],"mass":1}],
  "joints":[{"type":"hinge","name":"j","a":"world","b":"arm","anchor":[0,0,0],"axis":[0,0,1],
             "motor":"servo","motor_target":0,"motor_proportional":400,"motor_derivative":40}],
  "drives":[DRIVE]},"run":{"dt":0.005}})";

std::string scene_with(const std::string& drive) {
  std::string text = kScene;
  return text.replace(text.find("DRIVE"), 5, drive);
}

TEST(Drives, GoThroughKeysAndSines) {
  Drive keys{.joint = "j", .keys = {{1, 0}, {2, 4}}};
  EXPECT_EQ(target_at(keys, 0), 0);
  EXPECT_EQ(target_at(keys, 1.5), 2);
  EXPECT_NEAR(target_at(keys, 1.25), 4 * 0.15625, 1e-12);
  EXPECT_EQ(target_at(keys, 9), 4);
  keys.smooth = false;
  EXPECT_EQ(target_at(keys, 1.25), 1);
  keys.repeat = true;
  EXPECT_NEAR(target_at(keys, 3.25), 1, 1e-12);
  const Drive sine{.joint = "j", .offset = 1, .amplitude = 2, .frequency = 0.5};
  EXPECT_NEAR(target_at(sine, 0.5), 3, 1e-12);
  EXPECT_NEAR(target_at(sine, 1000000.5), 3, 1e-9);
}

TEST(Drives, MoveAJointFromASceneFile) {
  const Scene scene = parse_scene(scene_with(R"({"joint":"j","keys":[[0,0],[1,1],[2,-0.5]]})"));
  for (const char* name : {"soft-step", "featherstone", "garstenauer"}) {
    Scene s = scene;
    s.method = preset(name);
    Simulation simulation = make_simulation(s);
    for (int i = 0; i < 800; ++i) simulation.step(0.005);
    EXPECT_NEAR(simulation.world().joint_position(simulation.world().find_joint("j"), 3), -0.5, 1e-3) << name;
  }
  const Scene again = parse_scene(write_scene(scene));
  EXPECT_EQ(again.drives, scene.drives);
}

TEST(Drives, SayWhatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {R"({"joint":"k","keys":[[0,0]]})", "there is no such joint"},
      {R"({"joint":"j","axis":0,"keys":[[0,0]]})", "the joint has no motor there"},
      {R"({"joint":"j","keys":[[1,0],[1,2]]})", "the times of its keys must ascend"},
      {R"({"joint":"j"})", "give either 'keys' or 'sine'"},
      {R"({"joint":"j","keys":[]})", "a list of [time, target]"}};
  for (const auto& [drive, words] : cases) {
    try {
      parse_scene(scene_with(drive));
      ADD_FAILURE() << drive;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace rigor
