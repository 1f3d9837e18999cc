// Thin bodies that fall on triangle meshes and height fields stay on them, under several methods.
#include <gtest/gtest.h>

#include <cmath>

#include "conformance/solver_cases.h"
#include "support.h"

namespace rigor::test {
namespace {

/// m, hilly ground.
double ground_height(double x, double z) { return 0.12 * std::sin(1.3 * x + 0.4) * std::cos(1.7 * z); }

constexpr int kCells = 12;
constexpr double kCell = 0.25;

ShapePtr open_mesh() {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  const double middle = 0.5 * kCells * kCell;
  for (int i = 0; i <= kCells; ++i)
    for (int k = 0; k <= kCells; ++k) {
      const double x = kCell * i - middle, z = kCell * k - middle;
      vertices.push_back({x, ground_height(x, z), z});
    }
  const auto at = [](int i, int k) { return i * (kCells + 1) + k; };
  for (int i = 0; i < kCells; ++i)
    for (int k = 0; k < kCells; ++k) {
      triangles.push_back({at(i, k), at(i, k + 1), at(i + 1, k)});
      triangles.push_back({at(i + 1, k), at(i, k + 1), at(i + 1, k + 1)});
    }
  return mesh(vertices, triangles);
}

ShapePtr field() {
  std::vector<double> heights;
  const double middle = 0.5 * kCells * kCell;
  for (int k = 0; k <= kCells; ++k)
    for (int i = 0; i <= kCells; ++i) heights.push_back(ground_height(kCell * i - middle, kCell * k - middle));
  return height_field(kCells + 1, kCells + 1, kCell, kCell, heights);
}

struct Thing {
  const char* name;
  ShapePtr shape;
};

/// Things that ended below the ground, of all that fell: at swept angles, places and speeds.
std::string lost(const ShapePtr& ground, const std::string& method, double h) {
  const Thing things[] = {{"card", rectangle(0.028, 0.037, 0.0002)},
                          {"thick card", box({0.086, 0.0005, 0.054})},
                          {"coin", cylinder(0.012, 0.0018)},
                          {"pencil", cylinder(0.0035, 0.17)},
                          {"ball", sphere(0.001)}};
  World world;
  world.remove_body(world.ground());
  BodyDef fixed;
  fixed.name = "ground", fixed.shape = ground, fixed.fixed = true;
  world.add_body(fixed);
  std::vector<std::pair<BodyId, std::string>> fallen;
  for (int i = 0; i < 10; ++i)
    for (int k = 0; k < 5; ++k) {
      BodyDef def;
      def.shape = things[k].shape;
      const double turn = 0.6180339887 * (5 * i + k);  // in no ratio with anything
      def.position = {0.23 * (i - 4.5), 0.3 + 0.05 * (i % 3), 0.23 * (k - 2) + 0.013 * i};
      def.orientation = quaternion_from_rotation_vector({2 * std::sin(7 * turn), turn, 2 * std::cos(5 * turn)});
      if (i < 2) def.orientation = {};
      def.velocity = {0.3 * std::sin(turn), -1.7 * (i % 5), 0.3 * std::cos(turn)};
      def.material.friction = 0.5, def.material.density = 1000;
      fallen.emplace_back(world.add_body(def), things[k].name + (" " + std::to_string(i)));
    }
  Simulation sim(world, preset(method));
  for (int n = 0; n < static_cast<int>(1.2 / h); ++n) sim.step(h);
  std::string names;
  for (const auto& [id, name] : fallen) {
    const Vec3 p = sim.world().position(id);
    const double edge = 0.5 * kCells * kCell - 0.1;
    if (std::abs(p.x) > edge || std::abs(p.z) > edge) continue;      // slid away
    if (p.y < ground_height(p.x, p.z) - 0.03) names += name + ", ";  // cells are not as round as the sine
  }
  return names;
}

TEST(ThinOnSurface, ThinThingsStayOnAnOpenMesh) {
  const ShapePtr ground = open_mesh();
  for (const double h : {1.0 / 240, 1.0 / 160, 1.0 / 100}) EXPECT_EQ(lost(ground, "soft-step", h), "") << h;
  EXPECT_EQ(lost(ground, "xpbd", 0.01), "");
}

TEST(ThinOnSurface, ThinThingsStayOnAHeightField) {
  const ShapePtr ground = field();
  for (const double h : {1.0 / 240, 1.0 / 100, 1.0 / 50}) EXPECT_EQ(lost(ground, "soft-step", h), "") << h;
  EXPECT_EQ(lost(ground, "tgs", 0.01), "");
}

}  // namespace
}  // namespace rigor::test
