// Sleep rules of extensions.
#include "rigor/extend/sleep.h"

#include "extend/adapters.h"
#include "extend/bodies.h"
#include "registry/extension_call.h"
#include "sleep/sleep_rule.h"

namespace rigor {

namespace {

class SleepAdapter final : public SleepRule {
 public:
  explicit SleepAdapter(const Extension& extension)
      : name_(extension.name), extension_(extension.instance<extend::SleepRule>()) {}

  void fields(FieldVisitor& v) override {
    visit_extension(Kind::sleep, name_, *extension_, v);
    visit(settings_, v);
  }
  SleepSettings settings() const override { return settings_; }
  void find_idle(const BodyState& s, std::vector<std::uint8_t>& idle) const override {
    idle.assign(s.awake(), 0);
    call_extension(Kind::sleep, name_, [&] { extension_->find_idle(awake_bodies(s), idle); });
  }

 private:
  std::string name_;
  std::unique_ptr<extend::SleepRule> extension_;
  SleepSettings settings_;
};

}  // namespace

std::unique_ptr<Configurable> adapt_sleep(const Extension& extension) {
  return std::make_unique<SleepAdapter>(extension);
}

}  // namespace rigor
