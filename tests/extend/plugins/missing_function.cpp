// Needs a function that does not exist.
#include "rigor/extend/plugin.h"

int function_that_nobody_has();
RIGOR_PLUGIN(registrar) {
  if (function_that_nobody_has() == 0) registrar.add(rigor::Kind::integrator, {"never", "", ""}, nullptr);
}
