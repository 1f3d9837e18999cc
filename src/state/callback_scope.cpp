#include "state/callback_scope.h"

#include "rigor/error.h"

namespace rigor {

namespace {

thread_local const CallbackScope* innermost = nullptr;

}  // namespace

CallbackScope::CallbackScope(const World& world) : world_(world), outer_(innermost) { innermost = this; }

CallbackScope::~CallbackScope() { innermost = outer_; }

void CallbackScope::refuse_change(const World& world) {
  for (const CallbackScope* scope = innermost; scope != nullptr; scope = scope->outer_)
    if (&scope->world_ == &world)
      throw Error(
          "a force, filter or contact modifier cannot change the world that it is called for; change it between steps");
}

}  // namespace rigor
