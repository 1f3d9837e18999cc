// Finds bodies that penetrate each other deeply, and bodies that passed through a fixed one.
//
// deep: a contact point of a pair is deeper than
//
//   max(0.1 t, min(5 mm, 0.5 t), 1.5 mm)        t: the smaller of the two bodies' smallest thicknesses, of moving bodies only
//
// in all samples during 0.5 s. Samples are about 0.05 s apart; bodies that overlap at the start get one second to separate.
//
// through: for 0.1 s and three steps the center of a body is below a plane or a height field by more than its bounding radius and
// 2 mm; or it crossed a fixed body of another shape — the line between two centers outside of it, one after the other, enters that
// body at one face and leaves it at one that looks the other way — and is beyond the face of entry by more than that. A body that comes
// back sooner has not passed through. Centers, line and face are those in the frame of the fixed body: what a lift carries up, farther in
// a step than the lift is thick, has not passed through it from below.
//
// Bodies that movers have pinched (pinch_watch.h) are not judged.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "lab/torture/pinch_watch.h"
#include "lab/torture/verdict.h"
#include "rigor/simulation.h"

namespace rigor {

class DepthWatch {
 public:
  DepthWatch(const World& world, const std::vector<BodyId>& bodies, double h);

  /// True if contacts are sampled after this step.
  bool wants_look(std::uint64_t step) const { return step % every_ == 0; }
  void look(const World& world, const ContactList& contacts, const PinchWatch& pinch, double time,
            Judgement& judgement);

 private:
  struct Lasting {
    double since = 0, last = 0;  // s
  };

  std::map<BodyId, double> thickness_;  // m, of moving bodies
  std::map<std::pair<BodyId, BodyId>, Lasting> deep_;
  std::uint64_t every_ = 1;
};

class ThroughWatch {
 public:
  ThroughWatch(const World& world, const std::vector<BodyId>& bodies, double h);

  void step_done(const World& world, const PinchWatch& pinch, double time, Judgement& judgement);

 private:
  struct Crossing {
    BodyId fixed;
    Vec3 point, normal;  // of the entry, in the frame of `fixed`
  };
  struct Watched {
    BodyId id;
    double radius = 0;       // m, about the center of mass
    double since = 0;        // s, when it was last beyond nothing
    std::vector<Vec3> last;  // m, by obstacle and in its frame: center when it was last outside of all obstacles
    std::vector<Crossing> crossings;
  };

  static double depth_beyond(const World& world, const Watched& body, const Crossing& crossing);
  BodyId beyond(const World& world, const Watched& body) const;
  bool is_below(const World& world, const Watched& body, BodyId fixed) const;
  std::vector<Vec3> center_by_obstacle(const World& world, BodyId id) const;
  void find_crossings(const World& world, const class Queries& fixed, Watched& body) const;

  std::vector<Watched> bodies_;
  std::vector<BodyId> grounds_;    // planes and height fields
  std::vector<BodyId> obstacles_;  // other fixed bodies
  double stays_;                   // s
};

}  // namespace rigor
