// A force, filter or contact modifier of the user runs in the middle of a step, while the step holds slots and spans of the world's
// arrays. A change of the world would leave them dangling, so it is refused: the world asks here before every change.
#pragma once

#include "rigor/error.h"

namespace rigor {

class World;

/// Lives while a function of the user runs inside of a computation on `world`. Scopes of one thread nest: a force of one world may step
/// another one.
class CallbackScope {
 public:
  explicit CallbackScope(const World& world) : world_(world), outer_(innermost_) { innermost_ = this; }
  ~CallbackScope() { innermost_ = outer_; }
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

  /// Throws Error if a function of the user runs on this thread inside of a computation on `world`.
  static void refuse_change(const World& world) {
    for (const CallbackScope* scope = innermost_; scope != nullptr; scope = scope->outer_)
      if (&scope->world_ == &world)
        throw Error(
            "a force, filter or contact modifier cannot change the world that it is called for; change it between "
            "steps");
  }

 private:
  const World& world_;
  const CallbackScope* outer_;
  inline static thread_local const CallbackScope* innermost_ = nullptr;
};

}  // namespace rigor
