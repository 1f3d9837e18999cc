// The loop of a game: frames of any length, steps of a fixed one, poses between steps, events, and a push.
#include <cstdio>

#include "rigor/rigor.h"

int main() {
  using namespace rigor;
  World world;
  BodyDef crate;
  crate.name = "crate";
  crate.shape = box(0.5, 0.5, 0.5);
  crate.position = {0, 3, 0};
  const BodyId hero = world.add_body(crate);

  Simulation sim(world, preset("soft-step"), TimeSettings{.step = 1.0 / 60});
  sim.keep_previous_poses(true);
  sim.set_listener([](Simulation& s, const Event& e) {
    if (e.kind == Event::Kind::contact_begin)
      std::printf("%.2f s: %s meets %s at %.1f m/s\n", s.time(), s.world().name(e.a).c_str(),
                  s.world().name(e.b).c_str(), e.speed);
  });

  const double frames[] = {0.016, 0.017, 0.033, 0.008, 0.050, 0.016};  // s, as a clock would measure them
  for (int frame = 0; frame < 90; ++frame) {
    const double dt = frames[frame % 6];
    if (frame == 60) sim.world().apply_impulse(hero, {0, 600, 0});  // the player jumps
    sim.advance(dt);                                                // as many steps as fit; the rest is carried over
    const Transform shown = sim.pose_at(hero, sim.alpha());         // draw this one
    if (frame % 15 == 14)
      std::printf("frame %2d: step %3d, height %.3f m\n", frame + 1, static_cast<int>(sim.steps()),
                  shown.translation.y);
  }
}
