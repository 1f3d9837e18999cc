// Writers of other programs' formats; export_scene.cpp chooses one by the name of the file.
#pragma once

#include <string>

#include "models/scene_features.h"
#include "models/scene_tree.h"
#include "rigor/recording.h"
#include "rigor/scene.h"

namespace rigor::models {

/// glTF 2.0 with KHR_physics_rigid_bodies; `binary`: as one GLB file. `motion` may be null.
std::string write_gltf(const Scene& scene, const Recording* motion, bool binary, LeftOut& left_out);
/// OpenUSD as text, with UsdPhysics.
std::string write_usda(const Scene& scene, const Recording* motion, LeftOut& left_out);
std::string write_mjcf(const Scene& scene, LeftOut& left_out);
std::string write_urdf(const Scene& scene, LeftOut& left_out);
/// All surfaces where they are now, in world coordinates.
std::string write_obj(const Scene& scene, LeftOut& left_out);

/// The poses of one body at the recorded times, by name; where it is not recorded, the last one that is.
struct BodyMotion {
  std::vector<Transform> poses;
};
std::map<std::string, BodyMotion> motions_of(const Recording& recording);

}  // namespace rigor::models
