// The class flight: no external forces, so that momentum and angular momentum are constant.
#include "lab/torture/rig.h"
#include "lab/torture/world_classes.h"

namespace rigor {

namespace {

void add_free_ring(Scene& scene, Draw& draw) {
  World& w = scene.world;
  const int links = draw.whole(3, 10);
  const double radius = draw.octaves(0.2, 1);
  const bool hinges = draw.chance(0.5);
  std::vector<Vec3> points;
  std::vector<BodyId> bars;
  for (int i = 0; i < links; ++i) {
    double s = 0, c = 0;
    sin_cos(2 * kPi * i / links, s, c);
    points.push_back({radius * c, radius * s, 0});
  }
  const auto point = [&](int i) { return points[static_cast<std::size_t>(i % links)]; };
  const double thickness = radius * draw.between(0.05, 0.2);
  for (int i = 0; i < links; ++i) {
    const Vec3 way = point(i + 1) - point(i);
    BodyDef def;
    def.shape = box(0.9 * length(way), thickness, thickness * draw.between(0.5, 3));
    def.position = 0.5 * (point(i) + point(i + 1));
    def.orientation = quaternion_between({1, 0, 0}, normalized(way));
    def.material.density = draw.octaves(300, 8000);
    bars.push_back(w.add_body(def));
  }
  for (int i = 0; i < links; ++i) {
    const BodyId a = bars[static_cast<std::size_t>(i)], b = bars[static_cast<std::size_t>((i + 1) % links)];
    w.add_joint(hinges ? hinge_joint(w, a, b, point(i + 1), {0, 0, 1}) : ball_joint(w, a, b, point(i + 1)));
  }
  const Vec3 velocity = draw.ball(2), spin = draw.ball(5);
  move_rig(w, bars, velocity, spin);
}

/// Bodies that fly towards the middle and meet there.
void add_swarm(Scene& scene, Draw& draw, int count) {
  const double speed = draw.octaves(0.5, 5), spin = draw.between(0, 10);
  const Column column{.half_width = 2, .bottom = -2, .top = 2, .center = {}};
  for (int i = 0; i < count; ++i) {
    BodyDef def = draw_body(draw, draw_solid(draw, draw.between(0.1, 0.8)), {});
    def.angular_velocity = draw.ball(spin);
    const BodyId id = place_clear(scene.world, draw, def, column);
    if (!id) continue;
    const Vec3 inwards = draw.ball(0.3) - normalized(scene.world.position(id) + Vec3{0, 1e-3, 0});
    scene.world.set_velocity(id, speed * inwards, def.angular_velocity);
  }
}

}  // namespace

void build_flight(Scene& scene, Draw& draw) {
  scene.world.remove_body(scene.world.ground());
  scene.world.set_gravity({});
  draw_surface_rules(scene, draw, {});
  RigTaste taste;
  taste.driven = draw.chance(0.3);
  taste.springs = draw.chance(0.5);
  taste.every_type = draw.chance(0.6);
  const int what = draw.whole(0, 3);
  if (what == 0 || what == 3) {
    const auto bodies = add_tree(scene, draw, taste, {}, draw.whole(2, 12), false, 0.4);
    const Vec3 velocity = draw.ball(2), spin = draw.ball(8);
    move_rig(scene.world, bodies, velocity, spin);
  }
  if (what == 1) add_free_ring(scene, draw);
  if (what >= 2) add_swarm(scene, draw, draw.whole(2, 20));
  bound_steps(scene, 1000);
}

}  // namespace rigor
