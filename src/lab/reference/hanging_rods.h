// Uniform rods, 1 m and 1 kg each, in a chain from the origin, released horizontally: the double pendulum and the chain.
#pragma once

#include <array>
#include <span>

#include "lab/reference/parts.h"

namespace rigor::reference {

template <std::size_t kRods> struct RodAngles {
  double t;                         // s
  std::array<double, kRods> theta;  // rad, from the downward vertical
};

template <std::size_t kRods>
Quantities measure_hanging_rods(std::span<const RodAngles<kRods>> samples, const Method& method, double dt) {
  World world = space(true);
  std::vector<BodyId> rods;
  BodyId last = world.world_body();
  for (std::size_t i = 0; i < kRods; ++i) {
    const Vec3 begin{static_cast<double>(i), 0, 0};
    rods.push_back(add_rod(world, begin, begin + Vec3{1, 0, 0}, 1));
    add_hinge(world, last, rods.back(), begin);
    last = rods.back();
  }
  Run run(world, method, dt);
  double early = 0, late = 0, energy = 0;
  for (const RodAngles<kRods>& s : samples) {
    run.to(s.t);
    for (std::size_t i = 0; i < kRods; ++i)
      raise(s.t <= 1 ? early : late, angle_difference(rod_angle(run.world(), rods[i]), s.theta[i]));
    raise(energy, std::abs(run.energy()));
  }
  return {{"angles in 1 s", "rad", early},
          {"angles from 1.5 s to 3 s", "rad", late},
          {"energy in 3 s (it begins with 0)", "J", energy}};
}

}  // namespace rigor::reference
