#include "rigor/debug_draw.h"

#include <map>

#include "rigor/simulation.h"
#include "support.h"

namespace rigor {
namespace {

/// What an application would draw, kept.
class Kept final : public DebugDraw {
 public:
  void points(DebugLayer layer, std::span<const DebugPoint> items) override {
    points_[layer].assign(items.begin(), items.end());
  }
  void vectors(DebugLayer layer, std::span<const DebugVector> items) override {
    vectors_[layer].assign(items.begin(), items.end());
  }
  void boxes(DebugLayer layer, std::span<const DebugBox> items) override {
    boxes_[layer].assign(items.begin(), items.end());
  }
  void ellipsoids(DebugLayer layer, std::span<const DebugEllipsoid> items) override {
    ellipsoids_[layer].assign(items.begin(), items.end());
  }
  std::map<DebugLayer, std::vector<DebugPoint>> points_;
  std::map<DebugLayer, std::vector<DebugVector>> vectors_;
  std::map<DebugLayer, std::vector<DebugBox>> boxes_;
  std::map<DebugLayer, std::vector<DebugEllipsoid>> ellipsoids_;
};

BodyDef body_of(ShapePtr shape, const Vec3& position) {
  BodyDef def;
  def.shape = std::move(shape);
  def.position = position;
  return def;
}

Kept draw_all(const Simulation& simulation) {
  std::vector<DebugLayer> layers;
  for (const DebugLayerInfo& info : debug_layers()) layers.push_back(info.layer);
  Kept kept;
  debug_draw(simulation, layers, kept);
  return kept;
}

TEST(DebugDraw, LayersAreListedInTheirOrder) {
  int i = 0;
  for (const DebugLayerInfo& info : debug_layers()) EXPECT_EQ(static_cast<int>(info.layer), i++) << info.name;
}

TEST(DebugDraw, BoxOnTheGround) {
  World world;
  const BodyId box_id = world.add_body(body_of(box(2, 1, 4), {1, 0.5, 0}));
  world.set_velocity(box_id, {0, 0, 3}, {0, 2, 0});
  Method method = preset("garstenauer-sequential");
  Simulation simulation(world, method);
  simulation.find_contacts();
  const Kept kept = draw_all(simulation);

  const auto& points = kept.points_.at(DebugLayer::contact_points);
  ASSERT_EQ(points.size(), 4u);
  for (const DebugPoint& p : points) EXPECT_NEAR(p.position.y, 0, 1e-12);
  for (const DebugVector& n : kept.vectors_.at(DebugLayer::contact_normals))
    EXPECT_NEAR(std::abs(n.vector.y), 1, 1e-12);
  ASSERT_EQ(kept.vectors_.at(DebugLayer::velocities).size(), 1u);
  EXPECT_EQ(kept.vectors_.at(DebugLayer::velocities)[0].vector, (Vec3{0, 0, 3}));
  EXPECT_EQ(kept.vectors_.at(DebugLayer::angular_velocities)[0].vector, (Vec3{0, 2, 0}));
  ASSERT_EQ(kept.boxes_.at(DebugLayer::bounds).size(), 1u);  // the infinite ground has none
  EXPECT_LE(length(kept.boxes_.at(DebugLayer::bounds)[0].box.lower - Vec3{0, 0, -2}), 1e-12);
  ASSERT_EQ(kept.points_.at(DebugLayer::centers_of_mass).size(), 1u);
  EXPECT_EQ(kept.points_.at(DebugLayer::centers_of_mass)[0].position, (Vec3{1, 0.5, 0}));
}

/// A solid ball is its own ellipsoid of inertia.
TEST(DebugDraw, InertiaOfABallIsTheBall) {
  World world;
  world.add_body(body_of(sphere(0.7), {0, 3, 0}));
  const Kept kept = draw_all(Simulation(world));
  const DebugEllipsoid& ball = kept.ellipsoids_.at(DebugLayer::inertias).at(0);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(ball.radii[k], 0.7, 1e-12);
  EXPECT_EQ(ball.frame.translation, (Vec3{0, 3, 0}));
}

/// At rest the contact forces carry the weight.
TEST(DebugDraw, NormalForcesCarryTheWeight) {
  World world;
  BodyDef def = body_of(box(1, 1, 1), {0, 0.5, 0});
  def.mass = 3;
  world.add_body(def);
  Simulation simulation(world, preset("garstenauer-sequential"));
  for (int i = 0; i < 120; ++i) simulation.step();
  const Kept kept = draw_all(simulation);
  Vec3 sum;
  for (const DebugVector& f : kept.vectors_.at(DebugLayer::normal_forces)) sum += f.vector;
  // An iterative solver at rest: a percent of the weight is left to its ten iterations.
  EXPECT_NEAR(std::abs(sum.y), 3 * 9.81, 0.3);
}

}  // namespace
}  // namespace rigor
