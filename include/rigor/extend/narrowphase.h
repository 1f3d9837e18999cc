// A custom narrow phase: it computes the contact points of pairs of shapes, and leaves the pairs that it does not know to
// the built-in `special-pairs`.
//
// Rules. collide() is const, may be called by several threads at once, and has to be a pure function of its arguments. Manifolds are
// checked: one to four points, a unit normal, finite numbers. A manifold that fails the check, and any exception, makes Simulation::step()
// throw an Error that names the narrow phase.
#pragma once

#include <vector>

#include "rigor/extend/manifold.h"
#include "rigor/fields.h"
#include "rigor/math.h"
#include "rigor/registry.h"
#include "rigor/shape.h"

namespace rigor::extend {

class Narrowphase : public Configurable {
 public:
  static constexpr Kind kKind = Kind::narrowphase;
  /// Appends the manifolds of two shapes, in the frame of a. Return false, with nothing appended, to leave the pair to the built-in one.
  virtual bool collide(const rigor::Shape& a, const rigor::Shape& b, const PairQuery& query,
                       std::vector<Manifold>& manifolds) const = 0;
};

}  // namespace rigor::extend
