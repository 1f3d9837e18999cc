// The convex problem of compliant contact: derivatives against differences, the projection against its definition, the sparse factorisation against a dense one.
#include "lcp/convex_newton.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numeric>
#include <string>

#include "lcp/random_problems.h"

namespace rigor::test {
namespace {

/// Bodies in a ring with contacts between neighbours (slip, rolling, spinning), contacts with the ground, and rows with limits.
ConvexProblem random_problem(int bodies, std::uint64_t seed) {
  Random random(seed);
  const auto vector = [&] { return Vec3{random.symmetric(1), random.symmetric(1), random.symmetric(1)}; };
  ConvexProblem p;
  for (int i = 0; i < bodies; ++i) {
    const Vec3 a = vector();
    p.mass.push_back({1.5 + random.symmetric(1), Mat3::diagonal({2, 3, 4}) + 0.3 * outer(a, a)});
    for (int k = 0; k < 6; ++k) p.v_free.push_back(random.symmetric(2));
  }
  const auto add_rows = [&](int a, int b, int count, bool contact) {
    ConvexBlock block;
    block.a = a, block.b = b, block.begin = p.rows(), block.size = count, block.contact = contact;
    if (contact) block.group = {FrictionGroup{1, 2, 0.6}, FrictionGroup{3, 2, 0.2}, FrictionGroup{5, 1, 0.1}};
    if (contact) block.groups = count == 1 ? 0 : count == 3 ? 1 : 3;
    double group_R = 0.1;
    for (int i = 0; i < count; ++i) {
      Jacobian J;
      for (double& x : J) x = random.symmetric(1);
      if (i == 1 || i == 3 || i == 5) group_R = 0.02 + 0.1 * (1 + random.symmetric(1));
      p.J.push_back(J), p.R.push_back(contact && i > 0 ? group_R : 0.05 * (1.5 + random.symmetric(1)));
      p.target.push_back(random.symmetric(1));
      p.lo.push_back(i % 2 ? -0.5 : -kUnbounded), p.hi.push_back(i % 3 ? 0.7 : kUnbounded);
    }
    p.blocks.push_back(block);
  };
  for (int i = 0; i < bodies; ++i) {
    add_rows(i, (i + 1) % bodies, i % 3 == 0 ? 6 : 3, true);
    add_rows(-1, i, 1 + 2 * (i % 2), true);
    add_rows(i, i % 2 ? -1 : (i + 2) % bodies, 4, false);
  }
  for (const ConvexBlock& block : p.blocks)
    for (int i = block.begin; i < block.begin + block.size; ++i) {
      double w = 0;
      for (const int side : {0, 6}) {
        const int body = side == 0 ? block.a : block.b;
        if (body < 0) continue;
        const ConvexMass& mass = p.mass[std::size_t(body)];
        const Vec3 n = part(p.J[std::size_t(i)], side), m = part(p.J[std::size_t(i)], side + 3);
        w += dot(n, n) / mass.linear + dot(m, inverse(mass.angular) * m);
      }
      p.inverse_mass.push_back(w);
    }
  for (const ConvexBlock& block : p.blocks)  // one w for each group, as the rows of a step have it
    for (int g = 0; block.contact && g < block.groups; ++g) {
      const FrictionGroup& group = block.group[static_cast<std::size_t>(g)];
      const auto begin = p.inverse_mass.begin() + block.begin + group.offset;
      const double mean = std::accumulate(begin, begin + group.size, 0.0) / group.size;
      std::fill(begin, begin + group.size, mean);
    }
  return p;
}

/// ‖M (v − v*) − Jᵀ γ‖ over ‖M (v − v*)‖, both the largest component.
double momentum_error(const ConvexProblem& p, const std::vector<double>& v, const std::vector<double>& gamma) {
  std::vector<double> explained(v.size(), 0);
  add_impulses(p, gamma, explained);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < p.mass.size(); ++i) {
    double d[6], momentum[6];
    for (std::size_t k = 0; k < 6; ++k) d[k] = v[6 * i + k] - p.v_free[6 * i + k];
    multiply_mass(p.mass[i], d, momentum);
    for (std::size_t k = 0; k < 6; ++k) {
      error = std::max(error, std::abs(momentum[k] - explained[6 * i + k]));
      size = std::max(size, std::abs(momentum[k]));
    }
  }
  return error / size;
}

TEST(ConvexProblem, GradientIsThatOfTheCost) {
  ConvexProblem p = random_problem(5, 3);
  ConvexNewton newton;
  Random random(8);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> v(p.v_free.size()), g(v.size());
    for (double& x : v) x = random.symmetric(3);
    newton.evaluate(p, v, g);
    for (std::size_t i = 0; i < v.size(); ++i) {
      constexpr double kDelta = 1e-5;
      std::vector<double> plus = v, minus = v;
      plus[i] += kDelta, minus[i] -= kDelta;
      const double difference = (newton.evaluate(p, plus, {}) - newton.evaluate(p, minus, {})) / (2 * kDelta);
      EXPECT_NEAR(g[i], difference, 1e-4 * (1 + std::abs(g[i]))) << "component " << i;  // kinks: ‖G‖ δ
    }
  }
}

/// Away from kinks, which are passed over: there the one-sided differences disagree.
TEST(ConvexProblem, HessianIsThatOfTheImpulses) {
  const ConvexProblem p = random_problem(5, 4);
  Random random(9);
  int smooth = 0;
  for (int trial = 0; trial < 50; ++trial)
    for (const ConvexBlock& block : p.blocks) {
      const auto n = static_cast<std::size_t>(block.size);
      std::vector<double> v(n), gamma(n), plus(n), minus(n), G(n * n);
      for (double& x : v) x = random.symmetric(2);
      convex_block(p, block, v.data(), gamma.data(), G.data());
      for (std::size_t j = 0; j < n; ++j) {
        constexpr double kDelta = 1e-7;
        std::vector<double> w = v;
        w[j] = v[j] + kDelta, convex_block(p, block, w.data(), plus.data(), nullptr);
        w[j] = v[j] - kDelta, convex_block(p, block, w.data(), minus.data(), nullptr);
        for (std::size_t i = 0; i < n; ++i) {
          const double right = (plus[i] - gamma[i]) / kDelta, left = (gamma[i] - minus[i]) / kDelta;
          if (std::abs(right - left) > 1e-4 * (1 + std::abs(left))) continue;
          const double expected = block.contact ? G[i * n + j] : i == j ? G[i] : 0;
          EXPECT_NEAR(-0.5 * (left + right), expected, 1e-5 * (1 + std::abs(expected)));
          ++smooth;
        }
      }
    }
  EXPECT_GT(smooth, 5000);
}

/// γ lies in the cone, and no point of it is nearer to y in the norm of R.
TEST(ConvexProblem, ProjectsOnTheConeInTheNormOfR) {
  const ConvexProblem p = random_problem(4, 5);
  Random random(10);
  for (int trial = 0; trial < 200; ++trial)
    for (const ConvexBlock& block : p.blocks) {
      if (!block.contact) continue;
      const auto n = static_cast<std::size_t>(block.size), row = static_cast<std::size_t>(block.begin);
      std::vector<double> v(n), gamma(n), y(n), other(n);
      for (double& x : v) x = random.symmetric(2);
      const double cost = convex_block(p, block, v.data(), gamma.data(), nullptr);
      double squared = 0;
      for (std::size_t i = 0; i < n; ++i) {
        y[i] = (p.target[row + i] - v[i]) / p.R[row + i];
        squared += 0.5 * p.R[row + i] * gamma[i] * gamma[i];
      }
      EXPECT_NEAR(cost, squared, 1e-12 * (1 + squared));
      const auto distance = [&](const std::vector<double>& x) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += p.R[row + i] * (x[i] - y[i]) * (x[i] - y[i]);
        return sum;
      };
      const auto in_cone = [&](const std::vector<double>& x, double tolerance) {
        for (int g = 0; g < block.groups; ++g) {
          const FrictionGroup& group = block.group[static_cast<std::size_t>(g)];
          double sum = 0;
          for (int i = group.offset; i < group.offset + group.size; ++i) sum += x[std::size_t(i)] * x[std::size_t(i)];
          if (std::sqrt(sum) > group.mu * x[0] + tolerance) return false;
        }
        return x[0] >= -tolerance;
      };
      EXPECT_TRUE(in_cone(gamma, 1e-12));
      for (int k = 0; k < 20; ++k) {
        for (std::size_t i = 0; i < n; ++i) other[i] = gamma[i] + random.symmetric(0.3);
        if (!in_cone(other, 0)) continue;
        EXPECT_GE(distance(other), distance(gamma) - 1e-12);
      }
    }
}

/// Contacts with several friction groups and rows with two limits, from soft to so stiff that y = (v̂ − v)/R has no correct digit.
TEST(ConvexNewton, SolvesStiffProblemsOfManyGroups) {
  for (const double stiffness : {1.0, 1e-2, 1e-4, 1e-6, 1e-8})
    for (const int rounds : {0, 10})
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        ConvexProblem p = random_problem(8, seed);
        for (double& R : p.R) R *= stiffness;
        ConvexNewton newton;
        ConvexSettings settings;
        settings.rounds = rounds;
        std::vector<double> v = p.v_free, gamma(static_cast<std::size_t>(p.rows()));
        const ConvexResult result = newton.solve(p, v, gamma, settings);
        EXPECT_TRUE(result.converged) << "R × " << stiffness << ", seed " << seed << ", residual " << result.residual;
        EXPECT_LE(result.iterations, 25) << "R × " << stiffness << ", seed " << seed;
        // The measure is 1e-8 in a norm; the largest component over the largest one may be a hundred times that.
        EXPECT_LT(momentum_error(p, v, gamma), 1e-6) << "R × " << stiffness << ", seed " << seed;
      }
}

/// The same problems from guesses of velocities and impulses: none, and those of a problem whose free velocities were a little different.
TEST(ConvexNewton, ContinuesFromAGuessOfImpulses) {
  for (const double stiffness : {1.0, 1e-2, 1e-4, 1e-6, 1e-8})
    for (const int rounds : {0, 10})
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        ConvexProblem p = random_problem(8, seed);
        for (double& R : p.R) R *= stiffness;
        ConvexNewton newton;
        ConvexSettings settings{.rounds = rounds, .is_continued = true};
        std::vector<double> v = p.v_free, gamma(static_cast<std::size_t>(p.rows()), 0.0);
        const auto solve = [&](int most) {
          const ConvexResult result = newton.solve(p, v, gamma, settings);
          const std::string about = "R × " + std::to_string(stiffness) + ", seed " + std::to_string(seed);
          EXPECT_TRUE(result.converged) << about << ", residual " << result.residual;
          EXPECT_LE(result.iterations, most) << about;
          EXPECT_LT(momentum_error(p, v, gamma), 1e-6) << about;
        };
        solve(20);
        Random random(seed);
        for (double& x : p.v_free) x += random.symmetric(1e-3);
        solve(20);
      }
}

/// Contacts that go on pushing and slipping as before need Newton's steps only. Their second step lost the errors of the impulses once, and the error then fell by one per cent in each step.
TEST(ConvexNewton, ContinuesARestingProblemInAFewSteps) {
  ConvexProblem p = random_problem(6, 3);
  ConvexNewton newton;
  ConvexSettings settings{.rounds = 0, .is_continued = true};
  std::vector<double> v = p.v_free, gamma(static_cast<std::size_t>(p.rows()), 0.0);
  ASSERT_TRUE(newton.solve(p, v, gamma, settings).converged);
  EXPECT_LE(newton.solve(p, v, gamma, settings).iterations, 2);
  for (double& x : p.v_free) x *= 1.001;
  const ConvexResult result = newton.solve(p, v, gamma, settings);
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.iterations, 4);
}

/// The velocities found have the least cost, and few iterations find them.
TEST(ConvexNewton, FindsTheMinimumWithinAFewIterations) {
  Random random(11);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ConvexProblem p = random_problem(6, seed);
    ConvexNewton newton;
    ConvexSettings settings;
    settings.rounds = 0;
    std::vector<double> v = p.v_free, gamma(static_cast<std::size_t>(p.rows())), gradient(v.size());
    const ConvexResult result = newton.solve(p, v, gamma, settings);
    EXPECT_TRUE(result.converged) << "seed " << seed;
    EXPECT_LE(result.iterations, 20) << "seed " << seed;
    const double least = newton.evaluate(p, v, gradient);
    double largest = 0;
    for (const double g : gradient) largest = std::max(largest, std::abs(g));
    EXPECT_LT(largest, 1e-6) << "seed " << seed;
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<double> other = v;
      for (double& x : other) x += random.symmetric(0.1);
      EXPECT_GT(newton.evaluate(p, other, {}), least);
    }
  }
}

/// From the solution itself, one evaluation is enough.
TEST(ConvexNewton, KnowsASolution) {
  ConvexProblem p = random_problem(6, 3);
  ConvexNewton newton;
  ConvexSettings settings;
  settings.rounds = 0;
  std::vector<double> v = p.v_free, gamma(static_cast<std::size_t>(p.rows()));
  ASSERT_TRUE(newton.solve(p, v, gamma, settings).converged);
  EXPECT_LE(newton.solve(p, v, gamma, settings).iterations, 1);
}

/// H of a random problem, by its product with unit vectors, against a dense solve.
TEST(BlockCholesky, SolvesAsADenseFactorisation) {
  Random random(2);
  for (const int n : {1, 2, 7, 30}) {
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i + 1 < n; ++i) pairs.emplace_back(i + 1, i);
    for (int k = 0; k < n; ++k) {
      const int a = static_cast<int>(std::abs(random.symmetric(1)) * n) % n, b = (a + 1 + k) % n;
      if (a != b) pairs.emplace_back(a, b);
    }
    BlockCholesky factors;
    factors.set_pattern(n, pairs);
    factors.clear();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(6 * n, 6 * n);
    const auto random_block = [&](double* B) {
      for (int k = 0; k < 36; ++k) B[k] = random.symmetric(1);
    };
    double B[36];
    for (const auto& [a, b] : pairs) {
      random_block(B);
      factors.add_pair(a, b, B);
      const Eigen::Map<Eigen::Matrix<double, 6, 6, Eigen::RowMajor>> block(B);
      A.block(6 * a, 6 * b, 6, 6) += block;
      A.block(6 * b, 6 * a, 6, 6) += block.transpose();
    }
    for (int i = 0; i < n; ++i) {
      const double large = 12 * n;
      for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) B[6 * r + c] = r == c ? large : 0.1 * (r + c);
      factors.add_diagonal(i, B);
      A.block(6 * i, 6 * i, 6, 6) += Eigen::Map<Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(B);
    }
    ASSERT_TRUE(factors.factorise());
    Eigen::VectorXd x(6 * n), b;
    for (int i = 0; i < 6 * n; ++i) x[i] = random.symmetric(1);
    b = A * x;
    factors.solve({b.data(), static_cast<std::size_t>(b.size())});
    EXPECT_LT((b - x).norm(), 1e-12 * x.norm());
  }
}

TEST(BlockCholesky, ChainsAndTreesFillNothing) {
  constexpr int kBodies = 200;
  std::vector<std::pair<int, int>> chain, tree;
  for (int i = 1; i < kBodies; ++i)
    chain.emplace_back((37 * i) % kBodies, (37 * (i - 1)) % kBodies), tree.emplace_back(i, (i - 1) / 3);
  for (const auto& pairs : {chain, tree}) {
    BlockCholesky factors;
    factors.set_pattern(kBodies, pairs);
    EXPECT_LT(factors.blocks(), 6 * kBodies);  // 2 n − 1, and the zeros of panels that were joined
    factors.set_pattern(kBodies, pairs);
    EXPECT_EQ(factors.analyses(), 1);
  }
}

TEST(BlockCholesky, RefusesWhatIsNotPositiveDefinite) {
  BlockCholesky factors;
  const std::pair<int, int> pairs[] = {{0, 1}};
  factors.set_pattern(2, pairs);
  factors.clear();
  double B[36] = {};
  for (int k = 0; k < 6; ++k) B[7 * k] = 1;
  factors.add_diagonal(0, B), factors.add_diagonal(1, B);
  for (int k = 0; k < 6; ++k) B[7 * k] = 2;
  factors.add_pair(0, 1, B);
  EXPECT_FALSE(factors.factorise());
}

}  // namespace
}  // namespace rigor::test
