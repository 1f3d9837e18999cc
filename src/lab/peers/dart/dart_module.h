// The interface between the program and its DART engine. DART is a separate module which is loaded on demand, because
// DART brings so many libraries that every start of the program would take twice as long. The module calls only functions of
// the program that are passed to it here.
#pragma once

#include "lab/peers/peer_forest.h"

namespace rigor {

struct DartInput {
  explicit DartInput(const Scene& given)
      : copy(given), scene(peer_scene(copy, PeerLimits::hinges_and_sliders)), forest(scene) {}

  const Scene copy;
  const PeerScene scene;
  const PeerForest forest;
  bool (*may_collide)(const PeerScene&, std::size_t a, std::size_t b) = nullptr;  // indices into scene.bodies
  std::mutex* ode_library = nullptr;
};

/// Belongs to the caller.
using MakeDartScene = SceneEngine*(const std::shared_ptr<const DartInput>& input);
inline constexpr const char* kMakeDartScene = "rigor_make_dart_scene";

}  // namespace rigor
