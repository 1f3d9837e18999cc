// Parts against parts, and then the contacts that lie on seams are dropped (composite_seams.h).
//
// Cost: one tree query for the pair and one for each part of a that it finds. The pair's cache is used for pairs of single parts;
// among several parts each search starts afresh, which changes the cost only.
#include "narrowphase/composite_pair.h"

#include <algorithm>
#include <limits>

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

  explicit Parts(const Shape& shape) : index(part_index(shape)), self{&shape, {}, 0, 0, -1} {}
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

constexpr double kHandedOver = 0.5;  // of the depth

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

/// Which points of the manifolds from `first` on lie on seams, and which leaves hold them there.
class Seams {
 public:
  Seams(const Parts& a, const Parts& b, const Transform& b_in_a, std::size_t first, Found& found)
      : first_(first), found_(found) {
    for (std::size_t i = first; i < found.manifolds.size(); ++i) {
      double depth = -Aabb::kInfinity;
      for (int k = 0; k < found.manifolds[i].count; ++k) {
        const bool covered = look_at(a, b, b_in_a, i, k);
        if (!covered) depth = std::max(depth, -point(i, k).separation);
      }
      depth_.push_back(depth);
    }
    while (hand_on()) {}
  }
  bool any() const { return !covered_.empty(); }
  /// Points that another part takes care of are to go: one that holds the place, and whose own contact with the same part of the
  /// other body is on no seam and at least kHandedOver as deep. Without that condition bodies deep in a joint of parts, where
  /// everything is on a seam but some shallow point far off, would be let through.
  bool is_left_to_others(std::size_t i, int k) const {
    return std::any_of(covered_.begin(), covered_.end(), [&](const Covered& c) {
      return c.manifold == i && c.point == k && depth_between(c.cover) >= wanted(c);
    });
  }

 private:
  /// Point k of a manifold lies on a seam; the leaves that meet there instead.
  struct Covered {
    std::size_t manifold;
    int point;
    LeafPair cover;
  };

  const ManifoldPoint& point(std::size_t i, int k) const {
    return found_.manifolds[i].points[static_cast<std::size_t>(k)];
  }
  bool look_at(const Parts& a, const Parts& b, const Transform& b_in_a, std::size_t i, int k) {
    const LeafPair from = found_.leaves[i - first_];
    const ManifoldPoint& p = point(i, k);
    const Vec3& n = found_.manifolds[i].normal;
    const std::size_t before = covered_.size();
    if (!a.single()) {
      find_covering(*a.index, from.a, p.on_a, n, b.leaf(from.b).shape->bounding_radius(), leaves_);
      for (const std::uint32_t leaf : leaves_) covered_.push_back({i, k, {leaf, from.b}});
    }
    if (!b.single()) {
      find_covering(*b.index, from.b, inverse_transform_point(b_in_a, p.on_b), rotate_inverse(b_in_a.rotation, -n),
                    a.leaf(from.a).shape->bounding_radius(), leaves_);
      for (const std::uint32_t leaf : leaves_) covered_.push_back({i, k, {from.a, leaf}});
    }
    return covered_.size() > before;
  }
  /// m, how deep the contact of another part has to be to take care of a point.
  double wanted(const Covered& c) const {
    const double separation = point(c.manifold, c.point).separation;
    return separation < 0 ? -kHandedOver * separation : std::numeric_limits<double>::lowest();
  }
  /// A part that leaves its points to another one takes care of others by that one: under a large ball, of seam after seam.
  bool hand_on() {
    bool changed = false;
    for (const Covered& c : covered_) {
      const double deep = depth_between(c.cover);
      double& own = depth_[c.manifold - first_];
      if (deep < wanted(c) || deep <= own) continue;
      own = deep;
      changed = true;
    }
    return changed;
  }
  /// m, of the contact of two leaves, as far as it is on no seam, or of what they leave it to.
  double depth_between(LeafPair leaves) const {
    double depth = -Aabb::kInfinity;
    for (std::size_t i = 0; i < depth_.size(); ++i) {
      const LeafPair& pair = found_.leaves[i];
      if (pair.a == leaves.a && pair.b == leaves.b) depth = std::max(depth, depth_[i]);
    }
    return depth;
  }

  std::size_t first_;
  Found& found_;
  std::vector<Covered> covered_;
  std::vector<double> depth_;  // m, of each manifold: without the points on seams, or of what these are left to
  std::vector<std::uint32_t> leaves_;
};

/// Removes the points on seams that other parts take care of.
void drop_covered(const Parts& a, const Parts& b, const Transform& b_in_a, std::size_t first, Found& found) {
  const Seams seams(a, b, b_in_a, first, found);
  if (!seams.any()) return;
  std::vector<Manifold> kept;
  for (std::size_t i = first; i < found.manifolds.size(); ++i) {
    const Manifold& m = found.manifolds[i];
    Manifold left = m;
    left.count = 0;
    for (int k = 0; k < m.count; ++k) {
      if (!seams.is_left_to_others(i, k)) left.add(m.points[static_cast<std::size_t>(k)]);
    }
    if (left.count > 0) kept.push_back(left);
  }
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
