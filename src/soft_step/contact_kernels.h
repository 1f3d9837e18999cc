// The innermost loops of contacts in lanes, compiled for every instruction set and dispatched at run time. Lanes are
// independent and use no fused multiply–add: any width, one lane included, gives the same bits.
#pragma once

#include "soft_step/contact_blocks.h"

namespace rigor {

enum class LaneWidth : std::uint8_t { machine, one };  // one: the twin that the tests compare with

enum class LaneVisit : std::uint8_t {
  correct,  // pushes overlaps apart
  relax,    // does not
  follow,   // the same, the first time after bodies have moved: arms and gaps follow them
};

/// Prepares a block (arms, W, masses, friction, impulses of the last step) from the contacts found, all of which have
/// block.points points; rotates the impulses to the chosen tangents.
void prepare_lanes(LaneInput& input, const LaneBodies& bodies, LaneBlock& block, LanePoint* points, LaneWidth width);
/// Applies the impulses that the blocks have; `sum` adds them up as those of the sub-step before.
void warm_start_lanes(LaneBlock* blocks, int count, const LanePoint* points, const LaneBodies& bodies, bool sum,
                      LaneWidth width);
/// One visit to every block.
void solve_lanes(LaneBlock* blocks, int count, LanePoint* points, const LaneBodies& bodies, const LaneStep& step,
                 LaneVisit visit, LaneWidth width);

}  // namespace rigor
