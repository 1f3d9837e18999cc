// A seesaw: a weight falls on one end of a board and throws what lies on the other.
#include <cmath>
#include <cstdio>

#include "rigor/rigor.h"

using namespace rigor;

int main() {
  World world;
  const BodyId post = world.add_body({.name = "post", .shape = box(1, 3, 10), .position = {0, 1.5, 0}, .fixed = true});
  const BodyId board = world.add_body({.name = "board", .shape = box(10, 0.4, 4), .position = {0, 3.2, 0}});
  const JointId pivot = world.add_joint(hinge_joint(world, post, board, {0, 3.28, 0}, {0, 0, 1}));

  const BodyId parcel = world.add_body({.name = "parcel", .shape = box(1, 1, 1), .position = {-4, 3.9, 0}});
  world.add_body({.name = "weight", .shape = box(2, 2, 2), .position = {4, 9, 0}});
  Simulation sim(world);
  for (int i = 1; i <= 180; ++i) {
    sim.step();
    if (i % 30 == 0)
      std::printf("%.1f s: the board at %5.1f degrees, the parcel at %4.1f m\n", sim.time(),
                  sim.world().joint_position(pivot, joint_axis::about_x) * 180 / kPi, sim.world().position(parcel).y);
  }
}
