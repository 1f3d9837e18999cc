// A narrow phase of one's own: it computes the contact points of pairs of shapes, and leaves the pairs that it does not know to
// the built-in `special-pairs`.
//
// Rules. collide() is const, may be called by several threads at once, and has to be a pure function of its arguments. Manifolds are
// checked: one to four points, a unit normal, finite numbers. What is not so, and whatever is thrown, makes Simulation::step()
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
  /// Appends the manifolds of two shapes, in the frame of a. False, with nothing appended: the built-in one shall do it.
  virtual bool collide(const rigor::Shape& a, const rigor::Shape& b, const PairQuery& query,
                       std::vector<Manifold>& manifolds) const = 0;
};

}  // namespace rigor::extend
