// More pairs than are worked out at once, some of which come and go: every contact is found, with what was known of it.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "narrowphase/find_contacts.h"
#include "registry/entry.h"
#include "support.h"

namespace rigor::test {
namespace {

struct Search {
  explicit Search(int count = 1) : threads(count) {}
  std::unique_ptr<Broadphase> broadphase = create<Broadphase>(Kind::broadphase, {"aabb-tree", {}}, "");
  std::unique_ptr<Narrowphase> narrowphase = create<Narrowphase>(Kind::narrowphase, {"special-pairs", {}}, "");
  ThreadPool threads;
  ContactFinder finder;

  ContactList& find(const World& world, double keep) {
    finder.find(world, *broadphase, *narrowphase, 0.02, threads, keep);
    return finder.contacts();
  }
};

/// Boxes and balls in a grid, each touching six others or nearly so; boxes meet balls only, so that no two features meet flush.
World grid(int side) {
  World world;
  for (int i = 0; i < side * side * side; ++i) {
    BodyDef def;
    def.shape = i % 2 == 0 ? box(0.9, 0.9, 0.9) : sphere(0.55);
    def.position = {1.0 * (i % side), 5 + 1.0 * (i / side % side), 1.0 * (i / side / side)};
    world.add_body(def);
  }
  return world;
}

class Jitter {
 public:
  /// Moves one body of `every`, as a step would: the definitions stay the same.
  void move(World& world, unsigned every) {
    BodyState& s = world.state();
    for (std::uint32_t i = 0; i < s.awake(); ++i) {
      if (random_() % every != 0) continue;
      for (int k = 0; k < 3; ++k) s.position[i][k] += 0.06 * (static_cast<double>(random_() % 1001) / 1000 - 0.5);
    }
  }

 private:
  std::mt19937 random_{7};
};

using Key = std::tuple<BodyId, BodyId, std::uint32_t>;  // of a point
using Impulses = std::map<Key, double>;

/// Gives every point an impulse of its own.
Impulses mark(ContactList& contacts, double first) {
  Impulses impulses;
  for (Contact& c : contacts)
    for (int i = 0; i < c.count; ++i) {
      ContactPoint& p = c.points[static_cast<std::size_t>(i)];
      impulses[{c.a, c.b, p.key}] = p.normal_impulse = first++;
    }
  return impulses;
}

void expect_carried(const ContactList& contacts, const Impulses& before) {
  for (const Contact& c : contacts)
    for (int i = 0; i < c.count; ++i) {
      const ContactPoint& p = c.points[static_cast<std::size_t>(i)];
      const auto old = before.find({c.a, c.b, p.key});
      ASSERT_EQ(p.persisted, old != before.end());
      if (p.persisted) {
        ASSERT_EQ(p.normal_impulse, old->second);
      }
    }
}

void expect_same(const ContactList& found, const ContactList& fresh) {
  ASSERT_EQ(found.size(), fresh.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Contact &c = found[k], &d = fresh[k];
    ASSERT_EQ(c.a, d.a);
    ASSERT_EQ(c.b, d.b);
    ASSERT_EQ(c.normal, d.normal);
    ASSERT_EQ(c.count, d.count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(c.count); ++i) {
      ASSERT_EQ(c.points[i].key, d.points[i].key);
      ASSERT_EQ(c.points[i].local_a, d.points[i].local_a);
      ASSERT_EQ(c.points[i].separation, d.points[i].separation);
    }
  }
}

TEST(ManyContacts, PairsComeAndGo) {
  for (const int threads : {1, 3}) {
    World world = grid(11);
    Search search(threads);
    Jitter jitter;
    Impulses before;
    // Many move, few, none (all contacts stay in place), and a single one late in the order of pairs.
    for (const unsigned every : {1u, 1u, 20u, 1000000u, 1000000u, 300u, 2u, 1000000u, 3u}) {
      jitter.move(world, every);
      ContactList& contacts = search.find(world, 0);
      ASSERT_GT(contacts.size(), 2048u);  // kPairsPerZone
      expect_carried(contacts, before);
      Search fresh;
      expect_same(contacts, fresh.find(world, 0));
      before = mark(contacts, 1);
    }
  }
}

TEST(ManyContacts, OneThatGoesLateMovesThoseAfterIt) {
  World world = grid(11);
  Search search;
  Impulses before = mark(search.find(world, 0), 1);
  expect_carried(search.find(world, 0), before);
  BodyState& s = world.state();
  const std::size_t count = search.finder.contacts().size();
  s.position[s.awake() - 60].y += 100;
  ContactList& contacts = search.find(world, 0);
  EXPECT_LT(contacts.size(), count);
  expect_carried(contacts, before);
  Search fresh;
  expect_same(contacts, fresh.find(world, 0));
}

TEST(ManyContacts, KeptOnesAreTheSameOnThreeThreads) {
  World world = grid(11), copy = world;
  Search one, three(3);
  Jitter jitter, same;
  for (const unsigned every : {1u, 30u, 30u, 1000000u, 5u}) {
    jitter.move(world, every), same.move(copy, every);
    ContactList &x = one.find(world, 0.001), &y = three.find(copy, 0.001);
    ASSERT_EQ(one.finder.kept_count(), three.finder.kept_count());
    expect_same(x, y);
    for (std::size_t k = 0; k < x.size(); ++k) ASSERT_EQ(x[k].tangent, y[k].tangent);
    mark(x, 1), mark(y, 1);
  }
  EXPECT_GT(one.finder.kept_count(), 0u);
}

}  // namespace
}  // namespace rigor::test
