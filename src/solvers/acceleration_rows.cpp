#include "solvers/acceleration_rows.h"

namespace rigor {

void Stabilisation::fields(FieldVisitor& v) {
  v.number("alpha", alpha, {"1/s", 0, 1e6, "rate at which errors of velocity vanish, times two"});
  v.number("beta", beta, {"1/s", 0, 1e6, "square root of the rate at which errors of position are pulled back"});
}

void free_accelerations(const SolverContext& c, std::vector<BodyVelocity>& acceleration) {
  const BodyState& s = c.state;
  acceleration.assign(c.bodies.u.size(), {});
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    const Vec3 torque = c.gyroscopic ? s.torque[i] - cross(s.angular_velocity[i], angular_momentum(s, i)) : s.torque[i];
    acceleration[i] = {s.inverse_mass[i] * s.force[i], c.bodies.mass[i].angular * torque};
  }
}

void apply_springs(SolverContext& c, std::vector<BodyVelocity>& acceleration) {
  for (const int b : c.blocks) {
    const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
    for (int i = block.begin; i < block.end; ++i) {
      if (!is_soft(c.rows, i)) continue;
      const double force = spring_force(c.rows, i, row_velocity(c.rows, i, block, c.bodies.u));
      c.rows.lambda[static_cast<std::size_t>(i)] = c.h() * force;
      apply_row(c.rows, i, block, force, acceleration);
    }
  }
}

}  // namespace rigor
