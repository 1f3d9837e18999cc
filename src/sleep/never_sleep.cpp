// Bodies are always awake.
#include "registry/entry.h"
#include "sleep/sleep_rule.h"

namespace rigor {

namespace {

class NeverSleep final : public SleepRule {
 public:
  bool is_off() const override { return true; }
  SleepSettings settings() const override { return {}; }
  void find_idle(const BodyState& state, std::vector<std::uint8_t>& idle) const override {
    idle.assign(state.awake(), 0);
  }
};

}  // namespace

Entry register_never_sleep() {
  return {Kind::sleep, "never", "bodies are always awake", "Garstenauer 2006, 7.5.5", {}, make_default<NeverSleep>, {}};
}

}  // namespace rigor
