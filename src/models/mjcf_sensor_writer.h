// Sensors of a scene as MJCF: sites that bodies carry, and the section <sensor>.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "models/scene_tree.h"
#include "models/xml_writer.h"
#include "rigor/scene.h"

namespace rigor::models {

/// The sites of sensors that measure at a frame.
class SensorSites {
 public:
  explicit SensorSites(const Scene& scene);
  /// Writes the sites that a body carries; the empty name stands for the world.
  void write(const std::string& body, XmlWriter& out) const;

 private:
  std::multimap<std::string, const SceneSensor*> by_body_;
};
/// Writes the sensors, and lists those that MJCF cannot express. `coordinate` returns the MJCF joint whose coordinate a sensor measures, or an empty name.
void write_mjcf_sensors(const Scene& scene, const std::function<std::string(const SceneSensor&)>& coordinate,
                        XmlWriter& out, LeftOut& left_out);

}  // namespace rigor::models
