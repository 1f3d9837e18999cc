// The scene that MuJoCo gets is the one that Rigor has.
#include <gtest/gtest.h>

#include "lab/peers/peer_scene.h"

namespace rigor {
namespace {

/// MuJoCo puts everything back to where it began when accelerations become too large, and goes on.
TEST(MujocoScene, MotionBeyondAllNumbersIsTold) {
  if (!has_mujoco_engine()) GTEST_SKIP() << "built without MuJoCo";
  Scene scene;
  scene.time.step = 0.1;
  BodyDef body;
  body.shape = box(1, 2, 4), body.position = {0, 100, 0}, body.can_collide = false;
  const BodyId id = scene.world.add_body(body);
  scene.world.set_velocity(id, {}, {5, 50, 5});
  const std::unique_ptr<SceneEngine> engine = mujoco_engine(scene, kMujocoIterations);
  for (int i = 0; i < 100; ++i) engine->step();
  std::vector<BodyPose> poses;
  std::vector<BodyVelocities> velocities;
  engine->read_poses(poses);
  engine->read_velocities(velocities);
  EXPECT_FALSE(is_finite(poses[0].position));
  EXPECT_FALSE(is_finite(velocities[0].angular));
}

}  // namespace
}  // namespace rigor
