// What a simulation knows about its contacts, for drawing in an application of your own.
#include <cstdio>

#include "rigor/rigor.h"

void draw_arrow(const rigor::Vec3& from, const rigor::Vec3& arrow) {
  std::printf("from (%5.2f, %5.2f, %5.2f) up by %.0f N\n", from.x, from.y, from.z, arrow.y);
}

struct Arrows final : rigor::DebugDraw {
  void vectors(rigor::DebugLayer, std::span<const rigor::DebugVector> items) override {
    for (const auto& arrow : items) draw_arrow(arrow.origin, arrow.vector);
  }
};

int main() {
  rigor::World world;
  world.add_body({.name = "table", .shape = rigor::box(2, 0.2, 1), .position = {0, 0.1, 0}});
  world.add_body({.name = "vase", .shape = rigor::cylinder(0.2, 0.6), .position = {0.5, 0.5, 0}});
  rigor::Simulation sim(world);
  for (int i = 0; i < 20; ++i) sim.step();  // later they sleep, and nothing is drawn between them

  Arrows arrows;
  const rigor::DebugLayer layers[] = {rigor::DebugLayer::normal_forces};
  rigor::debug_draw(sim, layers, arrows);
}
