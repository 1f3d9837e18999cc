// The parts of a Method as scene files write them.
#pragma once

#include "rigor/method.h"
#include "rigor/registry.h"

namespace rigor {

/// A part that holds one method, and the key of it that set() knows.
struct MethodSlot {
  const char* key;
  Kind kind;
  Choice Method::*member;
};
inline constexpr MethodSlot kMethodSlots[] = {
    {"stepping", Kind::stepping, &Method::stepping},
    {"integrator", Kind::integrator, &Method::integrator},
};

struct MethodFlag {
  const char* key;
  bool Method::*member;
  const char* description;
};
inline constexpr MethodFlag kMethodFlags[] = {
    {"gyroscopic", &Method::gyroscopic, "false drops the term ω × Iω, as many engines do"},
};

}  // namespace rigor
