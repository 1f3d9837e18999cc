#include "multibody/joint_problem.h"

#include "constraints/row_math.h"
#include "integrators/rotation.h"

namespace rigor {

void apply_impulses(std::span<const RowBlock> blocks, std::span<const Jacobian> J, std::span<const double> lambda,
                    const BodyState& state, std::vector<BodyVelocity>& u, std::vector<BodyVelocity>& sums) {
  sums.assign(u.size(), {});
  for (const RowBlock& block : blocks) {
    BodyVelocity a, b;
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      a.v += lambda[i] * part(J[i], 0);
      a.w += lambda[i] * part(J[i], 3);
      b.v += lambda[i] * part(J[i], 6);
      b.w += lambda[i] * part(J[i], 9);
    }
    BodyVelocity &sum_a = sums[static_cast<std::size_t>(block.a)], &sum_b = sums[static_cast<std::size_t>(block.b)];
    sum_a.v += a.v;
    sum_a.w += a.w;
    sum_b.v += b.v;
    sum_b.w += b.w;
  }
  for (std::uint32_t i = 0; i < state.awake(); ++i) {
    u[i].v += state.inverse_mass[i] * sums[i].v;
    u[i].w += angular_velocity_of(state.orientation[i], state.inverse_inertia[i], sums[i].w);
  }
}

}  // namespace rigor
