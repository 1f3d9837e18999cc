// From the points of many triangles to few manifolds.
//
// Points whose normals agree within 7° share a manifold: a box that rests on many triangles gets four points, one that lies in a
// valley two groups of them. The groups form in the order of the triangles, points at the same place of the convex are joined,
// and reduce.cpp chooses four. The normal of a group is the mean of its points', those near the envelope weighing little, so that
// it does not jump when they come and go. Cost: O(points · groups + points · 64); groups that grow beyond 64 points are thinned out.
#include <algorithm>
#include <array>

#include "narrowphase/surface_points.h"

namespace rigor {

namespace {

/// Points with one normal. Fixed size, so that merging allocates nothing but the list of groups. Points beyond `count` are not
/// initialised: zeroing them would cost as much as merging.
struct Group {
  static constexpr int kCapacity = 64;
  Vec3 first_normal, sum_of_normals;
  bool one_normal = true;
  int count = 0;
  union {
    std::array<ManifoldPoint, kCapacity> point;
  };
  std::array<std::uint32_t, kCapacity> triangle;

  explicit Group(const Vec3& normal) : first_normal(normal) {}
  void add(const SurfacePoint& p, double same_place, double envelope);
  Vec3 normal() const { return one_normal ? first_normal : normalized(sum_of_normals); }
  int choose(int* chosen) const;
  void thin_out();
};

int Group::choose(int* chosen) const {
  Vec3 t1, t2;
  tangents(normal(), t1, t2);
  std::array<PlanarPoint, kCapacity> planar;
  for (int i = 0; i < count; ++i) {
    const ManifoldPoint& p = point[static_cast<std::size_t>(i)];
    planar[static_cast<std::size_t>(i)] = {dot(t1, p.on_b), dot(t2, p.on_b), p.separation, p.key};
  }
  return choose_four(planar.data(), count, chosen);
}

void Group::thin_out() {
  int chosen[kMaxManifoldPoints];
  count = choose(chosen);
  const auto points_before = point;
  const auto triangles_before = triangle;
  for (int i = 0; i < count; ++i) {
    point[static_cast<std::size_t>(i)] = points_before[static_cast<std::size_t>(chosen[i])];
    triangle[static_cast<std::size_t>(i)] = triangles_before[static_cast<std::size_t>(chosen[i])];
  }
}

void Group::add(const SurfacePoint& p, double same_place, double envelope) {
  std::size_t at = 0;
  while (at < static_cast<std::size_t>(count) &&
         length_squared(point[at].on_b - p.point.on_b) > same_place * same_place)
    ++at;
  const bool known = at < static_cast<std::size_t>(count);
  if (known && p.point.separation >= point[at].separation - same_place) return;
  if (!known) {
    if (count == kCapacity) thin_out();
    at = static_cast<std::size_t>(count++);
  }
  point[at] = p.point;
  triangle[at] = p.triangle;
  sum_of_normals += std::max(envelope - p.point.separation, 1e-6 * same_place) * p.normal;
  one_normal = one_normal && length_squared(p.normal - first_normal) < 1e-18;
}

/// Points that got the same key by chance would share impulses.
void make_keys_differ(Manifold& m) {
  for (int i = 1; i < m.count; ++i) {
    for (int k = 0; k < i; ++k) {
      ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
      if (p.key == m.points[static_cast<std::size_t>(k)].key) p.key += 0x10000001u * static_cast<std::uint32_t>(i);
    }
  }
}

Manifold manifold_of(const Group& group) {
  int chosen[kMaxManifoldPoints];
  const int kept = group.choose(chosen);
  Manifold m;
  m.normal = group.normal();
  m.part_a = group.triangle[static_cast<std::size_t>(chosen[0])];
  for (int i = 0; i < kept; ++i) {
    const auto k = static_cast<std::size_t>(chosen[i]);
    ManifoldPoint p = group.point[k];
    if (!group.one_normal) p.separation = dot(m.normal, p.on_b - p.on_a);
    m.part_a = std::min(m.part_a, group.triangle[k]);
    m.add(p);
  }
  make_keys_differ(m);
  return m;
}

}  // namespace

void merge_points(const SurfacePoints& points, double size, double envelope, std::vector<Manifold>& out) {
  if (points.size() == 1) {
    const SurfacePoint& only = points[0];
    Manifold& m = out.emplace_back();
    m.normal = only.normal;
    m.part_a = only.triangle;
    m.add(only.point);
    return;
  }
  thread_local std::vector<Group> groups;
  groups.clear();
  for (const SurfacePoint& p : points) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& g) { return dot(g.first_normal, p.normal) > kSameNormal; });
    if (group == groups.end()) {
      groups.emplace_back(p.normal);
      group = groups.end() - 1;
    }
    group->add(p, kSamePlace * size, envelope);
  }
  for (const Group& group : groups) out.push_back(manifold_of(group));
}

}  // namespace rigor
