// Trees of the joint graph, for engines with reduced coordinates.
#pragma once

#include "lab/peers/peer_scene.h"

namespace rigor {

/// A spanning forest of the joint graph. Trees grow from fixed bodies and from bodies that hang from the world itself, all at the same
/// time, so that each body hangs from the nearest; then from one body of each remaining group.
struct PeerForest {
  static constexpr std::size_t kNone = PeerJoint::kWorld;

  std::vector<std::size_t> parent, joint;          // of each body; kNone: a root, a root without a joint
  std::vector<std::vector<std::size_t>> children;  // of each body
  std::vector<std::size_t> roots, loops;           // bodies; joints that close a loop
  std::vector<BodyVelocities> velocity;            // of each body against its parent, in the world's axes

  /// Error for a joint that is open at the start: in reduced coordinates it would stay open.
  explicit PeerForest(const PeerScene& scene);
};

}  // namespace rigor
