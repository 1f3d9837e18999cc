#include <cstdio>

#include "rigor/rigor.h"

int main() {
  rigor::World world;
  rigor::BodyDef ball;
  ball.shape = rigor::sphere(0.1);
  ball.position = {0, 10, 0};
  const rigor::BodyId id = world.add_body(ball);
  rigor::Simulation sim(world, rigor::preset("free-flight"));
  for (int i = 0; i < 60; ++i) sim.step(1.0 / 60);
  std::printf("height %.3f m\n", sim.world().position(id).y);
}
