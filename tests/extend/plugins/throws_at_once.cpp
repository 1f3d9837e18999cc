// Throws while it registers.
#include <stdexcept>

#include "rigor/extend/plugin.h"

RIGOR_PLUGIN(registrar) {
  static_cast<void>(registrar);
  throw std::runtime_error("the licence server is down");
}
