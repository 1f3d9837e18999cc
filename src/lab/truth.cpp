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

/// Mean diagonal of the 3 × 3 block of J M⁻¹ Jᵀ of a point, from one of its bodies.
double mobility(const BodyState& s, std::uint32_t slot, const Vec3& r) {
  if (!(s.inverse_mass[slot] > 0)) return 0;
  const Mat3 inverse = inverse_inertia_world(s, slot);
  double trace = 3 * s.inverse_mass[slot];
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
    const Vec3 turn = cross(r, axis);
    trace += dot(turn, inverse * turn);
  }
  return trace / 3;
}

std::string pair_name(const World& world, BodyId a, BodyId b) {
  const auto name = [&](BodyId id) { return world.contains(id) ? world.name(id) : std::string("?"); };
  return name(a) + "–" + name(b);
}

}  // namespace

TruthMeter::TruthMeter()
    : figures_{
          {"momentum", "N s", {}, {}},         {"angular_momentum", "N m s", {}, {}}, {"natural_map", "m/s", {}, {}},
          {"cone_distance", "N s", {}, {}},    {"approach", "m/s", {}, {}},           {"signorini", "J", {}, {}},
          {"de_saxce", "J", {}, {}},           {"dissipation_deficit", "J", {}, {}},  {"joint_error", "m", {}, {}},
          {"limit_error", "m or rad", {}, {}}, {"penetration", "m", {}, {}}} {}

template <class Who> void TruthMeter::add(Name name, double value, Who who) {
  TruthFigure& f = figures_[name];
  const bool worst = !(value <= f.figure.max) || f.figure.worst < 0;
  f.figure.add(value, 0);
  if (worst && value > 0) f.worst = who(), f.time = now_;
}

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
    add(momentum, length(mass * (s.velocity[now] - start_.velocity[i]) - h * start_.force[i] - sum.first), who);
    add(angular,
        length(angular_momentum_of(s, now) - angular_momentum_of(start_, i) - h * start_.torque[i] - sum.second), who);
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
  for (const Contact& c : simulation.contacts()) {
    if (!world.contains(c.a) || !world.contains(c.b)) continue;
    const std::uint32_t a0 = slot_at_start[c.a.index], b0 = slot_at_start[c.b.index];
    const std::uint32_t a = world.slot(c.a), b = world.slot(c.b);
    if (a >= s.awake() && b >= s.awake()) continue;
    for (int k = 0; k < c.count; ++k) {
      const ContactPoint& p = c.points[static_cast<std::size_t>(k)];
      const Vec3 p_a = start_.position[a0] + rotate(start_.orientation[a0], p.local_a);
      const Vec3 p_b = start_.position[b0] + rotate(start_.orientation[b0], p.local_b);
      const Vec3 middle = 0.5 * (p_a + p_b), r_a = middle - start_.position[a0], r_b = middle - start_.position[b0];
      const double gap = dot(c.normal, p_b - p_a);
      const Vec3 v =
          s.velocity[b] + cross(s.angular_velocity[b], r_b) - s.velocity[a] - cross(s.angular_velocity[a], r_a);
      const Vec3 v0 = start_.velocity[b0] + cross(start_.angular_velocity[b0], r_b) - start_.velocity[a0] -
                      cross(start_.angular_velocity[a0], r_a);
      const double closing = -dot(v0, c.normal);
      double target = gap > 0 ? -gap / h : 0;
      if (c.restitution > 0 && closing > simulation.method().restitution_threshold && closing * h > gap)
        target = c.restitution * closing;
      const auto found = impulse.find({c.a.index, c.b.index, c.part_a, c.part_b, p.key});
      const Vec3 lambda = found != impulse.end() ? found->second : Vec3{};
      const Vec3 across = cross(c.normal, c.tangent), slip = v + c.surface_velocity;
      const double f = c.is_plain ? 1 : c.friction_across;
      const double sliding = std::hypot(dot(slip, c.tangent), dot(slip, across));
      const double mu = sliding < simulation.method().stick_speed ? c.static_friction : c.friction;
      // The ellipse as a disk: λ_2 / f and f v_2.
      const double r[3] = {dot(lambda, c.normal), dot(lambda, c.tangent),
                           f > 0 ? dot(lambda, across) / f : dot(lambda, across)};
      const double u[3] = {dot(v, c.normal) - target, dot(slip, c.tangent), f * dot(slip, across)};
      ConeBlock block{0, 3, true, 1, {}};
      block.group[0] = {1, 2, mu};
      const double d = mobility(start_, a0, r_a) + mobility(start_, b0, r_b);
      const auto who = [&] { return pair_name(world, c.a, c.b); };
      double y[3] = {r[0], r[1], r[2]};
      if (d > 0) {
        const double shifted[3] = {u[0] + rigor::de_saxce(block, u), u[1], u[2]};
        for (int i = 0; i < 3; ++i) y[i] = r[i] - shifted[i] / d;
        project(ConeProblem{}, block, y);
        add(natural_map, d * std::hypot(r[0] - y[0], r[1] - y[1], r[2] - y[2]), who);
      }
      add(cone, cone_distance(block, r), who);
      add(approach, std::max(-u[0], 0.0), who);
      add(signorini, std::abs(r[0] * u[0]), who);
      const double deficit = dissipation_deficit(block, r, u);
      add(de_saxce, std::abs(r[0] * u[0] + deficit), who);
      add(dissipation, std::abs(deficit), who);
    }
  }
}

void TruthMeter::measure_positions(const Simulation& simulation) {
  const World& world = simulation.world();
  for (const JointRowError& e : joint_row_errors(world)) {
    if (e.is_angular && !e.is_limit) continue;
    add(e.is_limit ? limits : joints, std::abs(e.is_limit ? std::max(e.error, 0.0) : e.error),
        [&] { return world.joint(e.joint).name; });
  }
  for (const Contact& c : simulation.contacts())
    for (int k = 0; k < c.count; ++k)
      add(penetration, std::max(-c.points[static_cast<std::size_t>(k)].separation, 0.0),
          [&] { return pair_name(world, c.a, c.b); });
}

std::vector<TruthFigure> TruthMeter::figures() const {
  std::vector<TruthFigure> all = figures_;
  for (TruthFigure& f : all) f.figure.finish();
  return all;
}

TruthSampler::TruthSampler(std::uint64_t planned_steps, std::uint64_t most)
    : planned_(planned_steps), stride_(std::max<std::uint64_t>(1, planned_steps / most)) {}

void TruthSampler::before_step(Simulation& simulation) {
  ++step_;
  measures_ = step_ % stride_ == 0 || step_ == planned_;
  simulation.record_impulses(measures_);
  if (measures_) meter_.before(simulation);
}

void TruthSampler::after_step(Simulation& simulation) {
  if (measures_) meter_.after(simulation);
}

}  // namespace rigor
