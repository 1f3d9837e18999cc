// Random joint islands: bodies of masses over four decades and sizes over one, every kind of joint, loops, limits, springs,
// friction and motors; the same world for the same seed.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "support.h"

namespace rigor::test {

struct RandomIsland {
  World world = empty_world();
  double dt = 1.0 / 60;
  bool has_motors = false;
  double load = 0;  // J: gravity times the extent of the world, 0 without gravity
};

class RandomIslandMaker {
 public:
  explicit RandomIslandMaker(unsigned seed, bool with_motors = true, bool collides = false)
      : random_(seed), with_motors_(with_motors), collides_(collides) {}

  RandomIsland make() {
    RandomIsland island;
    island.dt = 1.0 / pick({20, 30, 60, 120, 240});
    if (collides_) add_ground(island);
    add_bodies(island);
    std::vector<BodyId>& b = bodies_;
    for (std::size_t i = 1; i < b.size(); ++i) join(island, b[below(i)], b[i]);
    const std::size_t loops = below(3);
    for (std::size_t k = 0; k < loops && b.size() > 2; ++k) {
      const std::size_t i = below(b.size()), j = below(b.size());
      if (i != j) join(island, b[i], b[j]);
    }
    if (below(2) == 0) join(island, island.world.world_body(), b[0]);
    if (below(2) == 0) {
      island.world.add_force(Gravity{});
      for (const BodyId id : b) island.load += 9.81 * mass_of(island.world, id) * 10;
    }
    return island;
  }

 private:
  static double mass_of(const World& w, BodyId id) { return 1 / w.state().inverse_mass[w.slot(id)]; }
  double uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random_); }
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  double pick(std::initializer_list<double> list) { return *(list.begin() + below(list.size())); }
  Vec3 vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Vec3 direction() { return normalized(vector(1) + Vec3{0, 0, 1e-3}); }

  static void add_ground(RandomIsland& island) {
    BodyDef ground;
    ground.shape = plane(), ground.position = {0, -1.5, 0}, ground.fixed = true;
    island.world.add_body(ground);
  }

  void add_bodies(RandomIsland& island) {
    const std::size_t n = 2 + below(6);
    for (std::size_t i = 0; i < n; ++i) {
      BodyDef def;
      const double size = std::pow(10, uniform(-1, 0));
      const Vec3 sides{size * uniform(0.1, 1), size * uniform(0.1, 1), size};
      def.shape = box(sides), def.can_collide = collides_;
      def.mass = std::pow(10, uniform(-2, 2));
      def.position = vector(1);
      def.orientation = normalized(Quat{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)});
      def.velocity = vector(2), def.angular_velocity = vector(5);
      bodies_.push_back(island.world.add_body(def));
    }
  }

  Settings axis_parameters(RandomIsland& island, const std::string& prefix, bool is_angle, double mass) {
    Settings s;
    if (below(3) == 0) s[prefix + "lower"] = -uniform(0, is_angle ? 1.5 : 0.5), s[prefix + "upper"] = uniform(0, 1.0);
    if (below(4) == 0) s[prefix + "spring_stiffness"] = mass * std::pow(10, uniform(0, 6));
    if (below(4) == 0) s[prefix + "spring_damping"] = mass * std::pow(10, uniform(-1, 3));
    if (below(4) == 0) s[prefix + "friction"] = mass * uniform(0, 10);
    if (with_motors_ && below(4) == 0) {
      s[prefix + "motor"] = std::string("velocity"), s[prefix + "motor_target"] = uniform(-3, 3);
      if (below(3) > 0) s[prefix + "motor_force"] = mass * uniform(0, 100);
      island.has_motors = true;
    }
    return s;
  }

  void join(RandomIsland& island, BodyId a, BodyId b) {
    World& w = island.world;
    const Vec3 pa = a == w.world_body() ? vector(1) : w.center_of_mass(a), pb = w.center_of_mass(b);
    const Vec3 anchor = 0.5 * (pa + pb) + vector(0.1), axis = direction();
    const double mass = mass_of(w, b);
    const auto axes = [&](const std::string& prefix, bool is_angle) {
      return axis_parameters(island, prefix, is_angle, mass);
    };
    const Vec3 across = normalized(cross(axis, axis.x * axis.x < 0.5 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
    switch (below(12)) {
      case 0: w.add_joint(ball_joint(w, a, b, anchor)); break;
      case 1: w.add_joint(hinge_joint(w, a, b, anchor, axis, axes("", true))); break;
      case 2: w.add_joint(slider_joint(w, a, b, anchor, axis, axes("", false))); break;
      case 3: w.add_joint(cylindrical_joint(w, a, b, anchor, axis, axes("slide_", false))); break;
      case 4: w.add_joint(universal_joint(w, a, b, anchor, axis, across, axes("axis_", true))); break;
      case 5: w.add_joint(fixed_joint(w, a, b)); break;
      case 6: w.add_joint(distance_joint(w, a, b, pa + vector(0.1), pb + vector(0.1))); break;
      case 7: w.add_joint(rope_joint(w, a, b, pa, pb, {{"upper", uniform(1, 1.5) * length(pb - pa)}})); break;
      case 8: w.add_joint(planar_joint(w, a, b, anchor, axis, axes("y_", false))); break;
      case 9:
        w.add_joint(car_wheel_joint(w, a, b, anchor, axis, across,
                                    {{"suspension_spring_stiffness", mass * std::pow(10, uniform(0, 5))},
                                     {"suspension_lower", -0.2},
                                     {"suspension_upper", 0.2}}));
        break;
      case 10:
        w.add_joint(distance_joint(
            w, a, b, pa, pb, {{"stiffness", mass * std::pow(10, uniform(0, 6))}, {"damping", mass * uniform(0, 10)}}));
        break;
      default: w.add_joint(point_on_line_joint(w, a, b, anchor, axis, axes("", false))); break;
    }
  }

  std::mt19937 random_;
  bool with_motors_, collides_;
  std::vector<BodyId> bodies_;
};

}  // namespace rigor::test
