#include "sleep/sleep_stage.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rigor/profile.h"

namespace rigor {

namespace {

bool is_asleep(const World& world, BodyId id) {
  const std::uint32_t slot = world.slot(id);
  return slot >= world.state().begin(BodySet::sleeping) && slot < world.state().end(BodySet::sleeping);
}

/// A ball joint counts as one contact, a hinge as two (7.5.5): half of the motions that it takes away.
int contacts_of(const JointDef& def) {
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  if (!axes) return 1;
  const auto locked = std::count_if(axes->axes.begin(), axes->axes.end(),
                                    [](const JointAxis& a) { return a.motion == AxisMotion::locked; });
  return static_cast<int>(locked / 2);
}

/// Rotation counts as the motion of a point a metre away.
double speed_of(const BodyState& s, std::uint32_t i) {
  return std::sqrt(length_squared(s.velocity[i]) + length_squared(s.angular_velocity[i]));
}

constexpr double kNoise = 1e-3;  // m/s; chosen: slower speeds may grow by what solvers leave

}  // namespace

/// Something that slides or tips is slow at first, for longer than `needed_time` where the slope hardly beats friction.
bool SleepStage::gathers_speed(const BodyMemory& m) { return m.speed > kNoise && m.rising_time >= 0.5 * m.needed_time; }

bool SleepStage::is_ready(const BodyMemory& m) {
  return m.idle_time > 0 && m.idle_time >= m.needed_time && !gathers_speed(m);
}

SleepStage::BodyMemory& SleepStage::memory(BodyId id) {
  if (bodies_.size() <= id.index) bodies_.resize(id.index + 1);
  BodyMemory& m = bodies_[id.index];
  if (m.generation != id.generation) m = BodyMemory{};
  m.generation = id.generation;
  return m;
}

const SleepStage::BodyMemory* SleepStage::find_memory(BodyId id) const {
  const bool known = id.index < bodies_.size() && bodies_[id.index].generation == id.generation;
  return known ? &bodies_[id.index] : nullptr;
}

/// None is known of bodies that slept already when their world came into this simulation.
SleepStage::SleepForce SleepStage::force_at_sleep(std::size_t id_index) const {
  return id_index < forces_.size() ? forces_[id_index] : SleepForce{};
}

void SleepStage::wake_group(World& world, int group, const std::string& reason) {
  sleepers_ -= static_cast<std::uint32_t>(groups_[static_cast<std::size_t>(group)].bodies.size());
  for (const BodyId id : groups_[static_cast<std::size_t>(group)].bodies) {
    if (!world.contains(id)) continue;
    BodyMemory& m = memory(id);
    m.idle_time = m.rising_time = 0, m.group = -1, m.woken_by = reason;
    if (is_asleep(world, id)) world.wake(id);
    changes_.push_back({id, false});
  }
  groups_[static_cast<std::size_t>(group)] = {};
}

void SleepStage::wake(World& world, const SleepRule& rule, double time) {
  const StageScope scope(Stage::sleep);
  if (epoch_ != world.epoch()) forget();
  epoch_ = world.epoch();
  if (!rule.is_off()) remember_positions(world.state());
  if (sleepers_ == 0) return;
  const SleepSettings settings = rule.settings();
  wake_changed_groups(world, rule.is_off());
  wake_pushed(world, settings, time);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].bodies.empty()) continue;
    std::string reason = moved_support(world, groups_[g]);
    if (reason.empty() && world.joint_count() > 0) reason = moving_partner(world, settings, groups_[g]);
    if (!reason.empty()) wake_group(world, static_cast<int>(g), reason);
  }
}

void SleepStage::wake_changed_groups(World& world, bool all) {
  const BodyState& s = world.state();
  // A body that was changed or removed has left the sleeping set: when nobody has, nobody has to be looked at.
  if (!all && s.end(BodySet::sleeping) - s.begin(BodySet::sleeping) == sleepers_) return;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::string reason;
    for (const BodyId id : groups_[g].bodies) {
      if (all) reason = "its method lets nothing sleep";
      if (!world.contains(id)) reason = "a body of its island was removed";
      if (world.contains(id) && !is_asleep(world, id)) reason = "'" + world.name(id) + "' of its island was changed";
    }
    if (!reason.empty()) wake_group(world, static_cast<int>(g), reason);
  }
}

namespace {

/// Weight is always the same, and drag does nothing to a body at rest.
bool are_steady(const World& world) {
  for (const ForceId id : world.forces()) {
    const ForceDef& f = world.force(id);
    const bool is_steady = dynamic_cast<const Gravity*>(f.effect.get()) || dynamic_cast<const Drag*>(f.effect.get());
    if (!is_steady || std::isfinite(f.end_time)) return false;
  }
  return true;
}

}  // namespace

void SleepStage::wake_pushed(World& world, const SleepSettings& settings, double time) {
  if (steady_ == world.definitions_version()) return;
  world.evaluate_forces(time, /*sleeping_too=*/true);
  wake_pushed_groups(world, settings);
  steady_ = are_steady(world) ? world.definitions_version() : 0;
}

void SleepStage::wake_pushed_groups(World& world, const SleepSettings& settings) {
  const BodyState& s = world.state();
  std::vector<BodyId> pushed;
  for (std::uint32_t i = s.begin(BodySet::sleeping); i < s.end(BodySet::sleeping); ++i) {
    const SleepForce old = force_at_sleep(s.id_index[i]);
    if (s.force[i] == old.force && s.torque[i] == old.torque) continue;
    const Vec3 twist = angular_velocity_of(s.orientation[i], s.inverse_inertia[i], s.torque[i] - old.torque);
    if (length(s.force[i] - old.force) * s.inverse_mass[i] > settings.wake_acceleration ||
        length(twist) > settings.wake_acceleration)
      pushed.push_back(world.id_at(i));
  }
  for (const BodyId id : pushed)
    if (const int group = memory(id).group; group >= 0)
      wake_group(world, group, "the force on '" + world.name(id) + "' changed");
}

std::string SleepStage::moved_support(const World& world, const Group& group) {
  const BodyState& s = world.state();
  for (const Support& support : group.supports) {
    if (!world.contains(support.body)) return "a body that it touched was removed";
    const std::uint32_t slot = world.slot(support.body);
    const bool is_gone = slot >= s.end(BodySet::still);
    if (is_gone || s.position[slot] != support.position || !(s.orientation[slot] == support.orientation))
      return "'" + world.name(support.body) + "', which it touched, moved";
  }
  return "";
}

std::string SleepStage::moving_partner(const World& world, const SleepSettings& settings, const Group& group) const {
  const BodyState& s = world.state();
  for (const JointId j : world.joints()) {
    const JointDef& def = world.joint(j);
    if (!def.active || world.joint_state(j).broken) continue;
    for (const auto& [sleeper, partner] : {std::pair(def.a, def.b), std::pair(def.b, def.a)}) {
      const BodyMemory* m = find_memory(sleeper);
      if (!m || m->group < 0 || &groups_[static_cast<std::size_t>(m->group)] != &group) continue;
      const std::uint32_t slot = world.slot(partner);
      const bool moves = slot < s.end(BodySet::kinematic) && (length(s.velocity[slot]) > settings.wake_speed ||
                                                              length(s.angular_velocity[slot]) > settings.wake_speed);
      if (moves) return "'" + world.name(partner) + "', which it is joined to, moves";
    }
  }
  return "";
}

bool SleepStage::wake_touched(World& world, const SleepRule& rule, const ContactList& contacts, double h) {
  if (rule.is_off()) return false;
  const StageScope scope(Stage::sleep);
  const BodyState& s = world.state();
  bool woke = false;
  for (const Contact& c : contacts) {
    const bool a_sleeps = is_asleep(world, c.a), b_sleeps = is_asleep(world, c.b);
    if (a_sleeps == b_sleeps) continue;
    const BodyId sleeper = a_sleeps ? c.a : c.b, other = a_sleeps ? c.b : c.a;
    const std::uint32_t slot = world.slot(other);
    // Everything that the other body could reach in this step counts as touching.
    const double reach = h * (length(s.velocity[slot]) + length(s.angular_velocity[slot]));
    double gap = c.points[0].separation;
    for (int i = 1; i < c.count; ++i) gap = std::min(gap, c.points[static_cast<std::size_t>(i)].separation);
    if (slot >= s.end(BodySet::kinematic) || gap > reach) continue;
    const BodyMemory* m = find_memory(sleeper);
    if (m && m->group >= 0)
      wake_group(world, m->group, "'" + world.name(other) + "' touched '" + world.name(sleeper) + "'");
    else
      world.wake(sleeper);
    woke = true;
  }
  return woke;
}

void SleepStage::count_contacts(const ConstraintList& constraints, const World& world) {
  const BodyState& s = world.state();
  const auto add = [&](std::uint32_t slot, int n) {
    if (slot < s.awake()) memory(world.id_at(slot)).contacts += n;
  };
  for (std::uint32_t i = 0; i < s.awake(); ++i) memory(world.id_at(i)).contacts = 0;
  for (const StepContact& c : constraints.contacts)
    if (is_touching(*c.contact)) add(c.slot_a, c.contact->count), add(c.slot_b, c.contact->count);
  for (const StepJoint& j : constraints.joints) add(j.slot_a, contacts_of(*j.def)), add(j.slot_b, contacts_of(*j.def));
}

void SleepStage::remember_positions(const BodyState& s) {
  for (std::uint32_t i = 0; i < s.end(BodySet::sleeping); ++i) {
    if (s.id_index[i] >= start_.size()) start_.resize(s.id_index[i] + std::size_t{1});
    start_[s.id_index[i]] = s.position[i];
  }
}

void SleepStage::find_idle(BodyState& s, const SleepRule& rule, double h, std::vector<std::uint8_t>& idle) const {
  rule.find_idle(s, idle);
  std::vector<Vec3> velocity = s.velocity;
  for (std::uint32_t i = 0; i < s.awake(); ++i)
    if (s.id_index[i] < start_.size()) s.velocity[i] = (s.position[i] - start_[s.id_index[i]]) / h;
  std::vector<std::uint8_t> stays;
  rule.find_idle(s, stays);
  s.velocity.swap(velocity);
  for (std::size_t i = 0; i < idle.size(); ++i) idle[i] = idle[i] && stays[i];
}

void SleepStage::update_idle_times(World& world, const SleepRule& rule, double h) {
  const SleepSettings settings = rule.settings();
  std::vector<std::uint8_t> idle;
  find_idle(world.state(), rule, h, idle);
  for (std::uint32_t i = 0; i < world.state().awake(); ++i) {
    BodyMemory& m = memory(world.id_at(i));
    m.idle_time = idle[i] ? m.idle_time + h : 0;
    m.needed_time = settings.min_wake_time * (m.contacts >= 3 ? 1 : settings.few_contacts_factor);
    const double speed = speed_of(world.state(), i);
    m.rising_time = speed > m.speed ? m.rising_time + h : 0;
    m.speed = speed;
  }
}

void SleepStage::put_to_sleep(World& world, const SleepRule& rule, const ConstraintList& constraints, double time,
                              double h) {
  if (rule.is_off() || world.state().awake() == 0) return;
  const StageScope scope(Stage::sleep);
  count_contacts(constraints, world);
  update_idle_times(world, rule, h);
  Islands islands;
  islands.build(constraints, world.state());
  std::vector<std::vector<BodyId>> bodies(static_cast<std::size_t>(islands.count));
  std::vector<BodyId> mover(bodies.size());
  for (std::uint32_t i = 0; i < world.state().awake(); ++i) {
    const auto k = static_cast<std::size_t>(islands.island_of[i]);
    const BodyId id = world.id_at(i);
    bodies[k].push_back(id);
    if (!is_ready(memory(id))) mover[k] = id;
  }
  bool evaluated = false;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    for (const BodyId id : bodies[k]) memory(id).mover = mover[k];
    if (mover[k]) continue;
    if (!std::exchange(evaluated, true)) world.evaluate_forces(time, /*sleeping_too=*/true);
    put_island_to_sleep(world, bodies[k], constraints);
  }
}

void SleepStage::put_island_to_sleep(World& world, const std::vector<BodyId>& bodies,
                                     const ConstraintList& constraints) {
  const auto free = std::find_if(groups_.begin(), groups_.end(), [](const Group& g) { return g.bodies.empty(); });
  const auto group = static_cast<int>(free - groups_.begin());
  if (free == groups_.end()) groups_.emplace_back();
  Group& g = groups_[static_cast<std::size_t>(group)];
  g.bodies = bodies;
  std::sort(g.bodies.begin(), g.bodies.end());
  sleepers_ += static_cast<std::uint32_t>(g.bodies.size());
  for (const BodyId id : g.bodies) {
    BodyMemory& m = memory(id);
    const std::uint32_t slot = world.slot(id);
    m.group = group;
    if (forces_.size() <= id.index) forces_.resize(id.index + 1);
    forces_[id.index] = {world.state().force[slot], world.state().torque[slot]};
  }
  for (const StepContact& c : constraints.contacts) {
    for (const auto& [own, other] : {std::pair(c.contact->a, c.contact->b), std::pair(c.contact->b, c.contact->a)}) {
      if (!std::binary_search(g.bodies.begin(), g.bodies.end(), own)) continue;
      if (std::binary_search(g.bodies.begin(), g.bodies.end(), other) || !is_touching(*c.contact)) continue;
      const std::uint32_t slot = world.slot(other);
      g.supports.push_back({other, world.state().position[slot], world.state().orientation[slot]});
    }
  }
  BodyState& s = world.state();
  for (const BodyId id : g.bodies) {
    s.velocity[world.slot(id)] = s.angular_velocity[world.slot(id)] = Vec3{};
    world.move_to_set(id, BodySet::sleeping);
    changes_.push_back({id, true});
  }
}

std::string SleepStage::why_awake(const World& world, const SleepRule& rule, BodyId id) const {
  if (world.is_fixed(id)) return "it is fixed";
  if (!world.is_active(id)) return "it is inactive";
  if (is_asleep(world, id)) return "it sleeps";
  if (rule.is_off()) return "its method lets nothing sleep";
  const BodyMemory* m = find_memory(id);
  if (!m) return "no step was made yet";
  const auto seconds = [](double t) { return std::to_string(std::round(t * 1000) / 1000).substr(0, 5) + " s"; };
  const std::string woken = m->woken_by.empty() ? "" : "; woken because " + m->woken_by;
  if (m->idle_time == 0) return "it moves" + woken;
  if (m->idle_time < m->needed_time)
    return "idle for " + seconds(m->idle_time) + " of " + seconds(m->needed_time) +
           (m->contacts < 3 ? ", with fewer than three contacts" : "") + woken;
  if (gathers_speed(*m)) return "it gathers speed" + woken;
  if (m->mover && world.contains(m->mover)) return "'" + world.name(m->mover) + "' of its island is not ready";
  return "it falls asleep with the next step";
}

std::vector<SleepChange> SleepStage::take_changes() {
  std::stable_sort(changes_.begin(), changes_.end(),
                   [](const SleepChange& a, const SleepChange& b) { return a.body < b.body; });
  return std::exchange(changes_, {});
}

}  // namespace rigor
