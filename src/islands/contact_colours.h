// Colours of contacts: no two contacts of one colour share a body that moves, so that all of them may be solved at once.
//
// Greedy, in the order of the contacts: each gets the first colour that none of its awake bodies has yet. A function of the
// contacts alone, so results depend neither on threads nor on lanes. Colours that are used up (a body with more contacts than
// there are colours) leave the rest in kOverflow, which has to be solved one after the other.
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
