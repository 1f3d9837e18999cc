// Where contacts go within the lanes: zones of bodies and colours of contacts. contact_layout.cpp makes blocks of them.
//
// Zones are cells of space with about equally many bodies each, few enough to fit into a cache.
//
// Contacts within a zone are solved zone by zone; contacts across zones come after. Zones are a function of the bodies' positions and
// their order alone, so results depend neither on threads nor on earlier steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "rigor/math.h"

namespace rigor {

class BodyZones {
 public:
  /// Halves space across the longest extent of its bodies until zones hold about `most` bodies or fewer. Returns true if the
  /// zones have changed.
  bool divide(std::span<const Vec3> positions, std::size_t most);

  std::size_t count() const { return cuts_.size() + 1; }
  std::uint32_t operator[](std::size_t body) const { return zone_[body]; }

 private:
  /// A plane between two halves.
  struct Cut {
    double Vec3::*axis = &Vec3::x;
    double at = 0;  // m
  };
  void cut(std::span<Vec3> sample, std::size_t node);
  std::uint32_t zone_of(const Vec3& position) const;

  std::vector<Cut> cuts_;            // a complete binary tree: the halves of k are 2k + 1 and 2k + 2
  std::vector<Vec3> sample_;         // scratch
  std::vector<std::uint16_t> zone_;  // by body; empty: one zone
};

// Graph colouring of contacts: no two contacts of one colour share a moving body, so that they can be solved in parallel.
//
// Greedy, in the order of the contacts: each gets the first colour that none of its awake bodies has yet. Colours are a function of the
// contacts alone, so results depend neither on threads nor on lanes. If a body has more contacts than
// there are colours, the rest is in kOverflow, which has to be solved serially.

inline constexpr int kColours = 64;         // one bit each
inline constexpr int kOverflow = kColours;  // the last colour

/// Bodies from `awake` on have no colour. `used` is scratch.
void colour_contacts(std::span<const StepContact> contacts, std::uint32_t awake, std::vector<std::uint64_t>& used,
                     std::vector<std::uint8_t>& colour);

}  // namespace rigor
