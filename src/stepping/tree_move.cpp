// The motion of joint trees in a sub-step: accepted when all gaps are closed, otherwise iterated, taken in halves or refused.
#include <algorithm>
#include <cmath>

#include "stepping/tree_joints.h"

namespace rigor {

namespace {

constexpr double kLost = 10;  // m: such gaps are not worth another iteration
constexpr int kFewIterations = 2, kMaxHalvings = 7;

}  // namespace

bool TreeJoints::move(StepContext& c, double eta, const std::function<void(double)>& drift) {
  if (!move_part(c, eta, drift, 0)) return false;
  const std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  for_all_links([&](TreeBlock& block, std::size_t l) {
    block.u_v.set(l, u[block.body[l]].v), block.u_w.set(l, u[block.body[l]].w);
  });
  if (has_open_) take_back_closing(c);
  return true;
}

bool TreeJoints::move_part(StepContext& c, double eta, const std::function<void(double)>& drift, int depth) {
  const bool settled = settle(c, eta, drift);
  if (settled) for_groups(c, [&](const TreeTask& task, std::size_t) { find_tree_impulses(task); });
  if (settled || depth == kMaxHalvings) return settled;
  go_back(c);
  return move_halves(c, eta, drift, depth);
}

/// Newton's method, with motions that are taken back until the gaps are closed.
bool TreeJoints::settle(StepContext& c, double eta, const std::function<void(double)>& drift) {
  const BodyState& s = c.world.state();
  const auto moving = static_cast<std::ptrdiff_t>(c.constraints.bodies().moving);
  saved_x_.assign(s.position.begin(), s.position.begin() + moving);
  saved_q_.assign(s.orientation.begin(), s.orientation.begin() + moving);
  saved_u_ = c.constraints.bodies().u;
  double last = 0;
  for (int k = 0; k < kMaxIterations; ++k) {
    drift(eta);
    for_groups(c, [&](const TreeTask& task, std::size_t g) { gap_[g] = observe(c, task); });
    double worst = 0;
    for (const double gap : gap_) worst = gap > worst || std::isnan(gap) ? gap : worst;
    if (worst <= kTolerance) return true;
    if (!(worst <= kLost) || (k > kFewIterations && worst > 0.7 * last)) return false;
    last = worst;
    go_back(c);
    for_groups(c, [&](const TreeTask& task, std::size_t g) {
      if (gap_[g] > kTolerance) newton(c, task, eta, EndPoses::observed);
    });
    for_all_links([&](TreeBlock& block, std::size_t l) {
      saved_u_[block.body[l]] = {block.u_v.get(l), block.u_w.get(l)};
    });
  }
  return false;
}

/// Twice half of what changes the velocities, for half of the time.
bool TreeJoints::move_halves(StepContext& c, double eta, const std::function<void(double)>& drift, int depth) {
  struct Part {
    Vec3 dv, dw, lambda, torque;
  };
  std::vector<Part> parts(lanes_.blocks.size() * kTreeLanes);
  const auto part = [&](const TreeBlock& block, std::size_t l) -> Part& {
    return parts[static_cast<std::size_t>(&block - lanes_.blocks.data()) * kTreeLanes + l];
  };
  for_all_links([&](TreeBlock& block, std::size_t l) {
    part(block, l).dv = 0.5 * (block.star_v.get(l) - block.start_v.get(l));
    part(block, l).dw = 0.5 * (block.star_w.get(l) - block.start_w.get(l));
    block.lambda.set(l, 0.5 * block.lambda.get(l));
  });
  for (int half = 0; half < 2; ++half) {
    const BodyState& s = c.world.state();
    for_all_links([&](TreeBlock& block, std::size_t l) {
      const std::uint32_t slot = block.body[l];
      const BodyVelocity& u = c.constraints.bodies().u[slot];
      if (half == 1) block.start_v.set(l, u.v), block.start_w.set(l, u.w);
      block.x.set(l, s.position[slot]), block.q.set(l, s.orientation[slot]);
      const Vec3 v = block.start_v.get(l), w = block.start_w.get(l);
      block.u_v.set(l, v), block.u_w.set(l, w);
      block.star_v.set(l, v + part(block, l).dv), block.star_w.set(l, w + part(block, l).dw);
    });
    for_groups(c, [&](const TreeTask& task, std::size_t) {
      turn_inertias(task);
      newton(c, task, 0.5 * eta, EndPoses::predicted);
    });
    if (!move_part(c, 0.5 * eta, drift, depth + 1)) return false;
    for_all_links([&](TreeBlock& block, std::size_t l) {
      part(block, l).lambda += block.lambda.get(l), part(block, l).torque += block.torque.get(l);
    });
  }
  for_all_links([&](TreeBlock& block, std::size_t l) {
    block.lambda.set(l, part(block, l).lambda), block.torque.set(l, part(block, l).torque);
  });
  return true;
}

void TreeJoints::go_back(StepContext& c) {
  BodyState& s = c.world.state();
  std::copy(saved_x_.begin(), saved_x_.end(), s.position.begin());
  std::copy(saved_q_.begin(), saved_q_.end(), s.orientation.begin());
  std::copy(saved_u_.begin(), saved_u_.end(), c.constraints.bodies().u.begin());
}

void TreeJoints::take_back_step(StepContext& c) const {
  BodyState& s = c.world.state();
  std::copy(begin_x_.begin(), begin_x_.end(), s.position.begin());
  std::copy(begin_q_.begin(), begin_q_.end(), s.orientation.begin());
  for (std::size_t i = 0; i < begin_x_.size(); ++i)
    s.velocity[i] = begin_u_[i].v, s.angular_velocity[i] = begin_u_[i].w;
  c.constraints.bodies().capture(s);
}

}  // namespace rigor
