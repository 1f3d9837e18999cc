// Every shape against every shape: symmetry, invariance, sane numbers.
#include <set>

#include "narrowphase/pair_flip.h"
#include "narrowphase/surface_samples.h"

namespace rigor::surface_test {
namespace {

constexpr PairMode kModes[] = {PairMode::special, PairMode::sat, PairMode::gjk, PairMode::witness};

double hills(double x, double z) { return 0.15 * std::sin(2 * x) * std::cos(1.5 * z); }

/// One or two of every type there is, of about 1 m.
std::vector<ShapePtr> samples() {
  Random random(11);
  std::vector<ShapePtr> all{plane()};
  for (int kind = 0; kind < convex_test::kKinds; ++kind) all.push_back(convex_test::random_shape(random, kind, 1.0));
  all.push_back(box_mesh({1, 0.8, 0.6}));
  all.push_back(grid_mesh(8, 0.3, hills, 0.2));
  all.push_back(grid_field(8, 0.3, hills));
  all.push_back(transformed(all[2], {{0.1, 0.2, 0}, random.rotation()}));
  all.push_back(flush_boxes(2, 0.5));
  all.push_back(composite({{sphere(0.3), {{0.4, 0, 0}, {}}, {}}, {all[12], {{-0.3, 0.1, 0}, random.rotation()}, {}}}));
  return all;
}

/// Searches on curved shapes converge to a tolerance, and flat ends make points jump within it.
double tolerance_of(const ShapePtr& a, const ShapePtr& b) {
  const auto curved = [](const ShapePtr& s) { return s->as<Cylinder>() || s->as<Cone>(); };
  return curved(a) || curved(b) ? 1e-3 : 1e-6;
}

bool is_sane(const Manifold& m, double envelope) {
  if (m.count < 1 || m.count > kMaxManifoldPoints || !(std::abs(length(m.normal) - 1) < 1e-9)) return false;
  for (int i = 0; i < m.count; ++i) {
    const ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
    if (!is_finite(p.on_a) || !is_finite(p.on_b) || !(p.separation <= envelope + 1e-9)) return false;
    if (std::abs(p.separation - dot(m.normal, p.on_b - p.on_a)) > 1e-7) return false;
  }
  return true;
}

Transform random_pose(Random& random, double far) {
  return {random.number(0, far) * random.direction(), random.rotation()};
}

TEST(PairTable, EveryPairIsSane) {
  Random random(3);
  const auto all = samples();
  for (const ShapePtr& a : all) {
    for (const ShapePtr& b : all) {
      for (int i = 0; i < 60; ++i) {
        const Transform pose = random_pose(random, 1.5);
        for (const PairMode mode : kModes) {
          for (const Manifold& m : contacts(a, b, pose, 0.05, mode)) {
            ASSERT_TRUE(is_sane(m, 0.05))
                << a->type() << " " << b->type() << " " << static_cast<int>(mode) << " normal " << m.normal.x << " "
                << m.normal.y << " " << m.normal.z << " " << m.count << " " << m.points[0].separation;
          }
        }
      }
    }
  }
}

/// Distance of two sets of manifolds of the same pair seen from both sides: every point of one has a partner in the other.
double mismatch(const std::vector<Manifold>& one, const std::vector<Manifold>& two) {
  double worst = 0;
  for (const Manifold& m : one) {
    for (int i = 0; i < m.count; ++i) {
      const ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
      double nearest = Aabb::kInfinity;
      for (const Manifold& n : two) {
        for (int k = 0; k < n.count; ++k) {
          const ManifoldPoint& q = n.points[static_cast<std::size_t>(k)];
          nearest = std::min(nearest, length(p.on_a - q.on_a) + length(p.on_b - q.on_b) + length(m.normal - n.normal));
        }
      }
      worst = std::max(worst, nearest);
    }
  }
  return worst;
}

TEST(PairTable, SwappedShapesGiveMirroredContacts) {
  Random random(4);
  const auto all = samples();
  for (const ShapePtr& a : all) {
    for (const ShapePtr& b : all) {
      if (a->type() == b->type()) continue;            // of one type: tests of the pair functions themselves
      if (a->depth() > 0 || b->depth() > 0) continue;  // may hold two of one type
      for (int i = 0; i < 60; ++i) {
        const Transform pose = random_pose(random, 1.2);
        auto forth = contacts(a, b, pose, 0.05), back = contacts(b, a, inverse(pose), 0.05);
        flip_manifolds(back, pose);
        if ((a->index() || b->index()) && smallest_separation(forth) < -0.05) continue;
        ASSERT_EQ(forth.size(), back.size()) << a->type() << " " << b->type();
        for (std::size_t k = 0; k < forth.size(); ++k) {
          ASSERT_EQ(forth[k].part_a, back[k].part_a);
          ASSERT_EQ(forth[k].part_b, back[k].part_b);
          ASSERT_EQ(forth[k].count, back[k].count);
          ASSERT_EQ(forth[k].points[0].key, back[k].points[0].key);
        }
        ASSERT_LT(mismatch(forth, back), tolerance_of(a, b)) << a->type() << " " << b->type();
      }
    }
  }
}

/// Transformed shapes are the shape itself elsewhere.
TEST(PairTable, TransformedIsTheShapeMoved) {
  Random random(5);
  const auto all = samples();
  for (const ShapePtr& a : all) {
    for (const ShapePtr& b : all) {
      if (a->depth() > 0 || b->depth() > 0) continue;
      for (int i = 0; i < 20; ++i) {
        const Transform pose = random_pose(random, 1.2), inner = random_pose(random, 0.5);
        const auto plain = contacts(a, b, pose, 0.05);
        // Deep in a surface, rounding may choose among ways out that are equally bad.
        if ((a->index() || b->index()) && smallest_separation(plain) < -0.05) continue;
        const auto moved = contacts(a, transformed(b, inner), pose * inverse(inner), 0.05);
        ASSERT_LT(std::max(mismatch(plain, moved), mismatch(moved, plain)), tolerance_of(a, b))
            << a->type() << " " << b->type();
        auto under = contacts(transformed(a, inner), b, inner * pose, 0.05);
        move_manifolds(under, inverse(inner));
        ASSERT_LT(std::max(mismatch(plain, under), mismatch(under, plain)), tolerance_of(a, b))
            << a->type() << " " << b->type();
      }
    }
  }
}

TEST(PairTable, FixedThingsDoNotMeet) {
  const ShapePtr hill = grid_mesh(4, 0.5, hills), field = grid_field(4, 0.5, hills);
  EXPECT_TRUE(contacts(plane(), plane(), {}).empty());
  EXPECT_TRUE(contacts(plane(), field, {}).empty());
  EXPECT_TRUE(contacts(hill, hill, {}).empty());
  EXPECT_TRUE(contacts(hill, field, {}).empty());
  EXPECT_TRUE(contacts(field, field, {}).empty());
}

/// The four narrow phases find the same depth, up to what they mean by the depth of separated shapes.
TEST(PairTable, ModesAgreeOnDepth) {
  Random random(6);
  const auto all = samples();
  for (const ShapePtr& a : all) {
    for (const ShapePtr& b : all) {
      if (a->index() || b->index() || a->as<Rectangle>() || b->as<Rectangle>()) continue;
      for (int i = 0; i < 40; ++i) {
        const Transform pose = random_pose(random, 1.2);
        const double wanted = smallest_separation(contacts(a, b, pose, 0.05, PairMode::gjk));
        for (const PairMode mode : kModes) {
          const double found = smallest_separation(contacts(a, b, pose, 0.05, mode));
          if (wanted > 0 || found > 0) continue;
          ASSERT_NEAR(found, wanted, 1e-4) << a->type() << " " << b->type() << " " << static_cast<int>(mode);
        }
      }
    }
  }
}

}  // namespace
}  // namespace rigor::surface_test
