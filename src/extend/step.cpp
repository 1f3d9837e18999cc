// Time steps of extensions: they call the stages and have no access to the world.
#include "rigor/extend/step.h"

#include <cmath>

#include "extend/adapters.h"
#include "extend/bodies.h"
#include "registry/extension_call.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

class StagesOfStep final : public extend::StepStages {
 public:
  StagesOfStep(StepContext& context, const StepOptions& options, const KeepField& keep)
      : context_(context), options_(options), keep_(keep) {}

  double time() const override { return context_.time; }
  extend::Bodies bodies() override { return awake_bodies(context_.world.state()); }
  void find_contacts() override {
    call_back(own_error, [&] { keep_.find_contacts(context_); });
    has_contacts_ = true;
  }
  void solve_and_move(double h) override {
    if (!(h > 0 && std::isfinite(h))) throw Error("solve_and_move", "expected a positive number of seconds");
    if (!has_contacts_) find_contacts();
    call_back(own_error, [&] { rigor::solve_and_move(context_, h, options_); });
    context_.time += h;
    moved += h;
  }

  std::exception_ptr own_error;
  double moved = 0;  // s

 private:
  StepContext& context_;
  const StepOptions& options_;
  const KeepField& keep_;
  bool has_contacts_ = false;
};

class StepAdapter final : public Stepping {
 public:
  explicit StepAdapter(const Extension& extension)
      : name_(extension.name), extension_(extension.instance<extend::Step>()) {}

  void fields(FieldVisitor& v) override {
    visit_extension(Kind::stepping, name_, *extension_, v);
    options_.fields(v), keep_.fields(v);
  }

  void step(StepContext& c, double h) override {
    const StepOptions options = options_.options();
    StagesOfStep stages(c, options, keep_);
    call_extension(
        Kind::stepping, name_, [&] { extension_->step(stages, h); }, &stages.own_error);
    if (!(std::abs(stages.moved - h) <= 1e-9 * h))
      throw ExtensionFailure(
          extension_name(Kind::stepping, name_),
          "it moved the bodies for " + std::to_string(stages.moved) + " s in a step of " + std::to_string(h) + " s");
  }

 private:
  std::string name_;
  std::unique_ptr<extend::Step> extension_;
  StepOptionFields options_;
  KeepField keep_;
};

}  // namespace

std::unique_ptr<Configurable> adapt_step(const Extension& extension) {
  return std::make_unique<StepAdapter>(extension);
}

}  // namespace rigor
