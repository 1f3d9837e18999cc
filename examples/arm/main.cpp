// An arm that holds its own weight: torques from the coordinates of its joints.
#include <cstdio>
#include <vector>

#include "rigor/joint_space.h"
#include "rigor/rigor.h"

using namespace rigor;

int main() {
  World world;
  const BodyId upper = world.add_body({.name = "upper arm", .shape = box(0.6, 0.1, 0.1), .position = {0.3, 1, 0}});
  const BodyId hand = world.add_body({.name = "hand", .shape = box(0.5, 0.08, 0.08), .position = {0.85, 1, 0}});
  world.add_joint(hinge_joint(world, world.world_body(), upper, {0, 1, 0}, {0, 0, 1}));
  world.add_joint(hinge_joint(world, upper, hand, {0.6, 1, 0}, {0, 0, 1}));

  for (const bool holds : {false, true}) {
    Simulation simulation(world, preset("featherstone"));
    JointSpace space(simulation.world());
    const std::vector<double> hold = space.gravity_compensation();
    const std::vector<double> J = space.jacobian(hand, space.world().position(hand));  // six rows
    if (holds) {
      std::printf("shoulder %.1f N m, elbow %.1f N m\n", hold[0], hold[1]);
      std::printf("1 rad/s in the shoulder lifts the hand at %.2f m/s\n", J[1 * space.size() + 0]);
      for (std::size_t i = 0; i < space.size(); ++i)
        simulation.world().add_joint_force(space.coordinates()[i].joint, space.coordinates()[i].axis, hold[i]);
    }
    for (int i = 0; i < 30; ++i) simulation.step();
    std::printf("%s: the hand is at %.3f m\n", holds ? "held" : "let go", simulation.world().position(hand).y);
  }
}
