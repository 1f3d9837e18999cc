// Validators of extensions.
#include "rigor/extend/validator.h"

#include "extend/adapters.h"
#include "extend/bodies.h"
#include "registry/extension_call.h"
#include "validate/validator.h"

namespace rigor {

namespace {

class InspectionOfStep final : public extend::Inspection {
 public:
  explicit InspectionOfStep(ValidatorContext& context)
      : context_(context), bodies_(awake_bodies(std::as_const(context.world).state())) {}

  double time() const override { return context_.time; }
  double h() const override { return context_.h; }
  const extend::ConstBodies& bodies() const override { return bodies_; }
  const ContactList& contacts() const override { return context_.contacts; }
  std::string name(std::size_t body) const override { return context_.world.name(context_.world.id_at(slot(body))); }
  std::span<double> memory() override { return context_.memory.numbers; }
  void set_velocity(std::size_t body, const Vec3& velocity, const Vec3& angular_velocity) override {
    if (!is_finite(velocity) || !is_finite(angular_velocity)) throw Error("set_velocity", "expected a finite velocity");
    BodyState& s = context_.world.state();
    s.velocity[slot(body)] = velocity, s.angular_velocity[slot(body)] = angular_velocity;
  }
  void report(const std::string& sentence) override { context_.reports.push_back(sentence); }

 private:
  std::uint32_t slot(std::size_t body) const {
    if (body >= bodies_.size()) throw Error("body", "there is no awake body with this index");
    return static_cast<std::uint32_t>(body);
  }

  ValidatorContext& context_;
  extend::ConstBodies bodies_;
};

class ValidatorAdapter final : public Validator {
 public:
  explicit ValidatorAdapter(const Extension& extension)
      : name_(extension.name), extension_(extension.instance<extend::Validator>()) {}

  void fields(FieldVisitor& v) override { visit_extension(Kind::validator, name_, *extension_, v); }
  void begin(ValidatorContext& context) override {
    InspectionOfStep inspection(context);
    call_extension(Kind::validator, name_, [&] { extension_->begin(inspection); });
    check(context);
  }
  void validate(ValidatorContext& context) override {
    InspectionOfStep inspection(context);
    call_extension(Kind::validator, name_, [&] { extension_->validate(inspection); });
    check(context);
  }

 private:
  void check(const ValidatorContext& context) const {
    for (const double v : context.memory.numbers)
      if (!std::isfinite(v))
        throw ExtensionFailure(extension_name(Kind::validator, name_),
                               "it left a number in its memory that is not finite");
  }

  std::string name_;
  std::unique_ptr<extend::Validator> extension_;
};

}  // namespace

std::unique_ptr<Configurable> adapt_validator(const Extension& extension) {
  return std::make_unique<ValidatorAdapter>(extension);
}

}  // namespace rigor
