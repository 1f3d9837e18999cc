// The features of a scene, and which of them a file format can express.
//
// A feature is a key of the scene's JSON form whose value is not that of an empty scene: "body.linear_damping", "material.grain", "joint.break_force",
// "axis.motor_integral", "world.ignore_collisions". A writer declares the features that it writes. All others are reported to the user, so that a new
// feature of scenes is reported for every format until its writer declares it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/scene_tree.h"
#include "rigor/scene.h"

namespace rigor::models {

struct SceneFeature {
  std::string key;
  std::string owner;  // "body 'crate'", "joint 'elbow'"; empty: the scene itself
};
/// All features in the order of the scene, including the basic keys of an object: name, position, shape.
std::vector<SceneFeature> features_of(const Scene& scene);

/// "body 'a', 'b', 'c' and 4 more", of "body 'a'", "body 'b'" …
std::string owners_text(const std::vector<std::string>& owners);

/// One line of a format's declaration.
struct WrittenFeatures {
  const char* keys;          // separated by spaces
  const char* instead = "";  // a clause about what is written instead; empty if the features are written
};

/// Adds a sentence for each feature of the scene that the format does not declare: "body 'crate': linear_damping is not written as MJCF".
void list_unwritten(const Scene& scene, const std::string& format, std::span<const WrittenFeatures> written,
                    LeftOut& left_out);
/// The same in one sentence, for a format of surfaces only.
void list_unwritten_together(const Scene& scene, const std::string& format, std::span<const WrittenFeatures> written,
                             LeftOut& left_out);

}  // namespace rigor::models
