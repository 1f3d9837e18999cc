// Euler angles, for input and display only: no method of the simulation uses them.
#pragma once

#include "rigor/math.h"

namespace rigor {

/// Garstenauer 2006, 2.2.1, in the order x y z: a turn by angles.x about the fixed x axis, then by angles.y about the fixed y axis,
/// then by angles.z about the fixed z axis (R = Rz Ry Rx); rad.
Quat quaternion_from_euler(const Vec3& angles);

/// The angles that give `q` back, with |y| <= π/2. Where the second turn is a right angle (gimbal lock), the other two turn about
/// the same axis; x is 0 then.
Vec3 euler_angles(const Quat& q);

}  // namespace rigor
