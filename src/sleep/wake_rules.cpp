// The four rules by which islands wake, and the user's changes; see sleep_stage.h.
#include <algorithm>
#include <cmath>
#include <utility>

#include "rigor/profile.h"
#include "sleep/sleep_stage.h"

namespace rigor {

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

}  // namespace rigor
