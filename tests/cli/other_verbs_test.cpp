// `rigor check`, `methods`, `schema`, `demo`, and help.
#include "test_paths.h"

#ifdef RIGOR_PROGRAM

#include "cli/cli.h"

namespace rigor {
namespace {

TEST_F(Cli, CheckTellsWhatIsWrong) {
  ASSERT_EQ(rigor("convert dzhanibekov good.json").code, 0);
  const Result good = rigor("check good.json");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_TRUE(good.out.starts_with("good.json: ok (")) << good.out;
  std::ofstream(folder_ / "bad.json") << R"({"rigor": 1, "name": "x", "world": {"bodees": []}})";
  expect_mistake("check bad.json", "bodees");
  std::ofstream(folder_ / "worse.json") << "{";
  expect_mistake("check worse.json", "line 1");
}

/// Two meshes meet as convex parts, which is not quite their surface: `check` mentions it.
TEST_F(Cli, CheckNotesThatMeshesMeetAsConvexParts) {
  const std::string mesh =
      R"({"mesh": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "triangles": [[0,2,1],[0,1,3],[0,3,2],[1,2,3]]}})";
  const std::string one = R"({"name": "one", "shape": )" + mesh + "}";
  const std::string two = R"({"name": "two", "shape": )" + mesh + R"(, "mask": [)";
  const auto scene = [&](const std::string& mask) {
    std::ofstream(folder_ / "meshes.json")
        << R"({"rigor": 1, "world": {"bodies": [)" + one + ", " + two + mask + "]}]}}";
    return rigor("check meshes.json");
  };
  const Result meet = scene("0"), ignore = scene("3");
  EXPECT_EQ(meet.code, 0) << meet.err;
  EXPECT_NE(meet.out.find("note: 'one' may meet the triangles of 'two'; it collides as its convex hull\n"),
            std::string::npos)
      << meet.out;
  EXPECT_EQ(meet.out.find("warning"), std::string::npos) << meet.out;
  EXPECT_EQ(ignore.out.find("note"), std::string::npos) << ignore.out;
}

TEST_F(Cli, CheckWarnsOfJointsThatContradictEachOther) {
  std::ofstream(folder_ / "glue.json")
      << R"({"rigor":1,"world":{"bodies":[{"name":"a","shape":{"sphere":1}},{"name":"b","shape":{"sphere":1}}],
    "joints":[{"type":"fixed","name":"one","a":"a","b":"b"},
              {"type":"fixed","name":"two","a":"a","b":"b","anchor_a":[0,0,0],"anchor_b":[3,0,0]}]}})";
  const Result r = rigor("check glue.json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("warning: joint 'two' cannot be closed"), std::string::npos) << r.out;
}

TEST_F(Cli, CheckSaysWhatASavedRunIs) {
  ASSERT_EQ(rigor("run dzhanibekov --steps 1 --save a.rsnap").code, 0);
  expect_mistake("check a.rsnap", "this is a saved run, not a scene");
}

TEST_F(Cli, VerbsStandApartFromWhatTheyDo) {
  EXPECT_NE(rigor("--help").out.find("\n  robustness  run scenes"), std::string::npos);
}

TEST_F(Cli, MethodsListsTheSolversOfAPlace) {
  const Result r = rigor("methods correction");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("baumgarte"), std::string::npos);
  EXPECT_EQ(r.out.find("penalty"), std::string::npos);
  expect_mistake("methods solvr", "solver");
}

/// What a preset consists of, which features of a world it honours, and why not the others.
TEST_F(Cli, MethodsPrintsPartsAndFeaturesOfEveryPreset) {
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::preset) continue;
    const Result r = rigor("methods " + info.name);
    ASSERT_EQ(r.code, 0) << r.err;
    const Method method = preset(info.name);
    for (const MethodSlot& slot : method_slots())
      EXPECT_NE(r.out.find((method.*slot.member).name), std::string::npos) << info.name << ": " << slot.key;
    for (const Feature& feature : features()) {
      EXPECT_NE(r.out.find(feature.name), std::string::npos) << info.name;
      const std::string why = why_not_honoured(method, feature.name);
      EXPECT_NE(r.out.find(why), std::string::npos) << info.name << ": " << feature.name;
    }
  }
}

TEST_F(Cli, MethodsJsonListsEveryRegisteredMethod) {
  const Result r = rigor("methods --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json list = json::parse(r.out);
  EXPECT_EQ(list.size(), methods().size());
  for (const json& m : list) {
    for (const char* key : {"kind", "name", "description", "reference", "parameters", "capabilities"})
      EXPECT_TRUE(m.contains(key)) << m;
    for (const json& p : m["parameters"])
      for (const char* key : {"name", "type", "unit", "default", "description"}) EXPECT_TRUE(p.contains(key)) << p;
  }
  EXPECT_FALSE(has_null(list));
  EXPECT_NE(rigor("methods").out.find("rk4"), std::string::npos);
  EXPECT_NE(rigor("methods dormand-prince").out.find("tolerance"), std::string::npos);
}

TEST_F(Cli, EveryVerbHasHelpWithAnExample) {
  for (const char* verb : {"run", "methods", "scenes", "check", "replay", "convert", "schema", "demo"}) {
    const Result r = rigor(std::string(verb) + " --help");
    EXPECT_EQ(r.code, 0) << verb;
    EXPECT_NE(r.out.find("Examples:"), std::string::npos) << verb;
    EXPECT_EQ(r.err, "") << verb;
    EXPECT_EQ(rigor(std::string("help ") + verb).out, r.out);
  }
  const Result all = rigor("--help");
  EXPECT_EQ(all.code, 0);
  EXPECT_NE(all.out.find("replay"), std::string::npos);
  EXPECT_EQ(rigor("--version").out, "rigor " RIGOR_VERSION "\n");
}

TEST_F(Cli, SchemaIsJson) { EXPECT_TRUE(json::parse(rigor("schema").out).is_object()); }

TEST_F(Cli, DemoListsEveryIntegrator) {
  const Result r = rigor("");
  ASSERT_EQ(r.code, 0) << r.err;
  for (const std::string& name : test::names_of(Kind::integrator))
    EXPECT_NE(r.out.find(name), std::string::npos) << name;
  EXPECT_EQ(r.out.find("nan"), std::string::npos);
  EXPECT_EQ(r.out.find("inf"), std::string::npos);
}

TEST_F(Cli, FullStandardOutputIsAFailure) {
  const Result r = rigor("methods > /dev/full");
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(r.err.find("standard output"), std::string::npos);
}

TEST_F(Cli, DemoNamesTheCommandThatStartedIt) {
  EXPECT_NE(rigor("demo").out.find("  rigor run dzhanibekov"), std::string::npos);
  ASSERT_EQ(setenv("RIGOR_STARTED_AS", "./run", 1), 0);  // as the script `run` does
  const std::string out = rigor("demo").out;
  unsetenv("RIGOR_STARTED_AS");
  EXPECT_NE(out.find("  ./run run dzhanibekov"), std::string::npos) << out;
  EXPECT_EQ(out.find("  rigor "), std::string::npos) << out;
}

}  // namespace
}  // namespace rigor

#endif  // RIGOR_PROGRAM
