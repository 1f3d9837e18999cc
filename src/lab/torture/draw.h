// Random draws for random worlds. Sums, products and square roots only, so that a seed gives the same bits on every machine.
// For the same reason no expression may draw twice where the order of evaluation is the compiler's choice: arguments of one
// call, operands of one product. The elements of a braced list are drawn from left to right.
#pragma once

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <iterator>

#include "io/random.h"

namespace rigor {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  /// In [low, high).
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  /// A whole number from `low` to `high`, both included.
  int whole(int low, int high) { return low + static_cast<int>(random_.uniform() * (high - low + 1)); }
  bool chance(double probability) { return random_.uniform() < probability; }
  double sign() { return chance(0.5) ? 1 : -1; }

  /// In [low, high), with equal probability for every octave: 2^k (1 + f) low.
  double octaves(double low, double high) {
    int whole_octaves = 0;
    for (; low * 2 <= high; high /= 2) ++whole_octaves;
    const double s = random_.uniform() * (whole_octaves + (high / low - 1));
    const int k = static_cast<int>(s);
    return std::ldexp(low, k) * (1 + (s - k));
  }

  Vec3 direction() {
    for (;;) {
      const Vec3 v = random_.symmetric_vector(1);
      const double n = length_squared(v);
      if (n > 0.01 && n < 1) return v / std::sqrt(n);
    }
  }
  /// A vector of any direction and of a length below `bound`. Its zeros are positive, as those of vector(): scene files do not store the sign
  /// of a zero.
  Vec3 ball(double bound) {
    const Vec3 d = direction();
    return (bound * random_.uniform()) * d + Vec3{};
  }
  /// Each component within the bound.
  Vec3 vector(double bound) { return random_.symmetric_vector(bound) + Vec3{}; }
  Quat rotation() { return random_.rotation(); }

  template <class List> const auto& pick(const List& list) {
    return *(std::begin(list) + whole(0, static_cast<int>(std::size(list)) - 1));
  }
  double pick(std::initializer_list<double> list) {
    return *(list.begin() + whole(0, static_cast<int>(list.size()) - 1));
  }

 private:
  Random random_;
};

}  // namespace rigor
