// Readings of a scene's sensors.
//
// A sensor has a frame at c in the world, with rotation R, on a body with center of mass x, velocity v and angular velocity ω.
//
//   velocity       u = v + ω × (c − x);  velocimeter Rᵀ u;  gyro Rᵀ ω
//   accelerometer  Rᵀ (Δu / Δt − g), Δ over the time since the previous reading; the first reading takes Δu = 0
//   force, torque  Rᵀ F and Rᵀ (T + (j − c) × F), with the reaction F, T about the anchor j of the joint whose body b this is, summed over such joints
//   touch          Σ λ / h over the contact points within the zone, with the normal impulses λ of the last step. h is the mean length of the steps since the
//                  previous reading, or since the start for the first one; it is that of the last step if all are equal or each is read
//
// A sensor with a rate r shows what it measured at the first reading at or after the latest multiple of 1/r (sample and hold), as instruments with a clock of
// their own do. Δ and Δt of an accelerometer then refer to its own measurements.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rigor/scene_sensor.h"
#include "rigor/simulation.h"

namespace rigor {

struct SensorReading {
  const SceneSensor* sensor = nullptr;
  std::vector<double> values;  // 1, 3 or 4
};

class SensorReader {
 public:
  explicit SensorReader(std::vector<SceneSensor> sensors = {}) : sensors_(std::move(sensors)) {}

  /// All sensors at the present state. Sensors whose body or joint was removed have no reading.
  std::vector<SensorReading> read(const Simulation& simulation);

 private:
  /// What a sensor has measured last.
  struct Measured {
    std::vector<double> values;  // empty before the first time
    double time = 0;             // s
    Vec3 velocity;               // u
  };
  void measure_step(const Simulation& simulation);
  /// The present values; none if the sensor's body or joint was removed.
  std::vector<double> measure(const SceneSensor& sensor, Measured& last, const Simulation& simulation) const;

  std::vector<SceneSensor> sensors_;
  std::vector<Measured> measured_;  // by sensor
  double time_ = 0;                 // s, of the last reading
  std::uint64_t steps_ = 0;         // made until the last reading
  double step_ = 0;                 // s, mean length of the steps before the last reading
};

/// The unit of what a sensor measures, such as "m/s". It is empty for unit vectors and quaternions.
std::string unit_of(const SceneSensor& sensor);
/// A vector has "x", "y", "z"; a quaternion has "w" before these; a number has "value".
const char* component_name(std::size_t component, std::size_t count);

}  // namespace rigor
