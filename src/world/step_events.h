// Events that begin and end in a step: contacts of pairs of bodies, and bodies that overlap sensors.
//
// The boxes of all sensors form a tree, which is queried for every body. The answer for a sensor and a body that both rest is cached, so that a
// sensor at rest costs nothing for sleeping and fixed bodies. Without sensors nothing is done.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/box_tree.h"
#include "rigor/contacts.h"
#include "rigor/events.h"
#include "rigor/world.h"
#include "state/step_impulses.h"
#include "threads/parallel.h"

namespace rigor {

class ByteReader;
class ByteWriter;

/// Compares the touching pairs with those of the step before.
class ContactEvents {
 public:
  /// `impulses` are those of the whole step.
  void update(const World& world, const ContactList& contacts, StepImpulses& impulses, double time,
              const EventSettings& settings, const ThreadPool& threads, std::vector<Event>& events);
  // For snapshots.
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  /// Where the pair touched, for its end event; a float is precise enough.
  struct Pair {
    BodyId a, b;
    std::array<float, 3> point, normal;
    bool touches;  // if false, it is stored because the next step is likely to find it again
  };
  /// True if the pairs are those of `contacts`, in the same order. They are then updated, and changed_ holds those that begin
  /// or end to touch.
  bool update_in_place(const World& world, const ContactList& contacts, std::span<const ContactImpulse> impulses,
                       const ThreadPool& threads);
  void report_changed(const World& world, const ContactList& contacts, std::span<const ContactImpulse> impulses,
                      double time, const EventSettings& settings, std::vector<Event>& events);

  std::vector<Pair> pairs_;  // sorted by the ids' indices, as contacts are
  std::vector<Pair> now_;    // scratch
  std::vector<std::size_t> changed_;
  bool pairs_rest_ = false;   // all of them sleep
  std::uint32_t bodies_ = 0;  // in the world when they were last updated
};

/// Finds the bodies that overlap sensors, at the end of every step.
class Sensors {
 public:
  void update(const World& world, double time, std::vector<Event>& events);
  /// Sorted by the indices of the sensors' ids, then by those of the bodies.
  std::span<const SensorOverlap> overlaps() const { return overlaps_; }
  std::span<const SensorOverlap> overlaps(BodyId sensor) const;
  bool empty() const { return overlaps_.empty(); }
  void clear() { *this = Sensors(); }

  // For snapshots.
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  struct Sensor {
    BodyId id;
    std::uint32_t slot = 0;
    const Shape* shape = nullptr;
    Transform frame;  // of the shape in the world
    bool rests = false;
  };
  void place_sensors(const World& world);
  void find_overlaps(const World& world);
  void keep_resting(const World& world);
  bool rests(const World& world, BodyId id) const;
  void remember_rest(const World& world);

  std::vector<SensorOverlap> overlaps_, now_;  // scratch
  std::vector<Sensor> sensors_;
  BoxTree tree_;                          // of the boxes of bounded sensors
  std::vector<std::uint32_t> bounded_;    // tree item → sensor
  std::vector<std::uint32_t> unbounded_;  // planes
  bool all_rest_ = false;                 // of the sensors
  // By id index: the body rested at the last update. Empty: unknown.
  std::vector<std::uint8_t> rested_;
  std::uint64_t definitions_ = 0;  // version that `rested_` belongs to
};

}  // namespace rigor
