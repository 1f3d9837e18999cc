// URDF: the robot description of ROS, with the additions of Drake and Bullet that stand for something here.
#pragma once

#include <span>

#include "models/ledger.h"
#include "models/robot.h"

namespace rigor::models {

/// Bounds of this size and more count as none. URDF has no infinity, and readers such as urdfdom require effort and velocity of every <limit>.
inline constexpr double kUrdfNoBound = 1e10;

std::span<const Treatment> urdf_table();
/// Fills a robot from the element <robot>. With `fix_base` its roots do not move.
Robot read_urdf(const Element& root, const FileAccess& files, bool fix_base, Ledger& ledger);
/// Adds groups of links that do not collide, and the inertia of rotors, to a robot whose links and joints have been read.
void read_drake_extensions(const Element& root, Robot& robot, Ledger& ledger);

}  // namespace rigor::models
