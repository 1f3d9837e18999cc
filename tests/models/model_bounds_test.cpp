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

/// 100 bodies that share one field of 200 × 200 samples are a small model, and 7.9 million triangles as text.
TEST(ModelBounds, SurfacesOfReplicasAsText) {
  std::string heights;
  for (int i = 0; i < 200 * 200; ++i) heights += i % 7 == 0 ? "1 " : "0 ";
  const Scene scene =
      parse_model(R"(<mujoco><asset><hfield name="h" nrow="200" ncol="200" size="1 1 1 1" elevation=")" + heights +
                  R"("/></asset><worldbody><replicate count="100" offset="3 0 0">
    <body><geom type="hfield" hfield="h"/></body></replicate></worldbody></mujoco>)");
  for (const char* file : {"a.obj", "a.usda"}) {
    try {
      export_scene(scene, file);
      ADD_FAILURE() << file << " was written";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("at most 5000000 are written as text"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_LT(export_scene(scene, "a.glb").bytes.size(), 20'000'000u);
}

TEST(ModelBounds, NumbersOfASceneFile) {
  std::string heights;
  for (int i = 0; i < 1000 * 1000; ++i) heights += i % 7 == 0 ? "1 " : "0 ";
  const Scene scene =
      parse_model(R"(<mujoco><asset><hfield name="h" nrow="1000" ncol="1000" size="1 1 1 1" elevation=")" + heights +
                  R"("/></asset><worldbody><replicate count="101" offset="3 0 0">
    <geom type="hfield" hfield="h"/></replicate></worldbody></mujoco>)");
  try {
    write_scene(scene);
    ADD_FAILURE() << "the scene was written";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("numbers together; a scene file holds at most 100000000"),
              std::string::npos)
        << error.what();
  }
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
