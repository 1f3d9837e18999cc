#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace rigor {

/// A generational handle: stays unique after its object was removed and its slot given to another one.
template <class Tag> struct Id {
  std::uint32_t index = 0xffffffffu;
  std::uint32_t generation = 0;

  constexpr explicit operator bool() const { return index != 0xffffffffu; }
  constexpr auto operator<=>(const Id&) const = default;
};

using BodyId = Id<struct BodyTag>;
using ForceId = Id<struct ForceTag>;
using JointId = Id<struct JointTag>;

}  // namespace rigor

/// Ids are keys of std::unordered_map and std::unordered_set.
template <class Tag> struct std::hash<rigor::Id<Tag>> {
  std::size_t operator()(const rigor::Id<Tag>& id) const noexcept {
    return std::hash<std::uint64_t>{}((std::uint64_t{id.generation} << 32 | id.index) * 0x9e3779b97f4a7c15u);
  }
};
