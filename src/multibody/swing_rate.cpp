#include "multibody/swing_rate.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rigor {

namespace {

/// Safety factors for one, two and three Lanczos steps: the largest errors in benchmark trees of 4095 rods, rounded: 2.6, 1.55, 1.3 times.
/// Leapfrog is stable up to twice the rate that is tested here, so that a worse case is harmless.
constexpr std::array kMissed = {2.6, 1.6, 1.3};

double dot(const std::vector<BodyVelocity>& a, const std::vector<BodyVelocity>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += rigor::dot(a[i].v, b[i].v) + rigor::dot(a[i].w, b[i].w);
  return sum;
}

void add(std::vector<BodyVelocity>& a, double s, const std::vector<BodyVelocity>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i].v += s * b[i].v;
    a[i].w += s * b[i].w;
  }
}

void scale_by(double s, std::vector<BodyVelocity>& a) {
  for (BodyVelocity& u : a) {
    u.v *= s;
    u.w *= s;
  }
}

/// Pseudo-random numbers in [-1, 1), the same in every run, so that the start vector contains all modes.
class Scatter {
 public:
  double next() {
    seed_ = seed_ * 1664525u + 1013904223u;  // Numerical Recipes, 7.1
    return (seed_ >> 8) / 8388608.0 - 1;
  }

 private:
  std::uint32_t seed_ = 1;
};

}  // namespace

std::optional<double> SwingRate::find(const ConstraintList& list, const BodyState& state, double h, double enough,
                                      JointImpulses& joints) {
  collect(list, state, h);
  begin(state);
  x_.resize(f_.size());
  y_.resize(f_.size());
  z_.assign(f_.size(), {});
  // ‖x‖² = xᵀ M x = xᵀ f for the answer x to f, the joints' impulses doing no work on it.
  if (!joints.respond(f_, x_)) return {};
  double before = 0;
  alpha_.clear();
  beta_.clear();
  const double size = dot(x_, f_);
  if (!(size > 0) || !std::isfinite(size)) return {};
  scale_by(1 / std::sqrt(size), x_);
  for (std::size_t k = 0;; ++k) {
    push(x_);
    alpha_.push_back(dot(x_, f_));
    const double found = kMissed[k] * largest_eigenvalue();
    if (!std::isfinite(found) || !std::isfinite(alpha_[k])) return {};
    if (found <= enough || k + 1 == kMissed.size() || !joints.respond(f_, y_)) return found;
    const double left = dot(y_, f_) - alpha_[k] * alpha_[k] - before * before;
    if (!(left > 1e-12 * alpha_[k] * alpha_[k])) return largest_eigenvalue();  // the residual is zero: exact
    add(y_, -alpha_[k], x_);
    add(y_, -before, z_);
    before = std::sqrt(left);
    beta_.push_back(before);
    scale_by(1 / before, y_);
    z_.swap(x_);
    x_.swap(y_);
  }
}

void SwingRate::collect(const ConstraintList& list, const BodyState& state, double h) {
  K_.assign(state.awake(), {});
  ratio_.assign(state.awake(), 0);
  const auto pull = [&](std::uint32_t slot, const Vec3& force, const Vec3& arm_in_body) {
    if (slot >= state.awake() || arm_in_body == Vec3{}) return;
    const Vec3 arm = rotate(state.orientation[slot], arm_in_body), along = normalized(arm_in_body);
    const double spring = h * h * dot(force, arm);
    if (!(spring > 0)) return;
    const Vec3 direction = normalized(arm), &inverse = state.inverse_inertia[slot];
    K_[slot] = K_[slot] + spring * (Mat3::diagonal({1, 1, 1}) - outer(direction, direction));
    ratio_[slot] += spring * (inverse.x + inverse.y + inverse.z - dot(along, scale(inverse, along)));
  };
  for (const StepJoint& joint : list.joints) {
    const Vec3& F = joint.memory->force;  // on b
    if (F == Vec3{}) continue;
    pull(joint.slot_b, F, joint.frame_b.translation);
    pull(joint.slot_a, -F, joint.frame_a.translation);
  }
}

/// Weights the start by the stiffness of single bodies.
void SwingRate::begin(const BodyState& state) {
  Scatter scatter;
  f_.assign(state.awake(), {});
  for (std::size_t i = 0; i < f_.size(); ++i) {
    const Vec3 turn{scatter.next(), scatter.next(), scatter.next()};
    f_[i].w = (ratio_[i] * ratio_[i]) * (K_[i] * turn);
  }
}

void SwingRate::push(const std::vector<BodyVelocity>& x) {
  for (std::size_t i = 0; i < f_.size(); ++i) f_[i] = {{}, K_[i] * x[i].w};
}

/// The largest eigenvalue of the tridiagonal matrix, by bisection: all pivots of μ − T are positive above it.
double SwingRate::largest_eigenvalue() const {
  double low = 0, high = 0;
  for (std::size_t i = 0; i < alpha_.size(); ++i) {
    const double left = i > 0 ? beta_[i - 1] : 0, right = i < beta_.size() ? beta_[i] : 0;
    high = std::max(high, alpha_[i] + left + right);  // Gershgorin
  }
  if (!std::isfinite(high)) return high;
  while (high - low > 1e-6 * high) {
    const double middle = 0.5 * (low + high);
    double pivot = middle - alpha_[0];
    for (std::size_t i = 1; i < alpha_.size() && pivot > 0; ++i)
      pivot = middle - alpha_[i] - beta_[i - 1] * beta_[i - 1] / pivot;
    (pivot > 0 ? high : low) = middle;
  }
  return high;
}

}  // namespace rigor
