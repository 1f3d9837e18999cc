#include "lab/torture/judge.h"

#include <cmath>

#include "math/hash.h"

namespace rigor {

namespace {

constexpr double kBeyondReason = 1e12;  // m, m/s or rad/s

bool is_sane(const Vec3& v) { return is_finite(v) && length_squared(v) < kBeyondReason * kBeyondReason; }

double gravity_of(const World& world) {
  if (!world.contains(world.gravity())) return 0;
  const auto* gravity = dynamic_cast<const Gravity*>(world.force(world.gravity()).effect.get());
  return gravity ? length(gravity->acceleration) : 0;
}

/// True once contacts at the start were found.
Simulation mirror_of(const Scene& scene) {
  Simulation mirror(scene.world, Method{});
  mirror.find_contacts();
  return mirror;
}

std::vector<BodyId> moving_fixed_bodies(const World& world) {
  std::vector<BodyId> ids;
  for (const BodyId id : world.bodies())
    if (world.is_fixed(id) && (world.velocity(id) != Vec3{} || world.angular_velocity(id) != Vec3{})) ids.push_back(id);
  return ids;
}

}  // namespace

Judge::Judge(const Scene& scene)
    : mirror_(mirror_of(scene)),
      h_(scene.time.step),
      bodies_(moving_bodies(scene.world)),
      movers_(moving_fixed_bodies(scene.world)),
      pinch_(mirror_.world()),
      energy_(mirror_.world(), bodies_, mirror_.contacts(), h_),
      depth_(mirror_.world(), bodies_, h_),
      through_(mirror_.world(), bodies_, h_),
      joints_(mirror_.world(), h_, gravity_of(scene.world)),
      momentum_(mirror_.world(), scene.method.sleep.name != "never"),
      rest_(scene, bodies_, gravity_of(scene.world)) {
  for (const BodyId id : movers_) mover_starts_.push_back({scene.world.position(id), scene.world.orientation(id)});
}

/// False if a state is not finite.
bool Judge::take(std::span<const BodyPose> poses, std::span<const BodyVelocities> velocities) {
  World& world = mirror_.world();
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyPose& pose = poses[i];
    const double norm = dot(pose.orientation, pose.orientation);
    if (!is_sane(pose.position) || !is_sane(velocities[i].linear) || !is_sane(velocities[i].angular) ||
        !(norm > 0.5 && norm < 2)) {
      judgement_.add({Verdict::not_finite, world.name(bodies_[i]), time(), 0, 0});
      return false;
    }
    world.set_pose(bodies_[i], pose.position, pose.orientation);
    world.set_velocity(bodies_[i], velocities[i].linear, velocities[i].angular);
  }
  for (std::size_t i = 0; i < movers_.size(); ++i)
    world.set_pose(
        movers_[i], mover_starts_[i].position + time() * world.velocity(movers_[i]),
        quaternion_from_rotation_vector(time() * world.angular_velocity(movers_[i])) * mover_starts_[i].orientation);
  return true;
}

bool Judge::step_done(std::span<const BodyPose> poses, std::span<const BodyVelocities> velocities) {
  ++steps_;
  if (!take(poses, velocities)) return false;
  const World& world = mirror_.world();
  if (energy_.step_done(world, time(), judgement_)) return false;
  if (depth_.wants_look(steps_) || pinch_.has_movers()) {
    mirror_.find_contacts();
    pinch_.look(world, mirror_.contacts());
  }
  if (depth_.wants_look(steps_)) depth_.look(world, mirror_.contacts(), pinch_, time(), judgement_);
  through_.step_done(world, pinch_, time(), judgement_);
  joints_.step_done(world, pinch_, time(), judgement_);
  momentum_.step_done(world, time(), judgement_);
  rest_.step_done(world, time());
  return true;
}

void Judge::body_removed(const std::string& sentence) { judgement_.add({Verdict::removed, sentence, time(), 0, 0}); }

Judgement Judge::finish() {
  rest_.finish(mirror_.world(), time(), judgement_);
  judgement_.steps = steps_;
  Hasher hash;
  for (const BodyId id : bodies_) {
    hash.add(mirror_.world().position(id));
    hash.add(mirror_.world().orientation(id));
    hash.add(mirror_.world().velocity(id));
    hash.add(mirror_.world().angular_velocity(id));
  }
  judgement_.hash = hash.value();
  return judgement_;
}

}  // namespace rigor
