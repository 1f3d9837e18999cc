#include "stepping/avbd_islands.h"

#include <algorithm>
#include <cmath>

#include "constraints/row_math.h"
#include "math/disjoint_sets.h"

namespace rigor {

namespace {

using Index = std::size_t;

/// An excess of less than this part of the kinetic energy does not count. Chosen: implicit Euler dissipates far more.
constexpr double kNegligible = 1e-4;

Mat3 inertia_world(const BodyState& s, Index i) {
  const Mat3 R = rotation_matrix(s.orientation[i]);
  return R * Mat3::diagonal(s.inertia[i]) * transpose(R);
}

/// u⁺ of a body.
BodyVelocity velocity_at_end(const StepContext& c, const PoseRows& pose, int place) {
  const BodyVelocity &u = c.constraints.bodies().u[Index(place)], &d = pose.correction(place);
  return {u.v + d.v / pose.eta(), u.w + d.w / pose.eta()};
}

/// J D of the bodies of infinite mass of a row.
double driven_displacement(const StepContext& c, const PoseRows& pose, const RowBlock& block, const Jacobian& J) {
  const StepBodies& bodies = c.constraints.bodies();
  double sum = 0;
  for (const auto& [place, at] : {std::pair{block.a, 0}, std::pair{block.b, 6}}) {
    if (place < bodies.awake) continue;
    const BodyVelocity& u = bodies.u[Index(place)];
    sum += dot(part(J, at), u.v) + dot(part(J, at + 3), u.w);
  }
  return sum * pose.eta();
}

/// J: Σ max(0, λ w) h of a block.
double work_of(const StepContext& c, const PoseRows& pose, const AvbdRows& forces, const RowBlock& block) {
  const Rows& rows = c.constraints.rows();
  double sum = 0;
  for (int i = block.begin; i < block.end; ++i) {
    const Index r = Index(i);
    double asked = pose.displacement(rows, block, i);
    if (!std::isfinite(rows.stiffness[r])) asked += pose.missing(rows, block, i);
    sum += std::max(forces.force(i) * (asked - driven_displacement(c, pose, block, rows.J[r])), 0.0);
  }
  return sum;
}

/// The velocities of the island as one rigid body with its momenta, in the order of its places.
std::vector<BodyVelocity> rigid_motion(const StepContext& c, const AvbdIslands::Island& island,
                                       const std::vector<BodyVelocity>& u) {
  const BodyState& s = c.world.state();
  double mass = 0;
  Vec3 center, P, L;
  Mat3 inertia;
  for (const int place : island.places) {
    const double m = 1 / s.inverse_mass[Index(place)];
    mass += m;
    center += m * s.position[Index(place)];
  }
  center = center / mass;
  for (Index k = 0; k < u.size(); ++k) {
    const Index i = Index(island.places[k]);
    const double m = 1 / s.inverse_mass[i];
    const Vec3 r = s.position[i] - center;
    const Mat3 own = inertia_world(s, i);
    P += m * u[k].v;
    L += own * u[k].w + cross(r, m * u[k].v);
    inertia = inertia + own + (Mat3::diagonal(Vec3{1, 1, 1} * length_squared(r)) - outer(r, r)) * m;
  }
  const Vec3 w = inverse(inertia) * L;
  std::vector<BodyVelocity> motion;
  for (const int place : island.places) motion.push_back({P / mass + cross(w, s.position[Index(place)] - center), w});
  return motion;
}

}  // namespace

void AvbdIslands::begin(const StepContext& c, const std::vector<int>& order) {
  const int awake = c.constraints.bodies().awake;
  DisjointSets sets{Index(awake)};
  const std::vector<RowBlock>& blocks = c.constraints.rows().blocks;
  for (const RowBlock& block : blocks)
    if (block.a < awake && block.b < awake)
      sets.unite(static_cast<std::uint32_t>(block.a), static_cast<std::uint32_t>(block.b));
  std::vector<int> island_of(Index(awake), -1);
  islands_.clear();
  for (const int place : order) {
    int& island = island_of[sets.root(static_cast<std::uint32_t>(place))];
    if (island < 0) {
      island = static_cast<int>(islands_.size());
      islands_.emplace_back();
    }
    islands_[Index(island)].places.push_back(place);
  }
  for (Index b = 0; b < blocks.size(); ++b) {
    const int place = std::min(blocks[b].a, blocks[b].b);
    if (place >= awake) continue;
    Island& island = islands_[Index(island_of[sets.root(static_cast<std::uint32_t>(place))])];
    island.blocks.push_back(static_cast<int>(b));
    island.is_held = island.is_held || std::max(blocks[b].a, blocks[b].b) >= awake;
  }
}

double AvbdIslands::excess(const StepContext& c, const PoseRows& pose, const AvbdRows& forces,
                           const Island& island) const {
  const BodyState& s = c.world.state();
  double gained = 0, before = 0;
  for (const int place : island.places) {
    const Index i = Index(place);
    const BodyVelocity &u = c.constraints.bodies().u[i], after = velocity_at_end(c, pose, place);
    const double m = 1 / s.inverse_mass[i];
    const Mat3 I = inertia_world(s, i);
    gained += 0.5 * m * dot(after.v - u.v, after.v + u.v) + 0.5 * dot(after.w - u.w, I * (after.w + u.w));
    before += 0.5 * m * length_squared(u.v) + 0.5 * dot(u.w, I * u.w);
  }
  double work = 0;
  for (const int b : island.blocks) work += work_of(c, pose, forces, c.constraints.rows().blocks[Index(b)]);
  return gained - work - kNegligible * (before + work);
}

void AvbdIslands::slow_down(StepContext& c, const PoseRows& pose, const Island& island, double excess) {
  const BodyState& s = c.world.state();
  std::vector<BodyVelocity> u;
  for (const int place : island.places) u.push_back(velocity_at_end(c, pose, place));
  std::vector<BodyVelocity> inner = u;
  if (!island.is_held) {
    const std::vector<BodyVelocity> rigid = rigid_motion(c, island, u);
    for (Index k = 0; k < inner.size(); ++k) {
      inner[k].v -= rigid[k].v;
      inner[k].w -= rigid[k].w;
    }
  }
  double energy = 0;
  for (Index k = 0; k < inner.size(); ++k) {
    const Index i = Index(island.places[k]);
    energy += 0.5 * length_squared(inner[k].v) / s.inverse_mass[i];
    energy += 0.5 * dot(inner[k].w, inertia_world(s, i) * inner[k].w);
  }
  if (!(energy > 0)) return;
  const double taken = 1 - std::sqrt(std::max(1 - excess / energy, 0.0));
  for (Index k = 0; k < inner.size(); ++k) {
    BodyVelocity& free = c.constraints.bodies().u[Index(island.places[k])];
    free.v -= taken * inner[k].v;
    free.w -= taken * inner[k].w;
  }
}

}  // namespace rigor
