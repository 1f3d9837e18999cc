#include "stepping/momentum_blocks.h"

#include <algorithm>
#include <cmath>

#include "constraints/row_math.h"
#include "math/disjoint_sets.h"

namespace rigor {

namespace {

/// True if a common rotation of both bodies does not change the row.
bool is_blind_to_turns(const Jacobian& J, const Vec3& x_a, const Vec3& x_b) {
  const Vec3 torque = part(J, 3) + part(J, 9) + cross(x_a - x_b, part(J, 0));
  double size = 0;
  for (const double j : J) size = std::max(size, std::abs(j));
  // An open joint has a torque in proportion to its gap; that of a gear is as large as the row itself.
  return length(torque) <= 0.1 * size;
}

Mat3 inertia_world(const BodyState& s, std::size_t i) {
  const Mat3 R = rotation_matrix(s.orientation[i]);
  return R * Mat3::diagonal(s.inertia[i]) * transpose(R);
}

}  // namespace

void MomentumBlocks::begin(StepContext& c) {
  const Rows& rows = c.constraints.rows();
  const auto awake = static_cast<std::uint32_t>(c.constraints.bodies().awake);
  const BodyState& s = c.world.state();
  // One more entry for all fixed bodies.
  DisjointSets sets(awake + 1);
  const auto place = [&](int k) { return k < static_cast<int>(awake) ? static_cast<std::uint32_t>(k) + 1 : 0u; };
  for (const RowBlock& block : rows.blocks) sets.unite(place(block.a), place(block.b));
  std::vector<int> block_of(awake + 1, -1);
  blocks_.clear();
  for (std::uint32_t i = 1; i <= awake; ++i) {
    const std::uint32_t root = sets.root(i);
    if (root == 0) continue;
    if (block_of[root] < 0) {
      block_of[root] = static_cast<int>(blocks_.size());
      blocks_.emplace_back();
    }
    blocks_[static_cast<std::size_t>(block_of[root])].places.push_back(static_cast<int>(i) - 1);
  }
  for (const RowBlock& block : rows.blocks) {
    const std::uint32_t root = sets.root(place(block.a));
    if (root == 0) continue;
    bool& turns = blocks_[static_cast<std::size_t>(block_of[root])].turns;
    const Vec3 &x_a = s.position[static_cast<std::size_t>(block.a)],
               &x_b = s.position[static_cast<std::size_t>(block.b)];
    for (int i = block.begin; i < block.end; ++i)
      turns = turns && is_blind_to_turns(rows.J[static_cast<std::size_t>(i)], x_a, x_b);
  }
  std::erase_if(blocks_, [](const Block& block) { return block.places.size() < 2; });
  for (Block& block : blocks_) block.kept = momentum_of(c, nullptr, block);
}

/// Uses the velocities that correspond to the displacements so far.
MomentumBlocks::Momentum MomentumBlocks::momentum_of(const StepContext& c, const PoseRows* pose, const Block& block) {
  const BodyState& s = c.world.state();
  Momentum sum;
  for (const int place : block.places) {
    const auto i = static_cast<std::size_t>(place);
    BodyVelocity u = c.constraints.bodies().u[i];
    if (pose) {
      u.v += pose->correction(place).v / pose->eta();
      u.w += pose->correction(place).w / pose->eta();
    }
    const Vec3 p = u.v / s.inverse_mass[i];
    sum.p += p;
    sum.L += cross(s.position[i], p) + inertia_world(s, i) * u.w;
  }
  return sum;
}

void MomentumBlocks::visit(StepContext& c, PoseRows& pose) {
  for (const Block& block : blocks_) {
    shift(c, pose, block);
    if (!block.turns) continue;
    // The rotation changes the lever arms: each repetition squares the relative error, which is small enough after two.
    for (int k = 0; k < 2; ++k) turn(c, pose, block);
  }
}

void MomentumBlocks::shift(StepContext& c, PoseRows& pose, const Block& block) {
  double mass = 0;
  for (const int place : block.places) mass += 1 / c.world.state().inverse_mass[static_cast<std::size_t>(place)];
  const Vec3 way = (pose.eta() / mass) * (block.kept.p - momentum_of(c, &pose, block).p);
  for (const int place : block.places) pose.move(c, place, {way, {}});
}

void MomentumBlocks::turn(StepContext& c, PoseRows& pose, const Block& block) {
  const BodyState& s = c.world.state();
  double mass = 0;
  Vec3 center;
  for (const int place : block.places) {
    const auto i = static_cast<std::size_t>(place);
    mass += 1 / s.inverse_mass[i];
    center += s.position[i] / s.inverse_mass[i];
  }
  center = center / mass;
  Mat3 inertia;
  for (const int place : block.places) {
    const auto i = static_cast<std::size_t>(place);
    const Vec3 r = s.position[i] - center;
    inertia = inertia + inertia_world(s, i) +
              (Mat3::diagonal(Vec3{1, 1, 1} * length_squared(r)) - outer(r, r)) * (1 / s.inverse_mass[i]);
  }
  const Vec3 angle = pose.eta() * (inverse(inertia) * (block.kept.L - momentum_of(c, &pose, block).L));
  const Quat q = quaternion_from_rotation_vector(angle);
  for (const int place : block.places) {
    const Vec3 r = s.position[static_cast<std::size_t>(place)] - center;
    pose.move(c, place, {rotate(q, r) - r, angle});
  }
}

}  // namespace rigor
