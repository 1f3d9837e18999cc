#include "lab/convergence/exact_motion.h"

#include <algorithm>
#include <cmath>

namespace rigor::convergence {

namespace {

State combined(const State& y, double s, const State& k) {
  State z = y;
  for (std::size_t i = 0; i < y.size(); ++i) z[i] += s * k[i];
  return z;
}

/// By Gauss's elimination; the mass matrix of a chain is positive definite.
State solve_dense(std::vector<State> a, State b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      const double f = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= f * a[k][j];
      b[i] -= f * b[k];
    }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

}  // namespace

std::vector<State> solve_motion(State y, const std::function<State(const State&)>& f, const std::vector<double>& times,
                                double h) {
  std::vector<State> result;
  double t = 0;
  for (const double end : times) {
    const int n = std::max(1, static_cast<int>(std::ceil((end - t) / h)));
    const double step = (end - t) / n;
    for (int i = 0; i < n; ++i) {
      const State k1 = f(y), k2 = f(combined(y, step / 2, k1)), k3 = f(combined(y, step / 2, k2)),
                  k4 = f(combined(y, step, k3));
      for (std::size_t j = 0; j < y.size(); ++j) y[j] += step / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
    t = end;
    result.push_back(y);
  }
  return result;
}

std::vector<State> hanging_rods(std::size_t count, double length, double angle, double gravity,
                                const std::vector<double>& times) {
  const auto f = [&](const State& y) {
    std::vector<State> m(count, State(count));
    State b(count), result(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
      const double below = static_cast<double>(count - 1 - i);
      b[i] = -(below + 0.5) * gravity / length * std::sin(y[i]);
      for (std::size_t j = 0; j < count; ++j) {
        const double a = i == j ? below + 1.0 / 3 : static_cast<double>(count - 1 - std::max(i, j)) + 0.5;
        m[i][j] = a * std::cos(y[i] - y[j]);
        b[i] -= a * std::sin(y[i] - y[j]) * y[count + j] * y[count + j];
      }
    }
    const State acceleration = solve_dense(std::move(m), std::move(b));
    for (std::size_t i = 0; i < count; ++i) {
      result[i] = y[count + i];
      result[count + i] = acceleration[i];
    }
    return result;
  };
  State start(2 * count, 0.0);
  std::fill_n(start.begin(), count, angle);
  return solve_motion(start, f, times, 1e-4);
}

std::vector<double> turning_mechanism(const std::function<TurningMechanism(double)>& at, double q, double rate,
                                      const std::vector<double>& times) {
  const TurningMechanism start = at(q);
  const double energy = 0.5 * start.mass * rate * rate + start.height;
  const auto f = [&](const State& y) {
    const TurningMechanism here = at(y[0]);
    return State{std::sqrt(2 * (energy - here.height) / here.mass)};
  };
  std::vector<double> result;
  for (const State& y : solve_motion({q}, f, times, 1e-4)) result.push_back(y[0]);
  return result;
}

Vec3 RollingBody::arm(const Quat& orientation) const {
  if (held) return rotate(orientation, held_at);
  if (ball) return {0, -radius, 0};
  const Vec3 up{0, 1, 0}, w = rotate(orientation, up);
  const Vec3 p = up - dot(up, w) * w;
  return -radius / length(p) * p - std::copysign(half_thickness, dot(up, w)) * w;
}

Vec3 RollingBody::arm_rate(const Quat& orientation, const Vec3& angular_velocity) const {
  if (held) return cross(angular_velocity, arm(orientation));
  if (ball) return {};
  const Vec3 up{0, 1, 0}, w = rotate(orientation, up), w_rate = cross(angular_velocity, w);
  const Vec3 p = up - dot(up, w) * w, p_rate = -dot(up, w_rate) * w - dot(up, w) * w_rate;
  const Vec3 direction = p * (1 / length(p));
  return -radius / length(p) * (p_rate - dot(direction, p_rate) * direction) -
         std::copysign(half_thickness, dot(up, w)) * w_rate;
}

State RollingBody::derivative(const State& y) const {
  const Vec3 v{y[7], y[8], y[9]}, w{y[10], y[11], y[12]};
  const Quat q = normalized(Quat{y[3], y[4], y[5], y[6]});
  const Vec3 r = arm(q), r_rate = arm_rate(q, w), turning{0, floor_rate, 0};
  const auto times_inertia = [&](const Vec3& a, bool inverse) {
    const Vec3 b = rotate_inverse(q, a);
    return rotate(q, inverse ? Vec3{b.x / inertia.x, b.y / inertia.y, b.z / inertia.z}
                             : Vec3{b.x * inertia.x, b.y * inertia.y, b.z * inertia.z});
  };
  const Vec3 free_turn = times_inertia(-1.0 * cross(w, times_inertia(w, false)), true);
  const Vec3 wanted = cross(turning, v + r_rate) - gravity - cross(free_turn, r) - cross(w, r_rate);
  Mat3 k;
  for (int j = 0; j < 3; ++j) {
    const Vec3 e{j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0, j == 2 ? 1.0 : 0.0};
    const Vec3 column = e * (1 / mass) + cross(times_inertia(cross(r, e), true), r);
    for (int i = 0; i < 3; ++i) k(i, j) = column[i];
  }
  const Vec3 force = inverse(k) * wanted;
  const Vec3 a = gravity + force * (1 / mass), w_rate = free_turn + times_inertia(cross(r, force), true);
  const Quat q_rate = Quat{0, w.x, w.y, w.z} * q * 0.5;
  return {v.x, v.y, v.z, q_rate.w, q_rate.x, q_rate.y, q_rate.z, a.x, a.y, a.z, w_rate.x, w_rate.y, w_rate.z};
}

std::vector<RollingBody::Pose> RollingBody::motion(const Pose& s, const std::vector<double>& times) const {
  const State start{s.position.x,         s.position.y,         s.position.z,        s.orientation.w, s.orientation.x,
                    s.orientation.y,      s.orientation.z,      s.velocity.x,        s.velocity.y,    s.velocity.z,
                    s.angular_velocity.x, s.angular_velocity.y, s.angular_velocity.z};
  std::vector<Pose> result;
  for (const State& y : solve_motion(
           start, [&](const State& at) { return derivative(at); }, times, 1e-4))
    result.push_back(
        {{y[0], y[1], y[2]}, normalized(Quat{y[3], y[4], y[5], y[6]}), {y[7], y[8], y[9]}, {y[10], y[11], y[12]}});
  return result;
}

}  // namespace rigor::convergence
