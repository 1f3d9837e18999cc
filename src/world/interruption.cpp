#include "rigor/interruption.h"

namespace rigor {

thread_local const InterruptibleThread* InterruptibleThread::innermost_ = nullptr;

void throw_if_interrupted() {
  for (const InterruptibleThread* t = InterruptibleThread::innermost_; t; t = t->outer_)
    if (t->interruption_ && t->interruption_->is_due()) throw Interrupted();
}

}  // namespace rigor
