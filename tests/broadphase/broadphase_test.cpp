// Every broad phase lists the same pairs in the same order as the definition, through all that can happen to proxies.
#include "broadphase/broadphase.h"

#include <gtest/gtest.h>

#include <memory>

#include "broadphase/aabb_tree.h"
#include "broadphase/scenes.h"
#include "registry/entry.h"

namespace rigor {

Entry register_brute_force();
Entry register_sweep_and_prune();
Entry register_aabb_tree();
Entry register_no_broadphase();

namespace {

using namespace broadphase_test;

struct Candidate {
  std::string name;
  Entry (*entry)();
  Settings settings;
};

std::unique_ptr<Broadphase> make(const Candidate& candidate) {
  auto object = candidate.entry().make();
  configure(*object, candidate.settings, candidate.name);
  return std::unique_ptr<Broadphase>(static_cast<Broadphase*>(object.release()));
}

/// All methods, and those with parameters also at the ends of their ranges.
std::vector<Candidate> candidates() {
  return {{"brute force", register_brute_force, {}},
          {"sweep and prune", register_sweep_and_prune, {}},
          {"sweep and prune, always from scratch", register_sweep_and_prune, {{"exchanges", 0.0}}},
          {"sweep and prune, always by insertion", register_sweep_and_prune, {{"exchanges", 1e9}}},
          {"tree", register_aabb_tree, {}},
          {"tree without fat", register_aabb_tree, {{"margin", 0.0}, {"prediction", 0.0}}},
          {"tree with much fat", register_aabb_tree, {{"margin", 1.0}, {"prediction", 100.0}}}};
}

std::vector<Aabb> queries(Random& random) {
  return {random_box(random, 5, 4),
          random_box(random, 5, 0.5),
          cube(random.symmetric_vector(3), 0),
          ground(random.symmetric(5)),
          cube({1e6, -1e6, 1e6}, 2),
          ground(kInf),
          Aabb{},
          {{1, 1, 1}, {0, 2, 2}},
          cube({1e200, 0, 0}, 1)};
}

/// Plays the scene for every candidate at once, so that all see the same boxes.
void play(const Scene& scene, std::uint64_t seed, int steps) {
  SCOPED_TRACE(scene.name);
  Random random(seed);
  Proxies proxies;
  scene.start(proxies, random);
  const std::vector<Candidate> methods = candidates();
  std::vector<std::unique_ptr<Broadphase>> instances;
  for (const Candidate& c : methods) instances.push_back(make(c));
  std::vector<ProxyPair> pairs{{7, 9}};  // what was there is dropped
  std::vector<std::uint32_t> found{3};
  for (int step = 0; step < steps; ++step) {
    const std::vector<ProxyPair> expected = pairs_by_definition(proxies);
    const std::vector<Aabb> boxes = queries(random);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      instances[m]->find_pairs(proxies, pairs);
      ASSERT_EQ(pairs, expected) << methods[m].name << " in step " << step;
      for (const Aabb& box : boxes) {
        instances[m]->query(box, found);
        ASSERT_EQ(found, query_by_definition(proxies, box)) << methods[m].name << " in step " << step;
      }
      if (const auto* tree = dynamic_cast<const AabbTree*>(instances[m].get())) {
        ASSERT_EQ(tree->validate(), "") << methods[m].name << " in step " << step;
      }
    }
    scene.step(proxies, random, step);
  }
}

class BroadphaseScene : public testing::TestWithParam<Scene> {};

TEST_P(BroadphaseScene, AllMethodsAgreeWithTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) play(GetParam(), seed, 45);
}

INSTANTIATE_TEST_SUITE_P(All, BroadphaseScene, testing::ValuesIn(scenes()), [](const auto& tested) {
  std::string name = tested.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST(Broadphase, ThousandsOfBoxesStayInStep) {
  Random random(5);
  Proxies proxies;
  add_boxes(proxies, random, 3000, 12, 2);
  for (std::size_t i = 0; i < proxies.size(); i += 7) proxies[i].moves = false;
  const auto reference = make({"", register_brute_force, {}});
  std::vector<ProxyPair> expected, pairs;
  std::vector<std::unique_ptr<Broadphase>> others;
  others.push_back(make({"", register_sweep_and_prune, {}}));
  others.push_back(make({"", register_aabb_tree, {}}));
  for (int step = 0; step < 25; ++step) {
    reference->find_pairs(proxies, expected);
    EXPECT_GT(expected.size(), 1000u);
    for (const auto& other : others) {
      other->find_pairs(proxies, pairs);
      ASSERT_EQ(pairs, expected) << step;
    }
    jitter(proxies, random, 0.05);
  }
}

TEST(Broadphase, NoneFindsNothing) {
  Random random(1);
  Proxies proxies;
  add_boxes(proxies, random, 10, 0.1, 2);
  const auto none = make({"", register_no_broadphase, {}});
  std::vector<ProxyPair> pairs{{1, 2}};
  std::vector<std::uint32_t> found{1};
  none->find_pairs(proxies, pairs);
  none->query(ground(kInf), found);
  EXPECT_TRUE(pairs.empty());
  EXPECT_TRUE(found.empty());
}

TEST(Broadphase, QueryBeforeTheFirstStepFindsNothing) {
  for (const Candidate& c : candidates()) {
    std::vector<std::uint32_t> found{1};
    make(c)->query(ground(kInf), found);
    EXPECT_TRUE(found.empty()) << c.name;
  }
}

TEST(Broadphase, EveryParameterHasUnitRangeAndDescription) {
  class Check final : public FieldVisitor {
    void number(const std::string& name, double& value, const Field& field) override {
      EXPECT_FALSE(field.unit.empty() || field.description.empty()) << name;
      EXPECT_LE(field.min, value) << name;
      EXPECT_GE(field.max, value) << name;
    }
    void integer(const std::string&, int&, const Field&) override {}
    void flag(const std::string&, bool&, const std::string&) override {}
    void choice(const std::string&, std::string&, const std::vector<std::string>&, const std::string&) override {}
    void vector(const std::string&, Vec3&, const Field&) override {}
  } check;
  for (const auto entry :
       {register_brute_force, register_sweep_and_prune, register_aabb_tree, register_no_broadphase}) {
    EXPECT_EQ(entry().kind, Kind::broadphase);
    entry().make()->fields(check);
  }
}

}  // namespace
}  // namespace rigor
