// The elimination at the pivots against a dense solution of the same system.
#include "multibody/pivot_tree.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace rigor::test {
namespace {

using Joint = PivotNode::Joint;

struct RandomTree {
  PivotTree tree;
  std::vector<BodyVelocity> f;
  std::mt19937 random{11};

  double number() { return std::uniform_real_distribution<double>(-1, 1)(random); }
  Vec3 vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  void add(int parent, Joint joint, int free_count = 0) {
    PivotNode node;
    node.parent = parent, node.joint = joint;
    node.free_count = static_cast<std::uint8_t>(free_count);
    node.first_free = static_cast<std::uint32_t>(tree.free.size());
    for (int k = 0; k < free_count; ++k) tree.free.push_back({k == 2 ? vector() : Vec3{}, vector()});
    node.mass = 2 + number();
    node.inertia = rotated_diagonal(rotation_matrix(quaternion_from_rotation_vector(3 * vector())),
                                    {1 + 0.5 * number(), 1 + 0.5 * number(), 1 + 0.5 * number()});
    if (joint != Joint::none) node.own = vector(), node.at_parent = vector(), node.r = vector();
    if (joint == Joint::other) node.r_w = vector();
    tree.nodes.push_back(node);
    f.push_back({vector(), vector()});
  }
};

void put(Eigen::MatrixXd& A, int row, int column, const Mat3& m) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A(row + i, column + j) += m(i, j);
}
void put(Eigen::VectorXd& b, int row, const Vec3& v) {
  for (int i = 0; i < 3; ++i) b(row + i) += v[i];
}

/// Velocities, six multipliers and up to six free speeds per joint: all equations at once.
Eigen::VectorXd dense_solution(const RandomTree& t, bool with_r) {
  const int n = static_cast<int>(t.tree.nodes.size()), m = static_cast<int>(t.tree.free.size());
  const int size = 12 * n + m;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(size);
  const Mat3 one = Mat3::identity();
  for (int i = 0; i < n; ++i) {
    const PivotNode& node = t.tree.nodes[static_cast<std::size_t>(i)];
    const int v = 6 * i, w = v + 3, force = 6 * n + 6 * i, torque = force + 3;
    put(A, v, v, node.mass * one), put(A, w, w, full(node.inertia));
    put(b, v, t.f[static_cast<std::size_t>(i)].v), put(b, w, t.f[static_cast<std::size_t>(i)].w);
    if (node.joint == Joint::none) {
      put(A, force, force, one), put(A, torque, torque, one);
      continue;
    }
    // Momentum: the joint's impulse acts on the body and, turned round, on its parent.
    put(A, v, force, -1.0 * one), put(A, w, force, -1.0 * skew(node.own)), put(A, w, torque, -1.0 * one);
    // Velocity at the pivot: v + ω × own, minus that of the parent, minus the free directions.
    put(A, force, v, one), put(A, force, w, -1.0 * skew(node.own));
    if (with_r) put(b, force, node.r);
    if (node.parent >= 0) {
      const int pv = 6 * node.parent, pw = pv + 3;
      put(A, pv, force, one), put(A, pw, force, skew(node.at_parent)), put(A, pw, torque, one);
      put(A, force, pv, -1.0 * one), put(A, force, pw, skew(node.at_parent));
    }
    if (node.joint == Joint::ball) {
      put(A, torque, torque, one);
      continue;
    }
    put(A, torque, w, one);
    if (node.parent >= 0) put(A, torque, 6 * node.parent + 3, -1.0 * one);
    if (with_r) put(b, torque, node.r_w);
    for (std::uint32_t k = node.first_free; k < node.first_free + node.free_count; ++k) {
      const int q = 12 * n + static_cast<int>(k);
      for (int c = 0; c < 3; ++c) {
        A(force + c, q) = -t.tree.free[k].v[c], A(torque + c, q) = -t.tree.free[k].w[c];
        A(q, force + c) = t.tree.free[k].v[c], A(q, torque + c) = t.tree.free[k].w[c];
      }
    }
  }
  return A.fullPivLu().solve(b);
}

double difference(const std::vector<BodyVelocity>& u, const Eigen::VectorXd& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < u.size(); ++i)
    for (int c = 0; c < 3; ++c) {
      worst = std::max(worst, std::abs(u[i].v[c] - expected(static_cast<int>(6 * i) + c)));
      worst = std::max(worst, std::abs(u[i].w[c] - expected(static_cast<int>(6 * i) + 3 + c)));
    }
  return worst;
}

// Rounding of systems with numbers around one; random arms and directions make condition numbers of some thousands.
constexpr double kRounding = 1e-9;

void expect_agreement(RandomTree& t) {
  t.tree.resize();
  std::vector<BodyVelocity> u(t.tree.nodes.size());
  t.tree.factorise_and_solve(0, u.size(), t.f, u);
  EXPECT_LT(difference(u, dense_solution(t, true)), kRounding);
  t.tree.solve(0, u.size(), t.f, PivotTree::Wanted::zero, u);
  EXPECT_LT(difference(u, dense_solution(t, false)), kRounding);
  t.tree.solve(0, u.size(), t.f, PivotTree::Wanted::as_given, u);
  EXPECT_LT(difference(u, dense_solution(t, true)), kRounding);
}

TEST(PivotTree, BallJointsAgreeWithADenseSolution) {
  RandomTree t;
  t.add(-1, Joint::ball);
  for (int i = 1; i < 15; ++i) t.add((i - 1) / 2, Joint::ball);
  expect_agreement(t);
}

TEST(PivotTree, FreeRootsAgreeWithADenseSolution) {
  RandomTree t;
  t.add(-1, Joint::none);
  for (int i = 1; i < 10; ++i) t.add(i / 3, i % 2 ? Joint::ball : Joint::other, i % 4);
  expect_agreement(t);
}

TEST(PivotTree, OtherJointsAgreeWithADenseSolution) {
  RandomTree t;
  t.add(-1, Joint::other, 1);
  for (int i = 1; i < 12; ++i) t.add((i - 1) / 2, Joint::other, i % 4);
  expect_agreement(t);
}

}  // namespace
}  // namespace rigor::test
