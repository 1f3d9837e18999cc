// The first method is new, the second one has a name of the library: neither is registered.
#include "rigor/extend/plugin.h"

namespace {
class Nothing final : public rigor::extend::Integrator {
 public:
  void integrate(rigor::extend::Motion&, double, double) override {}
};
}  // namespace

RIGOR_PLUGIN(registrar) {
  registrar.add<Nothing>({"stands-still", "moves nothing", "none"});
  registrar.add<Nothing>({"rk4", "moves nothing", "none"});
}
