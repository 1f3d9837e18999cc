// Instruction sets that large kernels are compiled for: the plain one, SSE4, AVX2 and AVX-512 on x86. Others would
// cost more compile time than they gain. Included before Highway's foreach_target.h.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
