#include "islands/contact_colours.h"

#include <bit>

namespace rigor {

void colour_contacts(std::span<const StepContact> contacts, std::uint32_t awake, std::vector<std::uint64_t>& used,
                     std::vector<std::uint8_t>& colour) {
  used.assign(awake, 0);
  colour.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const std::uint32_t a = contacts[i].slot_a, b = contacts[i].slot_b;
    const std::uint64_t taken = (a < awake ? used[a] : 0) | (b < awake ? used[b] : 0);
    const int first_free = std::countr_one(taken);  // 64 when all are taken
    colour[i] = static_cast<std::uint8_t>(first_free);
    if (first_free == kOverflow) continue;
    const std::uint64_t bit = std::uint64_t{1} << first_free;
    if (a < awake) used[a] |= bit;
    if (b < awake) used[b] |= bit;
  }
}

}  // namespace rigor
