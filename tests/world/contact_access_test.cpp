// Contacts of one body, contact modifiers, and queries of a simulation.
#include <gtest/gtest.h>

#include "support.h"

namespace rigor::test {
namespace {

constexpr double kStep = 1.0 / 60;

BodyDef make(const std::string& name, ShapePtr shape, const Vec3& at) {
  BodyDef def;
  def.name = name;
  def.shape = std::move(shape);
  def.position = at;
  return def;
}

void run(Simulation& sim, int steps) {
  for (int i = 0; i < steps; ++i) sim.step(kStep);
}

TEST(ContactsOf, AreThoseOfTheList) {
  World world;
  for (int i = 0; i < 30; ++i)
    world.add_body(make("", box(1, 1, 1), {0.4 * (i % 5), 0.6 + 1.05 * (i / 5), 0.1 * (i % 3)}));
  Simulation sim(world);
  for (int k = 0; k < 5; ++k) {
    run(sim, 20);
    std::size_t sum = 0;
    for (const BodyId id : sim.world().bodies()) {
      std::vector<const Contact*> expected;
      for (const Contact& c : sim.contacts())
        if (c.a == id || c.b == id) expected.push_back(&c);
      const BodyContacts found = sim.contacts_of(id);
      ASSERT_EQ(found.size(), expected.size());
      std::size_t i = 0;
      for (const Contact& c : found) EXPECT_EQ(&c, expected[i++]);
      sum += found.size();
    }
    EXPECT_EQ(sum, 2 * sim.contacts().size());
  }
}

TEST(ContactsOf, ABodyThatTookTheIdOfAnotherAreNone) {
  World world;
  const BodyId old = world.add_body(make("old", box(1, 1, 1), {0, 0.5, 0}));
  Simulation sim(world);
  run(sim, 2);
  ASSERT_EQ(sim.contacts_of(old).size(), 1U);
  sim.world().remove_body(old);
  const BodyId fresh = sim.world().add_body(make("new", box(1, 1, 1), {0, 0.5, 0}));
  ASSERT_EQ(fresh.index, old.index);
  EXPECT_TRUE(sim.contacts_of(fresh).empty());
  EXPECT_NE(error_of([&] { sim.contacts_of(old); }).find("no body"), std::string::npos);
  sim.find_contacts();
  EXPECT_EQ(sim.contacts_of(fresh).size(), 1U);
}

/// Presets whose solvers honour what the test changes.
std::vector<std::string> presets_that_honour(const std::string& feature) {
  std::vector<std::string> names;
  for (const std::string& name : names_of(Kind::preset))
    if (honours(preset(name), feature)) names.push_back(name);
  return names;
}

/// Presets that find contacts at all.
std::vector<std::string> presets_with_contacts() {
  std::vector<std::string> names;
  for (const std::string& name : names_of(Kind::preset))
    if (preset(name).broadphase.name != "none") names.push_back(name);
  return names;
}

TEST(ContactModifier, ThatChangesNothingChangesNoBit) {
  for (const std::string& name : presets_with_contacts()) {
    const auto end = [&](bool modified) {
      World world;
      for (int i = 0; i < 2; ++i) world.add_body(make("", box(1, 1, 1), {0.2 * i, 0.5 + 1.0 * i, 0}));
      Simulation sim(world, preset(name));
      if (modified) sim.set_contact_modifier([](const World&, ContactChange&) {});
      run(sim, 12);
      return sim.hash();
    };
    EXPECT_EQ(end(false), end(true)) << name;
  }
}

TEST(ContactModifier, DisablesContactsUnderEveryPreset) {
  for (const std::string& name : presets_with_contacts()) {
    World world;
    const BodyId falls = world.add_body(make("falls", box(1, 1, 1), {0, 0.6, 0})),
                 stays = world.add_body(make("stays", box(1, 1, 1), {5, 0.6, 0}));
    Simulation sim(world, preset(name));
    sim.set_contact_modifier([=](const World&, ContactChange& c) {
      if (c.a() == falls || c.b() == falls) c.disable();
    });
    int contacts = 0;
    for (int i = 0; i < 15; ++i) {
      sim.step(kStep);
      for (const Event& e : sim.events())
        contacts += e.kind == Event::Kind::contact_begin && (e.a == falls || e.b == falls);
    }
    EXPECT_NEAR(sim.world().velocity(falls).y, -9.81 * 15 * kStep, 0.05) << name;
    EXPECT_GT(sim.world().position(stays).y, 0.35) << name;  // free fall would be at 0.29
    EXPECT_EQ(contacts, 0) << name;
  }
}

TEST(ContactModifier, GivesOtherFriction) {
  for (const std::string& name : presets_with_contacts()) {
    World world;
    BodyDef a = make("ice", box(1, 0.5, 1), {0, 0.25, 0}), b = make("rubber", box(1, 0.5, 1), {0, 0.25, 5});
    a.velocity = b.velocity = {2, 0, 0};
    const BodyId ice = world.add_body(a), rubber = world.add_body(b);
    Simulation sim(world, preset(name));
    int calls = 0;
    sim.set_contact_modifier([&](const World&, ContactChange& c) {
      ++calls;
      // Begins with the materials' friction in every step, also where contacts are kept.
      EXPECT_EQ(c.contact().friction, 0.5);
      c.set_friction(c.a() == ice || c.b() == ice ? 0 : 2 * c.contact().friction);
    });
    run(sim, 60);
    EXPECT_GT(calls, 60) << name;
    EXPECT_GT(sim.world().velocity(ice).x, 1.9) << name;
    EXPECT_LT(std::abs(sim.world().velocity(rubber).x), 0.1) << name;
    EXPECT_LT(sim.world().position(rubber).x, 0.4) << name;
  }
}

TEST(ContactModifier, GivesRestitution) {
  for (const std::string& name : presets_that_honour("restitution")) {
    World world;
    BodyDef def = make("ball", sphere(0.5), {0, 1, 0});
    def.velocity = {0, -4, 0};
    const BodyId id = world.add_body(def);
    Simulation sim(world, preset(name));
    sim.set_contact_modifier([](const World&, ContactChange& c) { c.set_restitution(0.8); });
    double fastest = 0;
    for (int i = 0; i < 30; ++i) {
      sim.step(kStep);
      fastest = std::max(fastest, sim.world().velocity(id).y);
    }
    EXPECT_NEAR(fastest, 0.8 * std::sqrt(16 + 9.81), 0.35) << name;
  }
}

TEST(ContactModifier, DrivesBeltsOfOnesOwn) {
  for (const std::string& name : presets_that_honour("belts")) {
    World world;
    const BodyId id = world.add_body(make("load", box(1, 0.5, 1), {0, 0.25, 0}));
    Simulation sim(world, preset(name));
    sim.set_contact_modifier([&](const World&, ContactChange& c) {
      const bool load_is_b = c.b() == id;
      c.set_surface_velocity(Vec3{load_is_b ? -1.0 : 1.0, 0, 0});
    });
    run(sim, 60);
    EXPECT_NEAR(sim.world().velocity(id).x, 1, 0.1) << name;
    sim.set_contact_modifier(nullptr);
    run(sim, 60);
    EXPECT_NEAR(sim.world().velocity(id).x, 0, 0.05) << name;
  }
}

TEST(ContactModifier, RefusesNonsense) {
  World world;
  world.add_body(make("a", box(1, 1, 1), {0, 0.5, 0}));
  Simulation sim(world);
  const auto with = [&](const std::function<void(ContactChange&)>& change) {
    Simulation copy = sim;
    copy.set_contact_modifier([&](const World&, ContactChange& c) { change(c); });
    return error_of([&] { copy.step(kStep); });
  };
  EXPECT_NE(with([](ContactChange& c) { c.set_friction(-1); }).find("friction"), std::string::npos);
  EXPECT_NE(with([](ContactChange& c) { c.set_restitution(2); }).find("restitution"), std::string::npos);
  EXPECT_NE(with([](ContactChange& c) { c.set_surface_velocity({NAN, 0, 0}); }).find("surface"), std::string::npos);
}

TEST(Queries, OfASimulationFollowIt) {
  World world;
  std::vector<BodyId> ids;
  for (int i = 0; i < 50; ++i) {
    BodyDef def = make("", sphere(0.3), {0.9 * (i % 7), 1 + 0.7 * (i / 7), 0.2 * (i % 3)});
    def.velocity = {0.3 * (i % 5), 2, -0.2 * (i % 4)};
    ids.push_back(world.add_body(def));
  }
  Simulation sim(world);
  const auto compare = [&] {
    const Queries fresh(sim.world());
    const Queries& kept = sim.queries();
    EXPECT_EQ(&kept, &sim.queries());
    for (int k = 0; k < 40; ++k) {
      const Vec3 from{0.17 * k, 9, -3 + 0.15 * k}, way{0.02 * k, -12, 3};
      const auto a = fresh.ray_cast_all(from, way), b = kept.ray_cast_all(from, way);
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].body, b[i].body);
        EXPECT_EQ(a[i].fraction, b[i].fraction);
      }
      EXPECT_EQ(fresh.overlap(*box(1, 1, 1), {{0.15 * k, 1, 0}, {}}),
                kept.overlap(*box(1, 1, 1), {{0.15 * k, 1, 0}, {}}));
    }
  };
  compare();
  for (int k = 0; k < 6; ++k) {
    run(sim, 15);
    compare();
    sim.world().set_pose(ids[static_cast<std::size_t>(k)], {1.0 * k, 8, 0}, {});
    compare();
    sim.world().remove_body(ids[static_cast<std::size_t>(k + 20)]);
    compare();
  }
  const Snapshot saved = sim.save();
  run(sim, 20);
  compare();
  sim.restore(saved);
  compare();
}

}  // namespace
}  // namespace rigor::test
