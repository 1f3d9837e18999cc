// Tests that take minutes run in full when RIGOR_LONG_TESTS=1 stands in the environment, and on a sample otherwise. With sanitizers
// everything takes about ten times as long, so tests that take seconds run on a sample there.
#pragma once

#include <cstdlib>
#include <string>

#include "threads/sanitizers.h"

namespace rigor::test {

inline bool long_tests() {
  const char* value = std::getenv("RIGOR_LONG_TESTS");
  return value && std::string(value) == "1";
}

/// True if this is a build with sanitizers and long tests were not asked for.
inline bool on_a_sample() {
#if defined(RIGOR_ADDRESS_SANITIZER) || defined(RIGOR_THREAD_SANITIZER)
  return !long_tests();
#else
  return false;
#endif
}

}  // namespace rigor::test
