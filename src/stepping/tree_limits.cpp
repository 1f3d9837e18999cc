#include "stepping/tree_limits.h"

#include <algorithm>

#include "constraints/joint_limits.h"

namespace rigor {

namespace {

/// k of a limit that holds, relative to the inertia of the two bodies alone. Chosen: whole trees weigh less, and rounding allows it.
constexpr double kRigid = 1e6;

}  // namespace

double TreeLimits::speed(const Limit& limit, const std::vector<BodyVelocity>& u) {
  return dot(limit.n, u[static_cast<std::size_t>(limit.b)].w - u[static_cast<std::size_t>(limit.a)].w);
}

void TreeLimits::push(const Limit& limit, double impulse, std::vector<BodyVelocity>& u) {
  u[static_cast<std::size_t>(limit.a)].w -= impulse * limit.change_a;
  u[static_cast<std::size_t>(limit.b)].w += impulse * limit.change_b;
}

/// rad/s. A bound that is apart is reached at the end of the sub-step.
double TreeLimits::wanted(const Limit& limit, bool correct) const {
  if (limit.C > 0) return -limit.C / eta_;
  return correct ? -std::max(softness_.rate * limit.C, -max_push_) : 0;
}

void TreeLimits::hold(TreeJoints& trees) {
  if (limited_.empty() && others_.empty()) return;
  trees.clear_stops();
  held_.clear(), hit_.clear();
  for (std::uint32_t k = 0; k < limits_.size(); ++k) {
    Limit& limit = limits_[k];
    limit.holds = limit.lambda > 0;
    (limit.holds ? held_ : hit_).push_back(k);
    if (!limit.holds) continue;
    limit.push = wanted(limit, true);
    trees.add_stop(limit.joint, limit.n, kRigid * limit.mass, limit.push);
  }
}

void TreeLimits::observe_held(StepContext& c) {
  for (const std::uint32_t k : held_) {
    Limit& limit = limits_[k];
    limit.lambda = std::max(kRigid * limit.mass * (limit.push - speed(limit, c.constraints.bodies().u)), 0.0);
  }
}

void TreeLimits::solve(StepContext& c, bool correct) {
  std::vector<BodyVelocity>& u = c.constraints.bodies().u;
  for (const std::uint32_t k : hit_) {
    Limit& limit = limits_[k];
    const bool is_soft = correct && !(limit.C > 0);
    const double lambda = limit.lambda, mass = is_soft ? softness_.mass : 1, keep = is_soft ? softness_.impulse : 0;
    const double missing = wanted(limit, correct) - speed(limit, u);
    limit.lambda = std::max(lambda + mass * missing * limit.mass - keep * lambda, 0.0);
    if (limit.lambda != lambda) push(limit, limit.lambda - lambda, u);
  }
}

void TreeLimits::follow(StepContext& c) {
  for (Limit& limit : limits_) limit.C += eta_ * speed(limit, c.constraints.bodies().u);
}

void TreeLimits::store(StepContext& c, double time) const {
  const std::vector<StepJoint>& joints = c.constraints.list().joints;
  for (const Limited& joint : limited_)
    if (joint.memory)
      for (const std::uint8_t key : joint.key) joint.memory->lambda[key] = 0;
  for (const std::uint32_t index : others_) {
    auto& lambda = joints[index].memory->lambda;
    for (const int i : {3, 4, 5}) lambda[static_cast<std::size_t>(kKeyLower + i)] = 0;
    for (const int i : {3, 4, 5}) lambda[static_cast<std::size_t>(kKeyUpper + i)] = 0;
    for (const int i : {0, 1, 2}) lambda[static_cast<std::size_t>(kKeySwing + i)] = 0;
  }
  for (const Limit& limit : limits_) {
    if (limit.lambda == 0) continue;
    limit.memory->lambda[limit.key] = count_ * limit.lambda;
    if (!limit.holds) limit.memory->torque += (count_ * limit.lambda / time) * limit.n;
  }
}

}  // namespace rigor
