// Error control by step doubling (CENIC, Kurtz, Castro 2025, arXiv 2511.08771; Hairer, Nørsett, Wanner 1993, II.4): the user gives an accuracy and not a step. A part of δ seconds is made once as a
// whole and once as two halves, with collision detection before each, and the difference of the two is the error
//
//   e = max over bodies of max(|Δx|, ρ |Δθ|)        ρ: bounding radius, m
//
// of the whole; the halves are what is kept if e ≤ accuracy. The method is of first order, so e ~ δ², and the next part is δ √(0.8 accuracy / e), at most five times as long and at least a tenth. Where
// impacts make the motion discontinuous, e ~ δ: parts become short around them. Contacts are included because the convex step below it has a solution at every δ.
//
// The error is that of one part: the one at the end of a run is what the parts add up to, and follows the accuracy about as its square root, or linearly where parts are as many. Cost: three steps for each part, and what
// is taken back. The shortest part is `h / most_parts`; what ends there is reported.
#include <algorithm>
#include <cmath>

#include "integrators/rotation.h"
#include "registry/entry.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

class CenicStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    v.number("accuracy", accuracy_,
             {"m", 1e-12, 1, "error of the position of any point of a body in a part of a step"});
    v.integer("most_parts", most_parts_, {"1", 1, 10000000, "of a step: none is shorter"});
    options_.fields(v);
  }

  void step(StepContext& c, double h) override {
    constexpr double kRounding = 1e-9;
    const double start = c.time, shortest = h / most_parts_;
    double done = 0, part = h;  // nothing is kept from the step before: a simulation goes on from its state alone
    bool is_coarse = false;
    find_contacts(c);  // wakes what is touched; within the step nothing wakes
    while (h - done > kRounding * h) {
      const double rest = h - done;
      double size = std::min(std::max(part, shortest), rest);
      if (rest - size < 0.5 * shortest) size = rest;
      c.time = start + done;
      const StepSave before(c);
      const double error = try_part(c, before, size);
      const double factor = std::clamp(std::sqrt(0.8 * accuracy_ / std::max(error, 1e-300)), 0.1, 5.0);
      const bool accepted = error <= accuracy_ || size <= 1.01 * shortest;
      is_coarse = is_coarse || (accepted && error > accuracy_);
      part = size * (accepted ? factor : std::min(factor, 0.7));
      if (!accepted) {
        before.restore(c);
        continue;
      }
      done = size == rest ? h : done + size;
    }
    c.time = start + h;
    if (is_coarse) c.constraints.report_trouble(c.reports, kCoarse);
  }

 private:
  static constexpr const char* kCoarse =
      "the accuracy was not reached: parts of the step became as short as most_parts allows";

  void advance(StepContext& c, double t) {
    find_contacts(c);
    solve_and_move(c, t, options_.options());
  }

  /// Once as a whole and once as halves, which stay; how far apart they end, m.
  double try_part(StepContext& c, const StepSave& before, double t) {
    const double time = c.time;
    advance(c, t);
    const BodyState& s = c.world.state();
    const std::uint32_t n = s.awake();
    position_.assign(s.position.begin(), s.position.begin() + n);
    orientation_.assign(s.orientation.begin(), s.orientation.begin() + n);
    before.restore(c);
    c.time = time;
    advance(c, 0.5 * t);
    c.time = time + 0.5 * t;
    advance(c, 0.5 * t);
    double error = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const double turned = length(rotation_vector(s.orientation[i] * conjugate(orientation_[i])));
      const ShapePtr& shape = c.world.collision_shape(i);
      error = std::max({error, length(s.position[i] - position_[i]), shape->bounding_radius() * turned});
    }
    return std::isfinite(error) ? error : std::numeric_limits<double>::max();
  }

  double accuracy_ = 1e-4;
  int most_parts_ = 4096;
  StepOptionFields options_;
  std::vector<Vec3> position_;
  std::vector<Quat> orientation_;
};

}  // namespace

Entry register_cenic_step() {
  return {Kind::stepping,
          "cenic",
          "parts of a step as short as an accuracy asks for, by step doubling",
          "Kurtz, Castro 2025, arXiv 2511.08771",
          {},
          make_default<CenicStep>,
          {}};
}

}  // namespace rigor
