// Empties a list that is filled anew in every step, and releases memory that only an earlier step has needed.
#pragma once

#include <vector>

namespace rigor {

/// Steps in which much happens at once, such as the first one of a heap, would otherwise leave memory behind that no later step uses. Small
/// lists stay as they are, so that small worlds allocate nothing.
template <class T> void clear_list(std::vector<T>& list) {
  constexpr std::size_t kSmall = 1024;  // bytes; chosen
  if (list.capacity() * sizeof(T) > kSmall && list.size() < list.capacity() / 8)
    list = std::vector<T>();
  else
    list.clear();
}

}  // namespace rigor
