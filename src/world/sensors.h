// Finds the bodies that overlap sensors, at the end of every step.
//
// The boxes of all sensors form a tree, which is queried for every body. The answer for a sensor and a body that both rest is cached, so that a
// sensor at rest costs nothing for sleeping and fixed bodies. Without sensors nothing is done.
#pragma once

#include <span>
#include <vector>

#include "model/box_tree.h"
#include "rigor/events.h"
#include "rigor/world.h"

namespace rigor {

class ByteReader;
class ByteWriter;

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
