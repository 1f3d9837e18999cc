// A ball falls one metre onto a plane, without friction: the n-th apex is e^(2n) of the height.
#include "lab/reference/all_cases.h"
#include "lab/reference/parts.h"

namespace rigor::reference {

namespace {

constexpr double kRadius = 0.1;

struct Ball {
  World world;
  BodyId id;

  explicit Ball(double e) {
    world.set_material(world.ground(), surface(0, e));
    BodyDef def;
    def.shape = sphere(kRadius);
    def.material = surface(0, e);
    def.position = {0, 1 + kRadius, 0};
    id = world.add_body(def);
  }
};

/// Heights of the apexes until `time`.
std::vector<double> apexes(double e, double time, const Method& method, double dt) {
  const Ball ball(e);
  Run run(ball.world, method, dt);
  std::vector<double> list;
  double highest = 0;
  bool has_bounced = false;
  double v_before = 0;
  while (run.time() < time) {
    run.step();
    const double y = run.world().position(ball.id).y - kRadius, v = run.world().velocity(ball.id).y;
    if (v > 0 && v_before <= 0) has_bounced = true, highest = 0;
    raise(highest, y);
    if (v <= 0 && v_before > 0 && has_bounced) list.push_back(highest);
    v_before = v;
  }
  return list;
}

Quantities measure_ball(const Method& method, double dt) {
  const double g_h2 = kG * dt * dt / 8;  // m, how far the highest sample of a flight may be below its apex
  Quantities q;
  double rise = 0;
  for (const double e : {0.5, 0.8, 0.9, 1.0}) {
    // Apexes of at least a centimetre, four at most: below, flights last a few steps.
    const std::vector<double> found = apexes(e, 4, method, dt);
    double worst = 0, expected = 1, last = 1;
    for (std::size_t n = 0; n < 4; ++n) {
      expected *= e * e;
      if (expected < 0.01) break;
      const double apex = n < found.size() ? found[n] : 0;
      raise(worst, relative(apex, expected));
      raise(rise, apex - last);
      last = apex;
    }
    std::string name = std::to_string(e).substr(0, 3);
    q.push_back({"apexes, restitution " + name, "1", worst, 0.02});
  }
  q.push_back({"an apex above the last one", "m", rise, g_h2});
  const std::vector<double> elastic = apexes(1, 20, method, dt);
  q.push_back({"height after 20 s, restitution 1", "m", elastic.empty() ? 1 : std::abs(elastic.back() - 1)});
  return q;
}

}  // namespace

Case bouncing_ball() {
  return {"bouncing-ball",
          "a ball dropped from one metre, four coefficients of restitution",
          "apexes 2 % at 1/240 s, none above the one before it",
          1.0 / 240,
          {.collision = true, .contact = true},
          measure_ball};
}

}  // namespace rigor::reference
