// Files that a model refers to and that cannot be read: the model would be another machine without them, unless they are only drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "models/load_model.h"
#include "rigor/error.h"
#include "rigor/model.h"

namespace rigor {
namespace {

namespace fs = std::filesystem;

class MissingFiles : public testing::Test {
 protected:
  MissingFiles() : folder_(fs::path(testing::TempDir()) / "rigor_missing_files") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~MissingFiles() override { fs::remove_all(folder_); }

  std::string write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  static std::string message_of(const std::string& path) {
    try {
      load_model(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "(no error)";
  }
  static void expect_refusal(const std::string& path, const std::string& words) {
    EXPECT_NE(message_of(path).find(words), std::string::npos) << message_of(path);
    const std::vector<std::string> mistakes = models::model_mistakes(path, {});
    EXPECT_EQ(mistakes.size(), 1u);
    if (!mistakes.empty()) {
      EXPECT_EQ(mistakes[0], message_of(path));
    }
  }
  static void expect_appearance_only(const std::string& path) {
    ModelReport report;
    const Scene scene = load_model(path, {}, &report);
    EXPECT_TRUE(scene.world.find_body("b"));
    EXPECT_FALSE(report.notes.empty());
    for (const ModelNote& note : report.notes) EXPECT_EQ(note.kind, ModelNote::Kind::appearance) << to_text(note);
  }

  fs::path folder_;
};

/// A model with a mesh asset in its second line and a geom of it.
std::string mjcf(const std::string& geom, const std::string& rest = "") {
  return "<mujoco><asset>\n<mesh name=\"m\" file=\"nowhere.stl\"/></asset><worldbody><body name=\"b\"><joint/>" + rest +
         "<geom type=\"mesh\" mesh=\"m\" " + geom + "/></body></worldbody></mujoco>";
}

constexpr const char* kInertial = R"(<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>)";

TEST_F(MissingFiles, AMeshThatCollidesIsRefused) {
  expect_refusal(write("a.xml", mjcf("")), "a.xml:2: <mesh>: the mesh cannot be read: ");
  expect_refusal(write("b.xml", mjcf("", kInertial)), "b.xml:2: <mesh>: the mesh cannot be read: ");
}

TEST_F(MissingFiles, AMeshThatGivesMassIsRefused) {
  const std::string drawn = R"(contype="0" conaffinity="0")";
  expect_refusal(write("a.xml", mjcf(drawn)), "a.xml:2: <mesh>: the mesh cannot be read: ");
  expect_appearance_only(write("b.xml", mjcf(drawn, kInertial)));
  expect_appearance_only(write("c.xml", mjcf(drawn + R"( mass="0")", R"(<geom size="0.1"/>)")));
}

TEST_F(MissingFiles, AHeightFieldIsRefused) {
  expect_refusal(write("a.xml", R"(<mujoco><asset>
<hfield name="h" file="nowhere.png" size="1 1 1 1"/></asset><worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>)"),
                 "a.xml:2: <hfield>: ");
}

TEST_F(MissingFiles, OfUrdfAreRefusedIfTheyCollide) {
  const auto robot = [](const char* kind) {
    return std::string(
               "<robot name=\"r\"><link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
               "izz=\"1\"/></inertial>\n<") +
           kind + "><geometry><mesh filename=\"nowhere.stl\"/></geometry></" + kind + "></link></robot>";
  };
  expect_refusal(write("a.urdf", robot("collision")), "a.urdf:2: <mesh>: the mesh cannot be read: ");
  expect_appearance_only(write("b.urdf", robot("visual")));
}

}  // namespace
}  // namespace rigor
