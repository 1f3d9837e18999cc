// Random numbers that are the same on every machine.
#pragma once

#include <cmath>
#include <cstdint>

#include "rigor/math.h"

namespace rigor {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// In [-bound, bound).
  double symmetric(double bound) { return (2 * uniform() - 1) * bound; }
  /// Each component in [-bound, bound).
  Vec3 symmetric_vector(double bound) {
    const double x = symmetric(bound), y = symmetric(bound), z = symmetric(bound);
    return {x, y, z};
  }
  /// Uniform over all rotations: a random direction in four dimensions, by rejection.
  Quat rotation() {
    for (;;) {
      const double w = symmetric(1), x = symmetric(1), y = symmetric(1), z = symmetric(1);
      const Quat q{w, x, y, z};
      const double n = dot(q, q);
      if (n > 0.01 && n < 1) return q * (1 / std::sqrt(n));
    }
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace rigor
