#include "lab/truth.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "constraints/joint_survey.h"

namespace rigor {

namespace {

using PointKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

Vec3 angular_momentum_of(const BodyState& s, std::size_t i) {
  return rotate(s.orientation[i], scale(s.inertia[i], rotate_inverse(s.orientation[i], s.angular_velocity[i])));
}

double mobility(const BodyState& s, std::uint32_t slot, const Vec3& r) {
  return s.inverse_mass[slot] > 0 ? point_mobility(s.inverse_mass[slot], inverse_inertia_world(s, slot), r) : 0;
}

std::string pair_name(const World& world, BodyId a, BodyId b) {
  const auto name = [&](BodyId id) { return world.contains(id) ? world.name(id) : std::string("?"); };
  return name(a) + "–" + name(b);
}

}  // namespace

void TruthMeter::before(const Simulation& simulation) {
  World world = simulation.world();
  world.evaluate_forces(simulation.time());
  start_ = world.state();
  ids_.clear();
  for (std::uint32_t i = 0; i < start_.size(); ++i) ids_.push_back(world.id_at(i));
  time_ = simulation.time();
}

void TruthMeter::after(const Simulation& simulation) {
  const double h = simulation.time() - time_;
  now_ = simulation.time();
  ++steps_;
  if (!(h > 0)) return;
  measure_momentum(simulation);
  measure_contacts(simulation, h);
  measure_positions(simulation);
}

void TruthMeter::measure_momentum(const Simulation& simulation) {
  const World& world = simulation.world();
  const BodyState& s = world.state();
  const double h = now_ - time_;
  std::map<std::uint32_t, std::pair<Vec3, Vec3>> by_body;  // by id index
  for (const ConstraintImpulse& i : simulation.impulses()) {
    auto& a = by_body[i.a.index];
    a.first += i.linear_a, a.second += i.angular_a;
    auto& b = by_body[i.b.index];
    b.first += i.linear_b, b.second += i.angular_b;
  }
  for (std::uint32_t i = 0; i < start_.awake(); ++i) {
    const BodyId id = ids_[i];
    if (!world.contains(id) || !(start_.inverse_mass[i] > 0)) continue;
    const std::uint32_t now = world.slot(id);
    if (now >= s.awake()) continue;  // fell asleep
    const auto found = by_body.find(id.index);
    const std::pair<Vec3, Vec3> sum = found != by_body.end() ? found->second : std::pair<Vec3, Vec3>{};
    const double mass = 1 / start_.inverse_mass[i];
    const auto who = [&] { return world.name(id); };
    figures_.add(TruthFigures::momentum,
                 length(mass * (s.velocity[now] - start_.velocity[i]) - h * start_.force[i] - sum.first), now_, who);
    figures_.add(
        TruthFigures::angular,
        length(angular_momentum_of(s, now) - angular_momentum_of(start_, i) - h * start_.torque[i] - sum.second), now_,
        who);
  }
}

void TruthMeter::measure_contacts(const Simulation& simulation, double h) {
  const World& world = simulation.world();
  const BodyState& s = world.state();
  std::map<PointKey, Vec3> impulse;
  for (const ConstraintImpulse& i : simulation.impulses())
    if (i.source == ConstraintImpulse::Source::contact)
      impulse[{i.a.index, i.b.index, i.part_a, i.part_b, i.key}] += i.linear_b;
  std::vector<std::uint32_t> slot_at_start(world.id_capacity(), 0);
  for (std::uint32_t i = 0; i < ids_.size(); ++i)
    if (ids_[i].index < slot_at_start.size()) slot_at_start[ids_[i].index] = i;
  const TruthLaw law{h, simulation.method().restitution_threshold, simulation.method().stick_speed};
  for (const Contact& c : simulation.contacts()) {
    if (!world.contains(c.a) || !world.contains(c.b)) continue;
    if (world.slot(c.a) >= s.awake() && world.slot(c.b) >= s.awake()) continue;
    for (int k = 0; k < c.count; ++k) {
      const ContactPoint& p = c.points[static_cast<std::size_t>(k)];
      TruthPoint point = point_of(c, p, slot_at_start[c.a.index], slot_at_start[c.b.index], world);
      const auto found = impulse.find({c.a.index, c.b.index, c.part_a, c.part_b, p.key});
      if (found != impulse.end()) point.impulse = found->second;
      figures_.add_point(point, law, now_, [&] { return pair_name(world, c.a, c.b); });
    }
  }
}

TruthPoint TruthMeter::point_of(const Contact& c, const ContactPoint& p, std::uint32_t a0, std::uint32_t b0,
                                const World& world) const {
  const Vec3 p_a = start_.position[a0] + rotate(start_.orientation[a0], p.local_a);
  const Vec3 p_b = start_.position[b0] + rotate(start_.orientation[b0], p.local_b);
  const Vec3 middle = 0.5 * (p_a + p_b), r_a = middle - start_.position[a0], r_b = middle - start_.position[b0];
  const auto velocity = [&](const BodyState& s, std::uint32_t a, std::uint32_t b) {
    return s.velocity[b] + cross(s.angular_velocity[b], r_b) - s.velocity[a] - cross(s.angular_velocity[a], r_a);
  };
  TruthPoint point;
  point.normal = c.normal, point.tangent = c.tangent;
  point.gap = dot(c.normal, p_b - p_a);
  point.before = velocity(start_, a0, b0);
  point.after = velocity(world.state(), world.slot(c.a), world.slot(c.b));
  point.surface = c.surface_velocity;
  point.mobility = mobility(start_, a0, r_a) + mobility(start_, b0, r_b);
  point.friction = c.friction, point.static_friction = c.static_friction, point.restitution = c.restitution;
  point.across = c.is_plain ? 1 : c.friction_across;
  return point;
}

void TruthMeter::measure_positions(const Simulation& simulation) {
  const World& world = simulation.world();
  for (const JointRowError& e : joint_row_errors(world)) {
    if (e.is_angular && !e.is_limit) continue;
    figures_.add(e.is_limit ? TruthFigures::limits : TruthFigures::joints,
                 std::abs(e.is_limit ? std::max(e.error, 0.0) : e.error), now_,
                 [&] { return world.joint(e.joint).name; });
  }
  for (const Contact& c : simulation.contacts())
    for (int k = 0; k < c.count; ++k)
      figures_.add(TruthFigures::penetration, std::max(-c.points[static_cast<std::size_t>(k)].separation, 0.0), now_,
                   [&] { return pair_name(world, c.a, c.b); });
}

StepChoice::StepChoice(std::uint64_t planned_steps, std::uint64_t most)
    : planned_(planned_steps), stride_(std::max<std::uint64_t>(1, planned_steps / most)) {}

bool StepChoice::next() {
  ++step_;
  return step_ % stride_ == 0 || step_ == planned_;
}

TruthSampler::TruthSampler(std::uint64_t planned_steps, std::uint64_t most) : choice_(planned_steps, most) {}

void TruthSampler::before_step(Simulation& simulation) {
  measures_ = choice_.next();
  simulation.record_impulses(measures_);
  if (measures_) meter_.before(simulation);
}

void TruthSampler::after_step(Simulation& simulation) {
  if (measures_) meter_.after(simulation);
}

}  // namespace rigor
