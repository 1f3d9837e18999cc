#include "model/hull_error.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <vector>

namespace rigor {

namespace {

/// Distances that one bound may cost. A search that ends here returns a bound that holds and is larger than necessary.
constexpr int kMostDistances = 60'000;
constexpr double kAccuracy = 0.25;

struct Patch {
  double upper;  // no point of the triangle is farther from the solid
  Vec3 a, b, c;

  bool operator<(const Patch& other) const {
    return std::tie(upper, a.x, a.y, a.z, b.x, b.y, b.z) <
           std::tie(other.upper, other.a.x, other.a.y, other.a.z, other.b.x, other.b.y, other.b.z);
  }
};

class Search {
 public:
  Search(const MeshDistance& solid, double enough) : solid_(solid), enough_(enough) {}

  HullError run(const Hull& hull) {
    const auto at = [&](int i) { return hull.vertices[static_cast<std::size_t>(i)]; };
    for (const std::vector<int>& face : hull.faces)
      for (std::size_t i = 1; i + 1 < face.size(); ++i) add(at(face[0]), at(face[i]), at(face[i + 1]));
    while (!patches_.empty()) {
      const Patch patch = patches_.top();
      found_.bound = std::max(patch.upper, lower_);
      const bool known = lower_ > enough_ && patch.upper <= lower_ * (1 + kAccuracy);
      if (patch.upper <= enough_ || known || distances_ > kMostDistances) return found_;
      patches_.pop();
      const Vec3 ab = 0.5 * (patch.a + patch.b), bc = 0.5 * (patch.b + patch.c), ca = 0.5 * (patch.c + patch.a);
      add(patch.a, ab, ca);
      add(ab, patch.b, bc);
      add(ca, bc, patch.c);
      add(ab, bc, ca);
    }
    found_.bound = lower_;
    return found_;
  }

 private:
  void add(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 m = (a + b + c) / 3;
    ++distances_;
    const MeshDistance::Closest closest = solid_.closest(m);
    if (closest.distance > lower_) lower_ = closest.distance, found_.where = m;
    double upper = closest.distance + std::max({length(a - m), length(b - m), length(c - m)});
    const double flat = std::max({solid_.distance_to(closest.triangle, a), solid_.distance_to(closest.triangle, b),
                                  solid_.distance_to(closest.triangle, c)});
    upper = std::min(upper, flat);
    if (upper > lower_) patches_.push({upper, a, b, c});
  }

  const MeshDistance& solid_;
  double enough_, lower_ = 0;
  int distances_ = 0;
  HullError found_;
  std::priority_queue<Patch> patches_;
};

}  // namespace

HullError hull_error(const Hull& hull, const MeshDistance& solid, double enough) {
  return Search(solid, enough).run(hull);
}

}  // namespace rigor
