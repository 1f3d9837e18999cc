// Loops over many threads whose result does not depend on how many there are: every iteration writes its own places only.
#pragma once

#include <cstddef>
#include <memory>

namespace rigor {

class ThreadPool {
 public:
  /// 0: as many as the machine has.
  explicit ThreadPool(int threads = 1);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  /// Calls body(begin, end) for pieces of [0, count) of about `grain` iterations each, on any thread, in any order. Loops of
  /// less than `few` iterations are done sooner by one thread than others wake up.
  template <class Body>
  void for_range(std::size_t count, std::size_t grain, const Body& body, std::size_t few = 0) const {
    if (count == 0) return;
    if (!arena_ || count <= grain || count < few) return body(std::size_t{0}, count);
    run(count, grain, &body,
        [](const void* b, std::size_t begin, std::size_t end) { (*static_cast<const Body*>(b))(begin, end); });
  }

  /// As long as it lives, the other threads stay awake and wait for the next loop: for a step that is made of many short ones.
  /// Loops are those of the thread that made it, one after the other. Nobody waits for a thread that has not come.
  class Awake {
   public:
    /// `wanted`: false does nothing.
    Awake(const ThreadPool& pool, bool wanted);
    ~Awake();
    Awake(const Awake&) = delete;
    Awake& operator=(const Awake&) = delete;

   private:
    const ThreadPool* pool_ = nullptr;  // null: nothing was done
  };

 private:
  using Call = void (*)(const void* body, std::size_t begin, std::size_t end);
  void run(std::size_t count, std::size_t grain, const void* body, Call call) const;

  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;  // null: this thread alone
};

}  // namespace rigor
