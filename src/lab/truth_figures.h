// The list of the figures of truth, and those of one contact point; truth.h has their formulas.
#pragma once

#include <string>
#include <vector>

#include "lcp/cone_figures.h"
#include "rigor/math.h"

namespace rigor {

struct TruthFigure {
  const char* name;
  const char* unit;
  Figure figure;
  std::string worst;  // its name: "crate–ground", a body, a joint
  double time = 0;    // s, at the end of the step in which it was the worst
};

/// What the law of contact needs besides the point.
struct TruthLaw {
  double h = 0;                      // s
  double restitution_threshold = 0;  // m/s, slower impacts do not bounce
  double stick_speed = 0;            // m/s, below it the static coefficient counts
};

/// A contact point of bodies a and b: its geometry at the start of a step, its velocities at both ends.
struct TruthPoint {
  Vec3 normal, tangent;  // the normal points from a to b
  double gap = 0;        // m
  Vec3 before, after;    // m/s, velocity of b relative to a
  Vec3 surface;          // m/s, running of the surfaces
  Vec3 impulse;          // N s, on b
  double mobility = 0;   // 1/kg, mean diagonal of its block of J M⁻¹ Jᵀ
  double friction = 0, static_friction = 0, restitution = 0;
  double across = 1;  // friction across the tangent in parts of that along it
};

/// Mean diagonal of the 3 × 3 block of J M⁻¹ Jᵀ of a point at r from the center of mass of one of its bodies.
double point_mobility(double inverse_mass, const Mat3& inverse_inertia_world, const Vec3& r);

class TruthFigures {
 public:
  enum Name {
    momentum,
    angular,
    natural_map,
    cone,
    approach,
    signorini,
    de_saxce,
    dissipation,
    joints,
    limits,
    penetration,
    kCount
  };

  TruthFigures();

  /// Adds a value at time t; `who()` names its body, contact or joint.
  template <class Who> void add(Name name, double value, double t, Who who) {
    TruthFigure& f = list_[name];
    const bool worst = !(value <= f.figure.max) || f.figure.worst < 0;
    f.figure.add(value, 0);
    if (worst && value > 0) f.worst = who(), f.time = t;
  }
  /// Adds the figures from natural_map to dissipation.
  template <class Who> void add_point(const TruthPoint& point, const TruthLaw& law, double t, Who who) {
    const PointFigures p = figures_of(point, law);
    if (point.mobility > 0) add(natural_map, p.natural_map, t, who);
    add(cone, p.cone, t, who);
    add(approach, p.approach, t, who);
    add(signorini, p.signorini, t, who);
    add(de_saxce, p.de_saxce, t, who);
    add(dissipation, p.dissipation, t, who);
  }

  /// All figures with rms.
  std::vector<TruthFigure> finished() const;

 private:
  struct PointFigures {
    double natural_map = 0, cone = 0, approach = 0, signorini = 0, de_saxce = 0, dissipation = 0;
  };
  static PointFigures figures_of(const TruthPoint& p, const TruthLaw& law);

  std::vector<TruthFigure> list_;
};

}  // namespace rigor
