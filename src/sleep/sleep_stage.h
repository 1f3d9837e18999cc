// Sleeping (3.9, 7.5.5): islands that have been idle long enough are put aside, and woken by any of four rules:
//
//   1  the outer force on a sleeping body changes
//   2  a body that it touched has moved away, was moved or removed
//   3  a body that it is joined to moves
//   4  something new touches it, or a joint is added
//
// and by the user, who wakes a body by changing it. An island falls asleep and wakes as a whole. Copies belong to copies of
// a simulation.
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
  /// Knows nothing yet of the world with this epoch.
  explicit SleepStage(std::uint64_t epoch) : epoch_(epoch) {}

  /// Rules 1 to 3, and islands of which the user woke a body. Before the step.
  void wake(World& world, const SleepRule& rule, double time);
  /// Rule 4: contacts between an awake and a sleeping body. True when something woke, so that contacts are not complete.
  bool wake_touched(World& world, const SleepRule& rule, const ContactList& contacts, double h);
  /// After the step.
  void put_to_sleep(World& world, const SleepRule& rule, const ConstraintList& constraints, double time, double h);

  /// At once: a body and all awake ones that touching contacts and joints connect it to.
  void put_to_sleep_now(World& world, const ContactList& contacts, BodyId id, double time);

  SleepState state_of(const World& world, BodyId id, double time) const;
  /// One sentence.
  std::string why_awake(const World& world, const SleepRule& rule, BodyId id) const;
  /// Since the last call, in the order of the bodies' ids.
  std::vector<SleepChange> take_changes();
  /// Forgets about idle times and islands; sleeping bodies stay asleep.
  void forget() { *this = SleepStage(); }

  // For snapshots.
  void save(const World& world, ByteWriter& out) const;
  void restore(const World& world, ByteReader& in);
  /// Idle times and islands.
  void add_to_hash(const World& world, Hasher& hasher) const;

 private:
  /// What is known of a body, by id index.
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
  /// Idle for long enough, and not about to move off.
  static bool is_ready(const BodyMemory& m);
  static bool gathers_speed(const BodyMemory& m);

  /// What an island rests on: bodies that are not part of it, and where they were.
  struct Support {
    BodyId body;
    Vec3 position;
    Quat orientation;
  };
  /// From outside, when a body fell asleep.
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
  /// Islands that rest on a body whose surface was changed.
  void wake_groups_on(World& world, const std::vector<BodyId>& changed);
  /// Islands of which a body was changed or removed; `all` wakes every one.
  void wake_changed_groups(World& world, bool all);
  /// Rule 1; forces that cannot change are looked at once.
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

  std::vector<std::string> pulled_;   // rule 3, by group; empty: nothing pulls at it
  std::vector<std::uint8_t> driven_;  // by slot: on a surface that runs
  std::vector<BodyMemory> bodies_;
  std::vector<SleepForce> forces_;  // by id index
  std::vector<Vec3> start_;         // by id index, where bodies were before the step; of no use after it
  std::vector<Group> groups_;       // empty ones are free
  std::uint32_t sleepers_ = 0;      // bodies in all groups
  std::vector<SleepChange> changes_;
  std::uint64_t epoch_ = 0;
  std::uint64_t steady_ = 0;  // version of the definitions under which no outer force on a sleeper can change
};

}  // namespace rigor
