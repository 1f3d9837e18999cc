// Brute force: every pair is tested, first by bounding spheres, then by boxes. The reference of the other broad phases.
//
// A box with centre c and half diagonal r lies in the sphere (c, r). Two boxes can overlap only if
//   |c_a - c_b|² <= (r_a + r_b)²,
// the test of Garstenauer 2006, 3.5.3 and 7.5.2. Radii are rounded up, so that boxes which touch in a corner pass it.
// An infinite box has an infinite sphere: its pairs go straight to the box test.
//
// Cost: O(n²) per step and 32 bytes per proxy, O(n) per query; keeps no state. Suitable for a few
// hundred proxies.
#include "broadphase/broadphase.h"
#include "registry/entry.h"

namespace rigor {

namespace {

struct Sphere {
  Vec3 center;
  double radius;
};

Sphere bounding_sphere(const Aabb& box) {
  // Halves are taken first: the sum of two finite bounds may overflow.
  const Vec3 lower = 0.5 * box.lower, upper = 0.5 * box.upper;
  const Vec3 center = lower + upper, half = upper - lower;
  if (!is_finite(center) || !is_finite(half)) return {{}, Aabb::kInfinity};
  // Rounding moves the centre by at most one unit in the last place of the largest bound.
  constexpr double kRound = 4 * std::numeric_limits<double>::epsilon();
  const Vec3 size = max(abs(lower), abs(upper));
  return {center, length(half) * (1 + kRound) + kRound * (size.x + size.y + size.z)};
}

bool overlap(const Sphere& a, const Sphere& b) {
  const double r = a.radius + b.radius;
  // Written so that an overflow on both sides counts as an overlap.
  return !(length_squared(a.center - b.center) > r * r);
}

class BruteForce final : public Broadphase {
 public:
  void find_pairs(std::span<const ProxyBounds> proxies, std::vector<ProxyPair>& pairs) override {
    pairs.clear();
    take(proxies);
    for (std::size_t i = 0; i < index_.size(); ++i) {
      const Sphere sphere = spheres_[i];
      const ProxyBounds& a = proxies[index_[i]];
      for (std::size_t j = i + 1; j < index_.size(); ++j) {
        if (!overlap(sphere, spheres_[j])) continue;
        const ProxyBounds& b = proxies[index_[j]];
        if ((a.moves || b.moves) && rigor::overlap(a.box, b.box)) pairs.push_back({index_[i], index_[j]});
      }
    }
  }

  void query(const Aabb& box, std::vector<std::uint32_t>& proxies) const override {
    proxies.clear();
    if (!is_box(box)) return;
    for (std::size_t i = 0; i < index_.size(); ++i)
      if (rigor::overlap(boxes_[i], box)) proxies.push_back(index_[i]);
  }

 private:
  void take(std::span<const ProxyBounds> proxies) {
    index_.clear();
    spheres_.clear();
    boxes_.clear();
    for (std::size_t i = 0; i < proxies.size(); ++i) {
      if (!takes_part(proxies[i])) continue;
      index_.push_back(static_cast<std::uint32_t>(i));
      spheres_.push_back(bounding_sphere(proxies[i].box));
      boxes_.push_back(proxies[i].box);
    }
  }

  // The proxies that take part, in ascending order.
  std::vector<std::uint32_t> index_;
  std::vector<Sphere> spheres_;
  std::vector<Aabb> boxes_;
};

}  // namespace

Entry register_brute_force() {
  return {Kind::broadphase,
          "brute-force",
          "every pair, by bounding spheres and then boxes; the reference",
          "Garstenauer 2006, 3.5.3 and 7.5.2",
          {},
          make_default<BruteForce>,
          {}};
}

}  // namespace rigor
