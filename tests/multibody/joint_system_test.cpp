// The factorisation along the forest against a dense one of the same matrix.
#include "multibody/joint_system.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numeric>
#include <random>

#include "constraints/row_math.h"

namespace rigor::test {
namespace {

struct System {
  int bodies = 0;
  std::vector<TreeEdge> edges;
  std::vector<BodyMass> masses;
  std::vector<Jacobian> J;
  std::vector<double> gamma, r;
  std::vector<BodyVelocity> f;
  std::mt19937 random{7};

  double number() { return std::uniform_real_distribution<double>(-1, 1)(random); }
  Vec3 vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  void add_body() {
    const Mat3 R = rotation_matrix(quaternion_from_rotation_vector(3 * vector()));
    const Vec3 moments{1 + 0.5 * number(), 1 + 0.5 * number(), 1 + 0.5 * number()};
    masses.push_back({2 + number(), R * Mat3::diagonal(moments) * transpose(R)});
    f.push_back({vector(), vector()});
    ++bodies;
  }
  void add_joint(int a, int b, int rows, double softness = 0) {
    const int begin = static_cast<int>(J.size());
    for (int i = 0; i < rows; ++i) {
      Jacobian row;
      for (double& x : row) x = number();
      J.push_back(row), gamma.push_back(softness), r.push_back(number());
    }
    edges.push_back({a, b, begin, begin + rows});
  }
};

/// x and λ by LU with complete pivoting of [M −Jᵀ; J Γ]: x is unique where J is redundant too, λ is not.
Eigen::VectorXd dense_solution(const System& s) {
  const int n = 6 * s.bodies, m = static_cast<int>(s.J.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + m, n + m);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n + m);
  for (int i = 0; i < s.bodies; ++i) {
    const auto k = static_cast<std::size_t>(i);
    for (int c = 0; c < 3; ++c) {
      A(6 * i + c, 6 * i + c) = s.masses[k].linear;
      for (int d = 0; d < 3; ++d) A(6 * i + 3 + c, 6 * i + 3 + d) = s.masses[k].angular(c, d);
      right(6 * i + c) = s.f[k].v[c], right(6 * i + 3 + c) = s.f[k].w[c];
    }
  }
  for (const TreeEdge& e : s.edges)
    for (int i = e.begin; i < e.end; ++i) {
      const Jacobian& J = s.J[static_cast<std::size_t>(i)];
      for (int c = 0; c < 6; ++c) {
        if (e.a >= 0)
          A(n + i, 6 * e.a + c) = J[static_cast<std::size_t>(c)],
                             A(6 * e.a + c, n + i) = -J[static_cast<std::size_t>(c)];
        if (e.b >= 0)
          A(n + i, 6 * e.b + c) = J[static_cast<std::size_t>(c + 6)],
                             A(6 * e.b + c, n + i) = -J[static_cast<std::size_t>(c + 6)];
      }
      A(n + i, n + i) = s.gamma[static_cast<std::size_t>(i)];
      right(n + i) = s.r[static_cast<std::size_t>(i)];
    }
  return A.fullPivLu().solve(right);
}

/// The largest differences in x and λ.
std::pair<double, double> difference(const System& s, LoopMethod loops = LoopMethod::together) {
  JointSystem system;
  system.factorise(s.bodies, s.edges, s.masses, s.J, s.gamma, loops);
  std::vector<double> lambda(s.J.size());
  std::vector<BodyVelocity> x(static_cast<std::size_t>(s.bodies));
  system.solve(s.r, s.f, lambda, x);
  const Eigen::VectorXd expected = dense_solution(s);
  double in_x = 0, in_lambda = 0;
  for (int i = 0; i < s.bodies; ++i)
    for (int c = 0; c < 3; ++c) {
      in_x = std::max(in_x, std::abs(x[static_cast<std::size_t>(i)].v[c] - expected(6 * i + c)));
      in_x = std::max(in_x, std::abs(x[static_cast<std::size_t>(i)].w[c] - expected(6 * i + 3 + c)));
    }
  for (std::size_t i = 0; i < lambda.size(); ++i)
    in_lambda = std::max(in_lambda, std::abs(lambda[i] - expected(6 * s.bodies + static_cast<int>(i))));
  return {in_x, in_lambda};
}

// Rounding of systems with numbers around one; random Jacobians make condition numbers of some thousands.
constexpr double kRounding = 1e-9;

TEST(JointSystem, TreesAgreeWithADenseFactorisation) {
  System s;
  for (int i = 0; i < 20; ++i) s.add_body();
  s.add_joint(-1, 0, 3);
  for (int i = 1; i < 12; ++i) s.add_joint(i % 2 ? i : (i - 1) / 2, i % 2 ? (i - 1) / 2 : i, 1 + i % 5);
  for (int i = 13; i < 20; ++i) s.add_joint(12, i, 3, i % 2 ? 0.1 : 0);  // a star that flies freely
  const auto [x, lambda] = difference(s);
  EXPECT_LT(x, kRounding);
  EXPECT_LT(lambda, kRounding);
}

TEST(JointSystem, LoopsAgreeWithADenseFactorisation) {
  System s;
  for (int i = 0; i < 8; ++i) s.add_body();
  s.add_joint(-1, 0, 3);
  for (int i = 1; i < 8; ++i) s.add_joint(i - 1, i, 3);
  s.add_joint(7, -1, 3);
  s.add_joint(2, 5, 2, 0.2);
  s.add_joint(3, 4, 1);  // beside the joint of the chain
  const auto [x, lambda] = difference(s);
  EXPECT_LT(x, kRounding);
  EXPECT_LT(lambda, kRounding);
}

TEST(JointSystem, RedundantRowsChangeNothing) {
  System s;
  for (int i = 0; i < 5; ++i) s.add_body();
  s.add_joint(-1, 0, 3);
  for (int i = 1; i < 5; ++i) s.add_joint(i - 1, i, 3);
  s.add_joint(-1, 4, 2);
  // Rows once more: in a joint of the forest, and in a loop.
  const auto repeat = [&](std::size_t edge, bool in_place) {
    const TreeEdge e = s.edges[edge];
    const auto row = static_cast<std::size_t>(e.begin);
    const Jacobian J = s.J[row];
    const double r = s.r[row];
    s.add_joint(e.a, e.b, 1);
    s.J.back() = J, s.r.back() = r;
    if (!in_place) return;
    s.edges.pop_back();
  };
  repeat(5, false);
  repeat(2, false);
  EXPECT_LT(difference(s).first, kRounding);
  System once;
  once.add_body(), once.add_joint(-1, 0, 3), once.add_joint(-1, 0, 1);
  once.edges = {{-1, 0, 0, 4}};
  once.J[3] = once.J[0], once.r[3] = once.r[0];
  EXPECT_LT(difference(once).first, kRounding);
}

TEST(JointSystem, CommonIterationClosesLoops) {
  System s;
  for (int i = 0; i < 4; ++i) s.add_body();
  s.add_joint(-1, 0, 2);
  for (int i = 1; i < 4; ++i) s.add_joint(i - 1, i, 2);
  s.add_joint(3, -1, 2);
  std::fill(s.f.begin(), s.f.end(), BodyVelocity{});
  JointSystem system;
  system.factorise(s.bodies, s.edges, s.masses, s.J, s.gamma, LoopMethod::apart);
  std::vector<double> lambda(s.J.size()), r = s.r;
  std::vector<BodyVelocity> x(4), sum(4);
  const auto largest = [&] {
    return std::abs(
        *std::max_element(r.begin(), r.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
  };
  const double before = largest();
  for (int k = 0; k < 400; ++k) {
    system.solve(r, {}, lambda, x);
    for (const TreeEdge& e : s.edges)
      for (int i = e.begin; i < e.end; ++i) {
        const auto row = static_cast<std::size_t>(i);
        const Jacobian& J = s.J[row];
        if (e.a >= 0)
          r[row] -=
              dot(part(J, 0), x[static_cast<std::size_t>(e.a)].v) + dot(part(J, 3), x[static_cast<std::size_t>(e.a)].w);
        if (e.b >= 0)
          r[row] -=
              dot(part(J, 6), x[static_cast<std::size_t>(e.b)].v) + dot(part(J, 9), x[static_cast<std::size_t>(e.b)].w);
      }
  }
  EXPECT_LT(largest(), 1e-6 * before);  // alternating projections converge linearly; measured
}

TEST(JointForest, ParentsComeFirstAndLoopsAreMarked) {
  // 0 - 1 - 2 - 0 is a loop; 3 hangs on 1; 4 and 5 on the ground; 6 on nothing.
  const std::vector<TreeEdge> edges = {{0, 1, 0, 1},  {1, 2, 1, 2},  {2, 0, 2, 3}, {3, 1, 3, 4},
                                       {-1, 4, 4, 5}, {5, -1, 5, 6}, {4, 5, 6, 7}};
  JointForest forest;
  forest.build(7, edges);
  ASSERT_EQ(forest.nodes().size(), 6u);
  EXPECT_EQ(forest.loops().size(), 2u);
  std::vector<char> seen(7, 0);
  for (std::size_t i = 0; i < forest.nodes().size(); ++i) {
    const TreeNode& node = forest.nodes()[i];
    EXPECT_LT(node.parent, static_cast<int>(i));
    EXPECT_FALSE(std::exchange(seen[static_cast<std::size_t>(node.body)], char{1}));
    if (node.edge < 0) continue;
    const TreeEdge& e = edges[static_cast<std::size_t>(node.edge)];
    EXPECT_EQ(node.is_b ? e.b : e.a, node.body);
    EXPECT_EQ(node.is_b ? e.a : e.b, node.parent < 0 ? -1 : forest.nodes()[static_cast<std::size_t>(node.parent)].body);
  }
  EXPECT_FALSE(seen[6]);
}

}  // namespace
}  // namespace rigor::test
