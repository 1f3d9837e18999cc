// Bitwise comparison of arrays, for checking whether a cache is still valid.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace rigor {

template <class T> bool same_bits(std::type_identity_t<std::span<const T>> a, const std::vector<T>& b) {
  static_assert(std::is_trivially_copyable_v<T>);
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace rigor
