// Links of joint trees in lanes: the linear system against a dense solution, and the same bits whatever the lane width.
#include "soft_step/tree_lanes.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <map>
#include <random>

#include "rigor/joint_types.h"
#include "stepping/stepping.h"

namespace rigor::test {
namespace {

using Kind = TreeLink::Kind;
constexpr double kEta = 0.01;

/// Trees of rods in random poses, in a world of their own.
struct RandomTrees {
  World world;
  std::vector<BodyId> bodies;
  std::mt19937 random{11};
  JointTrees trees;
  TreeBlocks lanes;

  double number() { return std::uniform_real_distribution<double>(-1, 1)(random); }
  Vec3 vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  /// A body on the joint `type` at another one, at the ground (-1) or at nothing (-2).
  void add(int parent, const char* type) {
    BodyDef def;
    def.shape = box({1 + 0.5 * number(), 1 + 0.5 * number(), 1 + 0.5 * number()});
    def.position = vector(), def.orientation = quaternion_from_rotation_vector(3 * vector());
    def.velocity = vector(), def.angular_velocity = vector();
    bodies.push_back(world.add_body(def));
    if (parent < -1) return;
    const BodyId a = parent < 0 ? world.world_body() : bodies[static_cast<std::size_t>(parent)];
    world.add_joint(make_joint(world, type, a, bodies.back(), {vector(), normalized(vector()), {}}));
  }
  void build() {
    ContactList none;
    ConstraintList list;
    list.collect(world, none);
    trees.find(world, list);
    lanes.build(trees, world.state());
  }
  std::vector<TreeTask> tasks(LaneWidth width = LaneWidth::machine) {
    std::vector<TreeTask> all;
    for (const TreeGroup& group : lanes.groups) all.push_back({lanes.blocks.data(), group, width});
    return all;
  }
  template <class F> void each_link(F f) {
    for (TreeBlock& block : lanes.blocks)
      for (std::size_t l = 0; l < kTreeLanes; ++l)
        if (block.link[l] >= 0) f(block, l);
  }
  /// Random impulses of the joints and from outside, modes that are damped; begins a step.
  void start(LaneWidth width = LaneWidth::machine) {
    for (const TreeTask& task : tasks(width)) start_trees(task, world.state()), observe_trees(task, world.state());
    for (TreeBlock& block : lanes.blocks) {
      block.eta.fill(kEta), block.share.fill(1), block.pushed.fill(1), block.moves.fill(1), block.damped.fill(1);
      block.u_v = block.start_v, block.u_w = block.start_w;
    }
    each_link([&](TreeBlock& block, std::size_t l) {
      block.lambda.set(l, vector());
      block.outer_v.set(l, 100 * vector()), block.outer_w.set(l, 100 * vector());
    });
    for (const TreeTask& task : tasks(width)) stiffen_trees(task, kEta);
    for (TreeBlock& block : lanes.blocks)
      for (double& ratio : block.ratio) ratio *= 1e6;
  }
  /// Every second ball has a limit that holds.
  void stop_balls() {
    each_link([&](TreeBlock& block, std::size_t l) {
      if (block.kind != Kind::ball || block.link[l] % 2) return;
      const Vec3 n = normalized(vector());
      const double k = 1e3;  // kg m², of the size of what the bodies have
      LaneSym3& P = block.stop;
      P.xx[l] = k * n.x * n.x, P.xy[l] = k * n.x * n.y, P.xz[l] = k * n.x * n.z;
      P.yy[l] = k * n.y * n.y, P.yz[l] = k * n.y * n.z, P.zz[l] = k * n.z * n.z;
      block.push.set(l, (k * number()) * n), block.has_stops = true;
    });
    for (TreeGroup& group : lanes.groups) group.has_torques = true;
  }
};

/// ½ (|r||λ| + r·λ) 1 − ¼ |r||λ| b bᵀ, b the sum of the two directions, times η.
Mat3 stiffness(const Vec3& r, const Vec3& lambda) {
  const Vec3 b = normalized(r) + normalized(lambda);
  const double both = length(r) * length(lambda);
  return kEta * (0.5 * (both + dot(r, lambda)) * Mat3::identity() - 0.25 * both * outer(b, b));
}

void put(Eigen::MatrixXd& A, int row, int column, const Mat3& m) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A(row + i, column + j) += m(i, j);
}
void put(Eigen::VectorXd& b, int row, const Vec3& v) {
  for (int i = 0; i < 3; ++i) b(row + i) += v[i];
}

/// Velocities, six multipliers and one free speed per link: all equations at once, at the arms that the blocks have.
Eigen::VectorXd dense_solution(RandomTrees& t) {
  const int n = static_cast<int>(t.trees.links().size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(13 * n, 13 * n);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(13 * n);
  const Mat3 one = Mat3::identity();
  std::vector<double> weight(static_cast<std::size_t>(n));
  std::vector<Vec3> braked(weight.size());  // by link: d α (ω₀ − ω̄)
  t.each_link([&](TreeBlock& block, std::size_t l) {
    const auto i = static_cast<std::size_t>(block.link[l]);
    EXPECT_GE(block.weight[l], 0.25);
    EXPECT_GE(block.braking[l], 0);
    weight[i] = block.weight[l], braked[i] = block.braking[l] * block.start_w.get(l);
  });
  const auto stiffen = [&](int i, const Mat3& K) {
    put(A, 6 * i + 3, 6 * i + 3, weight[static_cast<std::size_t>(i)] * K);
    put(b, 6 * i + 3, -(K * braked[static_cast<std::size_t>(i)]));
  };
  t.each_link([&](TreeBlock& block, std::size_t l) {
    const int i = block.link[l], p = t.trees.links()[static_cast<std::size_t>(i)].parent;
    const int v = 6 * i, w = v + 3, force = 6 * n + 6 * i, torque = force + 3, speed = 12 * n + i;
    const LaneSym3& I = block.inertia;
    const Mat3 inertia = full({I.xx[l], I.xy[l], I.xz[l], I.yy[l], I.yz[l], I.zz[l]});
    const Vec3 own = block.own.get(l), at_parent = block.at_parent.get(l), lambda = block.lambda.get(l);
    put(A, v, v, block.mass[l] * one), put(A, w, w, inertia);
    put(b, v, block.outer_v.get(l)), put(b, w, block.outer_w.get(l));
    if (block.kind != Kind::hinge) A(speed, speed) = 1;
    if (block.kind == Kind::root) return put(A, force, force, one), put(A, torque, torque, one);
    stiffen(i, stiffness(own, lambda));
    // Momentum: the joint's impulse acts on the body and, turned round, on its parent.
    put(A, v, force, -1.0 * one), put(A, w, force, -1.0 * skew(own)), put(A, w, torque, -1.0 * one);
    // Velocity at the pivot, minus that of the parent, minus the free turn.
    put(A, force, v, one), put(A, force, w, -1.0 * skew(own)), put(b, force, block.r.get(l));
    if (p >= 0) {
      const int pv = 6 * p, pw = pv + 3;
      stiffen(p, stiffness(at_parent, -lambda));
      put(A, pv, force, one), put(A, pw, force, skew(at_parent)), put(A, pw, torque, one);
      put(A, force, pv, -1.0 * one), put(A, force, pw, skew(at_parent));
    }
    const LaneSym3& P = block.stop;
    const Mat3 stop = full({P.xx[l], P.xy[l], P.xz[l], P.yy[l], P.yz[l], P.zz[l]});
    const Vec3 parent_w = p >= 0 ? t.world.state().angular_velocity[block.parent_body[l]] : Vec3{};
    const Vec3 turn = block.push.get(l) - stop * (block.start_w.get(l) - parent_w);
    put(A, w, w, stop), put(b, w, turn);
    if (p >= 0) {
      const int pw = 6 * p + 3;
      put(A, pw, pw, stop), put(A, w, pw, -1.0 * stop), put(A, pw, w, -1.0 * stop), put(b, pw, -turn);
    }
    if (block.kind == Kind::ball) return put(A, torque, torque, one);
    put(A, torque, w, one), put(b, torque, block.r_w.get(l));
    if (p >= 0) put(A, torque, 6 * p + 3, -1.0 * one);
    for (int c = 0; c < 3 && block.kind == Kind::hinge; ++c)
      A(torque + c, speed) = -block.axis.get(l)[c], A(speed, torque + c) = block.axis.get(l)[c];
  });
  return A.fullPivLu().solve(b);
}

void expect_agreement(RandomTrees& t, bool with_stops = false) {
  t.build(), t.start();
  if (with_stops) t.stop_balls();
  for (const TreeTask& task : t.tasks()) factorise_trees(task, false), kick_trees(task);
  const Eigen::VectorXd expected = dense_solution(t);
  double worst = 0;
  t.each_link([&](TreeBlock& block, std::size_t l) {
    for (int c = 0; c < 3; ++c) {
      worst = std::max(worst, std::abs(block.delta_v.get(l)[c] - expected(6 * block.link[l] + c)));
      worst = std::max(worst, std::abs(block.delta_w.get(l)[c] - expected(6 * block.link[l] + 3 + c)));
    }
  });
  // Rounding of velocities of hundreds of metres per second, masses of a thousand kilogrammes, condition numbers of some thousands.
  EXPECT_LT(worst, 1e-6);
}

TEST(TreeLanes, ABinaryTreeOfBallsAgreesWithADenseSolution) {
  RandomTrees t;
  t.add(-1, "ball");
  for (int i = 1; i < 31; ++i) t.add((i - 1) / 2, "ball");
  expect_agreement(t);
}

TEST(TreeLanes, FreeTreesOfAllKindsAgreeWithADenseSolution) {
  RandomTrees t;
  constexpr const char* kTypes[] = {"ball", "hinge", "fixed"};
  for (int tree = 0; tree < 6; ++tree) {
    const int root = static_cast<int>(t.bodies.size());
    t.add(-2, "");
    for (int i = 1; i < 5 + tree; ++i) t.add(root + i / 3, kTypes[(i + tree) % 3]);
  }
  expect_agreement(t);
}

TEST(TreeLanes, BallsWithLimitsThatHoldAgreeWithADenseSolution) {
  RandomTrees t;
  constexpr const char* kTypes[] = {"ball", "ball", "hinge", "ball", "fixed"};
  for (int tree = 0; tree < 6; ++tree) {
    const int root = static_cast<int>(t.bodies.size());
    t.add(tree % 2 ? -1 : -2, "ball");
    for (int i = 1; i < 7 + tree; ++i) t.add(root + i / 3, kTypes[(i + tree) % 5]);
  }
  expect_agreement(t, /*with_stops=*/true);
}

TEST(TreeLanes, HeldHingesAgreeWithADenseSolution) {
  RandomTrees t;
  for (int chain = 0; chain < 5; ++chain)
    for (int i = 0; i < 4; ++i) t.add(i == 0 ? -1 : static_cast<int>(t.bodies.size()) - 1, i % 2 ? "hinge" : "fixed");
  expect_agreement(t);
}

TEST(TreeLanes, EveryLinkHasOneLaneAfterItsParent) {
  RandomTrees t;
  for (int chain = 0; chain < 10; ++chain)
    for (int i = 0; i < 5; ++i) t.add(i == 0 ? -1 : static_cast<int>(t.bodies.size()) - 1, "ball");
  t.build();
  std::map<int, std::size_t> place;  // by link: its block
  for (std::size_t i = 0; i < t.lanes.blocks.size(); ++i)
    for (const int link : t.lanes.blocks[i].link)
      if (link >= 0) {
        EXPECT_TRUE(place.emplace(link, i).second);
        const int parent = t.trees.links()[static_cast<std::size_t>(link)].parent;
        if (parent >= 0) {
          EXPECT_LT(place.at(parent), i);
        }
      }
  EXPECT_EQ(place.size(), 50u);
  // Ten equal chains: four, four and two side by side.
  EXPECT_EQ(t.lanes.groups.size(), 3u);
  EXPECT_EQ(t.lanes.blocks.size(), 15u);
}

TEST(TreeLanes, ABinaryTreeFillsItsLanes) {
  RandomTrees t;
  t.add(-1, "ball");
  for (int i = 1; i < 127; ++i) t.add((i - 1) / 2, "ball");
  t.build();
  EXPECT_EQ(t.lanes.blocks.size(), 33u);  // 1, 1, 1, 2, 4, 8, 16
}

/// Seven trees of all kinds of joints, some of them held.
RandomTrees forest() {
  RandomTrees t;
  constexpr const char* kTypes[] = {"ball", "ball", "hinge", "fixed"};
  for (int tree = 0; tree < 7; ++tree) {
    const int root = static_cast<int>(t.bodies.size());
    t.add(tree % 2 ? -1 : -2, "ball");
    for (int i = 1; i < 12 + tree % 3; ++i) t.add(root + i / 2, kTypes[i % 4]);
  }
  return t;
}

void expect_same(const RandomTrees& one, const RandomTrees& other) {
  for (std::size_t i = 0; i < one.lanes.blocks.size(); ++i) {
    const TreeBlock &a = one.lanes.blocks[i], &b = other.lanes.blocks[i];
    for (std::size_t l = 0; l < kTreeLanes; ++l) {
      EXPECT_EQ(a.u_v.get(l), b.u_v.get(l));
      EXPECT_EQ(a.u_w.get(l), b.u_w.get(l));
      EXPECT_EQ(a.end_x.get(l), b.end_x.get(l));
      EXPECT_EQ(a.end_q.get(l), b.end_q.get(l));
      EXPECT_EQ(a.lambda.get(l), b.lambda.get(l));
      EXPECT_EQ(a.torque.get(l), b.torque.get(l));
    }
  }
}

TEST(TreeLanes, TheWidthDoesNotMatter) {
  RandomTrees wide = forest(), one = wide;
  for (RandomTrees* t : {&wide, &one}) {
    const LaneWidth width = t == &wide ? LaneWidth::machine : LaneWidth::one;
    t->build(), t->start(width), t->stop_balls();
    for (const TreeTask& task : t->tasks(width)) {
      factorise_trees(task, false), kick_trees(task), drift_trees(task, true), correct_trees(task);
      std::vector<BodyVelocity> u(t->world.state().size());
      give_velocities(task, u);
      for (BodyVelocity& body : u) body.v.y += 0.1 * body.v.x, body.w.z -= 0.2;
      couple_trees(task, u), drift_trees(task, true), close_parts(task), factorise_trees(task, true);
      sum_impulses(task), give_velocities(task, u);
    }
  }
  expect_same(wide, one);
}

TEST(TreeLanes, PassesTogetherAreThosePassesApart) {
  RandomTrees together = forest(), apart = together;
  for (RandomTrees* t : {&together, &apart}) {
    const bool is_together = t == &together;
    t->build(), t->start(), t->stop_balls();
    for (const TreeTask& task : t->tasks()) {
      factorise_trees(task, false);
      kick_trees(task);
      kick_trees(task, NextMotion::none, /*has_predicted=*/is_together);  // the same once more
      drift_trees(task, true);
      TreeNumbers gaps = correct_trees(task, is_together ? NextMotion::gyroscopic : NextMotion::none);
      if (!is_together) gaps = drift_trees(task, true);
      EXPECT_GT(gaps[0], 0);
      if (is_together)
        finish_parts(task);
      else
        close_parts(task), factorise_trees(task, true);
      sum_impulses(task);
    }
  }
  expect_same(together, apart);
}

}  // namespace
}  // namespace rigor::test
