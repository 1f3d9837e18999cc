// Narrow phases turn pairs of bodies into manifolds (3.5). They differ in which function handles which two shapes.
#pragma once

#include <span>
#include <vector>

#include "narrowphase/pair_table.h"
#include "rigor/fields.h"

namespace rigor {

/// One pair to look at, and where its manifolds go.
struct PairTask {
  const Shape* a = nullptr;
  const Shape* b = nullptr;
  PairQuery query;
  PairCache cache;
  std::vector<Manifold> manifolds;  // frame of shape a
};

class Narrowphase : public Configurable {
 public:
  /// Fills the manifolds of a batch of tasks. Tasks are independent: batches may run on several threads at once.
  virtual void collide(std::span<PairTask> tasks) const = 0;
};

}  // namespace rigor
