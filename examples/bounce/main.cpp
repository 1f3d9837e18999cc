// A rubber ball falls on the floor and bounces.
#include <cstdio>

#include "rigor/rigor.h"

int main() {
  rigor::World world;  // gravity and a ground plane are there already
  rigor::Material rubber{.name = "rubber", .density = 1100, .friction = 0.8, .restitution = 0.7};
  world.set_material(world.ground(), rubber);  // of two restitutions the smaller one counts

  rigor::BodyDef ball;
  ball.name = "ball";
  ball.shape = rigor::sphere(0.1);
  ball.position = {0, 2, 0};
  ball.material = rubber;
  const rigor::BodyId id = world.add_body(ball);

  rigor::Simulation sim(world);  // the default method, steps of 1/60 s
  for (int i = 0; i <= 120; ++i) {
    if (i % 15 == 0) std::printf("%.2f s  %.3f m\n", sim.time(), sim.world().position(id).y);
    sim.step();
  }
}
