// The state of the course notes (Baraff 1997, part I): orientation as a matrix of nine numbers, integrated as they are.
//
//   ẋ = v,  Ṙ = ω* R,  m v̇ = F,  L̇ = τ,     ω = R I⁻¹ Rᵀ L,   ω* a = ω × a
//
// by the classical Runge–Kutta method. Nothing keeps R a rotation: with z = |ω| h a step at constant ω multiplies the squares of
// lengths across the axis by 1 − z⁶/72 + z⁸/576, so that the body, and with it R I⁻¹ Rᵀ and ω, shrinks across the axis and is
// skewed where the axis moves. That is why the notes go on to quaternions, for which z is half as large, the drift of a step a
// 64th, and one division removes it. matrix_drift() measures it. With `orthonormalise` the columns of R are made orthonormal after each step (Gram and
// Schmidt), which removes the drift and favours the first column.
//
// R lives in the integrator's memory from step to step. The arrays of the world get the rotation of R's orthonormalised columns, so
// that forces, contacts and other stages see a rigid body; an orientation that another stage or the user has changed since replaces R.
// Fourth order, four evaluations. Fails as explicit methods do: unstable on springs beyond ω h = 2.83.
#include "integrators/rotation_matrix.h"

#include <algorithm>
#include <cmath>

#include "integrators/motion.h"
#include "registry/entry.h"

namespace rigor {

namespace {

constexpr double kC[] = {0, 0.5, 0.5, 1};
constexpr double kWeight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
constexpr std::size_t kPerBody = 13;  // R by rows, and the quaternion that the arrays got for it

Mat3 plus(const Mat3& a, double s, const Mat3& b) {
  return {{a.row[0] + s * b.row[0], a.row[1] + s * b.row[1], a.row[2] + s * b.row[2]}};
}

/// Columns by Gram and Schmidt, the first one as it points.
Mat3 orthonormalised(const Mat3& R) {
  const Mat3 columns = transpose(R);
  const Vec3 x = normalized(columns.row[0]);
  const Vec3 y = normalized(columns.row[1] - dot(columns.row[1], x) * x);
  return transpose(Mat3{{x, y, cross(x, y)}});
}

/// x, v, L and R of the awake bodies.
struct MatrixState {
  std::vector<Vec3> x, v, L;
  std::vector<Mat3> R;
};

class RotationMatrix final : public Integrator {
 public:
  void fields(FieldVisitor& v) override {
    v.flag("orthonormalise", orthonormalise_, "makes the columns of the matrix orthonormal after each step");
  }
  bool keeps_numbers() const override { return true; }

  void integrate(Dynamics& dynamics, double time, double h) override {
    BodyState& s = dynamics.state();
    capture(s, moving_);
    read(s, dynamics.memory().numbers);
    sum_ = start_;
    at_ = start_;
    for (std::size_t k = 0; k < 4; ++k) {
      evaluate(dynamics, time + kC[k] * h, kC[k] * h);
      add(sum_, h * kWeight[k]);
      if (k == 3) break;
      at_ = start_;
      add(at_, h * kC[k + 1]);
    }
    write(s, dynamics.memory().numbers);
    place_kinematic(moving_, h, s);
  }

 private:
  void read(const BodyState& s, const std::vector<double>& numbers) {
    const std::uint32_t n = s.awake();
    start_.x.assign(s.position.begin(), s.position.begin() + n);
    start_.v.assign(s.velocity.begin(), s.velocity.begin() + n);
    start_.L.resize(n), start_.R.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      const Quat& q = s.orientation[i];
      start_.L[i] = angular_momentum(s, i);
      start_.R[i] = rotation_matrix(q);
      const std::size_t at = kPerBody * s.id_index[i];
      if (at + kPerBody > numbers.size()) continue;
      const double* m = numbers.data() + at;
      if (Quat{m[9], m[10], m[11], m[12]} == q)
        start_.R[i] = {{{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]}}};
    }
  }

  /// The rates at `at_`; the arrays get its poses.
  void evaluate(Dynamics& dynamics, double time, double elapsed) {
    BodyState& s = dynamics.state();
    const std::uint32_t n = s.awake();
    for (std::uint32_t i = 0; i < n; ++i) {
      s.position[i] = at_.x[i], s.velocity[i] = at_.v[i];
      s.orientation[i] = quaternion_from_matrix(orthonormalised(at_.R[i]));
      s.angular_velocity[i] = at_.R[i] * scale(s.inverse_inertia[i], transpose(at_.R[i]) * at_.L[i]);
    }
    place_kinematic(moving_, elapsed, s);
    dynamics.evaluate(time);
    rate_.x.resize(n), rate_.v.resize(n), rate_.L.resize(n), rate_.R.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      const Vec3 w = s.angular_velocity[i];
      rate_.x[i] = at_.v[i];
      rate_.v[i] = s.force[i] * s.inverse_mass[i];
      rate_.L[i] = dynamics.gyroscopic() ? s.torque[i] : s.torque[i] + cross(w, at_.L[i]);
      rate_.R[i] = skew(w) * at_.R[i];
    }
  }

  void add(MatrixState& to, double factor) const {
    for (std::size_t i = 0; i < to.x.size(); ++i) {
      to.x[i] += factor * rate_.x[i], to.v[i] += factor * rate_.v[i], to.L[i] += factor * rate_.L[i];
      to.R[i] = plus(to.R[i], factor, rate_.R[i]);
    }
  }

  void write(BodyState& s, std::vector<double>& numbers) {
    for (std::uint32_t i = 0; i < s.awake(); ++i) {
      const Mat3 rigid = orthonormalised(sum_.R[i]);
      if (orthonormalise_) sum_.R[i] = rigid;
      s.position[i] = sum_.x[i], s.velocity[i] = sum_.v[i];
      const Quat turned = quaternion_from_matrix(rigid), last = s.orientation[i];
      const Quat q = s.orientation[i] = dot(turned, last) < 0 ? turned * -1.0 : turned;
      set_angular_momentum(s, i, sum_.L[i]);
      const std::size_t at = kPerBody * s.id_index[i];
      if (at + kPerBody > numbers.size()) numbers.resize(at + kPerBody);
      double* m = numbers.data() + at;
      for (const Vec3& row : sum_.R[i].row) *m++ = row.x, *m++ = row.y, *m++ = row.z;
      *m++ = q.w, *m++ = q.x, *m++ = q.y, *m = q.z;
    }
  }

  bool orthonormalise_ = false;
  Motion moving_;  // where the kinematic bodies begin
  MatrixState start_, at_, sum_, rate_;
};

}  // namespace

double matrix_drift(const IntegratorMemory& memory) {
  double largest = 0;
  for (std::size_t at = 0; at + kPerBody <= memory.numbers.size(); at += kPerBody) {
    const double* m = memory.numbers.data() + at;
    const Mat3 R{{{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]}}};
    if (R.row[0] == Vec3{} && R.row[1] == Vec3{} && R.row[2] == Vec3{}) continue;  // no body has this number
    const Mat3 square = transpose(R) * R;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) largest = std::max(largest, std::abs(square(i, j) - (i == j ? 1 : 0)));
  }
  return largest;
}

Entry register_rotation_matrix() {
  return {Kind::integrator,
          "rotation-matrix",
          "orientation as a matrix of nine numbers, by Runge–Kutta of order 4; it drifts from a rotation",
          "Baraff 1997, part I",
          {"order:4"},
          make_default<RotationMatrix>,
          {}};
}

}  // namespace rigor
