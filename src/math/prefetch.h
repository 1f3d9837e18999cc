// Asking for memory some time before it is needed.
#pragma once

#include <cstddef>

namespace rigor {

/// Asks for the cache line at an address.
inline void prefetch(const void* at) {
  __builtin_prefetch(at);
  asm volatile("");  // GCC leaves out calls of functions that do nothing else, as having no effect
}

/// For all lines of `size` bytes, at least one.
inline void prefetch(const void* at, std::size_t size) {
  constexpr std::size_t kLine = 64;
  const char* first = static_cast<const char*>(at);
  for (std::size_t k = 0; k < size; k += kLine) prefetch(first + k);
  prefetch(first + size - 1);
}

}  // namespace rigor
