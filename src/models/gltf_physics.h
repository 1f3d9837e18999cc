// Scenes in glTF files with the extension KHR_physics_rigid_bodies.
#pragma once

#include "io/gltf_document.h"
#include "rigor/model.h"
#include "rigor/scene.h"

namespace rigor::models {

/// True if a file has bodies, colliders or joints of the extension.
bool has_gltf_physics(const GltfDocument& document);
/// Its bodies and joints as a scene. Elements that it does not honour are added to the report under the name `file`.
Scene read_gltf_physics(const GltfDocument& document, const std::string& file, ModelReport& report);

}  // namespace rigor::models
