// Tests that take minutes run in full when RIGOR_LONG_TESTS=1 stands in the environment, and on a sample otherwise.
#pragma once

#include <cstdlib>
#include <string>

namespace rigor::test {

inline bool long_tests() {
  const char* value = std::getenv("RIGOR_LONG_TESTS");
  return value && std::string(value) == "1";
}

}  // namespace rigor::test
