// Checks momentum in worlds without external forces, and finds worlds that do not come to rest.
//
// momentum: |p − p(0)| > 1e-6 max Σ|pᵢ|, or |L − L(0)| > 1e-6 max Σ(|xᵢ × pᵢ| + |Lᵢ|), the largest sums so far. Judged
// where there is no gravity, no force but springs between bodies, no fixed body that can collide, and no joint to the
// world. Judged until the first body falls asleep, because sleep sets the velocities of slow bodies to zero on purpose.
//
// restless: if rest_time() is shorter than the run, the root mean square of a body's v + r ω over the last second is more
// than 0.1 m/s + g h / 4; r is its bounding radius.
#pragma once

#include <vector>

#include "lab/torture/verdict.h"
#include "rigor/scene.h"

namespace rigor {

class MomentumWatch {
 public:
  MomentumWatch(const World& world, bool may_sleep);
  void step_done(const World& world, double time, Judgement& judgement);

 private:
  bool has_fallen_asleep(const World& world);

  bool acts_ = false, may_sleep_ = false;
  std::vector<bool> moved_;  // by body
  Vec3 linear_, angular_;
  double linear_scale_ = 0, angular_scale_ = 0;
};

class RestWatch {
 public:
  RestWatch(const Scene& scene, const std::vector<BodyId>& bodies, double g);
  void step_done(const World& world, double time);
  /// At the end of the run.
  void finish(const World& world, double time, Judgement& judgement) const;

 private:
  std::vector<BodyId> bodies_;
  std::vector<double> squares_;  // m²/s², sums over the last second
  double from_ = 0;              // s; infinite: unknown
  double allowed_ = 0;           // m/s
  int looks_ = 0;
};

}  // namespace rigor
