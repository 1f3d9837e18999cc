#include "articulated/tree_momentum.h"

namespace rigor::articulated {

namespace {

template <class F> void for_links(const Forest& forest, int tree, F f) {
  for (int i = forest.begin(tree); i < forest.begin(tree + 1); ++i)
    f(static_cast<std::size_t>(i), forest.links[static_cast<std::size_t>(i)].slot);
}

}  // namespace

TreeMomentum tree_momentum(const Forest& forest, int tree, const BodyState& s) {
  TreeMomentum m;
  for_links(forest, tree, [&](std::size_t, std::uint32_t slot) {
    const double mass = 1 / s.inverse_mass[slot];
    m.mass += mass;
    m.X += mass * s.position[slot], m.P += mass * s.velocity[slot];
  });
  m.X = m.X / m.mass;
  for_links(forest, tree, [&](std::size_t, std::uint32_t slot) {
    m.L += angular_momentum(s, slot) + cross(s.position[slot] - m.X, s.velocity[slot] / s.inverse_mass[slot]);
  });
  return m;
}

Vec3 center_of_mass(const Forest& forest, int tree, const BodyState& s) {
  double mass = 0;
  Vec3 X;
  for_links(forest, tree, [&](std::size_t, std::uint32_t slot) {
    const double m = 1 / s.inverse_mass[slot];
    mass += m, X += m * s.position[slot];
  });
  return X / mass;
}

Wrench total_about(const Forest& forest, int tree, std::span<const Wrench> applied, const Vec3& X, const BodyState& s) {
  Wrench sum;
  for_links(forest, tree,
            [&](std::size_t i, std::uint32_t slot) { sum += passed_on(applied[i], s.position[slot] - X); });
  return sum;
}

}  // namespace rigor::articulated
