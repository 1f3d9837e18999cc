// Asking for memory some time before it is needed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rigor {

/// Asks for the cache line at an address.
inline void prefetch(const void* at) {
  __builtin_prefetch(at);
  asm volatile("");  // GCC leaves out calls of functions that do nothing else, as having no effect
}

/// For all lines of `size` bytes.
inline void prefetch(const void* at, std::size_t size) {
  constexpr std::size_t kLine = 64;
  const char* begin = static_cast<const char*>(at);
  const char* line = begin - reinterpret_cast<std::uintptr_t>(at) % kLine;
  for (; line < begin + size; line += kLine) prefetch(line);
}

}  // namespace rigor
