// What a scene holds, and which of it a format has.
//
// A feature is a key of the scene's JSON form whose value is not that of an empty scene: "body.linear_damping", "material.grain", "joint.break_force",
// "axis.motor_integral", "world.ignore_collisions". A writer declares the features that it writes. Every other one is listed, so that a feature that scenes
// get later is listed by all formats until it is declared.
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
/// In the order of the scene. Keys that only say what an object is (its name, its place, its shape) are features, too.
std::vector<SceneFeature> features_of(const Scene& scene);

/// One line of a format's declaration.
struct WrittenFeatures {
  const char* keys;          // separated by spaces
  const char* instead = "";  // empty: they are written; otherwise a clause: what is written in their place
};

/// Adds a sentence for each feature of the scene that the format does not declare: "body 'crate': linear_damping is not written as MJCF".
void list_unwritten(const Scene& scene, const std::string& format, std::span<const WrittenFeatures> written,
                    LeftOut& left_out);
/// The same in one sentence, for a format of surfaces only.
void list_unwritten_together(const Scene& scene, const std::string& format, std::span<const WrittenFeatures> written,
                             LeftOut& left_out);

}  // namespace rigor::models
