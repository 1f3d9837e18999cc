// Figures of truth of other engines: the impulses that they report explain the motion that they make.
#include "lab/engine_truth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "lab/peers/peer_scene.h"
#include "rigor/joint_types.h"

namespace rigor::test {
namespace {

struct Engine {
  const char* name;
  bool (*is_there)();
  std::unique_ptr<SceneEngine> (*make)(const Scene&, int);
  int iterations;
  double precision;  // of its arithmetic, relative
};

constexpr Engine kEngines[] = {{"bullet", has_bullet_engine, bullet_engine, kBulletIterations, 1e-6},
                               {"ode", has_ode_engine, ode_engine, kOdeIterations, 1e-12},
                               {"mujoco", has_mujoco_engine, mujoco_engine, kMujocoIterations, 1e-12},
                               {"dart", has_dart_engine, dart_engine, kDartIterations, 1e-12}};

BodyDef box_at(const char* name, const Vec3& position, const Vec3& size, double friction) {
  BodyDef body;
  body.name = name;
  body.shape = box(size.x, size.y, size.z);
  body.position = position;
  body.material.friction = friction;
  return body;
}

/// Boxes of unlike size: one turns and falls on the ground, one slides, one lies on another off its middle.
Scene boxes() {
  Scene scene;
  scene.time.step = 1.0 / 240;
  BodyDef thrown = box_at("thrown", {-3, 1.2, 0.3}, {0.5, 0.3, 0.4}, 0.4);
  thrown.orientation = normalized(Quat{1, 0.2, -0.3, 0.1});
  thrown.velocity = {1, -1, 0.5}, thrown.angular_velocity = {2, 1, -3};
  scene.world.add_body(thrown);
  BodyDef sliding = box_at("sliding", {0, 0.25, 0}, {0.6, 0.5, 0.4}, 0.4);
  sliding.velocity = {2, 0, 1};
  scene.world.add_body(sliding);
  scene.world.add_body(box_at("below", {4, 0.2, 0}, {0.8, 0.4, 0.6}, 0.4));
  scene.world.add_body(box_at("above", {4.1, 0.55, 0.05}, {0.4, 0.3, 0.3}, 0.4));
  for (const BodyId id : scene.world.bodies()) {
    if (id == scene.world.world_body()) continue;
    Material material = scene.world.body_def(id).material;
    material.friction = 0.4;
    scene.world.set_material(id, material);
  }
  return scene;
}

std::map<std::string, TruthFigure> measured(const Engine& engine, const Scene& scene, int steps) {
  EngineTruthMeter meter(scene);
  const std::unique_ptr<SceneEngine> run = engine.make(scene, engine.iterations);
  for (int i = 0; i < steps; ++i) {
    meter.before(*run);
    run->step();
    meter.after(*run, (i + 1) * scene.time.step);
  }
  EXPECT_EQ(meter.steps(), static_cast<std::uint64_t>(steps)) << engine.name;
  std::map<std::string, TruthFigure> by_name;
  for (const TruthFigure& f : meter.figures()) by_name[f.name] = f;
  return by_name;
}

bool is_any_there(std::initializer_list<const char*> names) {
  return std::any_of(std::begin(kEngines), std::end(kEngines), [&](const Engine& engine) {
    return engine.is_there() && std::find(names.begin(), names.end(), std::string(engine.name)) != names.end();
  });
}

/// A wrong sign, arm or unit of an impulse would leave a figure of the size of the impulses, 0.1 to 100 N s.
TEST(EngineTruth, ContactsExplainTheMotion) {
  if (!is_any_there({"bullet", "ode", "mujoco", "dart"})) GTEST_SKIP() << "built without other engines";
  for (const Engine& engine : kEngines) {
    if (!engine.is_there()) continue;
    const auto figures = measured(engine, boxes(), 240);
    // Momenta reach 240 kg · 2.5 m/s.
    EXPECT_LT(figures.at("momentum").figure.max, 1e3 * engine.precision) << engine.name;
    EXPECT_GT(figures.at("natural_map").figure.count, 240) << engine.name;
    EXPECT_LT(figures.at("cone_distance").figure.rms, 1) << engine.name;
  }
}

/// Engines integrate the gyroscopic torque to first order or leave it out, which is no impulse: a body that does not turn has none.
TEST(EngineTruth, MomentsOfContactsAreAboutTheCenterOfMass) {
  if (!is_any_there({"bullet", "ode", "mujoco", "dart"})) GTEST_SKIP() << "built without other engines";
  for (const Engine& engine : kEngines) {
    if (!engine.is_there()) continue;
    Scene scene = boxes();
    scene.world.remove_body(scene.world.find_body("thrown"));
    const auto figures = measured(engine, scene, 120);
    // Chosen: they rock by some 0.1 rad/s while they settle; arms that are wrong by a centimetre leave 0.1 N m s.
    EXPECT_LT(figures.at("angular_momentum").figure.max, 5e-3) << engine.name;
  }
}

TEST(EngineTruth, JointsExplainTheMotion) {
  if (!is_any_there({"bullet", "ode"})) GTEST_SKIP() << "built without Bullet and ODE";
  for (const Engine& engine : kEngines) {
    if (!engine.is_there() || (engine.make != bullet_engine && engine.make != ode_engine)) continue;
    Scene scene;
    scene.time.step = 1.0 / 240;
    BodyId last = scene.world.world_body();
    for (int i = 0; i < 4; ++i) {
      BodyDef link =
          box_at(("link " + std::to_string(i)).c_str(), {0.5 * i + 0.25, 3, 0}, {0.5, 0.1, 0.1 + 0.05 * i}, 0.4);
      link.can_collide = false;
      const BodyId id = scene.world.add_body(link);
      const Vec3 anchor{0.5 * i, 3, 0};
      scene.world.add_joint(i % 2 == 0 ? ball_joint(scene.world, last, id, anchor)
                                       : hinge_joint(scene.world, last, id, anchor, {0, 0, 1}));
      last = id;
    }
    const auto figures = measured(engine, scene, 240);
    EXPECT_LT(figures.at("momentum").figure.max, 1e3 * engine.precision) << engine.name;
  }
}

/// A door turns about a vertical hinge, which carries it on one side, and a board is fixed to a wall at its end: both torques are 1 to 2 N m s in a
/// step. The motion is planar, about a principal axis, so that there is no gyroscopic torque.
TEST(EngineTruth, TorquesOfJointsExplainTheMotion) {
  if (!is_any_there({"bullet", "ode"})) GTEST_SKIP() << "built without Bullet and ODE";
  for (const Engine& engine : kEngines) {
    if (!engine.is_there() || (engine.make != bullet_engine && engine.make != ode_engine)) continue;
    Scene scene;
    scene.time.step = 1.0 / 240;
    World& world = scene.world;
    BodyDef door = box_at("door", {0.5, 3, 0}, {1, 1, 0.1}, 0.4),
            board = box_at("board", {5.5, 3, 0}, {1, 0.1, 0.5}, 0.4);
    door.can_collide = board.can_collide = false;
    door.velocity = {0, 0, -1}, door.angular_velocity = {0, 2, 0};
    const BodyId swinging = world.add_body(door), held = world.add_body(board);
    world.add_joint(hinge_joint(world, world.world_body(), swinging, {0, 3, 0}, {0, 1, 0}));
    world.add_joint(fixed_joint(world, world.world_body(), held));
    const auto figures = measured(engine, scene, 240);
    EXPECT_LT(figures.at("momentum").figure.max, 1e3 * engine.precision) << engine.name;
    // Chosen: a thousandth of the torques. ODE softens joints by 1e-10, so that the door tilts and has a little gyroscopic torque.
    EXPECT_LT(figures.at("angular_momentum").figure.max, 2e-3) << engine.name;
    EXPECT_GT(figures.at("angular_momentum").figure.count, 240) << engine.name;
  }
}

/// Their joints are coordinates and report no impulses, so that momentum cannot be judged; contacts can.
TEST(EngineTruth, ReducedCoordinatesLeaveMomentumOut) {
  if (!is_any_there({"mujoco", "dart"})) GTEST_SKIP() << "built without MuJoCo and DART";
  for (const Engine& engine : kEngines) {
    if (!engine.is_there() || (engine.make != mujoco_engine && engine.make != dart_engine)) continue;
    Scene scene = boxes();
    const BodyId below = scene.world.find_body("below"), above = scene.world.find_body("above");
    scene.world.add_joint(ball_joint(scene.world, below, above, {4.1, 0.4, 0.05}));
    const auto figures = measured(engine, scene, 20);
    EXPECT_EQ(figures.at("momentum").figure.count, 0) << engine.name;
    EXPECT_GT(figures.at("natural_map").figure.count, 0) << engine.name;
  }
}

}  // namespace
}  // namespace rigor::test
