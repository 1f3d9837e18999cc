#include "rigor/registry.h"

#include <gtest/gtest.h>

#include <set>

#include "registry/entry.h"
#include "support.h"

namespace rigor::test {
namespace {

TEST(Registry, EveryEntrySaysWhoItIs) {
  std::set<std::pair<Kind, std::string>> seen;
  for (const MethodInfo& info : methods()) {
    EXPECT_TRUE(seen.insert({info.kind, info.name}).second) << info.name << " is registered twice";
    EXPECT_FALSE(info.description.empty()) << info.name;
    EXPECT_FALSE(info.reference.empty()) << info.name;
    EXPECT_EQ(info.description.find('\n'), std::string::npos) << info.name;
    for (const Parameter& p : info.parameters) {
      EXPECT_FALSE(p.description.empty()) << info.name << "." << p.name;
      EXPECT_LE(p.min, p.max) << info.name << "." << p.name;
    }
  }
}

TEST(Registry, DefaultsLieWithinTheirRange) {
  for (const Entry& e : entries()) {
    if (!e.make) continue;
    // Configuring with its own defaults is what a saved scene does.
    const Settings defaults = settings_of(*e.make());
    EXPECT_NO_THROW(configure(*e.make(), defaults, e.name)) << e.name;
  }
}

TEST(Registry, EveryNumberOutOfRangeIsRefused) {
  for (const MethodInfo& info : methods())
    for (const Parameter& p : info.parameters) {
      const Entry& e = entry(info.kind, info.name, "");
      if (!e.make || (p.type != "number" && p.type != "integer")) continue;
      EXPECT_THROW(configure(*e.make(), {{p.name, std::nan("")}}, "x"), Error) << info.name << "." << p.name;
      EXPECT_THROW(configure(*e.make(), {{p.name, std::string("text")}}, "x"), Error) << info.name << "." << p.name;
      if (std::isfinite(p.max)) {
        EXPECT_THROW(configure(*e.make(), {{p.name, p.max * 2 + 1}}, "x"), Error) << info.name << "." << p.name;
      }
      if (std::isfinite(p.min)) {
        EXPECT_THROW(configure(*e.make(), {{p.name, p.min - 1}}, "x"), Error) << info.name << "." << p.name;
      }
    }
}

TEST(Registry, UnknownNamesSuggestTheNearest) {
  EXPECT_NE(error_of([] { entry(Kind::integrator, "rk5", "integrator"); }).find("did you mean rk4"), std::string::npos);
  EXPECT_NE(error_of([] { preset("fre-flight"); }).find("free-flight"), std::string::npos);
  Method m;
  EXPECT_NE(error_of([&] { set(m, "integrater", std::string("rk4")); }).find("integrator"), std::string::npos);
  set(m, "integrator", std::string("dormand-prince"));
  EXPECT_NE(error_of([&] { set(m, "integrator.relative_tolerence", 1e-3); }).find("relative_tolerance"),
            std::string::npos);
  EXPECT_NE(error_of([&] { set(m, "integrator.relative_tolerance", 0.0); }).find("integrator.relative_tolerance"),
            std::string::npos);
  EXPECT_LT(error_of([&] { set(m, std::string(1 << 20, 'x'), 1.0); }).size(), 400u);
}

/// "solver.*" keeps equal choices equal, so that they stay one solver; a mistake changes none of them.
TEST(Registry, ThreeSolversAtOnce) {
  Method m = preset("garstenauer");
  set(m, "solver.*.lcp.iterations", std::int64_t{20});
  EXPECT_EQ(m.contact_solver.settings.at("lcp.iterations"), Value(std::int64_t{20}));
  EXPECT_EQ(m.collision_solver, m.contact_solver);
  EXPECT_EQ(m.joint_solver, m.contact_solver);
  const Method before = m;
  EXPECT_NE(error_of([&] { set(m, "solver.*.lcp.iterations", std::int64_t{0}); }), "");
  EXPECT_NE(error_of([&] { set(m, "solver.*", std::string("nothing")); }), "");
  EXPECT_EQ(m, before);
}

/// The preset's `lcp.iterations` is no parameter of Dantzig's algorithm, and goes with the solver that had it.
TEST(Registry, AnotherLcpSolverDropsTheParametersOfTheFormerOne) {
  Method m = preset("garstenauer");
  set(m, "solver.*.lcp", std::string("dantzig"));
  EXPECT_EQ(m.contact_solver.settings, (Settings{{"lcp", "dantzig"}}));
  EXPECT_EQ(m.joint_solver, m.contact_solver);
  EXPECT_NO_THROW(check(m));
  EXPECT_NE(error_of([&] { set(m, "solver.contact.lcp.iterations", std::int64_t{5}); }), "");

  m = preset("garstenauer");
  set(m, "solver.contact.lcp", std::string("sor"));  // has iterations, too
  EXPECT_EQ(m.contact_solver.settings.at("lcp.iterations"),
            preset("garstenauer").contact_solver.settings.at("lcp.iterations"));
  const Method before = m;
  EXPECT_NE(error_of([&] { set(m, "solver.contact.lcp", std::string("dantzing")); }).find("unknown choice"),
            std::string::npos);
  EXPECT_EQ(m, before);
}

TEST(Registry, RefusalsSayWhatIsWrongAndWhatToSet) {
  Method m = preset("garstenauer");
  set(m, "solver.collision", std::string("penalty"));
  EXPECT_TRUE(
      error_of([&] { check(m); }).starts_with("solver.collision: 'penalty' cannot solve collisions; choose one of"));
  m = preset("garstenauer");
  set(m, "stepping", std::string("soft-step"));
  EXPECT_EQ(
      error_of([&] { check(m); }),
      "stepping: the step 'soft-step' solves constraints itself, and solver.collision is 'simultaneous-impulse'; set "
      "solver.* and solver.correction to 'none', or choose another step");
  set(m, "solver.*", std::string("none"));
  set(m, "solver.correction", std::string("none"));
  EXPECT_NO_THROW(check(m));
}

TEST(Registry, SolversOfEquationsAreNoneForContacts) {
  Method m = preset("garstenauer");
  for (const char* name : {"cg", "cholesky", "ldlt", "sparse-ldlt"})
    EXPECT_TRUE(error_of([&] { set(m, "solver.contact.lcp", std::string(name)); })
                    .starts_with("solver.contact.lcp: '" + std::string(name) +
                                 "' solves equations only, and contacts and limits have bounds; choose one of pgs"))
        << name;
}

TEST(Registry, AFrictionPolygonHasAnEvenNumberOfSides) {
  Method m = preset("stewart-trinkle");
  set(m, "solver.*.sides", std::int64_t{6});
  EXPECT_EQ(error_of([&] { set(m, "solver.contact.sides", std::int64_t{7}); }),
            "solver.contact.sides: expected an even number, got 7");
}

TEST(Registry, PresetsAreLegalMethods) {
  for (const std::string& name : names_of(Kind::preset)) {
    const Method m = preset(name);
    EXPECT_EQ(m.preset, name);
    EXPECT_NO_THROW(check(m)) << name;
  }
}

}  // namespace
}  // namespace rigor::test
