// Scene files as documents: comments, includes, all mistakes at once, and what few numbers may ask for.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/file_access.h"
#include "io/scene_parts.h"
#include "rigor/error.h"
#include "rigor/scene.h"

namespace rigor {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test.
class Documents : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("documents_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(folder_ / "parts");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string message(const std::string& path) const {
    try {
      load_scene_file(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "(no error)";
  }

  fs::path folder_;
};

TEST_F(Documents, MayHaveComments) {
  const Scene scene = parse_scene("// first\n{ \"rigor\": 1, /* version */ \"name\": \"a // b\" } // last\n");
  EXPECT_EQ(scene.name, "a // b");
}

TEST_F(Documents, IncludeWorldsOfOthers) {
  write("parts/materials.json", R"({"rigor":1,"world":{"materials":{"wood":{"density":700},"ice":{"friction":0.1}}}})");
  write(
      "table.json",
      R"({"rigor":1,"include":["parts/materials.json"],"world":{"bodies":[{"name":"table","shape":{"box":[1,1,1]},"material":"wood","fixed":true}]}})");
  const std::string scene_file = write("scene.json", R"({"rigor":1,"include":["table.json"],
    "world":{"materials":{"wood":{"density":500}},"bodies":[{"name":"cup","shape":{"sphere":0.1},"position":[0,2,0],"material":"wood"}],
             "joints":[{"type":"ball","a":"table","b":"cup","anchor":[0,1,0]}]}})");
  const Scene scene = load_scene_file(scene_file);
  EXPECT_TRUE(scene.world.find_body("table"));
  EXPECT_EQ(scene.world.joint_count(), 1u);
  EXPECT_EQ(scene.materials.at("wood").density, 500);
  EXPECT_EQ(scene.materials.at("ice").friction, 0.1);
}

TEST_F(Documents, NameTheFileOfAMistake) {
  write(
      "part.json",
      R"({"rigor":1,"world":{"bodies":[{"name":"good","shape":{"sphere":1}},{"name":"bad","shape":{"sphere":-1}}]}})");
  const std::string file = write(
      "scene.json", R"({"rigor":1,"include":["part.json"],"world":{"bodies":[{"name":"own","shape":{"sphere":1}}]}})");
  EXPECT_NE(message(file).find("part.json: world.bodies[1 'bad'].shape.sphere: expected a positive number"),
            std::string::npos)
      << message(file);
  write("part.json", R"({"rigor":1,"world":{"bodies":[{"name":"good","shape":{"sphere":1}}]}})");
  const std::string other = write(
      "other.json", R"({"rigor":1,"include":["part.json"],"world":{"bodies":[{"name":"own","shape":{"sphere":0}}]}})");
  EXPECT_NE(message(other).find("world.bodies[0 'own'].shape.sphere"), std::string::npos) << message(other);
}

TEST_F(Documents, RefuseCyclesAndForeignFiles) {
  const std::string a = write("a.json", R"({"rigor":1,"include":["b.json"]})");
  write("b.json", R"({"rigor":1,"include":["a.json"]})");
  EXPECT_NE(message(a).find("includes itself"), std::string::npos) << message(a);
  EXPECT_NE(message(write("out.json", R"({"rigor":1,"include":["../../etc/hosts.json"]})")).find("include"),
            std::string::npos);
  EXPECT_NE(message(write("model.json", R"({"rigor":1,"include":["arm.urdf"]})")).find("rigor convert"),
            std::string::npos);
  EXPECT_NE(message(write("none.json", R"({"rigor":1,"include":["missing.json"]})")).find("missing.json"),
            std::string::npos);
  EXPECT_NE(message(write("cut.json", R"({"rigor":1,"include":"a.json"})")).find("a list of scene files"),
            std::string::npos);
  EXPECT_THROW(parse_scene(R"({"rigor":1,"include":["a.json"]})"), Error);  // a text has no folder
}

TEST_F(Documents, TellAllTheirMistakes) {
  const std::string file =
      write("bad.json", R"({"rigor":1,"nme":"x","run":{"dt":-1,"duraton":2},"world":{"grvity":[0,0,0],
    "bodies":[{"name":"a","shape":{"sphere":-1}},{"name":"b","shape":{"sphere":1},"velocity":[1,2],"postion":[0,0,0]},{"shape":{"bx":[1,1,1]}}],
    "joints":[{"type":"ball","a":"a","b":"b","anchor":[0,0,0]},{"type":"ball","a":"a","b":"nobody","anchor":[0,0,0]}]}})");
  const std::vector<std::string> mistakes = scene_mistakes(file);
  const auto has = [&](const char* part) {
    return std::any_of(mistakes.begin(), mistakes.end(),
                       [&](const std::string& m) { return m.find(part) != std::string::npos; });
  };
  EXPECT_EQ(mistakes.size(), 9u);
  for (const char* part : {"'nme'", "run.dt", "'duraton'", "'grvity'", "world.bodies[0 'a'].shape.sphere", "velocity",
                           "'postion'", "unknown shape 'bx'", "no body named 'nobody'"})
    EXPECT_TRUE(has(part)) << part;
  for (const std::string& m : mistakes) std::cout << m << "\n";
  EXPECT_TRUE(scene_mistakes(write("good.json", R"({"rigor":1})")).empty());
  EXPECT_EQ(scene_mistakes(write("broken.json", R"({"rigor":1)")).size(), 1u);
}

// All mistakes within one body, joint, force, drive and method, not only the first.
TEST_F(Documents, TellAllMistakesOfAnObject) {
  const std::string file = write("bad.json", R"({"rigor":1,
    "method":{"preset":"tgs","integrator":"rk5","broadphase":"gird"},
    "world":{"bodies":[
      {"name":"a","shape":{"composite":[{"shape":{"sphere":-1}},{"shape":{"bx":1}}]},"mass":-2,"orientation":[0,0,0,0],"groups":[99],"material":"iron"},
      {"name":"b","shape":{"capsule":{"radius":0,"length":-1}},"inertia":[1,2]},{"name":"c","shape":{"sphere":1}}],
    "joints":[{"type":"hinge","name":"h","a":"c","b":"nobody","anchor":[0,0],"axis":"x","friction":-1,"motor":"sevo"},
      {"type":"hinge","name":"k","a":"world","b":"c","anchor":[0,0,0],"axis":[0,0,1],"friction":-1,"motor":"sevo","lowr":3}],
    "forces":[{"type":"spring","a":"c","b":"nobody","stiffness":-4}],
    "drives":[{"joint":7,"axis":9,"keys":[]}]}})");
  const std::vector<std::string> mistakes = scene_mistakes(file);
  std::string all;
  for (const std::string& m : mistakes) all += m + "\n";
  for (const char* part : {"rk5",
                           "gird",
                           "composite[0].shape.sphere",
                           "unknown shape 'bx'",
                           "bodies[0 'a'].mass",
                           "bodies[0 'a'].orientation",
                           "bodies[0 'a'].groups",
                           "'iron'",
                           "capsule.radius",
                           "capsule.length",
                           "bodies[1 'b'].inertia",
                           "no body named 'nobody'",
                           "joints[0 'h'].anchor",
                           "joints[0 'h'].axis",
                           "joints[0 'h'].friction",
                           "joints[0 'h'].motor",
                           "joints[1 'k'].friction",
                           "joints[1 'k'].motor",
                           "'lowr'",
                           "forces[0].stiffness",
                           "forces[0].b",
                           "drives[0].joint",
                           "drives[0].axis",
                           "drives[0].keys"})
    EXPECT_NE(all.find(part), std::string::npos) << part << " is not in\n" << all;
  for (const std::string& m : mistakes) EXPECT_NE(m, "");
}

TEST_F(Documents, SayWhatManyBodiesCost) {
  const std::string grid =
      R"("generate":[{"grid":{"count":[100,100,21],"spacing":[1,1,1],"bodies":[{"shape":{"sphere":0.1}}]}}])";
  try {
    parse_scene(R"({"rigor":1,"world":{)" + grid + "}}");
    FAIL() << "210 000 bodies were made without a word";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("generators make 210000 bodies"), std::string::npos) << message;
    EXPECT_NE(message.find("GB of memory"), std::string::npos) << message;
    EXPECT_NE(message.find("\"most_bodies\": 210000"), std::string::npos) << message;
  }
  EXPECT_EQ(parse_scene(R"({"rigor":1,"world":{"most_bodies":210000,)" + grid + "}}").world.body_count(), 210002u);
}

/// A cube of 2 m with a notch, so that it is not convex.
std::string notched(const std::string& more) {
  return R"({"mesh":{"vertices":[[0,0,0],[2,0,0],[2,2,0],[1,1,0],[0,2,0],[0,0,1],[2,0,1],[2,2,1],[1,1,1],[0,2,1]],
    "triangles":[[5,6,8],[6,7,8],[5,8,9],[0,3,1],[1,3,2],[0,4,3],[0,1,6],[0,6,5],[1,2,7],[1,7,6],[2,3,8],[2,8,7],[3,4,9],[3,9,8],[4,0,5],[4,5,9]])" +
         more + "}}";
}

TEST_F(Documents, MeshesCollideAsConvexParts) {
  const auto body = [](const std::string& name, const std::string& shape, const std::string& more = "") {
    return R"({"name":")" + name + R"(","shape":)" + shape + more + "}";
  };
  const std::string asked =
      write("asked.json", R"({"rigor":1,"world":{"bodies":[)" +
                              body("v", notched(R"(,"decompose":{"error":0.01,"parts":8})")) + "]}}");
  std::vector<std::string> notes;
  const Scene scene = load_scene_file(asked, notes);
  const BodyDef& def = scene.world.body_def(scene.world.find_body("v"));
  ASSERT_TRUE(def.collision_shape);
  ASSERT_TRUE(def.collision_shape->as<Composite>());
  EXPECT_EQ(def.collision_shape->as<Composite>()->parts.size(), 2u);
  EXPECT_TRUE(def.shape->as<Mesh>());
  EXPECT_NEAR(scene.world.mass_properties(scene.world.find_body("v")).mass, 3000, 1e-9);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("'v' collides as 2 convex parts"), std::string::npos) << notes[0];
  // What was written out needs no decomposition.
  EXPECT_EQ(parse_scene(write_scene(scene)).world.hash(), scene.world.hash());
  // Two meshes meet only if one of them is decomposed: the one that moves.
  notes.clear();
  const std::string two =
      write("two.json", R"({"rigor":1,"world":{"bodies":[)" + body("lower", notched(""), R"(,"fixed":true)") + "," +
                            body("upper", notched(""), R"(,"position":[0,3,0])") + "]}}");
  const Scene meeting = load_scene_file(two, notes);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("'upper' may meet the triangles of 'lower'; it collides as"), std::string::npos) << notes[0];
  EXPECT_FALSE(meeting.world.body_def(meeting.world.find_body("lower")).collision_shape);
  // By itself a mesh stays what it is.
  EXPECT_FALSE(
      parse_scene(R"({"rigor":1,"world":{"bodies":[)" + body("v", notched("")) + "]}}")
          .world
          .body_def(
              parse_scene(R"({"rigor":1,"world":{"bodies":[)" + body("v", notched("")) + "]}}").world.find_body("v"))
          .collision_shape);
  EXPECT_THROW(
      parse_scene(R"({"rigor":1,"world":{"bodies":[)" + body("v", notched(R"(,"decompose":{"error":0})")) + "]}}"),
      Error);
}

}  // namespace
}  // namespace rigor
