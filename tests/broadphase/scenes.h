// Random sets of proxies that move, for tests of broad phases.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "broadphase/broadphase.h"
#include "io/random.h"

namespace rigor::broadphase_test {

inline constexpr double kInf = Aabb::kInfinity;

inline Aabb cube(const Vec3& center, double half) {
  return {center - Vec3{half, half, half}, center + Vec3{half, half, half}};
}

inline Aabb random_box(Random& random, double space, double largest) {
  const Vec3 center = random.symmetric_vector(space), half = abs(random.symmetric_vector(largest / 2));
  return {center - half, center + half};
}

inline void shift(Aabb& box, const Vec3& by) { box.lower += by, box.upper += by; }

/// The half-space below a height, as a plane's bounds are.
inline Aabb ground(double height) { return {{-kInf, -kInf, -kInf}, {kInf, height, kInf}}; }

using Proxies = std::vector<ProxyBounds>;

/// How a scene begins and what happens in a step.
struct Scene {
  std::string name;
  std::function<void(Proxies&, Random&)> start;
  std::function<void(Proxies&, Random&, int step)> step;
};

inline void add_boxes(Proxies& proxies, Random& random, int count, double space, double largest) {
  for (int i = 0; i < count; ++i) proxies.push_back({random_box(random, space, largest), true, true});
}

inline void jitter(Proxies& proxies, Random& random, double by) {
  for (ProxyBounds& p : proxies)
    if (p.moves) shift(p.box, random.symmetric_vector(by));
}

/// Every pair by definition, with no thought of speed.
inline std::vector<ProxyPair> pairs_by_definition(const Proxies& proxies) {
  std::vector<ProxyPair> pairs;
  for (std::uint32_t a = 0; a < proxies.size(); ++a)
    for (std::uint32_t b = a + 1; b < proxies.size(); ++b)
      if (takes_part(proxies[a]) && takes_part(proxies[b]) && (proxies[a].moves || proxies[b].moves) &&
          overlap(proxies[a].box, proxies[b].box))
        pairs.push_back({a, b});
  return pairs;
}

inline std::vector<std::uint32_t> query_by_definition(const Proxies& proxies, const Aabb& box) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < proxies.size(); ++i)
    if (is_box(box) && takes_part(proxies[i]) && overlap(proxies[i].box, box)) found.push_back(i);
  return found;
}

std::vector<Scene> scenes();

}  // namespace rigor::broadphase_test
