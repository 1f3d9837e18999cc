// Conservative advancement (3.8.2; Mirtich 1996): never steps over a contact. Before each partial step the earliest time at
// which two bodies can touch is found from their distances and velocities; the step ends there, the collision is solved,
// and the rest of the step continues. No work is discarded, but many impacts close in time mean many small steps.
#include <algorithm>

#include "model/bounds.h"
#include "narrowphase/shape_queries.h"
#include "registry/entry.h"
#include "rigor/interruption.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

/// A moving body, with the mean of its present velocity and that after the forces.
struct Traveller {
  BodyId id;
  const Shape* shape;
  MovingPose pose;
  Aabb box;  // of the whole path
  bool moves;
};

Traveller traveller(const World& world, std::uint32_t i, double h) {
  const BodyState& s = world.state();
  const bool awake = i < s.awake(), moves = i < s.end(BodySet::kinematic);
  Vec3 v = moves ? s.velocity[i] : Vec3{}, w = moves ? s.angular_velocity[i] : Vec3{};
  if (awake) {
    v += (0.5 * h * s.inverse_mass[i]) * s.force[i];
    w += 0.5 * h * angular_velocity_of(s.orientation[i], s.inverse_inertia[i], s.torque[i]);
  }
  const Transform body{s.position[i], s.orientation[i]};
  const Shape* shape = world.collision_shape(i).get();
  const MovingPose pose{body * world.shape_frame(i), body.translation, v, w};
  return {world.id_at(i), shape, pose, united(world_bounds(*shape, pose.start), world_bounds(*shape, pose.at(h))),
          moves};
}

/// The first time in (0, h) at which two separated bodies touch; h if none do.
double first_impact(const World& world, double h, double tolerance) {
  const BodyState& s = world.state();
  std::vector<Traveller> all;
  for (std::uint32_t i = 0; i < s.end(BodySet::still); ++i)
    if (world.can_collide(i)) all.push_back(traveller(world, i, h));
  double first = h;
  for (std::size_t i = 0; i < all.size() && all[i].moves; ++i) {
    throw_if_interrupted();
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (!overlap(all[i].box, all[j].box) || !world.may_collide(all[i].id, all[j].id)) continue;
      const Impact impact = time_of_impact(*all[i].shape, all[i].pose, *all[j].shape, all[j].pose, first, tolerance);
      if (impact.state != ImpactState::separated && impact.time > 0) first = std::min(first, impact.time);
    }
  }
  return first;
}

class ConservativeStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    v.number("tolerance", tolerance_, {"m", kPositive, 1, "distance at which bodies touch"});
    v.number("min_step", min_step_, {"s", kPositive, 1, "smallest partial step"});
    v.integer("max_impacts", max_impacts_, {"1", 1, 10000, "partial steps of one step"});
    options_.fields(v);
  }

  void step(StepContext& c, double h) override {
    const double start = c.time;
    c.settings.touching = 2 * tolerance_;
    c.settings.whole = h;
    double done = 0;
    for (int i = 0; done < h; ++i) {
      const double rest = h - done;
      c.dynamics.evaluate_outside(c.time);
      double part = i < max_impacts_ ? std::max(first_impact(c.world, rest, tolerance_), min_step_) : rest;
      if (part > rest - min_step_) part = rest;
      find_contacts(c);
      solve_and_move(c, part, options_.options());
      done = part == rest ? h : done + part;
      c.time = start + done;
    }
  }

 private:
  double tolerance_ = 1e-4, min_step_ = 1e-6;
  int max_impacts_ = 100;
  StepOptionFields options_;
};

}  // namespace

Entry register_conservative_step() {
  return {Kind::stepping,
          "conservative-advancement",
          "partial steps that end at the next possible contact",
          "Mirtich 1996; Garstenauer 2006, 3.8.2",
          {"exact-impact-times"},
          make_default<ConservativeStep>,
          {}};
}

}  // namespace rigor
