// The coupling of two forces through a tree, by reduced forces and by the response of the tree.
#include "articulated/articulated_bodies.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "support.h"

namespace rigor::articulated {
namespace {

struct Tree {
  World world;
  ConstraintList list;
  ContactList no_contacts;
  Forest forest;
  std::vector<LinkCoordinates> at;
  std::vector<LinkPose> poses;
  ArticulatedBodies bodies;
  std::mt19937 random;

  /// Two trees of seven links in all; one of them hangs on the world if `hangs`.
  Tree(unsigned seed, bool hangs) : random(seed) {
    static const char* kTypes[] = {"hinge", "slider", "universal", "cylindrical", "ball", "planar", "fixed"};
    std::vector<BodyId> links;
    for (unsigned i = 0; i < 7; ++i) {
      BodyDef def;
      def.shape = box(0.2 + 0.1 * i, 0.3, 0.4);
      def.position = any(2);
      def.orientation = quaternion_from_rotation_vector(any(2));
      def.mass = 1 + i;
      def.can_collide = false;
      links.push_back(world.add_body(def));
      const bool is_root = i == 0 || i == 4;
      if (is_root && !(hangs && i == 0)) continue;
      const BodyId parent = i == 0 ? world.world_body() : links[i < 4 ? random() % i : 4 + random() % (i - 4)];
      const Vec3 axis = normalized(any(1) + Vec3{2, 0, 0});
      world.add_joint(
          make_joint(world, kTypes[random() % 7], parent, links.back(), {any(1.5), axis, cross(axis, {0, 0, 1})}));
    }
    list.collect(world, no_contacts);
    forest.build(list.joints, world.state());
    read_poses(forest, list.joints, world.state(), at, poses);
    bodies.factorise(forest, poses, world.state());
  }
  Vec3 any(double size) {
    std::uniform_real_distribution<double> number(-size, size);
    const double x = number(random), y = number(random);
    return {x, y, number(random)};
  }
};

/// A force on two links, or on one and the world (−1).
struct Pull {
  int a, b;
  Wrench on_a, on_b;

  std::map<std::pair<int, int>, double> reduced(const ArticulatedBodies& bodies) const {
    std::map<std::pair<int, int>, double> z;
    bodies.reduce(a, on_a, b, on_b, [&](int link, int k, double value) { z[{link, k}] = value; });
    return z;
  }
  double along(const std::vector<Twist>& u) const {
    return dot(u[static_cast<std::size_t>(a)], on_a) + (b < 0 ? 0 : dot(u[static_cast<std::size_t>(b)], on_b));
  }
};

TEST(ArticulatedBodies, ReducedForcesCoupleAsTheResponseDoes) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Tree tree(seed, seed % 2 == 0);
    const int n = tree.forest.size();
    std::vector<Pull> pulls;
    for (int i = 0; i < 8; ++i) {
      const int a = static_cast<int>(tree.random() % static_cast<unsigned>(n));
      const int b = static_cast<int>(tree.random() % static_cast<unsigned>(n + 1)) - 1;
      pulls.push_back({a, b, {tree.any(1), tree.any(1)}, {tree.any(1), tree.any(1)}});
    }
    for (const Pull& pull : pulls) {
      std::vector<Wrench> p(static_cast<std::size_t>(n));
      std::vector<Twist> u(static_cast<std::size_t>(n));
      p[static_cast<std::size_t>(pull.a)] += -1.0 * pull.on_a;
      if (pull.b >= 0) p[static_cast<std::size_t>(pull.b)] += -1.0 * pull.on_b;
      for (int t = 0; t < tree.forest.tree_count(); ++t) tree.bodies.propagate(t, false, p, u);
      const auto z = pull.reduced(tree.bodies);
      for (const Pull& other : pulls) {
        double coupling = 0;
        for (const auto& [at, value] : other.reduced(tree.bodies))
          if (const auto own = z.find(at); own != z.end()) coupling += value * own->second;
        EXPECT_NEAR(coupling, other.along(u), 1e-11) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace rigor::articulated
