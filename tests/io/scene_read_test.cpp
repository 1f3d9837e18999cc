// What a scene file says is what the world holds.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/scene_bad_scenes.h"
#include "rigor/registry.h"
#include "rigor/scene.h"

namespace rigor {
namespace {

using test::body;
using test::force;
using test::method;
using test::world;

const BodyDef& only_body(const Scene& scene) { return scene.world.body_def(scene.world.bodies().back()); }

TEST(SceneRead, TheSmallestScene) {
  const Scene scene = parse_scene(R"({"rigor":1})");
  EXPECT_EQ(scene.world.body_count(), 2u);  // the world itself and the ground
  EXPECT_EQ(scene.world.hash(), World{}.hash());
  EXPECT_EQ(scene.method, default_method());
  EXPECT_EQ(scene.duration, 10);
}

TEST(SceneRead, ByteOrderMarkAndSchemaKeyAreAllowed) {
  EXPECT_EQ(parse_scene("\xef\xbb\xbf{\"rigor\":1,\"name\":\"x\"}").name, "x");
  EXPECT_EQ(parse_scene(R"({"$schema":"scene.schema.json","rigor":1,"name":"x"})").name, "x");
}

TEST(SceneRead, AnotherLcpSolverOverAPreset) {
  const Scene scene = parse_scene(method(R"({"preset":"garstenauer","solver.contact":{"lcp":"dantzig"}})"));
  EXPECT_EQ(scene.method.contact_solver.settings, (Settings{{"lcp", "dantzig"}}));
  EXPECT_EQ(scene.method.joint_solver, preset("garstenauer").joint_solver);
  EXPECT_EQ(parse_scene(write_scene(scene)).method, scene.method);
}

TEST(SceneRead, BodyMembers) {
  const Scene scene = parse_scene(body(
      R"("name":"b","shape":{"box":[1,2,3]},"collision_shape":{"sphere":2},"position":[1,2,3],"orientation":[0,0,3,4],
         "velocity":[4,5,6],"angular_velocity":[7,8,9],"mass":10,"inertia":[4,5,6],"center_of_mass":[0.1,0.2,0.3],
         "material":{"name":"oak","density":700,"friction":0.4,"static_friction":0.5,"restitution":0.2},
         "can_collide":false,"continuous":true,"groups":[1,3],"mask":[0,31],"force":[1,0,0],"torque":[0,1,0])"));
  const BodyDef& def = only_body(scene);
  EXPECT_EQ(def.name, "b");
  EXPECT_EQ(def.shape->as<Box>()->half, (Vec3{0.5, 1, 1.5}));
  EXPECT_EQ(def.collision_shape->as<Sphere>()->radius, 2);
  EXPECT_EQ(def.position, (Vec3{1, 2, 3}));
  EXPECT_NEAR(def.orientation.y, 0.6, 1e-15);
  EXPECT_NEAR(def.orientation.z, 0.8, 1e-15);
  EXPECT_EQ(def.velocity, (Vec3{4, 5, 6}));
  EXPECT_EQ(def.angular_velocity, (Vec3{7, 8, 9}));
  EXPECT_EQ(*def.mass, 10);
  EXPECT_EQ(*def.inertia, Mat3::diagonal({4, 5, 6}));
  EXPECT_EQ(*def.center_of_mass, (Vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(def.material, (Material{"oak", 700, 0.4, 0.5, 0.2}));
  EXPECT_FALSE(def.can_collide);
  EXPECT_TRUE(def.continuous);
  EXPECT_EQ(def.group, 0b1010u);
  EXPECT_EQ(def.mask, 0x80000001u);
  const std::uint32_t slot = scene.world.slot(scene.world.find_body("b"));
  EXPECT_EQ(scene.world.state().user_force[slot], (Vec3{1, 0, 0}));
  EXPECT_EQ(scene.world.state().user_torque[slot], (Vec3{0, 1, 0}));
}

TEST(SceneRead, OrientationsInDegrees) {
  const auto turned = [](const std::string& orientation) {
    return only_body(parse_scene(body(R"("shape":{"sphere":1},"orientation":)" + orientation))).orientation;
  };
  const double half = std::sqrt(0.5);
  EXPECT_NEAR(dot(turned(R"({"axis":[0,0,3],"angle_deg":90})"), {half, 0, 0, half}), 1, 1e-15);
  EXPECT_NEAR(dot(turned(R"({"euler_deg":[0,90,0]})"), {half, 0, half, 0}), 1, 1e-15);
}

TEST(SceneRead, DensityOverridesTheMaterial) {
  const Scene scene = parse_scene(world(R"("materials":{"oak":{"density":700,"friction":0.4}},
      "bodies":[{"shape":{"box":[1,1,1]},"material":"oak"},{"shape":{"box":[1,1,1]},"material":"oak","density":100}])"));
  const std::vector<BodyId> ids = scene.world.bodies();
  EXPECT_EQ(scene.world.mass_properties(ids[2]).mass, 700);
  EXPECT_EQ(scene.world.mass_properties(ids[3]).mass, 100);
  EXPECT_EQ(scene.world.body_def(ids[3]).material.friction, 0.4);
  EXPECT_EQ(scene.materials.at("oak").name, "oak");
}

TEST(SceneRead, EveryShape) {
  const std::pair<const char*, const char*> shapes[] = {
      {"plane", "true"},
      {"sphere", "2"},
      {"box", "[1,2,3]"},
      {"capsule", R"({"radius":1,"length":2})"},
      {"cylinder", R"({"radius":1,"height":2})"},
      {"cone", R"({"radius":1,"height":2})"},
      {"hull", "[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]"},
      {"mesh", R"({"vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"triangles":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]})"},
      {"rectangle", R"({"x":1,"z":2})"},
      {"heightfield", R"({"columns":2,"rows":3,"spacing":[1,2],"heights":[0,1,2,3,4,5]})"},
      {"transformed", R"({"shape":{"sphere":1},"position":[1,0,0],"orientation":[1,1,0,0]})"},
      {"composite",
       R"([{"shape":{"sphere":1}},{"shape":{"box":[1,1,1]},"position":[1,0,0],"material":{"density":5}}])"},
  };
  for (const auto& [name, content] : shapes) {
    const std::string text = std::string(R"("fixed":true,"shape":{")") + name + "\":" + content + "}";
    const Scene scene = parse_scene(body(text));
    EXPECT_EQ(only_body(scene).shape->type(), name);
    // And back again.
    const Scene again = parse_scene(write_scene(scene));
    EXPECT_EQ(write_scene(again), write_scene(scene)) << name;
  }
  EXPECT_EQ(std::size(shapes) + 1,
            std::variant_size_v<Geometry>);  // all but shapes of extensions, which have names of their own
}

TEST(SceneRead, UpTurnsGroundAndGravity) {
  const std::pair<const char*, Vec3> cases[] = {{"x", {1, 0, 0}}, {"y", {0, 1, 0}}, {"z", {0, 0, 1}}};
  for (const auto& [name, up] : cases) {
    const Scene scene = parse_scene(world("\"up\":\"" + std::string(name) + "\""));
    const auto* gravity = dynamic_cast<const Gravity*>(scene.world.force(scene.world.gravity()).effect.get());
    EXPECT_EQ(gravity->acceleration, up * -9.81);
    EXPECT_NEAR(length(rotate(scene.world.orientation(scene.world.ground()), {0, 1, 0}) - up), 0, 1e-15);
  }
}

TEST(SceneRead, Ground) {
  EXPECT_FALSE(parse_scene(world(R"("ground":false)")).world.find_body("ground"));
  EXPECT_TRUE(parse_scene(world(R"("ground":true)")).world.find_body("ground"));
  const Scene scene = parse_scene(
      world(R"("up":"z","materials":{"ice":{"friction":0.02}},"ground":{"material":"ice","restitution":0.5})"));
  const BodyId ground = scene.world.find_body("ground");
  EXPECT_EQ(scene.world.body_def(ground).material, (Material{"ice", 1000, 0.02, -1, 0.5}));
  EXPECT_TRUE(scene.world.is_fixed(ground));
}

TEST(SceneRead, Forces) {
  const Scene scene = parse_scene(force(
      R"("type":"spring","name":"s","a":"world","b":"ball","stiffness":7,"point_a":[1,2,3],"tension_only":true,
         "end_time":5,"remove":false,"active":false)"));
  const ForceDef& def = scene.world.force(scene.world.find_force("s"));
  const auto* spring = dynamic_cast<const Spring*>(def.effect.get());
  ASSERT_TRUE(spring);
  EXPECT_EQ(spring->stiffness, 7);
  EXPECT_EQ(spring->point_a, (Vec3{1, 2, 3}));
  EXPECT_TRUE(spring->tension_only);
  EXPECT_EQ(def.affected.bodies, (std::vector{scene.world.world_body(), scene.world.find_body("ball")}));
  EXPECT_EQ(def.end_time, 5);
  EXPECT_FALSE(def.remove_automatically);
  EXPECT_FALSE(def.active);
}

TEST(SceneRead, ANamedDragReplacesTheWorldsOwn) {
  const Scene scene = parse_scene(force(R"("type":"drag","name":"drag","linear":3)"));
  EXPECT_EQ(scene.world.forces().size(), 2u);
  const auto* drag = dynamic_cast<const Drag*>(scene.world.force(scene.world.drag()).effect.get());
  EXPECT_EQ(drag->linear, 3);
}

TEST(SceneRead, EveryRegisteredForceIsReadAndWritten) {
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::force) continue;
    const bool pair = std::find(info.capabilities.begin(), info.capabilities.end(), "pair") != info.capabilities.end();
    const Scene scene = parse_scene(
        force("\"name\":\"f\",\"type\":\"" + info.name + "\"" + (pair ? R"(,"a":"ball","b":"world")" : "")));
    EXPECT_EQ(scene.world.force(scene.world.find_force("f")).effect->type(), info.name);
    const std::string text = write_scene(scene);
    EXPECT_EQ(write_scene(parse_scene(text)), text) << info.name;
  }
}

TEST(SceneRead, Methods) {
  EXPECT_EQ(parse_scene(method("\"course-notes\"")).method, preset("course-notes"));
  const Method m = parse_scene(method(R"({"preset":"course-notes","gyroscopic":false,"validators":[],
      "integrator":{"name":"dormand-prince","relative_tolerance":1e-6}})"))
                       .method;
  EXPECT_EQ(m.preset, "course-notes");
  EXPECT_EQ(m.integrator, (Choice{"dormand-prince", {{"relative_tolerance", 1e-6}}}));
  EXPECT_FALSE(m.gyroscopic);
  EXPECT_TRUE(m.validators.empty());
}

TEST(SceneRead, Run) {
  const Scene scene = parse_scene(
      test::run(R"("dt":0.5,"duration":3,"fixed":false,"min_step":0.1,"max_step":1,"max_advance":2,"speed_up":4)"));
  EXPECT_EQ(scene.time.step, 0.5);
  EXPECT_EQ(scene.duration, 3);
  EXPECT_FALSE(scene.time.fixed);
  EXPECT_EQ(scene.time.min_step, 0.1);
  EXPECT_EQ(scene.time.max_step, 1);
  EXPECT_EQ(scene.time.max_advance, 2);
  EXPECT_EQ(scene.time.speed_up, 4);
}

}  // namespace
}  // namespace rigor
