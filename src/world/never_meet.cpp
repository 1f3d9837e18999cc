// Finds bodies that pass through each other: no narrow phase handles two triangle surfaces.
#include "narrowphase/shape_pieces.h"
#include "rigor/queries.h"
#include "rigor/world.h"

namespace rigor {

namespace {

bool has_surface(const Shape& shape) {
  bool found = false;
  visit_leaves(shape, kEverywhere, [&](const Shape& leaf, const Transform&, std::uint32_t) {
    found = found || leaf.as<Mesh>() || leaf.as<HeightField>();
  });
  return found;
}

/// True if only triangles could touch: other parts of a composite collide as usual.
bool is_only_surface(const Shape& shape) {
  bool only = true;
  visit_leaves(shape, kEverywhere, [&](const Shape& leaf, const Transform&, std::uint32_t) {
    only = only && (leaf.as<Mesh>() || leaf.as<HeightField>());
  });
  return only;
}

}  // namespace

std::vector<std::string> never_meet(const World& world) {
  constexpr std::size_t kMost = 10;
  std::vector<BodyId> surfaces;
  for (const BodyId id : world.bodies())
    if (has_surface(*world.collision_shape(world.slot(id)))) surfaces.push_back(id);
  std::vector<std::string> sentences;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    for (std::size_t k = i + 1; k < surfaces.size(); ++k) {
      const BodyId a = surfaces[i], b = surfaces[k];
      if (!world.may_collide(a, b) || ++pairs > kMost) continue;
      const bool whole = is_only_surface(*world.collision_shape(world.slot(a))) &&
                         is_only_surface(*world.collision_shape(world.slot(b)));
      sentences.push_back("'" + world.name(a) + "' and '" + world.name(b) + "' pass through each other" +
                          (whole ? "" : " where both are triangles") +
                          ": a mesh or height field does not meet another one; give one of them a hull or a composite "
                          "of convex shapes as its collision_shape");
    }
  }
  if (pairs > kMost) sentences.push_back("and " + std::to_string(pairs - kMost) + " more pairs of such bodies");
  return sentences;
}

}  // namespace rigor
