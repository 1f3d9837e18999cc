// What must hold for any two convex shapes (and a plane with each of them) under every narrow phase, over random sizes and poses:
//  - the normal is a best one: the gap of the two shapes along it is the distance by GJK, or minus the depth by EPA;
//  - the smallest separation of the points is that distance or depth, and contacts are found whenever it is within the envelope;
//  - b moved out by the depth along the normal does not overlap a any more;
//  - the shapes swapped, or both moved by a common rigid motion, give the same answer.
//
// 2000 pairs of every combination by default; RIGOR_LONG_TESTS=1 in the environment makes it 100 000 and prints the worst cases:
//   RIGOR_LONG_TESTS=1 ./test 'All/PairProperties.*'
#include <gtest/gtest.h>

#include <cstdio>

#include "long_tests.h"
#include "narrowphase/pair_flip.h"
#include "narrowphase/property_samples.h"

namespace rigor {
namespace {

using namespace convex_test;

constexpr int kPosesPerShape = 8;  // making hulls takes longer than colliding them

struct Answer {
  bool touching = false;
  double separation = 0;
  Vec3 normal;  // frame of a's core
};

Answer answer(const SamplePair& pair, const Transform& b_in_a, double envelope, PairMode mode, bool swapped) {
  std::vector<Manifold> out;
  PairCache cache;
  if (swapped) {
    collide_shapes(*pair.b.shape, *pair.a.shape, {inverse(b_in_a), envelope}, mode, cache, out);
    flip_manifolds(out, b_in_a);
  } else {
    collide_shapes(*pair.a.shape, *pair.b.shape, {b_in_a, envelope}, mode, cache, out);
  }
  EXPECT_LE(out.size(), 1u);
  if (out.empty()) return {};
  Answer result{true, Aabb::kInfinity, rotate_inverse(pair.a.inner.rotation, out[0].normal)};
  for (int i = 0; i < out[0].count; ++i)
    result.separation = std::min(result.separation, out[0].points[static_cast<std::size_t>(i)].separation);
  return result;
}

/// The worst of a combination, each in units of its tolerance.
struct Worst {
  double axis = 0, points = 0, apart = 0;
  int pairs = 0, overlapping = 0, near = 0, normals = 0, turned_normals = 0;
};

class PairProperties : public testing::TestWithParam<int> {
 protected:
  void check(const SamplePair& pair, Random& random);
  void expect_right(const SamplePair& pair, const Answer& found, double separation, double envelope);
  Worst worst_;
};

void PairProperties::expect_right(const SamplePair& pair, const Answer& found, double separation, double envelope) {
  const double axis = axis_tolerance(pair, separation), points = point_tolerance(pair);
  if (separation > envelope - points) {
    ASSERT_TRUE(!found.touching || separation <= envelope + points);
    return;
  }
  ASSERT_TRUE(found.touching) << "separation " << separation;
  const double axis_error = std::abs(gap_along(pair, found.normal) - separation);
  const double point_error = std::abs(found.separation - separation);
  worst_.axis = std::max(worst_.axis, axis_error / axis);
  worst_.points = std::max(worst_.points, point_error / points);
  ASSERT_LE(axis_error, axis) << "separation " << separation;
  ASSERT_LE(point_error, points) << "separation " << separation;
}

void PairProperties::check(const SamplePair& pair, Random& random) {
  const double separation = reference_separation(pair), envelope = 0.1 * pair.smaller();
  const Transform pose = pair.b_in_a();
  const Transform world{100 * pair.scale() * random.direction(), random.rotation()};
  ++worst_.pairs;
  worst_.overlapping += separation < 0;
  worst_.near += separation >= 0 && separation <= envelope;
  for (const PairMode mode : kModes) {
    SCOPED_TRACE(static_cast<int>(mode));
    const Answer found = answer(pair, pose, envelope, mode, false);
    ASSERT_NO_FATAL_FAILURE(expect_right(pair, found, separation, envelope));
    if (found.touching && separation < 0) {
      const double left = -reference_separation(pair.moved_by(-found.separation * found.normal));
      worst_.apart = std::max(worst_.apart, left / point_tolerance(pair));
      ASSERT_LE(left, point_tolerance(pair) + axis_tolerance(pair, separation));
    }
    for (const bool swapped : {true, false}) {
      SCOPED_TRACE(swapped ? "swapped" : "moved");
      const Answer other = answer(pair, swapped ? pose : inverse(world) * (world * pose), envelope, mode, swapped);
      // Two directions may be equally good: both are best ones then, and otherwise the same.
      ASSERT_NO_FATAL_FAILURE(expect_right(pair, other, separation, envelope));
      if (!found.touching || !other.touching) continue;
      ++worst_.normals;
      worst_.turned_normals += length(found.normal - other.normal) > 1e-3;
    }
  }
}

TEST_P(PairProperties, Hold) {
  const int kind_a = GetParam() / kPropertyKinds, kind_b = GetParam() % kPropertyKinds;
  Random random(1000 + static_cast<unsigned>(GetParam()));
  const int count = test::long_tests() ? 100'000 : 2000;
  for (int i = 0; i < count; i += kPosesPerShape) {
    const double size = random.log_uniform(1e-3, 1e3), other = size * random.log_uniform(0.2, 5);
    SamplePair pair{random_sample(random, kind_a, size), random_sample(random, kind_b, other), {}};
    for (int k = 0; k < kPosesPerShape; ++k) {
      SCOPED_TRACE("pair " + std::to_string(i + k));
      place(random, pair);
      ASSERT_NO_FATAL_FAILURE(check(pair, random));
    }
  }
  EXPECT_GE(worst_.overlapping, count / 5);
  EXPECT_GE(worst_.near, count / 100);
  EXPECT_LE(worst_.turned_normals, worst_.normals / 200);
  if (test::long_tests()) {
    std::printf(
        "%s, %s: %d pairs, %d overlap, %d near; of the tolerances: normal %.2g, depth %.2g, moved out %.2g; %d of "
        "%d normals among equals\n",
        property_kind_name(kind_a), property_kind_name(kind_b), worst_.pairs, worst_.overlapping, worst_.near,
        worst_.axis, worst_.points, worst_.apart, worst_.turned_normals, worst_.normals);
  }
}

/// Every combination once; the plane is always a.
std::vector<int> combinations() {
  std::vector<int> all;
  for (int a = 0; a <= kTransformedKind; ++a)
    for (int b = a; b <= kTransformedKind; ++b) all.push_back(a * kPropertyKinds + b);
  for (int b = 0; b <= kTransformedKind; ++b) all.push_back(kPlaneKind * kPropertyKinds + b);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, PairProperties, testing::ValuesIn(combinations()), [](const auto& pair) {
  return std::string(property_kind_name(pair.param / kPropertyKinds)) + "_" +
         property_kind_name(pair.param % kPropertyKinds);
});

}  // namespace
}  // namespace rigor
