// Graph colouring of contacts: no two contacts of one colour share a moving body, so that they can be solved in parallel.
//
// Greedy, in the order of the contacts: each gets the first colour that none of its awake bodies has yet. Colours are a function of the
// contacts alone, so results depend neither on threads nor on lanes. If a body has more contacts than
// there are colours, the rest is in kOverflow, which has to be solved serially.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"

namespace rigor {

inline constexpr int kColours = 64;         // one bit each
inline constexpr int kOverflow = kColours;  // the last colour

/// Bodies from `awake` on have no colour. `used` is scratch.
void colour_contacts(std::span<const StepContact> contacts, std::uint32_t awake, std::vector<std::uint64_t>& used,
                     std::vector<std::uint8_t>& colour);

}  // namespace rigor
