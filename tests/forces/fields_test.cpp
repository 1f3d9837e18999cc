// Every effect declares its parameters once: complete, described, and able to make a round trip.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "rigor/error.h"
#include "rigor/forces.h"

namespace rigor {
namespace {

struct Listing final : FieldVisitor {
  std::set<std::string> names;

  void note(const std::string& name, const std::string& description) {
    EXPECT_TRUE(names.insert(name).second) << name << " is declared twice";
    EXPECT_FALSE(description.empty()) << name;
  }
  void number(const std::string& name, double& value, const Field& f) override {
    note(name, f.description);
    EXPECT_FALSE(f.unit.empty()) << name;
    EXPECT_GE(value, f.min) << name;
    EXPECT_LE(value, f.max) << name;
  }
  void integer(const std::string& name, int&, const Field& f) override { note(name, f.description); }
  void flag(const std::string& name, bool&, const std::string& d) override { note(name, d); }
  void choice(const std::string& name, std::string& value, const std::vector<std::string>& choices,
              const std::string& d) override {
    note(name, d);
    EXPECT_NE(std::find(choices.begin(), choices.end(), value), choices.end()) << name;
  }
  void vector(const std::string& name, Vec3&, const Field& f) override {
    note(name, f.description);
    EXPECT_FALSE(f.unit.empty()) << name;
  }
};

std::vector<std::shared_ptr<ForceEffect>> all_effects() {
  return {std::make_shared<Gravity>(),   std::make_shared<Drag>(),      std::make_shared<Spring>(),
          std::make_shared<Explosion>(), std::make_shared<Buoyancy>(),  std::make_shared<Gravitation>(),
          std::make_shared<Magnets>(),   std::make_shared<PointForce>()};
}

TEST(ForceFieldsTest, AreCompleteAndDescribed) {
  const std::map<std::string_view, std::size_t> parameters = {{"gravity", 1},   {"drag", 5},       {"spring", 6},
                                                              {"explosion", 4}, {"buoyancy", 7},   {"gravitation", 2},
                                                              {"magnets", 3},   {"point-force", 4}};
  for (const auto& effect : all_effects()) {
    Listing listing;
    effect->fields(listing);
    EXPECT_EQ(listing.names.size(), parameters.at(effect->type())) << effect->type();
  }
}

TEST(ForceFieldsTest, MakeARoundTrip) {
  for (const auto& effect : all_effects()) {
    const Settings settings = settings_of(*effect);
    EXPECT_NO_THROW(configure(*effect, settings, "force"));
    EXPECT_EQ(settings_of(*effect), settings);
  }
  Explosion explosion;
  configure(explosion, {{"strength", 5.0}, {"falloff", std::string("quadratic")}}, "force");
  EXPECT_EQ(explosion.strength, 5);
  EXPECT_EQ(explosion.falloff, "quadratic");
}

TEST(ForceFieldsTest, RefuseWhatCannotBe) {
  Spring spring;
  EXPECT_THROW(configure(spring, {{"stiffness", -1.0}}, "force"), Error);
  Explosion explosion;
  EXPECT_THROW(configure(explosion, {{"radius", 0.0}}, "force"), Error);
  EXPECT_THROW(configure(explosion, {{"falloff", std::string("cubic")}}, "force"), Error);
}

}  // namespace
}  // namespace rigor
