// Sensors measure at a frame of a body, or at a joint. The table "sensors" records them; they do not change the simulation.
#pragma once

#include <string>

#include "rigor/math.h"
#include "rigor/shape.h"

namespace rigor {

struct SceneSensor {
  enum class Type {
    // These are measured at a frame that a body carries, in the axes of the world.
    position,          // m
    orientation,       // unit quaternion w, x, y, z
    x_axis,            // unit vector
    y_axis,            // unit vector
    z_axis,            // unit vector
    velocity,          // m/s
    angular_velocity,  // rad/s
    // These are measured at the same frame, in its own axes, as an instrument on board does.
    velocimeter,    // m/s
    gyro,           // rad/s
    accelerometer,  // m/s²: acceleration minus gravity; at rest it shows g upwards
    force,          // N, that the joints to its parents exert on the body, times `factor`
    torque,         // N m, of the same joints about the origin of the frame, times `factor`
    touch,          // N, sum of the normal forces of the body's contacts within `zone`, or of all without one
    // These are one coordinate of a joint, times `factor`.
    joint_position,  // m or rad, plus `offset`
    joint_velocity,  // m/s or rad/s
    motor_force,     // N or N m
    // This is measured for the whole world.
    clock,  // s, simulated time
  };
  std::string name;
  Type type = Type::position;
  std::string body;  // name of the body that carries the frame; empty: the world, or a sensor of a joint
  Vec3 position;     // m, origin of the frame in the body's frame
  Quat orientation;
  ShapePtr zone;  // in the frame; only for touch
  std::string joint;
  int axis = 0;  // coordinate of the joint, 0 to 5: x, y, z, then the angles about them
  double factor = 1, offset = 0;
  double rate = 0;  // 1/s, at most so often the reading changes; 0: at each reading
};

}  // namespace rigor
