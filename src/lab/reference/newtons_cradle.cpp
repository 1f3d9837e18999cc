// Newton's cradle with gaps: five balls in a row, the first ones come with 1 m/s. Values: impacts of two balls at a time, event by event.
// The gaps are wider than what a ball moves in a step, or several impacts would fall into one.
#include <array>

#include "lab/reference/all_cases.h"
#include "lab/reference/parts.h"

namespace rigor::reference {

namespace {

constexpr std::size_t kBalls = 5;
constexpr double kGap = 0.02;  // m

struct Launch {
  const char* name;
  std::size_t launched;
  double e;
  std::array<double, kBalls> v;  // m/s, at the end
  double tolerance;
};
constexpr Launch kLaunches[] = {
    {"one ball, e = 1", 1, 1, {0, 0, 0, 0, 1}, 1e-6},
    {"two balls, e = 1", 2, 1, {0, 0, 0, 1, 1}, 0},
    {"three balls, e = 1", 3, 1, {0, 0, 1, 1, 1}, 0},
    {"one ball, e = 0.9", 1, 0.9, {0.04352508203125, 0.04537296484375, 0.047296640625, 0.0492990625, 0.81450625}, 0},
    {"two balls, e = 0.9", 2, 0.9, {0.088898046875, 0.092772265625, 0.0968109375, 0.8577134375, 0.8638053125}, 0},
};

struct Outcome {
  double velocity = 0;  // m/s, largest error
  double energy = 0;    // relative gain at any time
};

Outcome run_cradle(const Launch& launch, const Method& method, double dt) {
  World world = space(false);
  std::array<BodyId, kBalls> balls;
  for (std::size_t i = 0; i < kBalls; ++i) {
    BodyDef def;
    def.shape = sphere(0.5);
    def.mass = 1;
    def.material = surface(0, launch.e);
    def.position = {static_cast<double>(i) * (1 + kGap), 0, 0};
    def.velocity = {i < launch.launched ? 1.0 : 0.0, 0, 0};
    balls[i] = world.add_body(def);
  }
  Run run(world, method, dt);
  const double start = run.energy();
  Outcome out;
  while (run.time() < 10) {
    run.step();
    raise(out.energy, run.energy() / start - 1);
  }
  for (std::size_t i = 0; i < kBalls; ++i)
    raise(out.velocity, length(run.world().velocity(balls[i]) - Vec3{launch.v[i], 0, 0}));
  return out;
}

Quantities measure_cradle(const Method& method, double dt) {
  Quantities q;
  double gain = 0;
  for (const Launch& launch : kLaunches) {
    const Outcome out = run_cradle(launch, method, dt);
    q.push_back({launch.name, "m/s", out.velocity, launch.tolerance});
    raise(gain, out.energy);
  }
  q.push_back({"energy gained", "1", gain, 1e-9});
  return q;
}

}  // namespace

Case newtons_cradle() {
  return {"newtons-cradle",
          "five balls in a row with gaps",
          "one ball, e = 1: 1e-6 with gaps wider than a step's way; energy never increases (to rounding)",
          1.0 / 240,
          {.collision = true},
          measure_cradle};
}

}  // namespace rigor::reference
