// Separating-plane witnesses: never wrong, and kept while they hold.
#include "narrowphase/witness.h"

#include "narrowphase/pair_helpers.h"

namespace rigor {
namespace {

using convex_test::random_pose;
using convex_test::random_shape;
using convex_test::separating_axis_gap;
using pair_test::collide;
using pair_test::deepest;
using pair_test::Random;

constexpr int kBox = 1, kHull = 5;

TEST(WitnessTest, ExhaustiveSearchAgreesWithSeparatingAxes) {
  Random random(21);
  for (int n = 0; n < 150; ++n) {
    const ShapePtr a = random_shape(random, kHull, 1), b = random_shape(random, kHull, 1);
    const Transform pose = random_pose(random, *a, *b);
    const double gap = separating_axis_gap(*a, *b, pose);
    if (std::abs(gap) < 1e-6) continue;
    const PolyhedronPair pair = polyhedron_pair(polyhedron(*a), polyhedron(*b), pose);
    const PlaneFeature found = find_witness(pair, 0);
    EXPECT_EQ(found.kind != PlaneFeature::Kind::none, gap > 0) << n;
    EXPECT_EQ(best_plane(pair, {}, 0).separation > 0, gap > 0) << n;
  }
}

TEST(WitnessTest, SameContactsAsSeparatingAxes) {
  Random random(22);
  for (int n = 0; n < 1000; ++n) {
    const ShapePtr a = random_shape(random, kBox, 1), b = random_shape(random, kHull, 1);
    const Transform pose = random_pose(random, *a, *b);
    const auto one = collide(sat_box_hull, *a, *b, pose, 0.01), two = collide(witness_box_hull, *a, *b, pose, 0.01);
    ASSERT_EQ(one.size(), two.size());
    if (!one.empty()) {
      EXPECT_EQ(deepest(one[0]), deepest(two[0]));
    }
  }
}

TEST(WitnessTest, FlybyIsMissedByNeither) {
  // One body flies past or into another; the witness may never hide a contact.
  Random random(23);
  int verified = 0, steps = 0;
  for (int n = 0; n < 15; ++n) {
    const ShapePtr a = random_shape(random, kHull, 1), b = random_shape(random, kHull, 1);
    Transform pose{{-3, random.number(-0.8, 0.8), random.number(-0.8, 0.8)}, random.rotation()};
    const Vec3 spin = 0.05 * random.direction();
    PairCache cache;
    for (; pose.translation.x < 3; pose.translation.x += 0.05) {
      pose.rotation = normalized(quaternion_from_rotation_vector(spin) * pose.rotation);
      const PolyhedronPair pair = polyhedron_pair(polyhedron(*a), polyhedron(*b), pose);
      PairCache copy = cache;
      const bool separates = witness_separates(pair, 0, copy);
      verified += separates ? 1 : 0;
      const double gap = separating_axis_gap(*a, *b, pose);
      steps += gap > 0 ? 1 : 0;
      if (separates) {
        EXPECT_GT(gap, -1e-6);
      }
      const auto m = collide(witness_hull_hull, *a, *b, pose, 0, &cache);
      if (gap < -1e-6) {
        ASSERT_EQ(m.size(), 1u);
        EXPECT_NEAR(deepest(m[0]), gap, 0.011 * std::abs(gap) + 1e-4);
      }
      if (gap > 1e-6) {
        EXPECT_TRUE(m.empty());
      }
    }
  }
  // The point of keeping it: nine of ten steps are answered by the witness.
  EXPECT_GT(verified, steps * 9 / 10);
}

TEST(WitnessTest, FeaturesSurvivePacking) {
  for (const PlaneFeature f :
       {PlaneFeature{PlaneFeature::Kind::face_a, 7, 0}, PlaneFeature{PlaneFeature::Kind::face_b, 999, 0},
        PlaneFeature{PlaneFeature::Kind::edges, 1500, 1499}, PlaneFeature{}}) {
    const PlaneFeature g = PlaneFeature::unpack(f.packed());
    EXPECT_EQ(g.kind, f.kind);
    EXPECT_EQ(g.first, f.first);
    EXPECT_EQ(g.second, f.second);
  }
  EXPECT_EQ(PlaneFeature{}.packed(), 0u);
}

}  // namespace
}  // namespace rigor
