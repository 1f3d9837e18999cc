// A step of a scene that has settled asks for no memory: everything is kept from step to step.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "conformance/solver_cases.h"
#include "support.h"
#include "threads/sanitizers.h"

#if !defined(RIGOR_ADDRESS_SANITIZER) && !defined(RIGOR_THREAD_SANITIZER)  // they have their own

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;  // what aligned_alloc wants
  void* p = alignment <= alignof(std::max_align_t) ? std::malloc(size ? size : 1)
                                                   : std::aligned_alloc(alignment, rounded ? rounded : alignment);
  if (!p) throw std::bad_alloc();
  return p;
}
}  // namespace

void* operator new(std::size_t size) { return counted(size, 1); }
void* operator new[](std::size_t size) { return counted(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace rigor::test {
namespace {

/// A wall of boxes, each row half a box further.
World wall() {
  World world;
  for (int row = 0; row < 5; ++row)
    for (int i = 0; i < 5 - row; ++i) {
      BodyDef def;
      def.shape = box({1, 1, 1}), def.position = {i + 0.5 * row, 0.5 + row, 0};
      world.add_body(def);
    }
  return world;
}

long allocations_of_a_step(const char* sleep, double seconds) {
  Method method = preset("soft-step");
  method.sleep.name = sleep;
  Simulation sim(wall(), method);
  run(sim, seconds, 1.0 / 60);
  const long before = allocations;
  for (int i = 0; i < 10; ++i) sim.step(1.0 / 60);
  return allocations - before;
}

TEST(Allocations, NoneInASettledStep) { EXPECT_EQ(allocations_of_a_step("never", 3), 0); }
TEST(Allocations, NoneWhileAllSleep) { EXPECT_EQ(allocations_of_a_step("velocity", 5), 0); }

}  // namespace
}  // namespace rigor::test

#endif
