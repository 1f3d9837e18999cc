// Measures the memory of bodies and contacts at scale: bytes that are allocated after some steps.
#pragma once

#include <cstddef>

#include "rigor/method.h"

namespace rigor {

struct MemoryBenchRow {
  std::size_t bodies = 0, contacts = 0;  // of the larger world
  double per_body = 0;                   // bytes of a box with a shape of its own that touches nothing
  double per_contact = 0;                // bytes of a contact with four points, beyond those of its box
};

/// Bytes per body from worlds of `bodies` and of three times as many boxes that float apart, bytes per contact from as many boxes in columns of ten, each
/// after `steps` steps of 1/60 s without sleep. The differences of the two sizes leave out what a world has once.
MemoryBenchRow run_memory_bench(const Method& method, std::size_t bodies, int steps);

}  // namespace rigor
