// A 64-bit hash of exact bits, for comparing states. Not for security.
#pragma once

#include <bit>
#include <cstdint>

#include "rigor/math.h"

namespace rigor {

class Hasher {
 public:
  /// Multiplies and folds: every input bit reaches the whole state before the next word comes.
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9fb21c651e98df25ull;
    state_ ^= state_ >> 32;
  }
  void add(double v) { add(std::bit_cast<std::uint64_t>(v)); }
  void add(const Vec3& v) { add(v.x), add(v.y), add(v.z); }
  void add(const Quat& q) { add(q.w), add(q.x), add(q.y), add(q.z); }
  std::uint64_t value() const {
    const std::uint64_t x = state_ * 0xd6e8feb86659fd93ull;
    return x ^ (x >> 32);
  }

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3ull;  // first digits of pi
};

}  // namespace rigor
