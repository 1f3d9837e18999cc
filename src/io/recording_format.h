// The layout of a binary recording (.rrec), shared by the writer and the reader. All numbers are little-endian.
//
//   file   magic (8 bytes), version u32, chunks, the last of them kEnd
//   chunk  kind u32, payload size u32, payload, checksum u64
//
// The checksum is FNV-1a (64 bit) over kind, size and payload, started from the checksum of the chunk before (the first
// one: from that of magic and version), so that missing and reordered chunks are detected as well.
//
//   kScene  the scene as JSON text
//   kNames  new body names, appended to the table: for each u32 size and bytes
//   kStep   step u64, time f64, hash u64, flag u8; with flag 1: count u32 and for each body its name's index u32, with
//           flag 0 the bodies are those of the step before; the rest is the zstd frame of the bodies' numbers
//   kEnd    number of steps u64
//
// A body's 13 numbers are x y z, qw qx qy qz, vx vy vz, wx wy wz. The bits of each are XORed with those of the step
// before, or unchanged if the list of bodies changed; then byte 0 of all numbers is stored first, byte 1 next, and so on,
// numbers being ordered by component and then by body. Neighbouring steps agree in sign, exponent and leading digits, so
// that most of these planes are nearly all zeros.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/recording.h"

namespace rigor::rrec {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

inline constexpr std::string_view kMagic{"\x89RREC\r\n\x1a", 8};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kComponents = 13;
inline constexpr std::size_t kLongestPayload = 0xffffffffu;  // bytes

enum ChunkKind : std::uint32_t { kScene = 1, kNames = 2, kStep = 3, kEnd = 4 };

inline constexpr std::uint64_t kChecksumStart = 0xcbf29ce484222325ull;
inline std::uint64_t checksum(std::uint64_t start, std::string_view bytes) {
  for (const char c : bytes) start = (start ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return start;
}

template <class T> void append(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

/// The bits of all numbers of a step, by component and then by body.
using Columns = std::vector<std::uint64_t>;

inline std::array<double, kComponents> numbers_of(const RecordedBody& b) {
  const Vec3 &p = b.position, &v = b.velocity, &w = b.angular_velocity;
  const Quat& q = b.orientation;
  return {p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z};
}

/// Groups bytes of equal significance.
inline void shuffle(const Columns& words, std::string& out) {
  const std::size_t n = words.size();
  out.resize(n * 8);
  for (std::size_t plane = 0; plane < 8; ++plane)
    for (std::size_t k = 0; k < n; ++k) out[plane * n + k] = static_cast<char>(words[k] >> (8 * plane));
}
inline void unshuffle(std::string_view bytes, Columns& words) {
  const std::size_t n = bytes.size() / 8;
  words.assign(n, 0);
  for (std::size_t plane = 0; plane < 8; ++plane)
    for (std::size_t k = 0; k < n; ++k)
      words[k] |= std::uint64_t{static_cast<unsigned char>(bytes[plane * n + k])} << (8 * plane);
}

}  // namespace rigor::rrec
