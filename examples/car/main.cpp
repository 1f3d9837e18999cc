// A car: a chassis on four sprung wheels. The rear wheels drive, the front ones steer.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "rigor/rigor.h"

int main() {
  using namespace rigor;
  World world;
  const Material rubber{.name = "rubber", .density = 300, .friction = 1};
  world.set_material(world.ground(), rubber);

  BodyDef hull;
  hull.name = "chassis";
  hull.shape = box(3.6, 0.5, 1.4);
  hull.position = {0, 0.75, 0};
  hull.material.density = 250;
  const BodyId chassis = world.add_body(hull);

  const Settings spring = {{"suspension_lower", -0.15},
                           {"suspension_upper", 0.15},
                           {"suspension_spring_stiffness", 40000.0},
                           {"suspension_spring_damping", 4000.0},
                           {"suspension_spring_rest", -0.08}};
  std::vector<JointId> front, rear;
  for (const double x : {1.3, -1.3})
    for (const double z : {-0.8, 0.8}) {
      BodyDef tyre;
      tyre.name = std::string(x > 0 ? "front" : "rear") + (z < 0 ? " left" : " right");
      tyre.shape = cylinder(0.4, 0.25);
      tyre.position = {x, 0.4, z};
      tyre.orientation = {std::sqrt(0.5), std::sqrt(0.5), 0, 0};  // its axis lies along z
      tyre.material = rubber;
      const BodyId wheel = world.add_body(tyre);
      Settings settings = spring;
      if (x > 0)
        settings.insert({{"steering_lower", -0.6},
                         {"steering_upper", 0.6},
                         {"steering_motor", "servo"},
                         {"steering_motor_proportional", 8000.0},
                         {"steering_motor_derivative", 400.0}});
      else
        settings.insert({{"motor", "velocity"}, {"motor_target", -12.0}, {"motor_force", 600.0}});
      const JointDef axle = car_wheel_joint(world, chassis, wheel, tyre.position, {0, 1, 0}, {0, 0, 1}, settings);
      (x > 0 ? front : rear).push_back(world.add_joint(axle));
    }

  Simulation sim(world, default_method(), TimeSettings{.step = 1.0 / 120});
  const auto report = [&] {
    const Vec3 p = sim.world().position(chassis), v = sim.world().velocity(chassis);
    std::printf("%4.1f s: x = %5.1f m, z = %5.1f m, %4.1f m/s\n", sim.time(), p.x, p.z, length(v));
  };
  for (int i = 0; i < 1200; ++i) {
    if (i == 600)
      for (const JointId joint : front) set_joint_parameters(sim.world(), joint, {{"steering_motor_target", 0.15}});
    sim.step();
    if (i % 240 == 239) report();
  }
}
