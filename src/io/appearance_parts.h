// Appearance and sensors of scene files: readers, writers, schema, and the words that stand for their enumerations.
#pragma once

#include <nlohmann/json.hpp>

#include "io/json_reader.h"
#include "rigor/scene.h"

namespace rigor {

// Indexed by the enumerations.
inline constexpr const char* kPatternNames[] = {"flat", "checker", "gradient", "image"};
inline constexpr const char* kMarkNames[] = {"none", "edge", "cross", "random"};
inline constexpr const char* kCameraModeNames[] = {"fixed", "track", "target"};
inline constexpr const char* kSensorTypeNames[] = {
    "position",       "orientation", "x_axis",        "y_axis", "z_axis", "velocity", "angular_velocity",
    "velocimeter",    "gyro",        "accelerometer", "force",  "torque", "touch",    "joint_position",
    "joint_velocity", "motor_force", "clock"};

inline constexpr std::size_t kMaxImageSize = 16'000'000;    // bytes of a picture
inline constexpr std::size_t kMaxAppearanceItems = 10'000;  // lights, cameras, textures, sensors

/// True for the first bytes of a PNG or JPEG file.
bool is_picture(std::string_view bytes);
/// True if a sensor of this type has a frame of a body; of a joint.
bool has_frame(SceneSensor::Type type);
bool has_joint(SceneSensor::Type type);

/// After the world, whose bodies and joints they name.
void read_appearance(const JsonReader& r, Scene& scene);
void read_sensors(const JsonReader& r, Scene& scene);

/// Null if there is nothing to write. Bodies that no longer exist are left out with what refers to them.
Json write_appearance(const Scene& scene);
Json write_sensors(const Scene& scene);

Json schema_of_appearance();
Json schema_of_sensors();

}  // namespace rigor
