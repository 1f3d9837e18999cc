#include "lab/memory_bench.h"

#include <malloc.h>

#include "rigor/simulation.h"

namespace rigor {

namespace {

constexpr std::size_t kColumn = 10;  // boxes

double allocated() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

World boxes(std::size_t count, bool in_columns) {
  World world;
  if (!in_columns) world.remove_body(world.ground()), world.set_gravity({});
  const std::size_t height = in_columns ? kColumn : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t column = i / height;
    BodyDef def;
    def.shape = box(1, 1, 1);
    def.position = {3.0 * static_cast<double>(column % 100), 0.5 + static_cast<double>(i % height),
                    3.0 * static_cast<double>(column / 100)};
    world.add_body(def);
  }
  return world;
}

struct Use {
  double bytes = 0;
  std::size_t contacts = 0;
};

Use run(const Method& method, std::size_t bodies, bool in_columns, int steps) {
  const double before = allocated();
  Simulation sim(boxes(bodies, in_columns), method);
  for (int i = 0; i < steps; ++i) sim.step(1.0 / 60);
  return {allocated() - before, sim.contacts().size()};
}

}  // namespace

MemoryBenchRow run_memory_bench(const Method& method, std::size_t bodies, int steps) {
  Method awake = method;
  awake.sleep = {"never", {}};
  run(awake, kColumn, true, 1);  // what the program allocates once
  const std::size_t more = 3 * bodies;
  const auto added = static_cast<double>(more - bodies);
  const Use few = run(awake, bodies, false, steps), many = run(awake, more, false, steps);
  const Use low = run(awake, bodies, true, steps), high = run(awake, more, true, steps);
  MemoryBenchRow row{more, high.contacts, (many.bytes - few.bytes) / added, 0};
  if (high.contacts > low.contacts)
    row.per_contact =
        (high.bytes - low.bytes - row.per_body * added) / static_cast<double>(high.contacts - low.contacts);
  return row;
}

}  // namespace rigor
