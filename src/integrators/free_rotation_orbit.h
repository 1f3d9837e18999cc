// The closed curve that the momentum of a free rigid body follows in the body's principal frame.
//
//   n' = n × J n,   n = Rᵀ L/|L|,   J = diag(j₁, j₂, j₃),   time in units of I₁/|L|
//
// Symbols: I₁ <= I₂ <= I₃ the principal moments in ascending order, jᵢ = I₁/Iᵢ,
// a = j₂ - j₃, b = j₁ - j₃, c = j₁ - j₂. The addition theorems of sn, cn, dn turn Jacobi's solution
// into a rational map of the present n,
//
//   n₁(t) = (n₁ p - a S n₂ n₃ r) / D         S' = p r,  S(0) = 0
//   n₂(t) = (n₂ p r + b S n₃ n₁) / D         p² = 1 - α S²,  α = a (c n₂² + b n₃²)
//   n₃(t) = (n₃ r - c S n₁ n₂ p) / D         r² = 1 - γ S²,  γ = c (b n₁² + a n₂²)           (1)
//   D = 1 - a c n₂² S² = r² + b c n₁² S² = p² + a b n₃² S²
//
// without any incomplete integral, phase or case: S = sn(λt)/λ, {p, r} = {cn, dn}, λ² = max(α, γ),
// m = min(α, γ)/max(α, γ). It has no singular limit: for symmetric bodies m = 0, for spheres S = t.
// On the separatrix α = γ and m = 1; orbits with 1 - m < 1e-200 are taken for it.
//
// The angle φ of a body axis about L, which the attitude needs, turns at the rate
// (Landau & Lifshitz, Mechanics, §37)
//
//   φ' = j₂ + c n₁²/(n₁² + n₂²)  for axis 3,   φ' = j₃ + a n₂²/(n₂² + n₃²)  for axis 1       (2)
//
// Axis 3 is taken for c <= a, else axis 1: the poles of the ratio of squares, here called share, are
// then at least about π/4 away from the real axis of λt on every orbit, however degenerate.
// Cost and accuracy: those of JacobiElliptic; the map adds a few roundings and no cancellation.
#pragma once

#include "math/jacobi_elliptic.h"
#include "rigor/math.h"

namespace rigor {

/// Differences of the inverse moments, from differences of the moments: accurate even if the moments are nearly equal.
struct InertiaCouplings {
  double j2, j3, a, b, c;

  explicit InertiaCouplings(const Vec3& i)
      : j2(i.x / i.y), j3(i.x / i.z), a((i.z - i.y) / i.z * j2), b((i.z - i.x) / i.z), c((i.y - i.x) / i.y) {}
  bool about_axis3() const { return c <= a; }
};

/// S, p, r of (1) at some elapsed time.
struct OrbitFunctions {
  double S, p, r;
};

/// The curve of one body's n, and the motion along it.
class FreeRotationOrbit {
 public:
  /// Starts at n, a unit vector; `time` is the longest that is needed.
  FreeRotationOrbit(const InertiaCouplings& couplings, const Vec3& n, double time);

  OrbitFunctions functions(double t) const;
  /// D n(t) of (1), where `from` is a point of the orbit.
  Vec3 numerators(const Vec3& from, const OrbitFunctions& f) const;
  Vec3 momentum(double t) const;
  /// The ratio of squares in (2), for n up to a factor.
  double share(const Vec3& n) const;
  /// Its mean over a period.
  double mean_share() const;
  /// After half a period n returns with the signs of two components reversed.
  Vec3 half_period_later(const Vec3& n) const { return circles_axis3_ ? Vec3{-n.x, -n.y, n.z} : Vec3{n.x, -n.y, -n.z}; }
  double rate() const { return lambda_; }
  double half_period() const { return 2 * elliptic_.quarter_period(); }  ///< in λt
  bool is_separatrix() const { return separatrix_; }

 private:
  InertiaCouplings j_;
  Vec3 n_;
  double alpha_, gamma_, lambda_;
  double m1_ = 1;
  bool circles_axis3_;
  bool separatrix_ = false;
  JacobiElliptic elliptic_;
};

}  // namespace rigor
