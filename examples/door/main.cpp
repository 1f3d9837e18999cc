// A door that a motor opens: a hinge with limits and friction, by the names of scene files and as a typed definition.
#include <cstdio>

#include "rigor/rigor.h"

using namespace rigor;

JointId hang_by_names(World& world, BodyId frame, BodyId leaf) {
  JointDef door =
      hinge_joint(world, frame, leaf, {0, 1, 0}, {0, 1, 0}, {{"lower", 0.0}, {"upper", 1.6}, {"friction", 2.0}});
  door.name = "door";
  door.break_force = 5000;
  const JointId id = world.add_joint(door);
  set_joint_parameters(world, id, {{"motor", "velocity"}, {"motor_target", 0.5}, {"motor_force", 40.0}});
  return id;
}

/// A door without a motor, which is pushed.
double pushed_angle(World world, BodyId frame, BodyId leaf) {
  const JointId door = add_joint(world, HingeDef{.a = frame,
                                                 .b = leaf,
                                                 .anchor = {0, 1, 0},
                                                 .axis = {0, 1, 0},
                                                 .drive = {.lower = 0, .upper = 1.5},
                                                 .options = {.name = "door"}});
  world.apply_impulse(leaf, {0, 0, -80});
  Simulation sim(world);
  for (int i = 0; i < 120; ++i) sim.step();
  return sim.world().joint_position(door, joint_axis::about_x);
}

int main() {
  World world;
  const BodyId frame =
      world.add_body({.name = "frame", .shape = box(0.1, 2.1, 0.1), .position = {0, 1.05, 0}, .fixed = true});
  const BodyId leaf = world.add_body({.name = "leaf", .shape = box(0.9, 2, 0.05), .position = {0.5, 1.05, 0}});
  std::printf("pushed for 2 s: %.2f rad\n", pushed_angle(world, frame, leaf));

  const JointId id = hang_by_names(world, frame, leaf);
  Simulation sim(world);
  for (int i = 1; i <= 240; ++i) {
    sim.step();
    const double angle = sim.world().joint_position(id, 3);   // rad
    const Vec3 reaction = sim.world().joint_state(id).force;  // N, reaction on the second body in the last step
    if (i % 60 == 0) std::printf("%.0f s: open by %.2f rad, the hinge carries %.0f N\n", sim.time(), angle, reaction.y);
  }
}
