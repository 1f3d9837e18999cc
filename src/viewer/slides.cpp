#include "viewer/slides.h"

#include <algorithm>
#include <cmath>

namespace rigor::viewer {

namespace {

constexpr double kSilent = 1e-3;  // W

/// m/s, of a material point of the body.
Vec3 velocity_at(const World& world, BodyId body, const Vec3& local) {
  const std::uint32_t slot = world.slot(body);
  const Vec3 arm = rotate(world.state().orientation[slot], local);  // local: from the center of mass, in principal axes
  return world.velocity(body) + cross(world.angular_velocity(body), arm);
}

}  // namespace

std::vector<Slide> loudest_slides(const Simulation& simulation, std::size_t most) {
  const World& world = simulation.world();
  const double h = simulation.time_settings().step;
  std::vector<Slide> slides;
  for (const Contact& c : simulation.contacts()) {
    double impulse = 0;  // N s, of friction, all points
    for (int i = 0; i < c.count; ++i) {
      const ContactPoint& p = c.points[static_cast<std::size_t>(i)];
      impulse += std::hypot(p.tangent_impulse[0], p.tangent_impulse[1]);
    }
    if (impulse == 0 || !world.contains(c.a) || !world.contains(c.b)) continue;
    const ContactPoint& first = c.points.front();
    Vec3 slip = velocity_at(world, c.b, first.local_b) - velocity_at(world, c.a, first.local_a);
    if (!c.is_plain) slip += c.surface_velocity;
    slip = slip - c.normal * dot(slip, c.normal);
    const double speed = length(slip), power = impulse / h * speed;
    if (power > kSilent) slides.push_back({c.a, c.b, speed, power});
  }
  const auto louder = [](const Slide& x, const Slide& y) { return x.power > y.power; };
  std::stable_sort(slides.begin(), slides.end(), louder);
  if (slides.size() > most) slides.resize(most);
  return slides;
}

}  // namespace rigor::viewer
