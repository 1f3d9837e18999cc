// The pipeline from bodies to contacts: filters, matching from step to step, threads.
#include <gtest/gtest.h>

#include <random>

#include "narrowphase/convex.h"
#include "narrowphase/find_contacts.h"
#include "registry/entry.h"
#include "support.h"

namespace rigor::test {
namespace {

Method colliding(const std::string& broadphase = "aabb-tree", const std::string& narrowphase = "special-pairs") {
  Method m;
  m.broadphase.name = broadphase;
  m.narrowphase.name = narrowphase;
  return m;
}

BodyDef box_at(const std::string& name, const Vec3& position) {
  BodyDef def;
  def.name = name;
  def.shape = box(1, 1, 1);
  def.position = position;
  return def;
}

Vec3 point_on_a(const World& world, const Contact& c, int k) {
  const std::uint32_t i = world.slot(c.a);
  return world.state().position[i] +
         rotate(world.state().orientation[i], c.points[static_cast<std::size_t>(k)].local_a);
}
Vec3 point_on_b(const World& world, const Contact& c, int k) {
  const std::uint32_t i = world.slot(c.b);
  return world.state().position[i] +
         rotate(world.state().orientation[i], c.points[static_cast<std::size_t>(k)].local_b);
}

TEST(FindContacts, ABoxOnTheGroundHasFourPoints) {
  World world;
  const BodyId id = world.add_body(box_at("box", {0, 0.499, 0}));
  Simulation sim(world, colliding());
  sim.find_contacts();
  ASSERT_EQ(sim.contacts().size(), 1u);
  const Contact& c = sim.contacts()[0];
  EXPECT_EQ(c.a, world.ground());
  EXPECT_EQ(c.b, id);
  EXPECT_LT(distance(c.normal, {0, 1, 0}), 1e-15);
  EXPECT_NEAR(dot(c.tangent, c.normal), 0, 1e-15);
  ASSERT_EQ(c.count, 4);
  for (int k = 0; k < 4; ++k) {
    const ContactPoint& p = c.points[static_cast<std::size_t>(k)];
    EXPECT_NEAR(p.separation, -0.001, 1e-15);
    EXPECT_FALSE(p.persisted);
    const Vec3 gap = point_on_b(world, c, k) - point_on_a(world, c, k);
    EXPECT_NEAR(dot(gap, c.normal), p.separation, 1e-14);
    EXPECT_NEAR(std::abs(point_on_b(world, c, k).x), 0.5, 1e-14);
    EXPECT_NEAR(std::abs(point_on_b(world, c, k).z), 0.5, 1e-14);
  }
}

TEST(FindContacts, KeysAndTangentsSurvive) {
  World world;
  const BodyId id = world.add_body(box_at("box", {0, 0.499, 0}));
  Simulation sim(world, colliding());
  sim.find_contacts();
  std::array<std::uint32_t, 4> keys{};
  for (std::size_t k = 0; k < 4; ++k) keys[k] = sim.contacts()[0].points[k].key;
  const Vec3 tangent = sim.contacts()[0].tangent;
  for (int step = 0; step < 20; ++step) {
    sim.world().set_pose(id, {0.01 * step, 0.499, 0}, quaternion_from_axis_angle({0, 1, 0}, 0.002 * step));
    sim.find_contacts();
    const Contact& c = sim.contacts()[0];
    ASSERT_EQ(c.count, 4);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_TRUE(c.points[k].persisted);
      EXPECT_EQ(c.points[k].key, keys[k]);
    }
    EXPECT_LT(distance(c.tangent, tangent), 1e-12);
  }
}

TEST(FindContacts, ThousandsOfContactsOfOnePairAreFoundAgain) {
  std::vector<Composite::Part> parts;
  for (int i = 0; i < 12; ++i)
    for (int k = 0; k < 12; ++k) parts.push_back({box(1, 1, 1), {{1.0 * i, 0, 1.0 * k}, {}}, {}});
  BodyDef upper = box_at("upper", {0.3, 1.5, 0.4}), lower = box_at("lower", {0, 0.5, 0});
  upper.shape = lower.shape = composite(parts);
  lower.fixed = true;
  World world;
  world.add_body(lower);
  world.add_body(upper);
  Simulation sim(world, colliding());
  sim.find_contacts();
  const ContactList first = sim.contacts();
  ASSERT_GT(first.size(), 144u);
  sim.find_contacts();
  ASSERT_EQ(sim.contacts().size(), first.size());
  for (const Contact& c : sim.contacts())
    for (int k = 0; k < c.count; ++k) EXPECT_TRUE(c.points[static_cast<std::size_t>(k)].persisted);
}

TEST(FindContacts, ManyPartsThatSlideOnToOtherTrianglesAreFoundAgain) {
  // Balls on a fine mesh: the triangle changes with every step, the ball does not.
  std::vector<Composite::Part> parts;
  for (int i = 0; i < 10; ++i)
    for (int k = 0; k < 10; ++k) parts.push_back({sphere(0.3), {{1.0 * i, 0, 1.0 * k}, {}}, {}});
  std::vector<double> heights(101 * 101, 0.0);
  BodyDef ground = box_at("field", {4.5, 0, 4.5}), balls = box_at("balls", {0.03, 0.299, 0.04});
  ground.shape = height_field(101, 101, 0.2, 0.2, heights);
  ground.fixed = true;
  balls.shape = composite(parts);
  World world;
  world.add_body(ground);
  const BodyId id = world.add_body(balls);
  Simulation sim(world, colliding());
  sim.find_contacts();
  const std::size_t count = sim.contacts().size();
  ASSERT_GE(count, 100u);
  sim.world().set_pose(id, {0.23, 0.299, 0.04}, {});
  sim.find_contacts();
  ASSERT_EQ(sim.contacts().size(), count);
  for (const Contact& c : sim.contacts()) EXPECT_TRUE(c.points[0].persisted);
}

/// A snapshot keeps points as floats: what is matched by place has to be matched alike after a restore.
TEST(FindContacts, MatchingByPlaceDoesNotSeeWhatASnapshotRoundsOff) {
  Contact old;
  old.count = 2;
  old.points[0].local_a = {0.3, 0, 0}, old.points[1].local_a = {1.7, 0, 0};  // neither is a float
  old.points[0].key = 1, old.points[1].key = 2;
  old.points[0].normal_impulse = 5;
  Contact restored = old;
  for (ContactPoint& p : restored.points) p.local_a.x = static_cast<double>(static_cast<float>(p.local_a.x));
  int matched = 0;
  for (int i = -50; i <= 50; ++i) {  // across the place where a tenth of the extent ends
    Contact now, now_restored;
    const ManifoldPoint found[] = {{.on_a = {0.44 + 2e-9 * i, 0, 0}, .on_b = {}, .key = 3}};
    write_points(&old, found, now), write_points(&restored, found, now_restored);
    EXPECT_EQ(now.points[0].normal_impulse, now_restored.points[0].normal_impulse) << i;
    matched += now.points[0].normal_impulse > 0;
  }
  EXPECT_GT(matched, 0);
  EXPECT_LT(matched, 101);
}

TEST(FindContacts, ImpulsesSurviveByKey) {
  World world;
  const BodyId id = world.add_body(box_at("box", {0, 0.499, 0}));
  const auto broadphase = create<Broadphase>(Kind::broadphase, {"aabb-tree", {}}, "");
  const auto narrowphase = create<Narrowphase>(Kind::narrowphase, {"special-pairs", {}}, "");
  const ThreadPool threads(1);
  ContactFinder finder;
  finder.find(world, *broadphase, *narrowphase, 0.01, threads);
  ASSERT_EQ(finder.contacts().size(), 1u);
  for (std::size_t k = 0; k < 4; ++k) finder.contacts()[0].points[k].normal_impulse = 1.0 + static_cast<double>(k);
  finder.contacts()[0].points[2].tangent_impulse[1] = -7;
  world.set_pose(id, {0.001, 0.4995, 0}, quaternion_from_axis_angle({0, 1, 0}, 0.01));
  finder.find(world, *broadphase, *narrowphase, 0.01, threads);
  ASSERT_EQ(finder.contacts().size(), 1u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(finder.contacts()[0].points[k].normal_impulse, 1.0 + static_cast<double>(k));
    EXPECT_TRUE(finder.contacts()[0].points[k].persisted);
  }
  EXPECT_EQ(finder.contacts()[0].points[2].tangent_impulse[1], -7);

  // Another body at the same index, and another world: nothing of the old is left.
  world.remove_body(id);
  ASSERT_EQ(world.add_body(box_at("other", {0, 0.499, 0})).index, id.index);
  finder.find(world, *broadphase, *narrowphase, 0.01, threads);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_FALSE(finder.contacts()[0].points[k].persisted);
  World second;
  second.add_body(box_at("box", {0, 0.499, 0}));
  finder.find(second, *broadphase, *narrowphase, 0.01, threads);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(finder.contacts()[0].points[k].normal_impulse, 0);
}

TEST(FindContacts, AFilterThatThrowsLeavesNothingBroken) {
  World world;
  world.add_body(box_at("a", {0, 5, 0}));
  world.add_body(box_at("b", {0.5, 5, 0}));
  Simulation sim(world, colliding());
  sim.world().set_collision_filter([](const World&, BodyId, BodyId) -> bool { throw Error("no"); });
  EXPECT_THROW(sim.find_contacts(), Error);
  EXPECT_THROW(sim.find_contacts(), Error);
  sim.world().set_collision_filter(nullptr);
  sim.find_contacts();
  EXPECT_EQ(sim.contacts().size(), 1u);
}

TEST(FindContacts, PartsHaveTheirOwnMaterial) {
  Material rubber, ice;
  rubber.friction = 0.9, rubber.restitution = 0.8;
  ice.friction = 0.01, ice.restitution = 0.3;
  // Three feet: of rubber, of what the body is made of, and of ice inside of a nested composite of rubber.
  const ShapePtr foot = sphere(0.5);
  const ShapePtr inner = composite({{foot, {}, ice}, {foot, {{0, 0, 2}, {}}, {}}});
  BodyDef def;
  def.shape =
      transformed(composite({{foot, {{-2, 0, 0}, {}}, rubber}, {foot, {}, {}}, {inner, {{2, 0, 0}, {}}, rubber}}),
                  {{0, 0, -1}, {}});
  def.material.friction = 0.2, def.material.restitution = 0.4;
  def.position = {0, 0.499, 0};
  World world;
  Material ground;
  ground.friction = 0, ground.restitution = 1;
  world.set_material(world.ground(), ground);
  world.add_body(def);
  Simulation sim(world, colliding());
  sim.find_contacts();
  ASSERT_EQ(sim.contacts().size(), 4u);
  // The order of the parts; the larger friction and the smaller restitution of the two.
  const double friction[] = {0.9, 0.2, 0.01, 0.9}, restitution[] = {0.8, 0.4, 0.3, 0.8};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(sim.contacts()[i].friction, friction[sim.contacts()[i].part_b]) << i;
    EXPECT_EQ(sim.contacts()[i].restitution, restitution[sim.contacts()[i].part_b]) << i;
  }
}

TEST(FindContacts, FiltersDecideWhoMeets) {
  World world;
  const BodyId a = world.add_body(box_at("a", {0, 5, 0})), b = world.add_body(box_at("b", {0.5, 5, 0}));
  Simulation sim(world, colliding());
  const auto count = [&sim] {
    sim.find_contacts();
    return sim.contacts().size();
  };
  EXPECT_EQ(count(), 1u);
  sim.world().set_can_collide(a, false);
  EXPECT_EQ(count(), 0u);
  sim.world().set_can_collide(a, true);
  sim.world().set_groups(a, 2, 2);
  EXPECT_EQ(count(), 0u);
  sim.world().set_groups(b, 2, 2);
  EXPECT_EQ(count(), 1u);
  sim.world().ignore_collisions(b, a);
  EXPECT_EQ(count(), 0u);
  sim.world().ignore_collisions(a, b, false);
  EXPECT_EQ(count(), 1u);
  sim.world().set_collision_filter([](const World&, BodyId, BodyId) { return false; });
  EXPECT_EQ(count(), 0u);
  sim.world().set_collision_filter(nullptr);
  sim.world().set_fixed(a, true);
  sim.world().set_fixed(b, true);
  EXPECT_EQ(count(), 0u);
  sim.world().set_fixed(b, false);
  sim.world().set_active(b, false);
  EXPECT_EQ(count(), 0u);
}

/// A heap of every shape that may move, over hills and beside a wall of triangles.
World heap(int count, unsigned seed) {
  World world;
  std::mt19937_64 random(seed);
  const auto uniform = [&random](double a, double b) {
    return a + (b - a) * static_cast<double>(random() >> 11) * 0x1.0p-53;
  };
  const std::vector<ShapePtr> shapes = {
      sphere(0.5),
      box(1, 0.8, 0.6),
      capsule(0.3, 0.8),
      cylinder(0.4, 1),
      cone(0.5, 1),
      convex_hull({{0.5, 0, 0}, {-0.5, 0, 0}, {0, 0.5, 0}, {0, -0.5, 0}, {0, 0, 0.5}, {0, 0, -0.5}}),
      rectangle(1, 0.8),
      composite({{box(1, 0.2, 1), {{0, 0.4, 0}, {}}, {}}, {box(0.2, 0.8, 0.2), {{0, -0.1, 0}, {}}, {}}})};
  const double side = std::cbrt(static_cast<double>(count)) * 0.8;
  BodyDef hills;
  hills.fixed = true;
  std::vector<double> heights;
  for (int i = 0; i < 400; ++i) heights.push_back(0.3 * std::sin(0.7 * i));
  hills.shape = height_field(20, 20, 0.5, 0.5, heights);
  hills.position = {0.5 * side, 0.2, 0.5 * side};
  world.add_body(hills);
  BodyDef wall;
  wall.fixed = true;
  wall.shape = mesh({{0, 0, 0}, {0, 0, 9}, {0, 9, 0}, {0, 9, 9}}, {{0, 2, 1}, {1, 2, 3}});
  world.add_body(wall);
  for (int i = 0; i < count; ++i) {
    BodyDef def;
    def.shape = shapes[static_cast<std::size_t>(i) % shapes.size()];
    def.position = {uniform(0, side), uniform(0, side), uniform(0, side)};
    def.orientation = normalized(Quat{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)});
    def.velocity = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    def.angular_velocity = {uniform(-3, 3), uniform(-3, 3), uniform(-3, 3)};
    world.add_body(def);
  }
  return world;
}

void expect_equal(const ContactList& a, const ContactList& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].a, b[i].a);
    ASSERT_EQ(a[i].b, b[i].b);
    ASSERT_EQ(a[i].normal, b[i].normal);
    ASSERT_EQ(a[i].tangent, b[i].tangent);
    ASSERT_EQ(a[i].count, b[i].count);
    for (int k = 0; k < a[i].count; ++k) {
      const ContactPoint &p = a[i].points[static_cast<std::size_t>(k)], &q = b[i].points[static_cast<std::size_t>(k)];
      ASSERT_EQ(p.local_a, q.local_a);
      ASSERT_EQ(p.local_b, q.local_b);
      ASSERT_EQ(p.separation, q.separation);
      ASSERT_EQ(p.key, q.key);
      ASSERT_EQ(p.persisted, q.persisted);
    }
  }
}

TEST(FindContacts, TheNumberOfThreadsDoesNotMatter) {
  const World world = heap(300, 1);
  for (const int threads : {2, 8}) {
    Simulation a(world, colliding()), b(world, colliding());
    b.set_threads(threads);
    for (int i = 0; i < 10; ++i) {
      a.step(), b.step();
      expect_equal(a.contacts(), b.contacts());
    }
    EXPECT_GT(a.contacts().size(), 100u);
    EXPECT_EQ(a.hash(), b.hash());
  }
}

TEST(FindContacts, TheBroadPhaseDoesNotMatter) {
  const World world = heap(200, 2);
  Simulation reference(world, colliding("brute-force")), tree(world, colliding("aabb-tree")),
      sweep(world, colliding("sweep-and-prune"));
  for (int i = 0; i < 20; ++i) {
    reference.step(), tree.step(), sweep.step();
    expect_equal(reference.contacts(), tree.contacts());
    expect_equal(reference.contacts(), sweep.contacts());
  }
}

TEST(FindContacts, EveryNarrowPhaseAgreesOnWhoTouchesAndHowDeep) {
  const World world = heap(200, 3);
  std::vector<std::map<std::pair<BodyId, BodyId>, double>> depth;
  for (const std::string& name : names_of(Kind::narrowphase)) {
    Simulation sim(world, colliding("aabb-tree", name));
    sim.find_contacts();
    auto& pairs = depth.emplace_back();
    for (const Contact& c : sim.contacts())
      for (int k = 0; k < c.count; ++k) {
        const auto [it, fresh] = pairs.insert({{c.a, c.b}, 1e9});
        it->second = std::min(it->second, c.points[static_cast<std::size_t>(k)].separation);
      }
  }
  int convex = 0, surface = 0;
  for (std::size_t i = 1; i < depth.size(); ++i)
    for (const auto& [pair, separation] : depth[0]) {
      if (separation > -1e-6) continue;  // within the envelope methods may differ on what is a contact
      ASSERT_TRUE(depth[i].contains(pair));
      const Shape &a = *world.body_def(pair.first).shape, &b = *world.body_def(pair.second).shape;
      const double other = depth[i][pair];
      const std::string names =
          names_of(Kind::narrowphase)[i] + ": " + std::string(a.type()) + " and " + std::string(b.type());
      if (a.depth() > 0 || b.depth() > 0) {
        // Points on seams are left to other parts that are at least half as deep (composite_pair.cpp); which points there are
        // depends on the method.
        EXPECT_LE(other, 0.5 * separation + 1e-6) << names;
        EXPECT_LE(separation, 0.5 * other + 1e-6) << names;
      } else if (is_convex(a) && is_convex(b)) {
        // Curved shapes: EPA ends at a tolerance of 1e-8 of the size.
        EXPECT_NEAR(other, separation, 1e-6) << names;
        ++convex;
      } else if (separation > -0.1) {
        // Deeper than a capsule's radius, its segment crosses triangles, and the shortest way out of a single one is of no use:
        // the two functions for capsule and triangle then propose different ones.
        EXPECT_NEAR(other, separation, 1e-6) << names;
        ++surface;
      }
    }
  EXPECT_GT(convex, 1000);
  EXPECT_GT(surface, 30);
}

TEST(FindContacts, RemovedBodiesLeaveNoContactBehind) {
  World world = heap(100, 4);
  Simulation sim(world, colliding());
  for (int round = 0; round < 30; ++round) {
    const std::vector<BodyId> ids = sim.world().bodies();
    if (ids.size() > 4) sim.world().remove_body(ids[2 + static_cast<std::size_t>(round) % (ids.size() - 2)]);
    if (round % 3 == 0) sim.world().add_body(box_at("", {1, 1, 1}));
    sim.step();
    for (const Contact& c : sim.contacts()) {
      ASSERT_TRUE(sim.world().contains(c.a));
      ASSERT_TRUE(sim.world().contains(c.b));
    }
  }
}

TEST(FindContacts, WithoutABroadPhaseIsAnError) {
  Simulation sim(World{}, preset("free-flight"));
  EXPECT_THROW(sim.find_contacts(), Error);
}

}  // namespace
}  // namespace rigor::test
