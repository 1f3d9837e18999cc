// Random contacts in factors.
#pragma once

#include <vector>

#include "lcp/random_problems.h"
#include "rigor/math.h"

namespace rigor::test {

/// Points of contact between random bodies, as three rows each, and W by mass and inertia. Some bodies cannot move where there are
/// several points per pair.
struct ContactProblem {
  explicit ContactProblem(int points, int number_of_bodies = 7, int per_pair = 1) : bodies(number_of_bodies) {
    Random random(11);
    const auto vector = [&] { return Vec3{random.symmetric(1), random.symmetric(1), random.symmetric(1)}; };
    for (int k = 0; k < bodies; ++k) {
      const Vec3 d = Vec3{3, 4, 5} + vector();
      masses.push_back({2 + random.symmetric(1), {d.x, d.y, d.z, 0.3, 0.2, -0.4}});
    }
    for (int k = 0; k < points;) {
      const Vec3 n = normalized(vector()), t = normalized(cross(n, vector()));
      const int a = k % bodies, o = per_pair > 1 && k % 5 == 0 ? -1 : (k + 1 + k % 3) % bodies;
      for (int i = 0; i < (per_pair > 1 ? 1 + k % per_pair : 1) && k < points; ++i, ++k) {
        const Vec3 r_a = vector(), r_b = vector();
        for (const Vec3& d : {n, t, cross(n, t)}) append(d, r_a, r_b, a, o);
      }
    }
  }

  void append(const Vec3& d, const Vec3& r_a, const Vec3& r_b, int a, int o) {
    const Vec3 parts[4] = {-d, -cross(r_a, d), d, cross(r_b, d)};
    std::array<double, 12> j{}, w{};
    for (std::size_t k = 0; k < 4; ++k) {
      const int body = k < 2 ? a : o;
      const InverseMass m = body < 0 ? InverseMass{} : masses[static_cast<std::size_t>(body)];
      const auto& I = m.angular;
      const Mat3 inertia{{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
      const Vec3 pushed = k % 2 == 0 ? m.linear * parts[k] : inertia * parts[k];
      for (std::size_t c = 0; c < 3; ++c)
        j[3 * k + c] = parts[k][static_cast<int>(c)], w[3 * k + c] = pushed[static_cast<int>(c)];
    }
    const bool is_normal = b.size() % 3 == 0;
    J.push_back(j), JW.push_back(w), first.push_back(a), second.push_back(o);
    b.push_back(is_normal ? -1.0 : 0.5), lo.push_back(0), hi.push_back(is_normal ? kUnbounded : 0);
    dependency.push_back(is_normal ? -1 : static_cast<int>(b.size()) - 1 - (static_cast<int>(b.size()) - 1) % 3);
    factor.push_back(is_normal ? 0 : 0.4);
  }

  LcpRows rows() const { return {J, JW, first, second, {}, b, {lo, hi, dependency, factor}, bodies, masses}; }

  int bodies;
  std::vector<std::array<double, 12>> J, JW;
  std::vector<int> first, second, dependency;
  std::vector<double> b, lo, hi, factor;
  std::vector<InverseMass> masses;
};

}  // namespace rigor::test
