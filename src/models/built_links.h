// The links of a robot as bodies of a world, and what depends on both: pairs that do not collide, cameras, lights and sensors.
#pragma once

#include <vector>

#include "models/robot.h"

namespace rigor::models {

/// build_scene() fills it; the functions below read it.
struct BuiltLinks {
  const Robot& robot;
  World& world;
  std::vector<Transform> poses;  // by link: in the world at the start
  std::vector<bool> fixed;       // by link: it does not move
  std::vector<BodyId> bodies;    // by link; none for fixed links without shapes

  Transform pose(int link) const { return link == kWorld ? Transform{} : poses[static_cast<std::size_t>(link)]; }
  bool is_static(int link) const { return link == kWorld || fixed[static_cast<std::size_t>(link)]; }
  /// The body that carries what hangs on a link, and the frame of the link in that body.
  BodyId carrier(int link, Transform& frame) const {
    const BodyId id = link == kWorld ? BodyId{} : bodies[static_cast<std::size_t>(link)];
    frame = id ? Transform{} : pose(link);
    return id ? id : world.world_body();
  }
};

/// Links that are welded together, and those that a joint connects, do not collide; nor do the exclusions of the file. Error if there are too many pairs.
void filter_pairs(const BuiltLinks& built);
/// Links that overlap at the start do not collide, with a remark each.
void separate_overlaps(const BuiltLinks& built, const Scene& scene, Ledger& ledger);

/// Lights, cameras, sky and view.
void add_appearance(const BuiltLinks& built, Scene& scene, Ledger& ledger);
void add_sensors(const BuiltLinks& built, const JointPlaces& joints, Scene& scene, Ledger& ledger);

}  // namespace rigor::models
