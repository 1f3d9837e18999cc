// Sleeping (3.9, 7.5.5): islands that have been idle long enough are put to sleep, and woken by any of four rules:
//
//   1  the external force on a sleeping body changes
//   2  a body that it touched has moved away, was moved or removed
//   3  a body that it is joined to moves
//   4  something new touches it, or a joint is added
//
// and by the user, who wakes a body by changing it. An island falls asleep and wakes as a whole. A copy of a simulation has its
// own copy of the stage.
#pragma once

#include <string>
#include <vector>

#include "constraints/constraint_list.h"
#include "islands/islands.h"
#include "rigor/simulation.h"
#include "sleep/sleep_rule.h"

namespace rigor {

class ByteReader;
class ByteWriter;
class Hasher;

/// A body that fell asleep or woke up.
struct SleepChange {
  BodyId body;
  bool asleep;
};

class SleepStage {
 public:
  SleepStage() = default;
  /// Starts without data about the world with this epoch.
  explicit SleepStage(std::uint64_t epoch) : epoch_(epoch) {}

  /// Applies rules 1 to 3, and wakes islands of which the user woke a body. Call it before the step.
  void wake(World& world, const SleepRule& rule, double time);
  /// Applies rule 4: contacts between an awake and a sleeping body. True if a body woke, so that contacts are incomplete.
  bool wake_touched(World& world, const SleepRule& rule, const ContactList& contacts, double h);
  /// Puts idle islands to sleep. Call it after the step.
  void put_to_sleep(World& world, const SleepRule& rule, const ConstraintList& constraints, double time, double h);

  /// Puts a body to sleep at once, with all awake ones that touching contacts and joints connect it to.
  void put_to_sleep_now(World& world, const ContactList& contacts, BodyId id, double time);

  SleepState state_of(const World& world, BodyId id, double time) const;
  /// Why a body is awake, in one sentence.
  std::string why_awake(const World& world, const SleepRule& rule, BodyId id) const;
  /// Changes since the last call, in the order of the bodies' ids.
  std::vector<SleepChange> take_changes();
  /// Clears idle times and islands; sleeping bodies stay asleep.
  void forget() { *this = SleepStage(); }

  // For snapshots.
  void save(const World& world, ByteWriter& out) const;
  void restore(const World& world, ByteReader& in);
  /// Hashes idle times and islands.
  void add_to_hash(const World& world, Hasher& hasher) const;

 private:
  /// The state of a body, by id index.
  struct BodyMemory {
    std::uint32_t generation = 0;
    double idle_time = 0;    // s; of a sleeper: the time at which it became idle
    double needed_time = 0;  // s; of a sleeper: the time at which it fell asleep
    double speed = 0;        // m/s and rad/s together, after the last step
    double rising_time = 0;  // s for which the speed has grown in every step
    int contacts = 0;
    int group = -1;        // sleeping island
    std::string woken_by;  // a sentence
    BodyId mover;          // of its island, when it is idle itself
  };
  static bool is_asleep(const World& world, BodyId id);
  /// True if a body has been idle for long enough and is not accelerating.
  static bool is_ready(const BodyMemory& m);
  static bool gathers_speed(const BodyMemory& m);

  /// The bodies outside of an island that it rests on, and their poses.
  struct Support {
    BodyId body;
    Vec3 position;
    Quat orientation;
  };
  /// The external force when a body fell asleep.
  struct SleepForce {
    Vec3 force, torque;
  };
  struct Group {
    std::vector<BodyId> bodies;
    std::vector<Support> supports;
  };

  BodyMemory& memory(BodyId id);
  const BodyMemory* find_memory(BodyId id) const;
  SleepForce force_at_sleep(std::size_t id_index) const;
  void wake_group(World& world, int group, const std::string& reason);
  /// Wakes islands that rest on a body whose surface was changed.
  void wake_groups_on(World& world, const std::vector<BodyId>& changed);
  /// Wakes islands of which a body was changed or removed; `all` wakes every one.
  void wake_changed_groups(World& world, bool all);
  /// Rule 1. Forces that cannot change are checked only once.
  void wake_pushed(World& world, const SleepSettings& settings, double time);
  void wake_pushed_groups(World& world, const SleepSettings& settings);
  /// Rules 2 and 3: a reason to wake, or nothing.
  static std::string moved_support(const World& world, const Group& group);
  void find_moving_partners(const World& world, const SleepSettings& settings);
  void count_contacts(const ConstraintList& constraints, const World& world);
  void update_idle_times(World& world, const SleepRule& rule, double h);
  void remember_positions(const BodyState& state);
  /// One flag per awake body; a body that corrections move is not idle, whatever its velocity.
  void find_idle(BodyState& state, const SleepRule& rule, double h, std::vector<std::uint8_t>& idle) const;
  void save_memory(std::size_t index, std::uint32_t reason, ByteWriter& out) const;
  void check_groups(const World& world) const;
  void put_island_to_sleep(World& world, const std::vector<BodyId>& bodies, int group, double time);
  void remember_supports(const World& world, const ConstraintList& constraints, const std::vector<std::uint8_t>& falls);

  std::vector<std::string> pulled_;   // rule 3, by group; empty: no joint moves it
  std::vector<std::uint8_t> driven_;  // by slot: true on a moving surface
  std::vector<BodyMemory> bodies_;
  std::vector<SleepForce> forces_;  // by id index
  std::vector<Vec3> start_;         // by id index, poses before the step; invalid after it
  std::vector<Group> groups_;       // empty ones are free
  std::uint32_t sleepers_ = 0;      // bodies in all groups
  std::vector<SleepChange> changes_;
  std::uint64_t epoch_ = 0;
  std::uint64_t steady_ = 0;  // version of the definitions under which no outer force on a sleeper can change
};

}  // namespace rigor
