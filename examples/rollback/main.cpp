// Going back: a snapshot takes back a step, repeats a second of a game, and ends a step that takes too long.
#include <cstdio>

#include "rigor/rigor.h"

using namespace rigor;

bool is_undone(Simulation& simulation) {
  const auto hash = simulation.hash();
  rigor::Snapshot before = simulation.save();
  simulation.step();
  simulation.restore(before);  // as if the step had not been made
  return simulation.hash() == hash;
}

void step_or_stay(Simulation& simulation) {
  Interruption interruption;  // elsewhere: interruption.request()
  interruption.request_at(Interruption::Clock::now() + std::chrono::milliseconds(500));
  const Snapshot before = simulation.save();
  try {
    const InterruptibleThread here(&interruption);
    simulation.step();
  } catch (const Interrupted&) {
    simulation.restore(before);
  }
}

int main() {
  World world;
  for (int i = 0; i < 6; ++i)
    world.add_body({.name = "box " + std::to_string(i), .shape = box(1, 1, 1), .position = {0, 0.5 + i, 0}});
  const BodyId ball = world.add_body({.name = "ball",
                                      .shape = sphere(0.4),
                                      .position = {-6, 3, 0},
                                      .velocity = {14, 2, 0},
                                      .material = {.name = "steel", .density = 7800}});
  Simulation sim(world);
  for (int i = 0; i < 20; ++i) sim.step();
  std::printf("a step that was taken back left no trace: %s\n", is_undone(sim) ? "yes" : "no");

  const Snapshot second = sim.save();  // what a game with rollback keeps of every frame
  for (int i = 0; i < 60; ++i) step_or_stay(sim);
  const auto first_try = sim.hash();
  sim.restore(second);
  for (int i = 0; i < 60; ++i) sim.step();
  std::printf("the same second again, bit for bit: %s\n", sim.hash() == first_try ? "yes" : "no");
  std::printf("the ball is at x = %.1f m\n", sim.world().position(ball).x);
}
