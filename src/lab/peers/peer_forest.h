// Trees of the joint graph, for engines that hold bodies in reduced coordinates.
#pragma once

#include "lab/peers/peer_scene.h"

namespace rigor {

/// Who hangs from whom: a spanning forest. Trees grow from fixed bodies and from bodies that hang from the world itself, all at the same
/// time, so that each body hangs from the nearest; then from one body of each group that is left.
struct PeerForest {
  static constexpr std::size_t kNone = PeerJoint::kWorld;

  std::vector<std::size_t> parent, joint;          // of each body; kNone: a root, a root without a joint
  std::vector<std::vector<std::size_t>> children;  // of each body
  std::vector<std::size_t> roots, loops;           // bodies; joints that close a loop
  std::vector<BodyVelocities> velocity;            // of each body against its parent, in the world's axes

  /// Error for a joint that is open at the start: in reduced coordinates it would stay so.
  explicit PeerForest(const PeerScene& scene);
};

}  // namespace rigor
