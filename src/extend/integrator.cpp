// Integrators of extensions. The adapter moves the kinematic bodies, so that extensions see awake ones only.
#include "rigor/extend/integrator.h"

#include "extend/adapters.h"
#include "extend/bodies.h"
#include "integrators/motion.h"
#include "registry/extension_call.h"

namespace rigor {

namespace {

class MotionOfStep final : public extend::Motion {
 public:
  MotionOfStep(Dynamics& dynamics, double time)
      : dynamics_(dynamics), start_time_(time), bodies_(awake_bodies(dynamics.state())) {
    capture(dynamics.state(), start_);
  }

  const extend::Bodies& bodies() override { return bodies_; }
  bool gyroscopic() const override { return dynamics_.gyroscopic(); }
  void evaluate(double time) override {
    call_back(own_error, [&] {
      place_kinematic(start_, time - start_time_, dynamics_.state());
      dynamics_.evaluate(time);
    });
    bodies_ = awake_bodies(dynamics_.state());
  }
  void finish(double h) { place_kinematic(start_, h, dynamics_.state()); }

  std::exception_ptr own_error;

 private:
  Dynamics& dynamics_;
  double start_time_;
  rigor::Motion start_;
  extend::Bodies bodies_;
};

class IntegratorAdapter final : public Integrator {
 public:
  explicit IntegratorAdapter(const Extension& extension)
      : name_(extension.name), extension_(extension.instance<extend::Integrator>()) {}

  void fields(FieldVisitor& v) override { visit_extension(Kind::integrator, name_, *extension_, v); }
  double velocity_lag() const override {
    return call_extension(Kind::integrator, name_, [&] { return extension_->velocity_lag(); });
  }
  void integrate(Dynamics& dynamics, double time, double h) override {
    MotionOfStep motion(dynamics, time);
    call_extension(
        Kind::integrator, name_, [&] { extension_->integrate(motion, time, h); }, &motion.own_error);
    motion.finish(h);
    check(dynamics.state());
  }

 private:
  void check(const BodyState& s) const {
    for (std::uint32_t i = 0; i < s.awake(); ++i) {
      const double norm = dot(s.orientation[i], s.orientation[i]);
      const char* wrong = !is_finite(s.position[i])                                        ? "position"
                          : !(norm > 0.5 && norm < 2)                                      ? "unit orientation"
                          : !is_finite(s.velocity[i]) || !is_finite(s.angular_velocity[i]) ? "velocity"
                                                                                           : nullptr;
      if (wrong)
        throw ExtensionFailure(extension_name(Kind::integrator, name_),
                               std::string("it left a body without a finite ") + wrong);
    }
  }

  std::string name_;
  std::unique_ptr<extend::Integrator> extension_;
};

}  // namespace

std::unique_ptr<Configurable> adapt_integrator(const Extension& extension) {
  return std::make_unique<IntegratorAdapter>(extension);
}

}  // namespace rigor
