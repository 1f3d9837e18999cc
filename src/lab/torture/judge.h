// Judges a run of any engine from poses and velocities after each step, on exact shapes.
//
// A judge copies every state into its own world, so that its verdicts depend on the motion only and not on
// the engine. The headers of its watches have the formulas.
#pragma once

#include <span>
#include <vector>

#include "lab/scene_bench.h"
#include "lab/torture/contact_watch.h"
#include "lab/torture/energy_account.h"
#include "lab/torture/joint_watch.h"
#include "lab/torture/motion_watch.h"

namespace rigor {

class Judge {
 public:
  explicit Judge(const Scene& scene);

  /// Takes the states of the bodies in moving_bodies(scene.world), in that order. Returns false once the world has blown up: later states
  /// are meaningless.
  bool step_done(std::span<const BodyPose> poses, std::span<const BodyVelocities> velocities);
  /// Reports a body that the engine has removed.
  void body_removed(const std::string& sentence);
  /// At the end of a run.
  Judgement finish();

  double time() const { return static_cast<double>(steps_) * h_; }  // s

 private:
  bool take(std::span<const BodyPose> poses, std::span<const BodyVelocities> velocities);

  Simulation mirror_;  // of the judge's world; makes no steps
  double h_;
  std::uint64_t steps_ = 0;
  std::vector<BodyId> bodies_, movers_;  // with a mass; of infinite mass and moving
  std::vector<BodyPose> mover_starts_;
  PinchWatch pinch_;
  EnergyAccount energy_;
  DepthWatch depth_;
  ThroughWatch through_;
  JointWatch joints_;
  MomentumWatch momentum_;
  RestWatch rest_;
  Judgement judgement_;
};

}  // namespace rigor
