// Appearance and sensors of scene files: readers, writers, schema, and the names of their enumerators.
#pragma once

#include <nlohmann/json.hpp>

#include "io/json_reader.h"
#include "io/scene_limits.h"
#include "rigor/scene.h"

namespace rigor {

// These are indexed by the enumerators.
inline constexpr const char* kPatternNames[] = {"flat", "checker", "gradient", "image"};
inline constexpr const char* kMarkNames[] = {"none", "edge", "cross", "random"};
inline constexpr const char* kCameraModeNames[] = {"fixed", "track", "target"};
inline constexpr const char* kSensorTypeNames[] = {
    "position",       "orientation", "x_axis",        "y_axis", "z_axis", "velocity", "angular_velocity",
    "velocimeter",    "gyro",        "accelerometer", "force",  "torque", "touch",    "joint_position",
    "joint_velocity", "motor_force", "clock"};

inline constexpr std::size_t kMaxImageSize = 16'000'000;   // bytes of a picture
inline constexpr std::size_t kMaxImagesSize = 64'000'000;  // bytes of all pictures of a scene
inline constexpr std::size_t kMaxImageCopies =
    512'000'000;  // bytes of the pictures of all textures, which may share them
inline constexpr std::size_t kMaxAppearanceItems = 10'000;  // of lights, cameras and sensors, each
inline constexpr Range kRepeatRange{1e-9, 1e9};             // of a texture
inline constexpr Range kCutoffRangeDeg{0.1, 180};           // °, of spot lights
inline constexpr Range kFovRangeDeg{0.1, 179};              // °, angles of view
inline constexpr Range kSensorRateRange{1e-6, 1e9};         // 1/s, of readings

/// Error unless the bytes begin as a PNG or JPEG file does and are at most kMaxImageSize.
void check_picture(std::string_view bytes);
/// The sentence about pictures that exceed kMaxImagesSize together.
std::string too_many_pictures();
/// True if a sensor of this type measures at a frame of a body.
bool has_frame(SceneSensor::Type type);
/// True if it measures at a joint.
bool has_joint(SceneSensor::Type type);
/// True if it measures what acts on a body, so that it cannot be in the world.
bool needs_body(SceneSensor::Type type);
/// True if its readings are multiplied by a factor.
bool has_factor(SceneSensor::Type type);
/// True if the joint has coordinates and this one is not locked.
bool is_free_axis(const JointDef& joint, int axis);

/// Call these after the world has been read, because they name its bodies and joints.
void read_appearance(const JsonReader& r, Scene& scene);
void read_sensors(const JsonReader& r, Scene& scene);

/// Null if there is nothing to write. What refers to a body or joint that no longer exists is left out.
Json write_appearance(const Scene& scene);
Json write_sensors(const Scene& scene);

Json schema_of_appearance();
Json schema_of_sensors();

}  // namespace rigor
