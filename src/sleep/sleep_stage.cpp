#include "sleep/sleep_stage.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rigor/profile.h"

namespace rigor {

namespace {

/// A ball joint counts as one contact, a hinge as two (7.5.5): half of the degrees of freedom that it removes.
int contacts_of(const JointDef& def) {
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  if (!axes) return 1;
  const auto locked = std::count_if(axes->axes.begin(), axes->axes.end(),
                                    [](const JointAxis& a) { return a.motion == AxisMotion::locked; });
  return static_cast<int>(locked / 2);
}

constexpr double kNoise = 1e-3;  // m/s; chosen: slower speeds may grow by what solvers leave

}  // namespace

bool SleepStage::is_asleep(const World& world, BodyId id) {
  const std::uint32_t slot = world.slot(id);
  return slot >= world.state().begin(BodySet::sleeping) && slot < world.state().end(BodySet::sleeping);
}

/// A body that starts to slide or tip is slow at first, for longer than `needed_time` if the slope barely exceeds friction.
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

/// Bodies that slept already when their world was moved into this simulation have no stored force.
SleepStage::SleepForce SleepStage::force_at_sleep(std::size_t id_index) const {
  return id_index < forces_.size() ? forces_[id_index] : SleepForce{};
}

void SleepStage::count_contacts(const ConstraintList& constraints, const World& world) {
  const BodyState& s = world.state();
  const auto add = [&](std::uint32_t slot, int n) {
    if (slot < s.awake()) memory(world.id_at(slot)).contacts += n;
  };
  for (std::uint32_t i = 0; i < s.awake(); ++i) memory(world.id_at(i)).contacts = 0;
  driven_.assign(s.awake(), 0);
  for (const StepContact& c : constraints.contacts) {
    if (!is_touching(*c.contact)) continue;
    add(c.slot_a, c.contact->count), add(c.slot_b, c.contact->count);
    if (c.contact->is_plain || c.contact->surface_velocity == Vec3{}) continue;
    for (const std::uint32_t slot : {c.slot_a, c.slot_b})
      if (slot < s.awake()) driven_[slot] = 1;
  }
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
  std::vector<double> speeds;
  rule.find_speeds(world.state(), speeds);
  const bool wants_no_rise = rule.wants_no_rise();
  for (std::uint32_t i = 0; i < world.state().awake(); ++i) {
    BodyMemory& m = memory(world.id_at(i));
    // The load of a slow belt hardly moves, and yet it shall arrive.
    const bool rises = speeds[i] > m.speed;
    const bool is_idle = idle[i] && !driven_[i] && !(wants_no_rise && rises);
    m.idle_time = is_idle ? m.idle_time + h : 0;
    m.needed_time = settings.min_wake_time * (m.contacts >= 3 ? 1 : settings.few_contacts_factor);
    m.rising_time = rises ? m.rising_time + h : 0;
    m.speed = speeds[i];
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
  std::size_t free = 0;             // groups before it are in use
  std::vector<std::uint8_t> falls;  // by group: asleep since this step
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    for (const BodyId id : bodies[k]) memory(id).mover = mover[k];
    if (mover[k]) continue;
    if (!std::exchange(evaluated, true)) world.evaluate_forces(time, /*sleeping_too=*/true);
    while (free < groups_.size() && !groups_[free].bodies.empty()) ++free;
    if (free == groups_.size()) groups_.emplace_back();
    put_island_to_sleep(world, bodies[k], static_cast<int>(free), time);
    falls.resize(groups_.size()), falls[free] = 1;
  }
  if (evaluated) remember_supports(world, constraints, falls);
}

/// Stores the bodies that the new groups rest on.
void SleepStage::remember_supports(const World& world, const ConstraintList& constraints,
                                   const std::vector<std::uint8_t>& falls) {
  for (const StepContact& c : constraints.contacts) {
    if (!is_touching(*c.contact)) continue;
    for (const auto& [own, other] : {std::pair(c.contact->a, c.contact->b), std::pair(c.contact->b, c.contact->a)}) {
      const BodyMemory *m = find_memory(own), *others = find_memory(other);
      const bool is_new = m && m->group >= 0 && static_cast<std::size_t>(m->group) < falls.size() &&
                          falls[static_cast<std::size_t>(m->group)];
      if (!is_new || (others && others->group == m->group)) continue;
      const std::uint32_t slot = world.slot(other);
      groups_[static_cast<std::size_t>(m->group)].supports.push_back(
          {other, world.state().position[slot], world.state().orientation[slot]});
    }
  }
}

void SleepStage::put_island_to_sleep(World& world, const std::vector<BodyId>& bodies, int group, double time) {
  Group& g = groups_[static_cast<std::size_t>(group)];
  g.bodies = bodies;
  std::sort(g.bodies.begin(), g.bodies.end());
  sleepers_ += static_cast<std::uint32_t>(g.bodies.size());
  for (const BodyId id : g.bodies) {
    BodyMemory& m = memory(id);
    const std::uint32_t slot = world.slot(id);
    m.group = group;
    m.idle_time = time - m.idle_time, m.needed_time = time;
    if (forces_.size() <= id.index) forces_.resize(id.index + 1);
    forces_[id.index] = {world.state().force[slot], world.state().torque[slot]};
  }
  BodyState& s = world.state();
  for (const BodyId id : g.bodies) {
    s.velocity[world.slot(id)] = s.angular_velocity[world.slot(id)] = Vec3{};
    world.move_to_set(id, BodySet::sleeping);
    changes_.push_back({id, true});
  }
}

SleepState SleepStage::state_of(const World& world, BodyId id, double time) const {
  const BodyMemory* m = find_memory(id);
  SleepState state{is_asleep(world, id)};
  if (!m) return state;
  const bool is_sleeper = state.asleep && m->group >= 0;
  state.idle_time = is_sleeper ? time - m->idle_time : m->idle_time;
  if (is_sleeper) state.sleep_time = time - m->needed_time;
  return state;
}

std::string SleepStage::why_awake(const World& world, const SleepRule& rule, BodyId id) const {
  if (world.is_fixed(id)) return "it is fixed";
  if (!world.is_active(id)) return "it is inactive";
  if (is_asleep(world, id)) return "it sleeps";
  if (rule.is_off()) return "its method has no sleep";
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
