// Joints of KHR_physics_rigid_bodies.
#pragma once

#include <functional>

#include "io/gltf_document.h"
#include "rigor/joints.h"

namespace rigor::models {

/// Fills in kind and type of a joint from an entry of `physicsJoints`. Replacements are passed to `listed`.
void read_gltf_joint(const GltfValue& joint, JointDef& def,
                     const std::function<void(const GltfValue&, const std::string&)>& listed);

}  // namespace rigor::models
