// Prefetching memory into the cache.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rigor {

/// Prefetches the cache line at an address.
inline void prefetch(const void* at) {
  __builtin_prefetch(at);
  asm volatile("");  // GCC would remove calls of functions that do nothing else
}

/// Prefetches all lines of `size` bytes.
inline void prefetch(const void* at, std::size_t size) {
  constexpr std::size_t kLine = 64;
  const char* begin = static_cast<const char*>(at);
  const char* line = begin - reinterpret_cast<std::uintptr_t>(at) % kLine;
  for (; line < begin + size; line += kLine) prefetch(line);
}

}  // namespace rigor
