// `rigor replay` and `rigor convert`.
#include "test_paths.h"

#ifdef RIGOR_PROGRAM

#include "cli/cli.h"
#include "long_tests.h"

namespace rigor {
namespace {

TEST_F(Cli, RecordingReplaysIdentically) {
  ASSERT_EQ(rigor("run dzhanibekov --steps 300 --set integrator=rk4 --dt 1/100 --record a.rrec --every 7 --quiet").code,
            0);
  const Result r = rigor("replay a.rrec --verify");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("identical"), std::string::npos);
  const json j = json::parse(rigor("replay a.rrec --verify --json --csv a.csv").out);
  EXPECT_EQ(j["identical"], true);
  EXPECT_EQ(j["recorded_steps"], 43);
  EXPECT_EQ(j["last_step"], 294);
  EXPECT_EQ(rigor("convert a.rrec b.csv").code, 0);
  EXPECT_EQ(read(folder_ / "a.csv"), read(folder_ / "b.csv"));
}

TEST_F(Cli, EveryBuiltInSceneReplaysIdentically) {
  std::size_t count = 0;
  for (const json& scene : json::parse(rigor("scenes --json").out)) {
    if (count++ % 8 != 0 && test::on_a_sample()) continue;
    const std::string name = scene["name"];
    ASSERT_EQ(rigor("run " + name + " --steps 20 --record a.rrec --quiet").code, 0) << name;
    const Result r = rigor("replay a.rrec --verify");
    EXPECT_EQ(r.code, 0) << name << ": " << r.err;
    const auto hash_of = [this](const std::string& scene_and_options) {
      return json::parse(rigor("run " + scene_and_options + " --steps 20 --json").out)["hash"].get<std::string>();
    };
    ASSERT_EQ(rigor("convert " + name + " b.json").code, 0) << name;
    EXPECT_EQ(hash_of(name), hash_of("./b.json")) << name << ": a saved scene is another one";
  }
}

TEST_F(Cli, DamagedRecordingIsAMistake) {
  ASSERT_EQ(rigor("run dzhanibekov --steps 20 --record a.rrec --quiet").code, 0);
  fs::resize_file(folder_ / "a.rrec", fs::file_size(folder_ / "a.rrec") - 5);
  expect_mistake("replay a.rrec --csv a.csv", "damaged at byte");
  expect_mistake("convert a.rrec a.csv", "damaged at byte");
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace rigor

#endif  // RIGOR_PROGRAM
