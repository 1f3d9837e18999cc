// The plainest step (3.8.1): everything is computed from the state at its start.
//
// `max_step` is the maximum simulation step of 7.5.7: a longer one is taken in equal parts, each of them a whole step with collision
// detection. Few sweeps of an iterative solver leave a velocity error of about g h times the depth of the heap or chain in each
// step, so contacts sink in by g h² and joints open by as much: shorter steps help more than as many sweeps (Macklin et al. 2019).
//
// `max_turn` divides a step in which a jointed body would turn by more. Joints are linearised where the step begins, so a point at the distance r from the center of mass of a body that turns by θ = ω h leaves
// its joint by ½ θ² r. A solver that takes errors back within τ holds the joint open by ½ θ ω r (h + τ), whatever its iterations, and pulls with ½ θ of the joint's own speed ω r: this is the
// energy that such a step adds.
#include <algorithm>
#include <cmath>

#include "registry/entry.h"
#include "stepping/max_step.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

class ExplicitStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    options_.fields(v), keep_.fields(v);
    max_step_.fields(v);
    v.number("max_turn", max_turn_,
             {"rad", kPositive, 1e6,
              "steps in which a jointed body would turn by more are taken in equal parts, 64 at most"});
  }

  void step(StepContext& c, double h) override {
    const int parts = std::max(max_step_.parts(h), parts_by_turn(c.world, h));
    const double start = c.time;
    for (int i = 0; i < parts; ++i) {
      keep_.find_contacts(c);
      solve_and_move(c, h / parts, options_.options());
      if (parts > 1) c.time = start + h * (i + 1) / parts;
    }
  }

 private:
  int parts_by_turn(const World& world, double h) const {
    constexpr double kMostParts = 64;
    if (max_turn_ >= kNever) return 1;
    const BodyState& s = world.state();
    double fastest = 0;  // rad²/s²
    for (const JointId id : world.joints()) {
      const JointDef& joint = world.joint(id);
      if (!joint.active) continue;
      for (const BodyId body : {joint.a, joint.b})
        if (const std::uint32_t slot = world.slot(body); slot < s.awake())
          fastest = std::max(fastest, length_squared(s.angular_velocity[slot]));
    }
    return static_cast<int>(std::clamp(std::ceil(std::sqrt(fastest) * h / max_turn_), 1.0, kMostParts));
  }

  static constexpr double kNever = 1e6;  // rad
  double max_turn_ = kNever;
  MaxStepField max_step_;
  StepOptionFields options_;
  KeepField keep_;
};

}  // namespace

Entry register_explicit_step() {
  return {Kind::stepping,
          "explicit",
          "contacts, collisions, forces, constraints, then velocities and positions",
          "Garstenauer 2006, 3.8.1",
          {},
          make_default<ExplicitStep>,
          {}};
}

}  // namespace rigor
