// Random problems for the solvers of src/lcp/, in classes that are hard in different ways. All have a solution.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/random.h"
#include "lcp/lcp.h"

namespace rigor::test {

enum class ProblemClass { well_conditioned, badly_conditioned, singular, friction, contact, tight_limits, mixed };
inline constexpr ProblemClass kProblemClasses[] = {
    ProblemClass::well_conditioned, ProblemClass::badly_conditioned, ProblemClass::singular, ProblemClass::friction,
    ProblemClass::contact,          ProblemClass::tight_limits,      ProblemClass::mixed};
inline const char* name_of(ProblemClass c) {
  static constexpr const char* kNames[] = {"well_conditioned", "badly_conditioned", "singular", "friction",
                                           "contact",          "tight_limits",      "mixed"};
  return kNames[static_cast<int>(c)];
}

/// Owns what an LcpProblem, and for the classes made of bodies an LcpRows, refers to.
struct RandomProblem {
  int n = 0;
  bool definite = true;  // A is positive definite, so x is unique where limits do not depend
  std::vector<double> A, b, lo, hi, factor;
  std::vector<int> dependency;

  int bodies = 0;  // 0: no rows
  std::vector<std::array<double, 12>> J, JW;
  std::vector<int> first, second;

  LcpProblem problem() const { return {A, b, {lo, hi, dependency, factor}}; }
  LcpRows rows() const { return {J, JW, first, second, {}, b, {lo, hi, dependency, factor}, bodies}; }
  bool has_dependency() const {
    return std::any_of(dependency.begin(), dependency.end(), [](int j) { return j >= 0; });
  }
  double a(int i, int j) const { return A[static_cast<std::size_t>(i) * n + j]; }
};

class ProblemMaker {
 public:
  explicit ProblemMaker(std::uint64_t seed) : random_(seed) {}

  /// `equations_only` removes all limits and leaves a consistent right-hand side.
  RandomProblem make(ProblemClass c, int n, bool equations_only) {
    RandomProblem p;
    p.n = n;
    p.lo.assign(n, 0.0);
    p.hi.assign(n, kUnbounded);
    p.factor.assign(n, 0.0);
    p.dependency.assign(n, -1);
    switch (c) {
      case ProblemClass::well_conditioned: gram(p, n, 1), random_b(p); break;
      case ProblemClass::badly_conditioned: reflected(p), random_b(p); break;
      case ProblemClass::singular: gram(p, (n + 1) / 2, 0), consistent_b(p, equations_only); break;
      case ProblemClass::friction: gram(p, n, 1), random_b(p), friction_limits(p); break;
      case ProblemClass::contact: contacts(p), friction_limits(p); break;
      case ProblemClass::tight_limits: gram(p, n, 1), random_b(p), tight_limits(p); break;
      case ProblemClass::mixed: contacts(p), mixed_limits(p, n / 3); break;
    }
    if (equations_only) {
      p.lo.assign(n, -kUnbounded);
      p.hi.assign(n, kUnbounded);
      p.dependency.assign(n, -1);
    }
    return p;
  }

  /// A class made of bodies without its dense A, for sizes at which that would not fit.
  RandomProblem make_rows(ProblemClass c, int n) {
    dense_ = false;
    RandomProblem p = make(c, n, false);
    dense_ = true;
    return p;
  }

  /// From 1 to 200: uniform, or with a preference for small ones.
  int size(bool uniform) {
    const double u = random_.uniform();
    return std::min(200, 1 + static_cast<int>(uniform ? 200 * u : std::exp(u * std::log(200.0))));
  }

 private:
  /// A = B Bᵀ / r + shift, B of n × r.
  void gram(RandomProblem& p, int r, double shift) {
    const int n = p.n;
    p.definite = shift > 0;
    std::vector<double> B(static_cast<std::size_t>(n) * r);
    for (double& v : B) v = random_.symmetric(1);
    p.A.resize(static_cast<std::size_t>(n) * n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        double sum = i == j ? shift : 0;
        for (int k = 0; k < r; ++k)
          sum += B[static_cast<std::size_t>(i) * r + k] * B[static_cast<std::size_t>(j) * r + k] / r;
        p.A[static_cast<std::size_t>(i) * n + j] = p.A[static_cast<std::size_t>(j) * n + i] = sum;
      }
  }

  /// A = Q Λ Qᵀ with eigenvalues from 1 to 1e-8, Q a product of three reflections.
  void reflected(RandomProblem& p) {
    const int n = p.n;
    p.A.assign(static_cast<std::size_t>(n) * n, 0.0);
    for (int i = 0; i < n; ++i)
      p.A[static_cast<std::size_t>(i) * n + i] = n == 1 ? 1e-8 : std::pow(10, -8.0 * i / (n - 1));
    std::vector<double> v(n), Av(n);
    for (int reflection = 0; reflection < 3; ++reflection) {
      double length = 0, vAv = 0;
      for (double& x : v) x = random_.symmetric(1), length += x * x;
      for (double& x : v) x /= std::sqrt(length);
      for (int i = 0; i < n; ++i) {
        Av[i] = 0;
        for (int j = 0; j < n; ++j) Av[i] += p.a(i, j) * v[j];
        vAv += v[i] * Av[i];
      }
      // (1 - 2 v vᵀ) A (1 - 2 v vᵀ), lower triangle first so that A stays exactly symmetric
      for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
          p.A[static_cast<std::size_t>(i) * n + j] = p.A[static_cast<std::size_t>(j) * n + i] =
              p.a(i, j) - 2 * (v[i] * Av[j] + Av[i] * v[j]) + 4 * vAv * v[i] * v[j];
    }
  }

  void random_b(RandomProblem& p) {
    for (int i = 0; i < p.n; ++i) p.b.push_back(random_.symmetric(1));
  }

  /// b = w - A x for some complementary x, w.
  void consistent_b(RandomProblem& p, bool equations_only) {
    std::vector<double> x(p.n), w(p.n);
    for (int i = 0; i < p.n; ++i) (random_.uniform() < 0.5 || equations_only ? x[i] : w[i]) = random_.uniform();
    for (int i = 0; i < p.n; ++i) {
      double sum = w[i];
      for (int j = 0; j < p.n; ++j) sum -= p.a(i, j) * x[j];
      p.b.push_back(sum);
    }
  }

  /// Rows in threes: a normal, two tangents.
  void friction_limits(RandomProblem& p) {
    for (int i = 0; i < p.n; ++i) {
      if (i % 3 == 0) continue;
      p.dependency[i] = i - i % 3;
      p.factor[i] = random_.uniform();
    }
  }

  void tight_limits(RandomProblem& p) {
    for (int i = 0; i < p.n; ++i) {
      p.lo[i] = random_.symmetric(0.2);
      p.hi[i] = p.lo[i] + (random_.uniform() < 0.1 ? 0 : 0.2 * random_.uniform());
    }
  }

  /// The first rows are equations (joints), the others have limits of every kind.
  void mixed_limits(RandomProblem& p, int joint_rows) {
    for (int i = 0; i < p.n; ++i) {
      const double kind = random_.uniform();
      if (i < joint_rows || kind < 0.1)
        p.lo[i] = -kUnbounded;
      else if (kind < 0.3)
        p.lo[i] = -kUnbounded, p.hi[i] = random_.uniform();
      else if (kind < 0.5)
        p.lo[i] = -random_.uniform(), p.hi[i] = random_.uniform();
      else if (kind < 0.7 && joint_rows > 0)
        p.dependency[i] = static_cast<int>(random_.uniform() * joint_rows), p.factor[i] = 0.3;
    }
  }

  /// A = J M⁻¹ Jᵀ and b = J u of rows between random bodies, in threes that share two bodies and a point, so that many are
  /// redundant. Mass ratios up to 100.
  void contacts(RandomProblem& p) {
    p.bodies = 1 + p.n / 8;
    p.definite = false;
    std::vector<double> mass, inertia, u;
    for (int i = 0; i < p.bodies; ++i) {
      mass.push_back(std::pow(10, 2 * random_.uniform()));
      inertia.push_back(0.2 * mass.back());
    }
    for (int i = 0; i < 6 * p.bodies; ++i) u.push_back(random_.symmetric(1));
    for (int i = 0; i < p.n; i += 3) contact(p, std::min(3, p.n - i), mass, inertia);
    for (int i = 0; i < p.n; ++i) {
      double w = 0;
      for (int k = 0; k < 12; ++k) {
        const int body = k < 6 ? p.first[i] : p.second[i];
        if (body >= 0) w += p.J[i][k] * u[6 * body + k % 6];
      }
      p.b.push_back(w);
    }
    if (dense_) p.A = assemble(p.rows());
  }

  /// `count` <= 3 rows along the axes of a random frame, through one point.
  void contact(RandomProblem& p, int count, std::span<const double> mass, std::span<const double> inertia) {
    const int a = static_cast<int>(random_.uniform() * p.bodies);
    const int other = static_cast<int>(random_.uniform() * (p.bodies + 1)) - 1;
    const int b = other == a ? -1 : other;
    const Quat frame = random_.rotation();
    const Vec3 axes[] = {rotate(frame, {1, 0, 0}), rotate(frame, {0, 1, 0}), rotate(frame, {0, 0, 1})};
    const Vec3 arm_a = random_.symmetric_vector(1), arm_b = random_.symmetric_vector(1);
    for (int k = 0; k < count; ++k) {
      const Vec3 n = axes[k], ta = cross(arm_a, n), tb = cross(arm_b, n);
      std::array<double, 12> J{n.x, n.y, n.z, ta.x, ta.y, ta.z, -n.x, -n.y, -n.z, -tb.x, -tb.y, -tb.z}, JW{};
      for (int c = 0; c < 12; ++c) {
        const int body = c < 6 ? a : b;
        if (body >= 0) JW[c] = J[c] / (c % 6 < 3 ? mass[body] : inertia[body]);
      }
      p.J.push_back(J);
      p.JW.push_back(JW);
      p.first.push_back(a);
      p.second.push_back(b);
    }
  }

  Random random_;
  bool dense_ = true;
};

}  // namespace rigor::test
