// A handful of bodies without a world, and the checks that every force effect has to pass.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "rigor/forces.h"

namespace rigor::force_test {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double number(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  Vec3 vector(double size) {
    const double x = number(-size, size), y = number(-size, size);
    return {x, y, number(-size, size)};
  }
  Vec3 direction() {
    Vec3 v;
    do v = vector(1);
    while (length(v) > 1 || length(v) < 0.1);
    return normalized(v);
  }
  Quat rotation() { return quaternion_from_rotation_vector(number(0, 3) * direction()); }

 private:
  std::mt19937 engine_;
};

struct Bodies {
  BodyState state;
  std::vector<std::uint32_t> slots;
  std::vector<ShapePtr> shapes;
  std::vector<Transform> frames;

  std::uint32_t add(double mass, const Vec3& position = {}, const Quat& orientation = {}, ShapePtr shape = nullptr,
                    const Transform& frame = {}) {
    state.position.push_back(position);
    state.orientation.push_back(orientation);
    state.velocity.push_back({});
    state.angular_velocity.push_back({});
    state.force.push_back({});
    state.torque.push_back({});
    state.inverse_mass.push_back(mass > 0 ? 1 / mass : 0);
    shapes.push_back(std::move(shape));
    frames.push_back(frame);
    slots.push_back(state.size() - 1);
    return slots.back();
  }
  void add_random(Random& random, double size, ShapePtr shape = nullptr) {
    const std::uint32_t i = add(random.number(0.5, 5), random.vector(size), random.rotation(), std::move(shape),
                                {random.vector(0.3), random.rotation()});
    state.velocity[i] = random.vector(2);
    state.angular_velocity[i] = random.vector(2);
  }

  ForceContext context() {
    return {.time = 0,
            .state = state,
            .bodies = slots,
            .shapes = shapes,
            .shape_frames = frames,
            .force = state.force,
            .torque = state.torque};
  }
  void evaluate(const ForceEffect& effect) {
    std::fill(state.force.begin(), state.force.end(), Vec3{});
    std::fill(state.torque.begin(), state.torque.end(), Vec3{});
    effect.apply(context());
  }
  double energy(const ForceEffect& effect) { return effect.potential_energy(context()); }
  bool is_finite(const ForceEffect& effect) {
    evaluate(effect);
    bool finite = std::isfinite(energy(effect));
    for (const std::uint32_t i : slots)
      finite = finite && rigor::is_finite(state.force[i]) && rigor::is_finite(state.torque[i]);
    return finite;
  }

  Vec3 total_force() const {
    Vec3 sum;
    for (const Vec3& f : state.force) sum += f;
    return sum;
  }
  /// About the world's origin.
  Vec3 total_torque() const {
    Vec3 sum;
    for (const std::uint32_t i : slots) sum += state.torque[i] + cross(state.position[i], state.force[i]);
    return sum;
  }
};

inline Vec3 axis(int i) { return {i == 0 ? 1. : 0., i == 1 ? 1. : 0., i == 2 ? 1. : 0.}; }

inline void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_LE(length(a - b), tolerance) << "(" << a.x << ", " << a.y << ", " << a.z << ") and (" << b.x << ", " << b.y
                                      << ", " << b.z << ")";
}

/// force = -∂E/∂x and torque = -∂E/∂(rotation), by central differences of step h. Their error is of
/// order h² times the third derivative plus rounding / h; the tolerance is the caller's choice for
/// its scales.
inline void expect_gradient(Bodies& bodies, const ForceEffect& effect, double h, double tolerance) {
  bodies.evaluate(effect);
  for (const std::uint32_t i : bodies.slots) {
    Vec3 force, torque;
    for (int k = 0; k < 3; ++k) {
      const Vec3 x = bodies.state.position[i];
      const Quat q = bodies.state.orientation[i];
      double e[2], r[2];
      for (int side = 0; side < 2; ++side) {
        const Vec3 step = axis(k) * (side == 0 ? -h : h);
        bodies.state.position[i] = x + step;
        e[side] = bodies.energy(effect);
        bodies.state.position[i] = x;
        bodies.state.orientation[i] = quaternion_from_rotation_vector(step) * q;
        r[side] = bodies.energy(effect);
        bodies.state.orientation[i] = q;
      }
      force[k] = -(e[1] - e[0]) / (2 * h);
      torque[k] = -(r[1] - r[0]) / (2 * h);
    }
    expect_near(bodies.state.force[i], force, tolerance);
    expect_near(bodies.state.torque[i], torque, tolerance);
  }
}

}  // namespace rigor::force_test
