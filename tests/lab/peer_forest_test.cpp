// Trees that engines with reduced coordinates are given.
#include "lab/peers/peer_forest.h"

#include <gtest/gtest.h>

#include "rigor/error.h"
#include "rigor/joint_types.h"

namespace rigor {
namespace {

/// Rods of 1 m along x from the origin.
struct Chain {
  Scene scene;
  std::vector<BodyId> rods;

  Chain() { scene.world.remove_body(scene.world.ground()); }

  void add_rods(int count) {
    BodyDef rod;
    rod.shape = box(1, 0.1, 0.1), rod.can_collide = false;
    for (int i = 0; i < count; ++i) {
      rod.position = {i + 0.5, 0, 0};
      rods.push_back(scene.world.add_body(rod));
    }
  }
  void join(BodyId a, BodyId b, double x) { scene.world.add_joint(ball_joint(scene.world, a, b, {x, 0, 0})); }
};

TEST(PeerForest, ChainsHangFromTheWorldWhereverTheyBegin) {
  Chain chain;
  chain.add_rods(3);
  World& w = chain.scene.world;
  chain.join(chain.rods[0], chain.rods[1], 1);
  chain.join(chain.rods[1], chain.rods[2], 2);
  chain.join(chain.rods[2], w.world_body(), 3);
  const PeerScene scene = peer_scene(chain.scene);
  const PeerForest forest(scene);
  EXPECT_EQ(forest.roots, std::vector<std::size_t>{2});
  EXPECT_EQ(forest.joint, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(forest.parent, (std::vector<std::size_t>{1, 2, PeerForest::kNone}));
  EXPECT_TRUE(forest.loops.empty());
}

TEST(PeerForest, WhatClosesALoopIsNamed) {
  Chain chain;
  BodyDef post;
  post.shape = box(0.1, 0.1, 0.1), post.fixed = true, post.can_collide = false;
  const BodyId fixed = chain.scene.world.add_body(post);
  chain.add_rods(2);
  chain.join(fixed, chain.rods[0], 0);
  chain.join(chain.rods[0], chain.rods[1], 1);
  chain.join(chain.rods[1], fixed, 2);
  const PeerScene scene = peer_scene(chain.scene);
  const PeerForest forest(scene);
  EXPECT_EQ(forest.roots, std::vector<std::size_t>{0});
  // Both rods hang from the post, which is nearer than the other rod.
  EXPECT_EQ(forest.parent, (std::vector<std::size_t>{PeerForest::kNone, 0, 0}));
  EXPECT_EQ(forest.loops, std::vector<std::size_t>{1});
}

TEST(PeerForest, WhatHangsAtBothEndsIsCutInTheMiddle) {
  Chain chain;
  chain.add_rods(4);
  World& w = chain.scene.world;
  chain.join(w.world_body(), chain.rods[0], 0);
  for (std::size_t i = 0; i < 3; ++i) chain.join(chain.rods[i], chain.rods[i + 1], 1.0 + static_cast<double>(i));
  chain.join(chain.rods[3], w.world_body(), 4);
  const PeerScene scene = peer_scene(chain.scene);
  const PeerForest forest(scene);
  EXPECT_EQ(forest.roots, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(forest.parent, (std::vector<std::size_t>{PeerForest::kNone, 0, 3, PeerForest::kNone}));
  EXPECT_EQ(forest.loops, std::vector<std::size_t>{2});
}

TEST(PeerForest, OpenJointsAreRefused) {
  Chain chain;
  chain.add_rods(2);
  World& w = chain.scene.world;
  chain.join(chain.rods[0], chain.rods[1], 1);
  w.add_joint(slider_joint(w, w.world_body(), chain.rods[0], {}, {0, 1, 0}));
  w.set_pose(chain.rods[0], {0.5, 0.3, 0}, {});
  w.set_pose(chain.rods[1], {1.5, 0.3, 0}, {});  // along the slider and closed
  const PeerScene closed = peer_scene(chain.scene);
  EXPECT_NO_THROW(PeerForest{closed});
  w.set_pose(chain.rods[1], {1.5, 0.4, 0}, {});
  const PeerScene open = peer_scene(chain.scene);
  EXPECT_THROW(PeerForest{open}, Error);
}

TEST(PeerForest, VelocitiesAreThoseAgainstTheParent) {
  Chain chain;
  chain.add_rods(2);
  World& w = chain.scene.world;
  w.set_velocity(chain.rods[0], {0, 0.5, 0}, {0, 0, 1});
  w.set_velocity(chain.rods[1], {0, 2.5, 0}, {0, 0, 3});
  chain.join(w.world_body(), chain.rods[0], 0);
  chain.join(chain.rods[0], chain.rods[1], 1);
  const PeerScene scene = peer_scene(chain.scene);
  const PeerForest forest(scene);
  EXPECT_EQ(forest.velocity[0].angular, (Vec3{0, 0, 1}));
  EXPECT_EQ(forest.velocity[1].angular, (Vec3{0, 0, 2}));
  // The first rod carries a point 1 m from its center along with 1 m/s.
  EXPECT_EQ(forest.velocity[1].linear, (Vec3{0, 1, 0}));
}

}  // namespace
}  // namespace rigor
