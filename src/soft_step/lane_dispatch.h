// How the kernels of a lane file are called: HWY_EXPORT(wide) for the machine's instruction set, or their twin with one lane.
#pragma once

#include "soft_step/contact_kernels.h"

/// Of `single`, a pointer to the twin in HWY_NAMESPACE, and `wide`, an exported function with the same arguments, the one for a LaneWidth.
#define RIGOR_BY_WIDTH(width, single, wide) \
  ((width) == LaneWidth::one ? HWY_NAMESPACE::single : &HWY_DYNAMIC_DISPATCH(wide))
