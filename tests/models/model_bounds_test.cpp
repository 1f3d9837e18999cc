// Small files that ask for much: replicas, pairs, defaults and surfaces have bounds, and a model beyond them is refused with its place.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/mesh_file.h"
#include "models/model_text.h"
#include "rigor/scene.h"

namespace rigor {
namespace {

void expect_refusal(const std::string& text, const std::string& words) {
  EXPECT_NE(refusal_of(text).find(words), std::string::npos) << refusal_of(text).substr(0, 500);
}

std::string repeated(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(ModelBounds, TendonsOfReplicasAreCounted) {
  const std::string tendon = R"(<spatial range="0 1"><site site="s"/><site site="t"/></spatial>)";
  expect_refusal(
      R"(<mujoco><worldbody><site name="t"/><replicate count="100000"><site name="s"/></replicate></worldbody>
    <tendon>)" +
          repeated(3, tendon) + "</tendon></mujoco>",
      "model:2: <spatial>: a model has at most 200000 tendons, replicas included");
}

TEST(ModelBounds, JointsOfReplicasAreCounted) {
  expect_refusal(R"(<mujoco><worldbody><body><geom size="1"/><replicate count="70000">
    <joint/><joint/><joint/></replicate></body></worldbody></mujoco>)",
                 "model:2: <joint>: a model has at most 200000 joints, replicas included");
}

/// Every link that hangs on a rigid piece made a pair with every link of that piece.
TEST(ModelBounds, LinksOnWeldedLinksAreCounted) {
  expect_refusal(R"(<mujoco><worldbody><body><freejoint/><geom size="1"/>
    <replicate count="1500"><body><geom size="1"/></body></replicate>
    <replicate count="5000"><body><joint/><geom size="1"/></body></replicate></body></worldbody></mujoco>)",
                 "do not collide");
}

TEST(ModelBounds, DefaultsOfReplicasAreCounted) {
  const std::string text = "<mujoco><default>" + repeated(400, R"(<geom rgba="1 0 0 1"/>)") + R"(</default><worldbody>
    <replicate count="60000"><geom size="1"/></replicate></worldbody></mujoco>)";
  expect_refusal(text, "model:2: <geom>: all elements together have more than 20000000 defaults");
}

TEST(ModelBounds, AttributesOfAnElementAreCounted) {
  std::string attributes;
  for (int i = 0; i < 101; ++i) attributes += " a" + std::to_string(i) + "=\"1\"";
  expect_refusal("<mujoco><worldbody><geom" + attributes + "/></worldbody></mujoco>",
                 "model:1: <geom>: it has more than 100 attributes");
}

/// Each massless link was searched in all cameras, and each camera moves with the link that its own became part of.
TEST(ModelBounds, CamerasOfManyMasslessLinksMoveWithThem) {
  const Scene scene =
      parse_model(R"(<mujoco><worldbody><replicate count="20000" offset="0 0 1"><body pos="1 0 0"><joint/>
    <body pos="0 2 0"><camera name="c" pos="0 0 3"/><body pos="0 0 4"><geom size=".1"/></body></body></body></replicate>
    </worldbody></mujoco>)");
  ASSERT_GT(scene.appearance.cameras.size(), 1u);
  const MountedCamera& camera = scene.appearance.cameras[1];
  const BodyId body = scene.world.find_body(camera.body);
  ASSERT_TRUE(body) << camera.body;
  const Vec3 at = scene.world.position(body) + rotate(scene.world.orientation(body), camera.position);
  EXPECT_LT(length(at - Vec3{1, 2, 4}), 1e-12);
}

/// `count` geoms, or bodies with one each, that share one height field of `side` × `side` samples: a small model that is large as text.
Scene replicated_field(int side, int count, bool in_bodies) {
  std::string heights;
  for (int i = 0; i < side * side; ++i) heights += i % 7 == 0 ? "1 " : "0 ";
  const std::string samples = std::to_string(side);
  const std::string geom = R"(<geom type="hfield" hfield="h"/>)";
  return parse_model(R"(<mujoco><asset><hfield name="h" size="1 1 1 1" nrow=")" + samples + R"(" ncol=")" + samples +
                     R"(" elevation=")" + heights + R"("/></asset><worldbody><replicate offset="3 0 0" count=")" +
                     std::to_string(count) + "\">" + (in_bodies ? "<body>" + geom + "</body>" : geom) +
                     "</replicate></worldbody></mujoco>");
}

template <class Write> void expect_unwritten(Write write, const std::string& words) {
  try {
    write();
    ADD_FAILURE() << "it was written: " << words;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

/// 7.9 million triangles, and 101 million numbers.
TEST(ModelBounds, TextsThatRepeatASurface) {
  const Scene surfaces = replicated_field(200, 100, true);
  for (const char* file : {"a.obj", "a.usda"})
    expect_unwritten([&] { export_scene(surfaces, file); }, "at most 5000000 are written as text");
  EXPECT_LT(export_scene(surfaces, "a.glb").bytes.size(), 20'000'000u);
  const Scene numbers = replicated_field(1000, 101, false);
  expect_unwritten([&] { write_scene(numbers); }, "numbers together; a scene file holds at most 100000000");
}

TEST(ModelBounds, FacesAndOrientationsOfMeshesAreWhole) {
  const auto mesh = [](const std::string& attributes) {
    return R"(<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" )" + attributes +
           R"(/></asset><worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>)";
  };
  EXPECT_EQ(refusal_of(mesh("")), "(no error)");
  expect_refusal(mesh(R"(face="0 2 1 0 1 3 0")"), "model:1: <mesh>: face: expected three corners for each triangle");
  expect_refusal(mesh(R"(refquat="0 0 0 0")"), "model:1: <mesh>: refquat: four zeros are no orientation");
}

/// Many nodes of one name took a time that grows with the square of their number; each gets a name of its own.
TEST(ModelBounds, NodesOfOneNameInGltf) {
  nlohmann::json document = nlohmann::json::parse(R"({"asset": {"version": "2.0"}, "scenes": [{"nodes": []}],
    "extensions": {"KHR_implicit_shapes": {"shapes": [{"type": "sphere", "sphere": {"radius": 0.1}}]}}, "nodes": []})");
  constexpr int kNodes = 20'000;
  for (int i = 0; i < kNodes; ++i) {
    document["nodes"].push_back(nlohmann::json::parse(R"({"name": "ball", "extensions": {"KHR_physics_rigid_bodies": {
      "motion": {"mass": 1}, "collider": {"geometry": {"shape": 0}}}}})"));
    document["nodes"].back()["translation"] = {i, 0, 0};
    document["scenes"][0]["nodes"].push_back(i);
  }
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "rigor_nodes_of_one_name.gltf";
  std::ofstream(file) << document.dump();
  const Scene scene = load_model(file.string());
  std::filesystem::remove(file);
  EXPECT_TRUE(scene.world.find_body("ball"));
  EXPECT_TRUE(scene.world.find_body("ball_2"));
  EXPECT_TRUE(scene.world.find_body("ball_" + std::to_string(kNodes)));
}

/// Rules for pairs of surfaces grow with the square of their number. Beyond 300 surfaces they were left out without a word, and so were <pair> elements.
TEST(ModelBounds, RulesOfManySurfacesAreReported) {
  const auto model = [](const std::string& attributes) {
    std::string geoms;
    for (int i = 0; i < 301; ++i)
      geoms += "<geom name=\"g" + std::to_string(i) + "\" size=\".1\" friction=\"0." + std::to_string(100 + i) + "\"" +
               attributes + "/>";
    return "<mujoco><worldbody>" + geoms +
           R"(</worldbody><contact><pair geom1="g0" geom2="g1" friction="2"/></contact></mujoco>)";
  };
  ModelReport plain, without_friction;
  const Scene scene = parse_model(model(""), {}, &plain);
  EXPECT_TRUE(plain.warnings.empty());
  EXPECT_EQ(scene.world.material_rules().pairs.size(), 1u);
  parse_model(model(R"( condim="1")"), {}, &without_friction);
  ASSERT_EQ(without_friction.warnings.size(), 1u);
  EXPECT_NE(without_friction.warnings[0].find("more than 300 surfaces collide"), std::string::npos);
}

}  // namespace
}  // namespace rigor
