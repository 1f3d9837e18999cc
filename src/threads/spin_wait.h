// Waiting for another thread: spins for a short time, then yields the processor.
#pragma once

#include <thread>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace rigor {

class SpinWait {
 public:
  void wait() {
    constexpr int kSpins = 2000;  // chosen: some ten to a hundred microseconds
    ++spins_ > kSpins ? std::this_thread::yield() : pause();
  }
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#endif
  }
  void reset() { spins_ = 0; }

 private:
  int spins_ = 0;
};

}  // namespace rigor
