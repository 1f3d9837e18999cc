// Limits of joints mean the same in other engines as they do here.
#include <gtest/gtest.h>

#include "lab/peers/peer_scene.h"
#include "rigor/error.h"
#include "rigor/joint_types.h"

namespace rigor {
namespace {

/// A pendulum along x that falls about z, within limits.
Scene pendulum(const AxesJoint& limits, const char* type) {
  Scene scene;
  World& w = scene.world;
  BodyDef rod;
  rod.shape = box(1, 0.1, 0.1), rod.position = {0.5, 5, 0};
  rod.can_collide = false;
  const BodyId id = w.add_body(rod);
  const Vec3 axis = type == std::string("hinge") ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
  JointDef joint = make_joint(w, type, w.world_body(), id, {{0, 5, 0}, axis, {}});
  AxesJoint& axes = std::get<AxesJoint>(joint.kind);
  axes.max_swing = limits.max_swing, axes.min_twist = limits.min_twist, axes.max_twist = limits.max_twist;
  for (std::size_t k = 3; k < 6; ++k)
    if (axes.axes[k].motion == AxisMotion::free && limits.axes[3].motion == AxisMotion::limited)
      axes.axes[k] = limits.axes[3];
  w.add_joint(joint);
  return scene;
}

/// rad, below the horizon, the most in two seconds.
double deepest_angle(SceneEngine& engine) {
  std::vector<BodyPose> poses;
  double deepest = 0;
  for (int i = 0; i < 120; ++i) {
    engine.step();
    engine.read_poses(poses);
    const Vec3 along = rotate(poses.front().orientation, {1, 0, 0});
    deepest = std::max(deepest, std::atan2(-along.y, along.x));
  }
  return deepest;
}

// Bullet's limits are soft: they give way by a few hundredths of a radian at an impact.
constexpr double kSoft = 0.1;

TEST(PeerLimits, BulletsHingeStopsWhereOursDoes) {
  if (!has_bullet_engine()) GTEST_SKIP() << "built without Bullet";
  AxesJoint limits;
  limits.axes[3].motion = AxisMotion::limited, limits.axes[3].lower = -0.7, limits.axes[3].upper = 2;
  EXPECT_NEAR(deepest_angle(*bullet_engine(pendulum(limits, "hinge"), kBulletIterations)), 0.7, kSoft);
}

TEST(PeerLimits, BulletsConeStopsWhereOursDoes) {
  if (!has_bullet_engine()) GTEST_SKIP() << "built without Bullet";
  AxesJoint limits;
  limits.max_swing = 0.5, limits.min_twist = -0.4, limits.max_twist = 0.4;
  EXPECT_NEAR(deepest_angle(*bullet_engine(pendulum(limits, "ball"), kBulletIterations)), 0.5, kSoft);
}

/// DART's limits stop within the step in which they are passed: 5 rad/s by 1/60 s at the most.
constexpr double kStep = 0.09;

TEST(PeerLimits, DartsHingeStopsWhereOursDoes) {
  if (!has_dart_engine()) GTEST_SKIP() << "built without DART";
  AxesJoint limits;
  limits.axes[3].motion = AxisMotion::limited, limits.axes[3].lower = -0.7, limits.axes[3].upper = 2;
  const Scene scene = pendulum(limits, "hinge");
  EXPECT_NEAR(deepest_angle(*dart_engine(scene, kDartIterations)), 0.7, kStep);

  Scene swapped = pendulum(limits, "hinge");
  World& w = swapped.world;
  const JointId id = w.joints().front();
  JointDef joint = w.joint(id);
  w.remove_joint(id);
  std::swap(joint.a, joint.b), std::swap(joint.frame_a, joint.frame_b);
  AxesJoint& axes = std::get<AxesJoint>(joint.kind);
  for (JointAxis& axis : axes.axes)
    if (axis.motion == AxisMotion::limited) axis.lower = -2, axis.upper = 0.7;
  w.add_joint(joint);
  EXPECT_NEAR(deepest_angle(*dart_engine(swapped, kDartIterations)), 0.7, kStep);
}

TEST(PeerLimits, DartsSliderStopsWhereOursDoes) {
  if (!has_dart_engine()) GTEST_SKIP() << "built without DART";
  Scene scene;
  World& w = scene.world;
  BodyDef body;
  body.shape = box(1, 1, 1), body.position = {0, 5, 0}, body.can_collide = false;
  const BodyId cart = w.add_body(body);
  w.add_joint(slider_joint(w, w.world_body(), cart, {0, 5, 0}, {0, 1, 0}, {{"lower", -1.0}, {"upper", 1.0}}));
  const std::unique_ptr<SceneEngine> engine = dart_engine(scene, kDartIterations);
  for (int i = 0; i < 120; ++i) engine->step();
  std::vector<BodyPose> poses;
  engine->read_poses(poses);
  EXPECT_NEAR(poses[0].position.y, 4, kStep);  // √(2 g 1 m) is 4.4 m/s
}

TEST(PeerLimits, OthersAreToldThatTheyCannotHaveThem) {
  AxesJoint limits;
  limits.max_swing = 0.5, limits.min_twist = -0.4, limits.max_twist = 0.4;
  EXPECT_THROW(peer_scene(pendulum(limits, "ball")), Error);
  EXPECT_THROW(peer_scene(pendulum(limits, "ball"), PeerLimits::hinges_and_sliders), Error);
  limits.min_twist = -0.2;  // not even Bullet
  EXPECT_THROW(peer_scene(pendulum(limits, "ball"), PeerLimits::hinges_and_cones), Error);
}

}  // namespace
}  // namespace rigor
