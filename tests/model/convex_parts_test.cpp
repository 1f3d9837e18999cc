// Approximate convex decomposition: the parts cover the solid, and the error is what it says.
#include "model/convex_parts.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>

#include <cmath>
#include <random>

#include "model/hull_error.h"
#include "model/mesh_distance.h"
#include "rigor/error.h"
#include "rigor/simulation.h"

namespace rigor {
namespace {

/// A closed curve of cross sections: ring i has `sides` corners around the center c(i) in the plane of u(i), v(i).
template <class Center, class Side> ShapePtr tube(int rings, int sides, Center center, Side corner) {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i < rings; ++i)
    for (int k = 0; k < sides; ++k) vertices.push_back(center(i) + corner(i, k));
  for (int i = 0; i < rings; ++i)
    for (int k = 0; k < sides; ++k) {
      const int a = i * sides + k, b = i * sides + (k + 1) % sides, c = (i + 1) % rings * sides + k,
                d = (i + 1) % rings * sides + (k + 1) % sides;
      triangles.push_back({a, b, d});
      triangles.push_back({a, d, c});
    }
  return mesh(vertices, triangles);
}

/// Around y, with the center line of radius R and the tube of radius r.
ShapePtr torus(double R, double r, int rings = 24, int sides = 12) {
  return tube(
      rings, sides,
      [=](int i) {
        return R * Vec3{std::cos(2 * kPi * i / rings), 0, std::sin(2 * kPi * i / rings)};
      },
      [=](int i, int k) {
        const double a = 2 * kPi * i / rings, b = 2 * kPi * k / sides;
        return r * Vec3{std::cos(a) * std::cos(b), std::sin(b), std::sin(a) * std::cos(b)};
      });
}

/// Two half circles and two straight lines in the xy plane.
ShapePtr chain_link(double half, double R, double r) {
  constexpr int kArc = 9, kSides = 8;
  const auto place = [=](int i, Vec3& out) {
    const bool upper = i < kArc;
    const double a = kPi * (upper ? i : i - 1) / (kArc - 1);
    out = {std::cos(a), std::sin(a), 0};
    return Vec3{R * out.x, R * out.y + (upper ? half : -half), 0};
  };
  return tube(
      2 * kArc, kSides,
      [=](int i) {
        Vec3 unused;
        return place(i, unused);
      },
      [=](int i, int k) {
        Vec3 out;
        place(i, out);
        const double b = 2 * kPi * k / kSides;
        return r * (out * std::cos(b) + Vec3{0, 0, -1} * std::sin(b));
      });
}

/// A profile (x, y), counter-clockwise, pulled along z.
ShapePtr extruded(const std::vector<std::pair<double, double>>& profile, const std::vector<std::array<int, 3>>& cap,
                  double depth) {
  const int n = static_cast<int>(profile.size());
  std::vector<Vec3> vertices;
  for (const double z : {0.0, depth})
    for (const auto& [x, y] : profile) vertices.push_back({x, y, z});
  std::vector<std::array<int, 3>> triangles;
  for (const auto& t : cap) {
    triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
    triangles.push_back({t[0], t[2], t[1]});
  }
  for (int i = 0; i < n; ++i) {
    const int k = (i + 1) % n;
    triangles.push_back({i, k, k + n});
    triangles.push_back({i, k + n, i + n});
  }
  return mesh(vertices, triangles);
}

ShapePtr letter_u() {
  return extruded({{0, 0}, {3, 0}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}},
                  {{0, 1, 4}, {0, 4, 5}, {1, 2, 3}, {1, 3, 4}, {0, 5, 6}, {0, 6, 7}}, 1);
}

/// Half of a ball's shell, open at the top (+y).
ShapePtr bowl(double outer, double inner) {
  constexpr int kSides = 24, kRings = 8;
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  const auto add_half = [&](double radius) {
    const int first = static_cast<int>(vertices.size());
    for (int i = 0; i < kRings; ++i)
      for (int k = 0; k < kSides; ++k) {
        const double polar = kPi / 2 * i / kRings, around = 2 * kPi * k / kSides;
        vertices.push_back(
            radius * Vec3{std::cos(polar) * std::cos(around), -std::sin(polar), -std::cos(polar) * std::sin(around)});
      }
    vertices.push_back({0, -radius, 0});
    return first;
  };
  const int a = add_half(outer), b = add_half(inner), pole = kRings * kSides;
  for (int k = 0; k < kSides; ++k) {
    const int n = (k + 1) % kSides;
    for (int i = 0; i + 1 < kRings; ++i) {
      const int p = i * kSides + k, q = i * kSides + n, r = p + kSides, s = q + kSides;
      triangles.push_back({a + p, a + r, a + s}), triangles.push_back({a + p, a + s, a + q});
      triangles.push_back({b + p, b + s, b + r}), triangles.push_back({b + p, b + q, b + s});
    }
    const int last = (kRings - 1) * kSides;
    triangles.push_back({a + last + k, a + pole, a + last + n});
    triangles.push_back({b + last + k, b + last + n, b + pole});
    triangles.push_back({a + k, a + n, b + n}), triangles.push_back({a + k, b + n, b + k});
  }
  return mesh(vertices, triangles);
}

bool is_in(const Hull& hull, const Vec3& p, double slack) {
  for (std::size_t i = 0; i < hull.normals.size(); ++i)
    if (dot(hull.normals[i], p) > hull.offsets[i] + slack) return false;
  return true;
}

/// Points of the solid lie in a part; points of a part's surface lie within the error of the solid.
void expect_bounds(const ShapePtr& shape, const Decomposition& parts) {
  const Mesh& solid = *shape->as<Mesh>();
  ASSERT_TRUE(solid.closed);
  const MeshDistance distance(solid.vertices, solid.triangles);
  const Aabb& box = shape->local_bounds();
  std::mt19937_64 random(7);
  int inside = 0, covered = 0;
  double worst = 0;
  for (int n = 0; n < 20'000; ++n) {
    const auto at = [&](int k) { return std::uniform_real_distribution<double>(box.lower[k], box.upper[k])(random); };
    const Vec3 p{at(0), at(1), at(2)};
    bool in_part = false;
    for (const ShapePtr& part : parts.parts) in_part = in_part || is_in(*part->as<Hull>(), p, 1e-9);
    const double d = distance(p);
    if (d < -1e-9) ++inside, covered += in_part;
  }
  for (const ShapePtr& part : parts.parts)
    for (const auto& face : part->as<Hull>()->faces)
      for (std::size_t i = 1; i + 1 < face.size(); ++i)
        for (int n = 0; n < 200; ++n) {
          const auto at = [&](std::size_t k) { return part->as<Hull>()->vertices[static_cast<std::size_t>(face[k])]; };
          double u = std::uniform_real_distribution<double>(0, 1)(random),
                 v = std::uniform_real_distribution<double>(0, 1)(random);
          if (u + v > 1) u = 1 - u, v = 1 - v;
          worst = std::max(worst, distance(at(0) + u * (at(i) - at(0)) + v * (at(i + 1) - at(0))));
        }
  EXPECT_GT(inside, 100);
  EXPECT_EQ(covered, inside);
  EXPECT_LE(worst, parts.error + 1e-12);
}

TEST(ConvexParts, KeepTheirBoundOnSolidsThatAreNotConvex) {
  const std::pair<const char*, ShapePtr> solids[] = {
      {"torus", torus(1, 0.3)}, {"U", letter_u()}, {"bowl", bowl(1, 0.8)}, {"chain link", chain_link(0.5, 0.5, 0.15)}};
  for (const auto& [name, shape] : solids) {
    SCOPED_TRACE(name);
    const Decomposition& parts = decompose(*shape->as<Mesh>(), {.relative_error = 0.04, .parts = 64});
    EXPECT_TRUE(parts.is_within_bound()) << parts.sentence();
    EXPECT_GT(parts.parts.size(), 2u);
    expect_bounds(shape, parts);
    std::cout << name << ": " << parts.sentence() << "\n";
  }
}

TEST(ConvexParts, OfAUAreThreeBoxes) {
  const ShapePtr shape = letter_u();
  const Decomposition& parts = decompose(*shape->as<Mesh>(), {.error = 0.01});
  EXPECT_EQ(parts.parts.size(), 3u);
  EXPECT_LE(parts.error, 0.01);
}

TEST(ConvexParts, OfAConvexMeshAreItsHull) {
  const ShapePtr cube = extruded({{0, 0}, {1, 0}, {1, 1}, {0, 1}}, {{0, 1, 2}, {0, 2, 3}}, 1);
  EXPECT_EQ(decompose(*cube->as<Mesh>(), {.error = 1e-3}).parts.size(), 1u);
}

TEST(ConvexParts, SayWhenTheyAreTooFew) {
  const ShapePtr shape = torus(1, 0.3);
  const Decomposition& parts = decompose(*shape->as<Mesh>(), {.relative_error = 0.005, .parts = 4});
  EXPECT_EQ(parts.parts.size(), 4u);
  EXPECT_FALSE(parts.is_within_bound());
  EXPECT_NE(parts.sentence().find("needs more parts than allowed"), std::string::npos);
  expect_bounds(shape, parts);
  // The same mesh is not decomposed twice.
  EXPECT_EQ(&parts, &decompose(*torus(1, 0.3)->as<Mesh>(), {.relative_error = 0.005, .parts = 4}));
}

/// A ring whose tube is wider than the ring.
ShapePtr spindle() {
  constexpr int kAround = 16, kTube = 10;
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i < kAround; ++i)
    for (int k = 0; k < kTube; ++k) {
      const double a = 2 * kPi * i / kAround, b = 2 * kPi * k / kTube, r = 0.5 + 0.8 * std::cos(b);
      vertices.push_back({r * std::cos(a), 0.8 * std::sin(b), r * std::sin(a)});
    }
  for (int i = 0; i < kAround; ++i)
    for (int k = 0; k < kTube; ++k) {
      const int p = i * kTube + k, q = (i + 1) % kAround * kTube + k, t = i * kTube + (k + 1) % kTube,
                s = (i + 1) % kAround * kTube + (k + 1) % kTube;
      triangles.push_back({p, t, s}), triangles.push_back({p, s, q});
    }
  return mesh(vertices, triangles);
}

TEST(ConvexParts, NameTheCrossingOfASurface) {
  const ShapePtr shape = spindle();
  ASSERT_TRUE(shape->as<Mesh>()->closed);
  const Decomposition& parts = decompose(*shape->as<Mesh>(), {});
  ASSERT_FALSE(parts.is_within_bound());
  EXPECT_NE(parts.sentence().find("crosses or touches itself at ("), std::string::npos) << parts.sentence();
}

TEST(ConvexParts, AreStoredBetweenRuns) {
  struct Memory final : PartsStore {
    mutable std::map<std::string, StoredParts> known;
    mutable int loads = 0;
    std::optional<StoredParts> load(const std::string& key) const override {
      ++loads;
      const auto found = known.find(key);
      return found == known.end() ? std::nullopt : std::optional(found->second);
    }
    void save(const std::string& key, const StoredParts& parts) const override { known[key] = parts; }
  };
  const auto memory = std::make_shared<Memory>();
  set_parts_store(memory);
  DecompositionOptions options;
  options.relative_error = 0.0321;  // a value that no other test uses
  const ShapePtr shape = spindle();
  const Decomposition& made = decompose(*shape->as<Mesh>(), options);
  ASSERT_EQ(memory->known.size(), 1u);
  const StoredParts& stored = memory->known.begin()->second;
  ASSERT_EQ(stored.corners.size(), made.parts.size());
  // The parts made of the stored corners equal those of the first run.
  for (std::size_t i = 0; i < made.parts.size(); ++i) {
    const ShapePtr again = convex_hull(stored.corners[i]);
    EXPECT_EQ(again->as<Hull>()->vertices, made.parts[i]->as<Hull>()->vertices);
    EXPECT_EQ(again->as<Hull>()->faces, made.parts[i]->as<Hull>()->faces);
  }
  decompose(*shape->as<Mesh>(), options);
  EXPECT_EQ(memory->loads, 1);  // the second time the process knows them
  set_parts_store(nullptr);
}

TEST(ConvexParts, OpenMeshesAreRefused) {
  const ShapePtr open = mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
  EXPECT_THROW(decompose(*open->as<Mesh>(), {}), Error);
}

/// The hull of a U has its worst points in the middle of the opening.
TEST(HullError, OfAUIsHalfTheOpening) {
  const ShapePtr shape = letter_u();
  const Mesh& solid = *shape->as<Mesh>();
  const MeshDistance distance(solid.vertices, solid.triangles);
  const ShapePtr hull = convex_hull(solid.vertices);
  const HullError error = hull_error(*hull->as<Hull>(), distance, 1e-3);
  EXPECT_GE(error.bound, 0.5);
  EXPECT_LE(error.bound, 0.5 * 1.25);
  EXPECT_NEAR(distance({1.5, 0.5, 0.5}), -0.5, 1e-12);
  EXPECT_NEAR(distance({1.5, 2, 0.5}), 0.5, 1e-12);
  EXPECT_NEAR(distance({-1, -1, 0.5}), std::sqrt(2), 1e-12);
}

TEST(ConvexParts, ABallLiesInABowl) {
  World world;
  const ShapePtr shape = bowl(1, 0.8);
  BodyDef dish;
  dish.name = "dish";
  dish.shape = shape;
  dish.collision_shape = decompose(*shape->as<Mesh>(), {.relative_error = 0.02}).shape();
  dish.position = {0, 1.001, 0};
  dish.fixed = true;
  world.add_body(dish);
  BodyDef ball;
  ball.name = "ball";
  ball.shape = sphere(0.2);
  ball.position = {0.1, 1.3, 0.05};
  const BodyId id = world.add_body(ball);
  Simulation simulation(world, default_method());
  for (int i = 0; i < 300; ++i) simulation.step(1.0 / 60);
  const Vec3 p = simulation.world().position(id);
  EXPECT_LT(std::hypot(p.x, p.z), 0.35);
  // On the inner surface at 0.201 m, but for the error of the parts.
  EXPECT_NEAR(p.y, 0.401, 0.06);
}

TEST(ConvexParts, TwoLinksHangInEachOther) {
  World world;
  const ShapePtr shape = chain_link(0.5, 0.5, 0.15);
  const ShapePtr parts = decompose(*shape->as<Mesh>(), {.relative_error = 0.03}).shape();
  BodyDef link;
  link.shape = shape;
  link.collision_shape = parts;
  link.name = "upper";
  link.position = {0, 5, 0};
  link.fixed = true;
  world.add_body(link);
  link.name = "lower";
  link.fixed = false;
  // A quarter turn about y; it hangs with its upper bend in the lower bend of the other: 2 · 1 m − 2 · 0.15 m below, if they touch.
  link.orientation = quaternion_from_axis_angle({0, 1, 0}, kPi / 2);
  link.position = {0, 5 - 1.55, 0};
  const BodyId lower = world.add_body(link);
  EXPECT_NEAR(world.mass_properties(lower).mass, mass_properties(*shape, 1000).mass, 1e-9);
  Simulation simulation(world, default_method());
  for (int i = 0; i < 180; ++i) simulation.step(1.0 / 60);
  EXPECT_NEAR(simulation.world().position(lower).y, 5 - 1.7, 0.12);
}

}  // namespace
}  // namespace rigor
