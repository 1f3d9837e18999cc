// Joints that follow others, as gears.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/robot.h"

namespace rigor::models {

/// What couple_joints() adds to the scene, by the functions of its caller, which check it.
struct CouplingParts {
  std::function<std::string(const std::string&)> body_name;  // the name, or a free one like it
  std::function<std::string(const std::string&)> joint_name;
  std::function<void(const Element&, BodyId)> check_body;
  std::function<void(const Element&, JointId)> check_joint;
};

/// Couples the coordinates of all mimics both ways. A pair that no gear couples is reported, and its joints move apart.
void couple_joints(const std::vector<Mimic>& mimics, const JointPlaces& places, World& world,
                   const CouplingParts& parts, Ledger& ledger);

}  // namespace rigor::models
