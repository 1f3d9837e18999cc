// Sensors of a machine: what is measured at a frame of a body, or at a joint. They are recorded (table "sensors") and change nothing.
#pragma once

#include <string>

#include "rigor/math.h"
#include "rigor/shape.h"

namespace rigor {

struct SceneSensor {
  enum class Type {
    // At a frame that a body carries, in the axes of the world.
    position,          // m
    orientation,       // unit quaternion w, x, y, z
    x_axis,            // unit vectors
    y_axis,            //
    z_axis,            //
    velocity,          // m/s
    angular_velocity,  // rad/s
    // The same in the axes of the frame, as an instrument on board measures it.
    velocimeter,    // m/s
    gyro,           // rad/s
    accelerometer,  // m/s²; at rest it shows what gravity takes, upwards
    force,          // N, with which its parents push the body through their joints
    torque,         // N m, the same about the origin of the frame
    touch,          // N, sum of the normal forces of the body's contacts within `zone`
    // One coordinate of a joint, times `factor`.
    joint_position,  // m or rad, plus `offset`
    joint_velocity,  // m/s or rad/s
    motor_force,     // N or N m
    // The world.
    clock,  // s
  };
  std::string name;
  Type type = Type::position;
  std::string body;  // empty: the world, or a joint
  Vec3 position;     // m, of the frame in the body's
  Quat orientation;
  ShapePtr zone;  // in the frame; of touch
  std::string joint;
  int axis = 0;  // 0…5
  double factor = 1, offset = 0;
};

}  // namespace rigor
