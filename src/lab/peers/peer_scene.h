// A scene for other engines: plain bodies, with the masses and inertias that Rigor computed.
#pragma once

#include <cmath>
#include <limits>
#include <mutex>

#include "lab/scene_bench.h"

namespace rigor {

struct PeerBody {
  BodyId id;
  ShapePtr shape;  // a plane, box, sphere or capsule
  BodyPose pose;
  Vec3 velocity, angular_velocity;
  double mass = 0;  // kg; 0: fixed
  Vec3 inertia;     // kg m², about the body frame's axes
  double friction = 0, restitution = 0;
  bool collides = true;
};

/// A joint without motors, springs or friction. Every engine supports those without limits.
struct PeerJoint {
  enum class Kind { ball, hinge, slider, fixed };
  static constexpr std::size_t kWorld = static_cast<std::size_t>(-1);

  Kind kind = Kind::ball;
  std::string name;
  std::size_t a = kWorld, b = kWorld;  // into PeerScene::bodies
  Transform frame_a, frame_b;          // in the bodies; x is the axis of a hinge or slider
  Vec3 anchor, axis;                   // of frame b in the world at the start
  // Limits of a hinge or slider, from frame a to frame b, rad or m; infinite: none.
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  // Limits of a ball: between the x axes, and to both sides about them, rad; both infinite, or none.
  double max_swing = std::numeric_limits<double>::infinity(), max_twist = std::numeric_limits<double>::infinity();

  bool is_limited() const { return std::isfinite(lower) || std::isfinite(upper) || std::isfinite(max_swing); }
};

struct PeerScene {
  const World* world = nullptr;
  std::vector<PeerBody> bodies;  // active ones in the order of creation, without the world body
  std::vector<PeerJoint> joints;
  Vec3 gravity;
  double h = 0;
  double bounce_speed = 0;  // m/s, slower impacts do not bounce
  bool filters = false;     // some pairs may not collide: check world->may_collide()
};

/// At the start, from a frame of a body or of the world.
inline Transform to_world(const PeerScene& scene, std::size_t body, const Transform& frame) {
  if (body == PeerJoint::kWorld) return frame;
  const BodyPose& pose = scene.bodies[body].pose;
  return Transform{pose.position, pose.orientation} * frame;
}

/// The message about a body whose motion is not finite.
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
inline constexpr Vec3 kNoVector{kNoNumber, kNoNumber, kNoNumber};
inline constexpr BodyPose kNoPose{kNoVector, {kNoNumber, kNoNumber, kNoNumber, kNoNumber}};
inline constexpr BodyVelocities kNoVelocities{kNoVector, kNoVector};

/// Which limits of joints an engine supports.
enum class PeerLimits { none, hinges_and_cones, hinges_and_sliders };
/// Error that names the object for features that the peers lack. `scene` must outlive the result.
PeerScene peer_scene(const Scene& scene, PeerLimits limits = PeerLimits::none);

/// Null if the program was built without the engine.
std::unique_ptr<SceneEngine> bullet_engine(const Scene& scene, int iterations);
std::unique_ptr<SceneEngine> ode_engine(const Scene& scene, int iterations);
std::unique_ptr<SceneEngine> mujoco_engine(const Scene& scene, int iterations);
std::unique_ptr<SceneEngine> dart_engine(const Scene& scene, int iterations);
/// Their default numbers of iterations. DART's method pivots until it is done.
inline constexpr int kBulletIterations = 10, kOdeIterations = 20, kMujocoIterations = 100, kDartIterations = 0;
bool has_bullet_engine();
bool has_ode_engine();
bool has_mujoco_engine();
bool has_dart_engine();

/// Held while ODE is initialised and closed: it counts its users and is not thread-safe.
std::mutex& ode_library();

}  // namespace rigor
