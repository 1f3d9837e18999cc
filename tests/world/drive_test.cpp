// Targets of motors over time.
#include "rigor/drive.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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

// Two fingers on a palm that moves: the right one follows the left one, whose servo opens it.
TEST(Drives, FollowAnotherJoint) {
  const char* text = R"({"rigor":1,"world":{"gravity":[0,0,0],"ground":false,
    "bodies":[{"name":"palm","shape":{"box":[0.2,0.1,0.1]},"mass":1},
              {"name":"left","shape":{"box":[0.02,0.05,0.02]},"position":[-0.05,0.1,0],"mass":0.05},
              {"name":"right","shape":{"box":[0.02,0.05,0.02]},"position":[0.05,0.1,0],"mass":0.05}],
    "joints":[{"type":"hinge","name":"arm","a":"world","b":"palm","anchor":[0,-0.5,0],"axis":[0,0,1],"motor":"velocity","motor_target":1},
              {"type":"slider","name":"l","a":"palm","b":"left","anchor":[-0.05,0.1,0],"axis":[-1,0,0],"lower":0,"upper":0.08,
               "motor":"servo","motor_proportional":400,"motor_derivative":20},
              {"type":"slider","name":"r","a":"palm","b":"right","anchor":[0.05,0.1,0],"axis":[1,0,0],"lower":0,"upper":0.08,MOTOR}],
    "drives":[{"joint":"l","keys":[[0.2,0],[0.8,0.06]]},
              {"joint":"r","follow":{"joint":"l","ratio":0.5,"offset":0.01}}]},"run":{"dt":0.005}})";
  for (const char* motor :
       {R"("motor":"velocity")", R"("motor":"servo","motor_proportional":400,"motor_derivative":20)"})
    for (const char* name : {"soft-step", "featherstone", "tgs"}) {
      std::string scene_text = text;
      scene_text.replace(scene_text.find("MOTOR"), 5, motor);
      Scene scene = parse_scene(scene_text);
      EXPECT_EQ(parse_scene(write_scene(scene)).drives, scene.drives);
      scene.method = preset(name);
      Simulation simulation = make_simulation(scene);
      double worst = 0;
      for (int i = 0; i < 300; ++i) {
        simulation.step(0.005);
        const World& w = simulation.world();
        const double l = w.joint_position(w.find_joint("l"), 0), r = w.joint_position(w.find_joint("r"), 0);
        if (i > 30) worst = std::max(worst, std::abs(r - 0.01 - 0.5 * l));
      }
      const World& w = simulation.world();
      EXPECT_NEAR(w.joint_position(w.find_joint("l"), 0), 0.06, 1e-3) << name << " " << motor;
      EXPECT_NEAR(w.joint_position(w.find_joint("r"), 0), 0.04, 1e-3) << name << " " << motor;
      EXPECT_LT(worst, 2e-3) << name << " " << motor;  // while the leader accelerates it is one step behind
    }
}

TEST(Drives, ComeFromTheColumnOfATable) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "rigor_drive_table";
  fs::create_directories(folder);
  std::ofstream(folder / "motion.csv")
      << "\xEF\xBB\xBF# by hand\n\"t\", elbow ,other\r\n0,0,x\n1, +0.5,y\n\n2,-1e-1,z\n";
  const auto load = [&](const std::string& drive) {
    std::ofstream(folder / "scene.json") << scene_with(drive);
    return load_scene_file((folder / "scene.json").string());
  };
  const Scene scene = load(R"({"joint":"j","csv":{"file":"motion.csv","column":"elbow","time":"t"}})");
  ASSERT_EQ(scene.drives.size(), 1u);
  EXPECT_EQ(scene.drives[0].keys, (std::vector<Drive::Key>{{0, 0}, {1, 0.5}, {2, -0.1}}));
  EXPECT_EQ(target_at(scene.drives[0], 0.5), 0.25);
  const std::pair<const char*, const char*> cases[] = {
      {R"({"file":"motion.csv","column":"knee","time":"t"})", "line 2: there is no column 'knee'"},
      {R"({"file":"motion.csv","column":"elbow"})", "line 2: there is no column 'time'"},
      {R"({"file":"motion.csv","column":"other","time":"t"})", "line 3: expected a number, got 'x'"},
      {R"({"file":"../x.csv","column":"a"})", "file"},
      {R"({"file":"none.csv","column":"a"})", "no such file"}};
  for (const auto& [csv, words] : cases) {
    try {
      load(std::string(R"({"joint":"j","csv":)") + csv + "}");
      ADD_FAILURE() << csv;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
  fs::remove_all(folder);
}

TEST(Drives, SayWhatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {R"({"joint":"k","keys":[[0,0]]})", "there is no such joint"},
      {R"({"joint":"j","axis":0,"keys":[[0,0]]})", "the joint has no motor there"},
      {R"({"joint":"j","axis":"r","keys":[[0,0]]})", "expected x, y, z, rx, ry, rz or their number"},
      {R"({"joint":"j","axis":"x","keys":[[0,0]]})", "the joint has no motor there"},
      {R"({"joint":"j","keys":[[1,0],[1,2]]})", "the times of its keys must ascend"},
      {R"({"joint":"j"})", "give either 'keys', 'sine', 'csv' or 'follow'"},
      {R"({"joint":"j","follow":{"joint":"k"}})", "there is no such joint"},
      {R"({"joint":"j","follow":{"joint":"j"}})", "a coordinate cannot follow itself"},
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

TEST(Drives, NameTheirAxisAsTheKeysOfJointsDo) {
  EXPECT_EQ(parse_scene(scene_with(R"({"joint":"j","axis":"rx","keys":[[0,0]]})")).drives[0].axis, 3);
}

}  // namespace
}  // namespace rigor
