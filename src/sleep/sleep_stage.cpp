#include "sleep/sleep_stage.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/disjoint_sets.h"
#include "rigor/profile.h"
#include "sleep/sleep_rule.h"

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
  const std::vector<BodyId> changed = world.take_changed();
  if (sleepers_ == 0) return;
  const SleepSettings settings = rule.settings();
  wake_changed_groups(world, rule.is_off());
  wake_groups_on(world, changed);
  wake_pushed(world, settings, time);
  find_moving_partners(world, settings);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].bodies.empty()) continue;
    std::string reason = moved_support(world, groups_[g]);
    if (reason.empty()) reason = pulled_[g];
    if (!reason.empty()) wake_group(world, static_cast<int>(g), reason);
  }
}

void SleepStage::wake_groups_on(World& world, const std::vector<BodyId>& changed) {
  if (changed.empty()) return;
  const bool all = std::find(changed.begin(), changed.end(), BodyId{}) != changed.end();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].bodies.empty()) continue;
    std::string reason = all ? "the material rules changed" : "";
    for (const Support& support : groups_[g].supports)
      if (world.contains(support.body) && std::find(changed.begin(), changed.end(), support.body) != changed.end())
        reason = "'" + world.name(support.body) + "', which it touched, was changed";
    if (!reason.empty()) wake_group(world, static_cast<int>(g), reason);
  }
}

void SleepStage::wake_changed_groups(World& world, bool all) {
  const BodyState& s = world.state();
  // A body that was changed or removed has left the sleeping set. If none has, no body needs to be checked.
  if (!all && s.end(BodySet::sleeping) - s.begin(BodySet::sleeping) == sleepers_) return;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::string reason;
    for (const BodyId id : groups_[g].bodies) {
      if (all) reason = "its method has no sleep";
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

void SleepStage::find_moving_partners(const World& world, const SleepSettings& settings) {
  pulled_.assign(groups_.size(), {});
  if (world.joint_count() == 0) return;
  const BodyState& s = world.state();
  for (const JointId j : world.joints()) {
    const JointDef& def = world.joint(j);
    if (!def.active || world.joint_state(j).broken) continue;
    for (const auto& [sleeper, partner] : {std::pair(def.a, def.b), std::pair(def.b, def.a)}) {
      const BodyMemory* m = find_memory(sleeper);
      if (!m || m->group < 0 || !pulled_[static_cast<std::size_t>(m->group)].empty()) continue;
      const std::uint32_t slot = world.slot(partner);
      const bool moves = slot < s.end(BodySet::kinematic) && (length(s.velocity[slot]) > settings.wake_speed ||
                                                              length(s.angular_velocity[slot]) > settings.wake_speed);
      if (moves)
        pulled_[static_cast<std::size_t>(m->group)] = "'" + world.name(partner) + "', which it is joined to, moves";
    }
  }
}

bool SleepStage::wake_touched(World& world, const SleepRule& rule, const ContactList& contacts, double h) {
  const BodyState& s = world.state();
  if (rule.is_off() || s.begin(BodySet::sleeping) == s.end(BodySet::sleeping)) return false;
  const StageScope scope(Stage::sleep);
  bool woke = false;
  for (const Contact& c : contacts) {
    const bool a_sleeps = is_asleep(world, c.a), b_sleeps = is_asleep(world, c.b);
    if (a_sleeps == b_sleeps) continue;
    const BodyId sleeper = a_sleeps ? c.a : c.b, other = a_sleeps ? c.b : c.a;
    const std::uint32_t slot = world.slot(other);
    // Bodies that the other body could reach in this step count as touching.
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

namespace {

/// Awake bodies that contacts and joints connect to one of them, that one included; by slot.
std::vector<BodyId> island_around(const World& world, const ContactList& contacts, BodyId id) {
  const BodyState& s = world.state();
  DisjointSets sets(s.awake());
  const auto connect = [&](BodyId a, BodyId b) {
    if (!world.contains(a) || !world.contains(b)) return;
    if (world.slot(a) < s.awake() && world.slot(b) < s.awake()) sets.unite(world.slot(a), world.slot(b));
  };
  for (const Contact& c : contacts)
    if (is_touching(c)) connect(c.a, c.b);
  for (const JointId j : world.joints())
    if (world.joint(j).active && !world.joint_state(j).broken) connect(world.joint(j).a, world.joint(j).b);
  std::vector<BodyId> island;
  const std::uint32_t root = sets.root(world.slot(id));
  for (std::uint32_t i = 0; i < s.awake(); ++i)
    if (sets.root(i) == root) island.push_back(world.id_at(i));
  return island;
}

}  // namespace

void SleepStage::put_to_sleep_now(World& world, const ContactList& contacts, BodyId id, double time) {
  if (epoch_ != world.epoch()) forget();
  epoch_ = world.epoch();
  if (is_asleep(world, id)) return;
  const std::vector<BodyId> island = island_around(world, contacts, id);
  world.evaluate_forces(time, /*sleeping_too=*/true);
  std::size_t group = 0;
  while (group < groups_.size() && !groups_[group].bodies.empty()) ++group;
  if (group == groups_.size()) groups_.emplace_back();
  put_island_to_sleep(world, island, static_cast<int>(group), time);
  for (const Contact& c : contacts) {
    if (!is_touching(c) || !world.contains(c.a) || !world.contains(c.b)) continue;
    for (const auto& [own, other] : {std::pair(c.a, c.b), std::pair(c.b, c.a)}) {
      const bool is_own = std::binary_search(groups_[group].bodies.begin(), groups_[group].bodies.end(), own);
      if (!is_own || std::binary_search(groups_[group].bodies.begin(), groups_[group].bodies.end(), other)) continue;
      const std::uint32_t slot = world.slot(other);
      groups_[group].supports.push_back({other, world.state().position[slot], world.state().orientation[slot]});
    }
  }
}

void SleepRule::find_speeds(const BodyState& s, std::vector<double>& speeds) const {
  speeds.resize(s.awake());
  for (std::uint32_t i = 0; i < s.awake(); ++i)
    speeds[i] = std::sqrt(length_squared(s.velocity[i]) + length_squared(s.angular_velocity[i]));
}

void visit(SleepSettings& s, FieldVisitor& v) {
  v.number("min_wake_time", s.min_wake_time, {"s", 0, 1e6, "a body has to be idle for so long"});
  v.number("few_contacts_factor", s.few_contacts_factor,
           {"1", 1, 1e6, "times that for a body with fewer than three contacts, which may be about to tip over"});
  v.number("wake_acceleration", s.wake_acceleration, {"m/s²", 0, 1e6, "change of the outer force per mass that wakes"});
  v.number("wake_speed", s.wake_speed, {"m/s", 0, 1e6, "speed of a joined body that wakes"});
}

}  // namespace rigor
