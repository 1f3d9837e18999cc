// Numbers of a run over time, chosen by name from its tables (run_tables.h).
//
//   figures/energy                    bodies/crate/y
//   coordinates/elbow/position        of a joint with one coordinate
//   coordinates/hip/ry/velocity       of one coordinate of a joint with several
//   sensors/imu/z/reading             one component of a sensor
//   joints/elbow/tz                   contacts/crate/ground/normal   the sum over the points of the pair
// A star stands for any text: "coordinates/*/motor". Parts are separated by slashes; a name with a slash in it can be matched by a star.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lab/run_tables.h"
#include "lab/svg_plot.h"

namespace rigor {

struct FigureSeries {
  std::string name, unit;
  std::vector<double> values;  // by time; NaN where there is no value
};

class SeriesRecorder {
 public:
  /// Error with the nearest known names if a pattern matches nothing now. Contacts may begin later, but their bodies must exist.
  SeriesRecorder(std::vector<std::string> patterns, const Simulation& simulation, std::uint64_t planned_steps,
                 std::vector<SceneSensor> sensors = {});

  /// Call this before the first step and after each.
  void see(const Simulation& simulation);

  const std::vector<double>& times() const { return times_; }
  const std::vector<FigureSeries>& series() const { return series_; }

 private:
  void check_patterns(const Simulation& simulation);

  std::vector<std::string> patterns_;
  SensorReader sensors_;
  std::vector<bool> needed_;  // by table
  std::uint64_t stride_ = 1, seen_ = 0;
  std::vector<double> times_;
  std::vector<FigureSeries> series_;
  std::map<std::string, std::size_t> index_;  // by name
};

/// A panel for each column of a table, and for the figures of each unit; more where the legend would be too long.
Plot series_plot(const SeriesRecorder& recorder, const std::string& title, const std::string& subtitle);

}  // namespace rigor
