// Chooses between the two versions of a SIMD kernel: the one that HWY_EXPORT compiles for the machine's instruction
// set, and a reference version with one lane, which tests compare with.
#pragma once

#include "soft_step/contact_kernels.h"

/// The function for the LaneWidth `width`: `single`, the twin with one lane in HWY_NAMESPACE, or `wide`, the exported
/// function. Both have the same arguments.
#define RIGOR_BY_WIDTH(width, single, wide) \
  ((width) == LaneWidth::one ? HWY_NAMESPACE::single : &HWY_DYNAMIC_DISPATCH(wide))
