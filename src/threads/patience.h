// Waiting for another thread: a little while at once, then the processor is offered to others.
#pragma once

#include <thread>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace rigor {

class Patience {
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
  void renew() { spins_ = 0; }

 private:
  int spins_ = 0;
};

}  // namespace rigor
