// Quarantines a body whose state is no longer finite: it is reported and set inactive. Its position keeps its finite
// components and its velocities become zero, so that other stages never read numbers that are not finite.
#include "registry/entry.h"
#include "validate/validator.h"

namespace rigor {

namespace {

/// Far beyond any length or speed of mechanics, and small enough for squares and products not to overflow.
constexpr double kLargest = 1e100;

bool is_sane(const Vec3& v) { return std::abs(v.x) < kLargest && std::abs(v.y) < kLargest && std::abs(v.z) < kLargest; }

double size(const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

/// One comparison for all three vectors: a sum with a term that is not finite compares false.
bool is_sane(const BodyState& s, std::uint32_t i) {
  const Quat& q = s.orientation[i];
  const double norm = dot(q, q);
  return size(s.position[i]) + size(s.velocity[i]) + size(s.angular_velocity[i]) < kLargest && norm > 0.5 && norm < 2;
}

Vec3 sane_or_zero(const Vec3& v) { return is_sane(v) ? v : Vec3{}; }

class Finite final : public Validator {
 public:
  void validate(ValidatorContext& c) override {
    const BodyState& s = c.world.state();
    // In reverse order: quarantining moves the last awake body into the gap, and that one was checked already.
    for (std::uint32_t i = s.end(BodySet::kinematic); i-- > 0;)
      if (!is_sane(s, i)) quarantine(c.world, i, c.time, c.reports);
  }

 private:
  static void quarantine(World& world, std::uint32_t i, double time, std::vector<std::string>& reports) {
    BodyState& s = world.state();
    const BodyId id = world.id_at(i);
    s.position[i] = sane_or_zero(s.position[i]);
    s.orientation[i] = Quat{};
    s.velocity[i] = s.angular_velocity[i] = Vec3{};
    s.force[i] = s.torque[i] = Vec3{};
    reports.push_back("body '" + world.name(id) + "' was set inactive at t = " + std::to_string(time) +
                      " s: its motion is not finite any more");
    world.set_active(id, false);
    // The reactions of its joints in this step are not finite either.
    world.for_each_joint([&](JointId, const JointDef& def, JointState& state) {
      if (def.a == id || def.b == id) {
        state.force = state.torque = {};
        state.lambda = {};
      }
    });
  }
};

}  // namespace

Entry register_finite() {
  return {Kind::validator,
          "finite",
          "sets bodies inactive whose state is not finite, and reports them",
          "Garstenauer 2006, 7.5.6",
          {},
          make_default<Finite>,
          {}};
}

}  // namespace rigor
