// The definitions of a world as plain data, for snapshot files.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "rigor/body.h"
#include "rigor/forces.h"
#include "rigor/joints.h"

namespace rigor {

struct WorldImage {
  /// One slot of a list of objects, by id index; empty slots hold the generation of the next object.
  template <class Def> struct Place {
    Def def;
    std::uint64_t serial = 0;  // order of creation
    std::uint32_t generation = 0;
    bool alive = false;
  };

  std::vector<Place<BodyDef>> bodies;
  std::vector<Place<ForceDef>> forces;
  std::vector<Place<JointDef>> joints;
  std::vector<std::uint32_t> free_bodies, free_forces, free_joints;  // the last one is used next
  MaterialRules material_rules;
  std::set<std::pair<BodyId, BodyId>> ignored_pairs;
  std::uint64_t next_serial = 0;
  std::uint32_t first_generation = 0;
  BodyId world_body, ground;
  ForceId gravity, drag;
};

}  // namespace rigor
