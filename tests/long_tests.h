// Tests that take minutes run in full when RIGOR_LONG_TESTS=1 stands in the environment, and on a sample otherwise. With sanitizers
// everything takes about ten times as long, so tests that take seconds run on a sample there.
#pragma once

#include <cstdlib>
#include <string>

namespace rigor::test {

inline bool long_tests() {
  const char* value = std::getenv("RIGOR_LONG_TESTS");
  return value && std::string(value) == "1";
}

/// True if this is a build with sanitizers and long tests were not asked for.
inline bool on_a_sample() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return !long_tests();
#else
  return false;
#endif
}

}  // namespace rigor::test
