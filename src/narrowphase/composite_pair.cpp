// Parts against parts, and then the contacts that lie on seams are dropped (composite_seams.h).
//
// Cost: one tree query for the pair and one for each part of a that it finds. The pair's cache serves pairs of single parts;
// among several parts each search starts afresh, which changes the cost only.
#include "narrowphase/composite_pair.h"

#include <algorithm>

#include "model/shape_index.h"
#include "narrowphase/composite_seams.h"
#include "narrowphase/pair_flip.h"
#include "narrowphase/quick_bounds.h"

namespace rigor {

namespace {

/// The parts of any shape; a simple one is its own only part.
struct Parts {
  const PartIndex* index;
  LeafPart self;

  explicit Parts(const Shape& shape) : index(part_index(shape)), self{&shape, {}, 0, 0} {}
  bool single() const { return !index || index->leaves().size() == 1; }
  const LeafPart& leaf(std::uint32_t i) const { return index ? index->leaves()[i] : self; }
  template <class Visit> void query(const Aabb& box, Visit visit) const {
    if (index) {
      index->query(box, visit);
    } else {
      visit(0u);
    }
  }
};

struct LeafPair {
  std::uint32_t a, b;
};

/// Manifolds and, for each, the leaves it comes from.
struct Found {
  std::vector<Manifold>& manifolds;
  std::vector<LeafPair> leaves;
};

void collide_leaves(const Parts& a, const Parts& b, LeafPair pair, const PairQuery& query, PairMode mode,
                    PairCache& cache, Found& found) {
  const LeafPart &la = a.leaf(pair.a), &lb = b.leaf(pair.b);
  const std::size_t before = found.manifolds.size();
  const PairQuery between{inverse(la.transform) * query.b_in_a * lb.transform, query.envelope};
  collide_shapes(*la.shape, *lb.shape, between, mode, cache, found.manifolds);
  const std::span<Manifold> fresh = std::span(found.manifolds).subspan(before);
  move_manifolds(fresh, la.transform);
  for (Manifold& m : fresh) m.part_a += la.first, m.part_b += lb.first;
  found.leaves.resize(found.leaves.size() + fresh.size(), pair);
}

/// Removes the points on seams. When there is nothing else, seams are better than nothing.
void drop_covered(const Parts& a, const Parts& b, const Transform& b_in_a, std::size_t first, Found& found) {
  std::vector<Manifold> kept;
  for (std::size_t i = first; i < found.manifolds.size(); ++i) {
    const Manifold& m = found.manifolds[i];
    const LeafPair from = found.leaves[i - first];
    Manifold left = m;
    left.count = 0;
    const Vec3 normal_b = rotate_inverse(b_in_a.rotation, -m.normal);
    for (int k = 0; k < m.count; ++k) {
      const ManifoldPoint& p = m.points[static_cast<std::size_t>(k)];
      if (!a.single() && is_covered(*a.index, from.a, p.on_a, m.normal, b.leaf(from.b).shape->bounding_radius()))
        continue;
      if (!b.single() && is_covered(*b.index, from.b, inverse_transform_point(b_in_a, p.on_b), normal_b,
                                    a.leaf(from.a).shape->bounding_radius()))
        continue;
      left.add(p);
    }
    if (left.count > 0) kept.push_back(left);
  }
  if (kept.empty()) return;
  found.manifolds.resize(first);
  found.manifolds.insert(found.manifolds.end(), kept.begin(), kept.end());
}

}  // namespace

void collide_parts(const Shape& shape_a, const Shape& shape_b, const PairQuery& query, PairMode mode, PairCache& cache,
                   std::vector<Manifold>& out) {
  const Parts a(shape_a), b(shape_b);
  const bool one_pair = a.single() && b.single();
  const std::size_t first = out.size();
  Found found{out, {}};
  const Transform a_in_b = inverse(query.b_in_a);
  a.query(grown(quick_bounds(shape_b, query.b_in_a), query.envelope), [&](std::uint32_t i) {
    const LeafPart& la = a.leaf(i);
    b.query(grown(quick_bounds(*la.shape, a_in_b * la.transform), query.envelope), [&](std::uint32_t k) {
      PairCache none;
      collide_leaves(a, b, {i, k}, query, mode, one_pair ? cache : none, found);
    });
  });
  if (!one_pair && out.size() > first) drop_covered(a, b, query.b_in_a, first, found);
}

}  // namespace rigor
