#pragma once

#include <compare>
#include <cstdint>

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
