// Contact sets on meshes and height fields: how many points, where, and with which normals.
#include <ctime>
#include <set>

#include "narrowphase/surface_points.h"
#include "narrowphase/surface_samples.h"

namespace rigor::surface_test {
namespace {

const Quat kLying = quaternion_from_axis_angle({0, 0, 1}, 0.5 * kPi);

std::vector<ShapePtr> flat_surfaces() {
  return {grid_mesh(12, 0.37, flat), grid_mesh(40, 0.1, flat, 0.3), grid_mesh(2, 50, flat), grid_field(12, 0.37, flat),
          grid_field(60, 0.07, flat)};
}

/// Every expected position has a contact point near it, and there are no others.
void expect_points_at(const std::vector<Manifold>& found, const std::vector<Vec3>& wanted, double tolerance) {
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].count, static_cast<int>(wanted.size()));
  std::set<std::uint32_t> keys;
  for (int i = 0; i < found[0].count; ++i) {
    const ManifoldPoint& p = found[0].points[static_cast<std::size_t>(i)];
    keys.insert(p.key);
    double nearest = Aabb::kInfinity;
    for (const Vec3& w : wanted) nearest = std::min(nearest, length(p.on_b - w));
    EXPECT_LT(nearest, tolerance);
    EXPECT_NEAR(p.separation, dot(found[0].normal, p.on_b - p.on_a), 1e-12);
  }
  EXPECT_EQ(keys.size(), wanted.size()) << "keys differ";
}

TEST(MeshContacts, BoxHasItsFourCorners) {
  for (const ShapePtr& surface : flat_surfaces()) {
    const auto found = contacts(surface, box(1, 0.5, 0.8), {{0.05, 0.249, 0.03}, {}});
    expect_points_at(
        found, {{-0.45, -0.001, -0.37}, {0.55, -0.001, -0.37}, {0.55, -0.001, 0.43}, {-0.45, -0.001, 0.43}}, 1e-6);
  }
}

TEST(MeshContacts, TiltedBoxHasTwoOrOne) {
  for (const ShapePtr& surface : flat_surfaces()) {
    const Quat about_z = quaternion_from_axis_angle({0, 0, 1}, 0.3);
    const double low = 0.5 * std::sin(0.3) + 0.25 * std::cos(0.3);
    const auto two = contacts(surface, box(1, 0.5, 0.8), {{0.05, low - 0.001, 0.03}, about_z});
    EXPECT_EQ(point_count(two), 2);
    const Quat both = quaternion_from_axis_angle(normalized(Vec3{1, 0.2, 0.7}), 0.5);
    const Mat3 r = rotation_matrix(both);
    const double lowest = dot(abs(r.row[1]), {0.5, 0.25, 0.4});
    const auto one = contacts(surface, box(1, 0.5, 0.8), {{0.05, lowest - 0.001, 0.03}, both});
    EXPECT_EQ(point_count(one), 1);
    EXPECT_NEAR(smallest_separation(one), -0.001, 1e-12);
  }
}

/// The apex of a cone beside an edge, far from all corners: the shortest way out of each triangle leads over the edge to the other one, and
/// both rejected it. A contact 0.24 m away at a corner remained.
TEST(MeshContacts, ASpikeBesideAnEdgeTouches) {
  const double heights[5][5] = {{0.533, 0.347, 0.115, 0.181, -0.074},
                                {-0.08, -0.334, -0.209, 0.106, 0.32},
                                {-0.215, -0.745, -0.521, -0.023, 0.421},
                                {-0.122, -0.424, -0.482, -0.021, 0.254},
                                {0.354, 0.161, 0.039, -0.016, -0.18}};
  const double cell = 0.7667;
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int row = 0; row < 5; ++row)
    for (int column = 0; column < 5; ++column) {
      vertices.push_back({cell * (column - 2), heights[row][column], cell * (row - 2)});
      const int p = 5 * row + column;
      if (row == 4 || column == 4) continue;
      triangles.push_back({p, p + 5, p + 1});
      triangles.push_back({p + 1, p + 5, p + 6});
    }
  const ShapePtr ground = mesh(vertices, triangles);
  const Quat turn = normalized(Quat{-0.0085, -0.2659, 0.5238, 0.8092});
  for (const double x : {-0.004, 0.0, 0.007})
    for (const double z : {-0.003, 0.0, 0.005})
      for (const double tilt : {-0.03, 0.0, 0.04}) {
        const Vec3 center = Vec3{-1.0999 + cell, -0.4046, 0.2175} + Vec3{x, 0, z};
        const Quat tilted = quaternion_from_axis_angle(normalized(Vec3{0.4, 0.1, 0.9}), tilt) * turn;
        const auto found = contacts(ground, cone(0.1047, 0.4266), {center, tilted});
        EXPECT_LT(smallest_separation(found), 0) << "x " << x << ", z " << z << ", tilt " << tilt;
      }
}

TEST(MeshContacts, RoundShapes) {
  for (const ShapePtr& surface : flat_surfaces()) {
    expect_points_at(contacts(surface, sphere(0.3), {{0.1, 0.299, 0.2}, {}}), {{0.1, -0.001, 0.2}}, 1e-12);
    expect_points_at(contacts(surface, capsule(0.2, 1), {{0.1, 0.199, 0.2}, kLying}),
                     {{-0.4, -0.001, 0.2}, {0.6, -0.001, 0.2}}, 1e-9);
    expect_points_at(contacts(surface, cylinder(0.2, 1), {{0.1, 0.199, 0.2}, kLying}),
                     {{-0.4, -0.001, 0.2}, {0.6, -0.001, 0.2}}, 1e-9);
    const auto upright = contacts(surface, cylinder(0.3, 0.5), {{0.1, 0.249, 0.2}, {}});
    ASSERT_EQ(upright.size(), 1u);
    EXPECT_EQ(upright[0].count, 4);
    for (int i = 0; i < 4; ++i) {
      const Vec3 p = upright[0].points[static_cast<std::size_t>(i)].on_b - Vec3{0.1, -0.001, 0.2};
      EXPECT_NEAR(std::hypot(p.x, p.z), 0.3, 1e-9);
    }
  }
}

/// A cylinder that leans on its rim: the lowest point lies between the corners of the disc's polygon.
TEST(MeshContacts, LeaningCylinderFindsItsRim) {
  for (const ShapePtr& surface : flat_surfaces()) {
    const Quat lean = quaternion_from_axis_angle(normalized(Vec3{0.9, 0, 0.3}), 0.1);
    const double low = 0.25 * std::cos(0.1) + 0.3 * std::sin(0.1);
    const auto found = contacts(surface, cylinder(0.3, 0.5), {{0.1, low - 0.001, 0.2}, lean});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(smallest_separation(found), -0.001, 1e-9);
  }
}

TEST(MeshContacts, ValleyGivesTwoManifolds) {
  const Height valley = [](double x, double) { return std::abs(x); };
  const Quat quarter = quaternion_from_axis_angle({0, 0, 1}, 0.25 * kPi);
  for (const ShapePtr& surface : {grid_mesh(16, 0.25, valley), grid_field(16, 0.25, valley)}) {
    // A cube whose lower edge lies in the groove.
    const auto cube = contacts(surface, box(1, 1, 1), {{0, std::sqrt(0.5) + 0.001, 0.1}, quarter});
    ASSERT_EQ(cube.size(), 2u);
    for (const Manifold& m : cube) EXPECT_NEAR(std::abs(m.normal.x), std::sqrt(0.5), 1e-6);
    EXPECT_NEAR(dot(cube[0].normal, cube[1].normal), 0, 1e-6);
    EXPECT_EQ(point_count(cube), 8);
    const auto ball = contacts(surface, sphere(0.4), {{0, 0.4 * std::sqrt(2.0), 0.1}, {}});
    ASSERT_EQ(ball.size(), 2u);
    for (const Manifold& m : ball) {
      EXPECT_EQ(m.count, 1);
      EXPECT_NEAR(m.points[0].separation, 0, 1e-12);
    }
  }
}

/// A box on a step, overhanging by more than half: only the tread pushes, however deep it went in.
TEST(MeshContacts, StepDoesNotPushSideways) {
  for (const int cells : {2, 16}) {
    const double cell = 2.0 / cells;
    std::vector<Vec3> v;
    std::vector<std::array<int, 3>> t;
    const auto strip = [&](Vec3 from, Vec3 u, Vec3 w) {  // cells × cells, normal u × w
      const int first = static_cast<int>(v.size());
      for (int i = 0; i <= cells; ++i)
        for (int k = 0; k <= cells; ++k) v.push_back(from + (i * cell) * u + (k * cell) * w);
      for (int i = 0; i < cells; ++i) {
        for (int k = 0; k < cells; ++k) {
          const int p = first + i * (cells + 1) + k, q = p + cells + 1;
          t.push_back({p, q, q + 1});
          t.push_back({p, q + 1, p + 1});
        }
      }
    };
    strip({-2, 0, -1}, {0, 0, 1}, {1, 0, 0});  // tread, up
    strip({0, -2, -1}, {0, 1, 0}, {0, 0, 1});  // wall, +x
    strip({0, -2, -1}, {0, 0, 1}, {1, 0, 0});  // lower tread, up
    const ShapePtr stairs = mesh(v, t);
    for (const double depth : {-0.001, 0.0, 1e-6, 1e-4, 0.005, 0.02}) {
      for (const double x : {0.05, 0.13, 0.3, 0.45}) {
        for (const PairMode mode : {PairMode::special, PairMode::gjk}) {
          const auto found = contacts(stairs, box(1, 0.4, 0.6), {{x, 0.2 - depth, 0.07}, {}}, 0.01, mode);
          ASSERT_FALSE(found.empty()) << depth << " " << x;
          for (const Manifold& m : found) EXPECT_GT(m.normal.y, 1 - 1e-9) << cells << " " << depth << " " << x;
          EXPECT_NEAR(smallest_separation(found), -depth, 1e-9) << depth << " " << x;
          EXPECT_LE(point_count(found), 4);
        }
      }
    }
  }
}

TEST(MeshContacts, OneSided) {
  const ShapePtr surface = grid_mesh(4, 1, flat);
  EXPECT_TRUE(contacts(surface, sphere(0.3), {{0.1, -0.29, 0.2}, {}}).empty());
  EXPECT_TRUE(contacts(surface, box(1, 1, 1), {{0.1, -0.49, 0.2}, {}}).empty());
}

TEST(MeshContacts, HeightFieldIsSolidBelow) {
  const Height hills = [](double x, double z) { return 0.1 * std::sin(2 * x) * std::cos(z); };
  const ShapePtr ground = grid_field(20, 0.2, hills);
  for (const Slider& s : sliders()) {
    if (s.name == "large sphere" || s.name == "rectangle") continue;
    // The field is 4 m wide, and so it is 4 m deep.
    for (const double down : {0.1 * s.shape->bounding_radius(), s.shape->bounding_radius(), 3.8}) {
      const auto found = contacts(ground, s.shape, {{0.33, hills(0.33, 0.21) - down, 0.21}, s.rotation});
      ASSERT_EQ(found.size(), 1u) << s.name << down;
      EXPECT_GT(found[0].normal.y, 0.9) << s.name;
      EXPECT_LT(smallest_separation(found), -0.5 * down) << s.name;
    }
    EXPECT_TRUE(contacts(ground, s.shape, {{0.33, -4.2 - 2 * s.shape->bounding_radius(), 0.21}, s.rotation}).empty());
  }
}

/// A convex whose center got inside of a closed mesh is pushed out through the nearest face.
TEST(MeshContacts, ClosedMeshesHaveAnInside) {
  const ShapePtr crate = box_mesh({4, 3, 5});
  for (const Slider& s : sliders()) {
    if (s.name == "large sphere" || s.name == "small sphere" || s.name == "small box") continue;
    const double size = s.shape->bounding_radius();
    for (const PairMode mode : {PairMode::special, PairMode::sat, PairMode::gjk, PairMode::witness}) {
      for (const double down : {0.001, 0.5 * size, std::min(1.6 * size, 1.4)}) {
        const auto top = contacts(crate, s.shape, {{0.1, 1.5 - down, 0.2}, s.rotation}, 0.02, mode);
        ASSERT_EQ(top.size(), 1u) << s.name << down;
        EXPECT_GT(top[0].normal.y, 1 - 1e-12) << s.name << down;
        // As deep as the center, and half of its height.
        EXPECT_NEAR(smallest_separation(top), -down - s.height, 1e-9) << s.name << down;
      }
      const auto side = contacts(crate, s.shape, {{-1.9, 0.1, 0.2}, s.rotation}, 0.02, mode);
      ASSERT_EQ(side.size(), 1u) << s.name;
      EXPECT_LT(side[0].normal.x, -1 + 1e-12) << s.name;
    }
  }
  // However deep.
  const auto deep = contacts(crate, sphere(0.3), {{0, 0.1, 0}, {}});
  ASSERT_EQ(deep.size(), 1u);
  EXPECT_NEAR(smallest_separation(deep), -1.4 - 0.3, 1e-9);
  // Just outside, over a face, an edge and a corner, nothing is behind anything.
  for (const Vec3& at : {Vec3{0, 1.9, 0}, Vec3{2.25, 1.75, 0}, Vec3{2.2, 1.7, 2.7}})
    EXPECT_TRUE(contacts(crate, sphere(0.3), {at, {}}).empty());
}

/// In the notch of an L, where the nearest point is on an inner edge, the angle-weighted normal distinguishes inside from outside.
TEST(MeshContacts, InsideOfAClosedMeshIsToldAtEdgesAndCorners) {
  Random random(8);
  const ShapePtr ell = composite({{box(2, 1, 1), {{0, 0.5, 0}, {}}, {}}, {box(1, 2, 1), {{-0.5, 1, 0}, {}}, {}}});
  const std::vector<Vec3> outline{{-1, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 2, 0}, {-1, 2, 0}};
  std::vector<Vec3> v;
  for (const double z : {0.5, -0.5})
    for (const Vec3& p : outline) v.push_back({p.x, p.y, z});
  std::vector<std::array<int, 3>> t;
  for (const auto& f : {std::array{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}) {
    t.push_back(f);
    t.push_back({6 + f[0], 6 + f[2], 6 + f[1]});
  }
  for (int i = 0; i < 6; ++i) {
    const int k = (i + 1) % 6;
    t.push_back({i, i + 6, k + 6});
    t.push_back({i, k + 6, k});
  }
  const ShapePtr notch = mesh(v, t);
  ASSERT_TRUE(notch->as<Mesh>()->closed);
  const ShapePtr ball = sphere(0.02), point = sphere(1e-9);
  int inside = 0;
  for (int i = 0; i < 4000; ++i) {
    const Vec3 p{random.number(-1.1, 1.1), random.number(-0.1, 2.1), random.number(-0.6, 0.6)};
    const bool in = !contacts(ell, point, {p, {}}, 0).empty();
    // How deep it is: the distance to the surface of the L.
    double depth = Aabb::kInfinity;
    for (const auto& f : t) {
      bool on_face = false;
      const auto corner = [&](int k) { return v[static_cast<std::size_t>(f[static_cast<std::size_t>(k)])]; };
      depth = std::min(depth, length(p - closest_on_triangle({corner(0), corner(1), corner(2)}, p, on_face)));
    }
    if (depth < 1e-6) continue;
    const auto found = contacts(notch, ball, {p, {}}, 0);
    ASSERT_EQ(!found.empty(), in || depth < 0.02) << p.x << " " << p.y << " " << p.z;
    inside += in;
  }
  EXPECT_GT(inside, 200);
}

TEST(MeshContacts, PlaneAndDynamicMesh) {
  const auto found = contacts(plane(), box_mesh({1, 1, 1}), {{0.3, 0.499, 0}, {}});
  expect_points_at(found, {{-0.2, -0.001, -0.5}, {0.8, -0.001, -0.5}, {0.8, -0.001, 0.5}, {-0.2, -0.001, 0.5}}, 1e-9);
  EXPECT_EQ(found[0].normal, (Vec3{0, 1, 0}));
}

/// Triangles that share no vertex index, only places.
TEST(MeshContacts, SoupIsWelded) {
  std::vector<Vec3> v;
  std::vector<std::array<int, 3>> t;
  const ShapePtr grid = grid_mesh(12, 0.37, flat);
  for (const auto& triangle : grid->as<Mesh>()->triangles) {
    const int first = static_cast<int>(v.size());
    for (const int i : triangle) v.push_back(grid->as<Mesh>()->vertices[static_cast<std::size_t>(i)]);
    t.push_back({first, first + 1, first + 2});
  }
  const ShapePtr soup = mesh(v, t);
  for (int step = 0; step < 100; ++step) {
    const auto found = contacts(soup, sphere(0.3), {{-0.5 + 0.01 * step, 0.299, 0.07}, {}});
    ASSERT_EQ(point_count(found), 1);
    ASSERT_EQ(found[0].normal, (Vec3{0, 1, 0}));
  }
}

TEST(MeshContacts, NeedleTriangles) {
  // A fan of triangles 2 m long and a fraction of a millimetre wide.
  std::vector<Vec3> v{{-1, 0, 0}};
  std::vector<std::array<int, 3>> t;
  for (int i = 0; i <= 2000; ++i) v.push_back({1, 0, 0.0005 * (1000 - i)});
  for (int i = 1; i <= 2000; ++i) t.push_back({0, i, i + 1});
  const ShapePtr fan = mesh(v, t);
  for (int step = 0; step < 100; ++step) {
    const Vec3 at{0.3 + 0.004 * step, 0.2, 0.0007 * step - 0.05};
    const auto ball = contacts(fan, sphere(0.2), {at, {}});
    ASSERT_EQ(point_count(ball), 1);
    ASSERT_LT(length(ball[0].normal - Vec3{0, 1, 0}), 1e-6);
    const auto cube = contacts(fan, box(0.2, 0.4, 0.2), {at, {}});
    ASSERT_EQ(cube.size(), 1u);
    ASSERT_EQ(cube[0].count, 4);
    ASSERT_LT(length(cube[0].normal - Vec3{0, 1, 0}), 1e-6);
  }
}

TEST(MeshContacts, ABodyDeepInRoughGroundIsNoMatterOfMinutes) {
  // 7200 triangles with thousands of points among them. Comparing all with all took minutes; 5 s is a hundred times what it takes.
  Random random(3);
  const ShapePtr ground = grid_field(60, 0.5, [&](double, double) { return random.number(-0.1, 0.1); });
  const Transform pose{{0.1, 4.5, 0.05}, quaternion_from_axis_angle({0, 0, 1}, 0.05)};
  const std::clock_t start = std::clock();
  const auto manifolds = contacts(ground, box(30, 15, 30), pose);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5.0);
  ASSERT_FALSE(manifolds.empty());
  double up = 0;
  for (const Manifold& m : manifolds) {
    up += m.normal.y;
    for (int i = 0; i < m.count; ++i) {
      const ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
      EXPECT_TRUE(is_finite(p.on_a) && is_finite(p.on_b) && std::isfinite(p.separation));
    }
  }
  EXPECT_GT(up, 0.9 * static_cast<double>(manifolds.size()));
  // The lower side of the box is 3 m below the ground in the middle, and its edge 15 m · sin 0.05 deeper or higher.
  EXPECT_NEAR(smallest_separation(manifolds), -3.0 - 15 * std::sin(0.05), 0.25);
}

/// Keys and points of a body that rests do not depend on noise in its pose.
TEST(MeshContacts, RestingKeysAreStable) {
  Random random(5);
  const Height hills = [](double x, double z) { return 0.02 * std::sin(3 * x) * std::cos(2 * z); };
  for (const ShapePtr& surface :
       {grid_mesh(40, 0.1, flat, 0.3), grid_field(40, 0.1, flat), grid_field(10, 0.4, hills)}) {
    for (const Slider& s : sliders()) {
      if (s.name == "large sphere" || s.name == "rectangle") continue;
      const auto keys = [](const std::vector<Manifold>& found) {
        std::vector<std::uint32_t> all;
        for (const Manifold& m : found) {
          all.push_back(m.part_a);
          for (int i = 0; i < m.count; ++i) all.push_back(m.points[static_cast<std::size_t>(i)].key);
        }
        return all;
      };
      const Vec3 at{0.1234, s.height + 0.004, 0.2345};
      const auto before = keys(contacts(surface, s.shape, {at, s.rotation}, 0.05));
      for (int i = 0; i < 20; ++i) {
        const Quat noise = quaternion_from_rotation_vector(1e-9 * random.direction());
        const auto after = keys(contacts(surface, s.shape, {at + 1e-9 * random.direction(), noise * s.rotation}, 0.05));
        ASSERT_EQ(before, after) << s.name;
      }
    }
  }
}

}  // namespace
}  // namespace rigor::surface_test
