// Random worlds: a class and a seed make a scene, the same on every machine.
//
// A class is a kind of world (`mild`, `joints`, `everyday`, …). Everything in its worlds can be written as a scene file. Masses
// follow from densities, joints are closed at the start, and bodies overlap at the start in the class `wild` only.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "rigor/scene.h"

namespace rigor {

struct WorldClass {
  const char* name;
  const char* description;
  std::uint64_t salt;  // makes the same seed another world in every class
  void (*build)(Scene& scene, class Draw& draw);
};
std::span<const WorldClass> world_classes();
/// Error with similar names for an unknown one.
const WorldClass& find_world_class(std::string_view name);

/// The world `seed` of a class. Its name is "<class>-<seed>"; its method is the default, with or without sleep.
Scene make_random_world(const WorldClass& kind, std::uint64_t seed);

// One builder for each class; each fills an empty scene whose step is drawn already.
void build_mild(Scene& scene, Draw& draw);
void build_heaps(Scene& scene, Draw& draw);
void build_wild(Scene& scene, Draw& draw);
void build_joints(Scene& scene, Draw& draw);
void build_loops(Scene& scene, Draw& draw);
void build_terrain(Scene& scene, Draw& draw);
void build_everyday(Scene& scene, Draw& draw);
void build_flight(Scene& scene, Draw& draw);
void build_plain(Scene& scene, Draw& draw);
void build_driven(Scene& scene, Draw& draw);

}  // namespace rigor
