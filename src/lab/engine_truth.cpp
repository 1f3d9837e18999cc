#include "lab/engine_truth.h"

#include <cmath>

namespace rigor {

namespace {

constexpr std::uint32_t kFixed = static_cast<std::uint32_t>(-1);

/// A tangent at right angles to a normal.
Vec3 tangent_of(const Vec3& n) {
  const Vec3 other = std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  return normalized(other - dot(other, n) * n);
}

}  // namespace

EngineTruthMeter::EngineTruthMeter(const Scene& scene) : scene_(scene), bodies_(moving_bodies(scene_.world)) {
  index_of_id_.assign(scene_.world.id_capacity(), kFixed);
  for (const BodyId id : bodies_) {
    const MassProperties& m = scene_.world.mass_properties(id);
    index_of_id_[id.index] = static_cast<std::uint32_t>(mass_.size());
    mass_.push_back(m.mass);
    inertia_.push_back({m.inertia(0, 0), m.inertia(1, 1), m.inertia(2, 2)});
  }
}

void EngineTruthMeter::before(const SceneEngine& engine) { read(engine, start_); }

void EngineTruthMeter::after(const SceneEngine& engine, double time) {
  impulses_ = {};
  if (!engine.read_impulses(impulses_)) return;
  read(engine, end_);
  ++steps_;
  if (impulses_.has_all_joints) measure_momentum(time);
  measure_contacts(time);
}

void EngineTruthMeter::read(const SceneEngine& engine, State& state) const {
  engine.read_poses(state.poses);
  engine.read_velocities(state.velocities);
}

std::size_t EngineTruthMeter::index_of(BodyId body) const {
  return body.index < index_of_id_.size() ? index_of_id_[body.index] : kFixed;
}

Mat3 EngineTruthMeter::inverse_inertia(std::size_t body) const {
  const Mat3 turn = rotation_matrix(start_.poses[body].orientation);
  const Vec3& i = inertia_[body];
  return turn * (Mat3::diagonal({1 / i.x, 1 / i.y, 1 / i.z}) * transpose(turn));
}

Vec3 EngineTruthMeter::angular_momentum(std::size_t body, const State& state) const {
  const Quat& q = state.poses[body].orientation;
  return rotate(q, scale(inertia_[body], rotate_inverse(q, state.velocities[body].angular)));
}

Vec3 EngineTruthMeter::velocity(std::size_t body, const Vec3& r, const State& state) const {
  if (body == kFixed) return {};
  return state.velocities[body].linear + cross(state.velocities[body].angular, r);
}

Vec3 EngineTruthMeter::arm(std::size_t body, const Vec3& point) const {
  return body == kFixed ? Vec3{} : point - start_.poses[body].position;
}

double EngineTruthMeter::mobility(std::size_t body, const Vec3& r) const {
  return body == kFixed ? 0 : point_mobility(1 / mass_[body], inverse_inertia(body), r);
}

void EngineTruthMeter::measure_momentum(double time) {
  std::vector<Vec3> linear(bodies_.size()), angular(bodies_.size());
  const auto add = [&](BodyId id, const Vec3& impulse, const Vec3& moment) {
    const std::size_t i = index_of(id);
    if (i != kFixed) linear[i] += impulse, angular[i] += moment;
  };
  for (const EngineContact& c : impulses_.contacts) {
    add(c.a, -c.impulse, -cross(arm(index_of(c.a), c.on_a), c.impulse));
    add(c.b, c.impulse, cross(arm(index_of(c.b), c.on_b), c.impulse));
  }
  for (const EngineJointImpulse& j : impulses_.joints) add(j.body, j.linear, j.angular);
  const double h = scene_.time.step;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const auto who = [&] { return scene_.world.name(bodies_[i]); };
    const Vec3 change = mass_[i] * (end_.velocities[i].linear - start_.velocities[i].linear - h * impulses_.gravity);
    figures_.add(TruthFigures::momentum, length(change - linear[i]), time, who);
    figures_.add(TruthFigures::angular, length(angular_momentum(i, end_) - angular_momentum(i, start_) - angular[i]),
                 time, who);
  }
}

void EngineTruthMeter::measure_contacts(double time) {
  const TruthLaw law{scene_.time.step, scene_.method.restitution_threshold, 0};
  for (const EngineContact& c : impulses_.contacts) {
    const std::size_t a = index_of(c.a), b = index_of(c.b);
    const Vec3 r_a = arm(a, c.on_a), r_b = arm(b, c.on_b);
    TruthPoint p;
    p.normal = c.normal, p.tangent = tangent_of(c.normal);
    p.gap = c.gap;
    p.before = velocity(b, r_b, start_) - velocity(a, r_a, start_);
    p.after = velocity(b, r_b, end_) - velocity(a, r_a, end_);
    p.impulse = c.impulse;
    p.mobility = mobility(a, r_a) + mobility(b, r_b);
    p.friction = p.static_friction = c.friction;
    p.restitution = c.restitution;
    figures_.add_point(p, law, time, [&] { return scene_.world.name(c.a) + "–" + scene_.world.name(c.b); });
  }
}

}  // namespace rigor
