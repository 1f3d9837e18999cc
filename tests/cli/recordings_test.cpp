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

TEST_F(Cli, TablesAreRecordedAsCsv) {
  const Result r = rigor("run double-pendulum --steps 20 --every 5 --record a.csv --table joints,coordinates,figures");
  ASSERT_EQ(r.code, 0) << r.err;
  for (const char* table : {"joints", "coordinates", "figures"}) {
    const std::string text = read(folder_ / ("a-" + std::string(table) + ".csv"));
    EXPECT_TRUE(text.starts_with("time,")) << table;
    EXPECT_GE(std::count(text.begin(), text.end(), '\n'), 6) << table;  // a header, and a row at five times
    EXPECT_NE(r.out.find("a-" + std::string(table) + ".csv"), std::string::npos) << r.out;
  }
  EXPECT_FALSE(fs::exists(folder_ / "a.csv"));
  // The table of bodies is the plain recording.
  ASSERT_EQ(rigor("run double-pendulum --steps 20 --every 5 --record b.csv --table bodies").code, 0);
  ASSERT_EQ(rigor("run double-pendulum --steps 20 --every 5 --record c.csv").code, 0);
  EXPECT_EQ(read(folder_ / "b.csv"), read(folder_ / "c.csv"));
}

TEST_F(Cli, RecordingsAreReplayedAsTables) {
  ASSERT_EQ(rigor("run stack-sequential --steps 20 --record a.rrec --quiet").code, 0);
  ASSERT_EQ(rigor("replay a.rrec --record b.csv --table contacts").code, 0);
  ASSERT_EQ(rigor("run stack-sequential --steps 20 --record c.csv --table contacts").code, 0);
  EXPECT_EQ(read(folder_ / "b.csv"), read(folder_ / "c.csv"));
  EXPECT_NE(read(folder_ / "b.csv").find("\n", 100), std::string::npos);
}

TEST_F(Cli, TablesAreRecordedAsHdf5) {
  const Result r = rigor("run stack-sequential --steps 30 --record a.h5");
  if (r.code == 2 && r.err.find("without HDF5") != std::string::npos) GTEST_SKIP() << r.err;
  ASSERT_EQ(r.code, 0) << r.err;
  ASSERT_EQ(rigor("run stack-sequential --steps 30 --record b.csv --table bodies,contacts,figures").code, 0);
  for (const std::string table : {"bodies", "contacts", "figures"}) {
    ASSERT_EQ(rigor("convert a.h5 c.csv --table " + table).code, 0) << table;
    EXPECT_EQ(read(folder_ / "c.csv"), read(folder_ / ("b-" + table + ".csv"))) << table;
  }
  expect_mistake("convert a.h5 c.csv --table nothing", "known: bodies");
  expect_mistake("convert a.h5 c.json", ".csv");
  ASSERT_EQ(rigor("run stack-sequential --steps 3 --record d.h5 --table figures").code, 0);
  expect_mistake("convert d.h5 e.csv --table contacts", "does not hold the table");
  fs::resize_file(folder_ / "a.h5", fs::file_size(folder_ / "a.h5") / 2);
  expect_mistake("convert a.h5 c.csv", "no HDF5 file, or it is damaged");
}

// The size of a list is damaged: the rows would take 15 GB, and the file has some kilobytes.
TEST_F(Cli, ADamagedTableHasNoMoreRowsThanItsFileHolds) {
  const Result r = rigor("run stack-sequential --steps 42 --record a.h5 --table figures");
  if (r.code == 2 && r.err.find("without HDF5") != std::string::npos) GTEST_SKIP() << r.err;
  ASSERT_EQ(r.code, 0) << r.err;
  std::string bytes = read(folder_ / "a.h5");
  const auto extent = [](std::uint64_t rows) {  // of a list that may grow: its rows, and no largest number
    std::string text;
    for (int k = 0; k < 8; ++k) text.push_back(static_cast<char>(rows >> (8 * k) & 0xff));
    return text + std::string(8, '\xff');
  };
  int damaged = 0;
  for (std::size_t at = 0; (at = bytes.find(extent(43), at)) != std::string::npos; ++damaged)
    bytes.replace(at, 16, extent(1'900'000'000));
  ASSERT_GT(damaged, 0);
  std::ofstream(folder_ / "b.h5", std::ios::binary) << bytes;
  expect_mistake("convert b.h5 b.csv --table figures", "has more rows than the file holds");
}

TEST_F(Cli, PlotsShowFiguresByName) {
  ASSERT_EQ(rigor("run double-pendulum --steps 50 --plot a.svg --show 'figures/energy,coordinates/*'").code, 0);
  EXPECT_NE(read(folder_ / "a.svg").find("velocity"), std::string::npos);
  expect_mistake("run double-pendulum --steps 5 --plot a.svg --show figures/enrgy", "figures/energy");
  expect_mistake("run double-pendulum --steps 5 --show figures/energy", "--show needs --plot");
  expect_mistake("run double-pendulum --steps 5 --record a.rrec --table joints", ".csv or .h5");
  expect_mistake("run double-pendulum --steps 5 --record a.csv --table joints,joints", "named twice");
}

TEST_F(Cli, MomentsOfARecordingAreChecked) {
  ASSERT_EQ(rigor("run dzhanibekov --steps 20 --dt 1/100 --record a.rrec --quiet").code, 0);
  ASSERT_EQ(rigor("convert a.rrec one.csv --at 0.1").code, 0);
  ASSERT_EQ(rigor("convert a.rrec all.csv").code, 0);
  const std::string one = read(folder_ / "one.csv"), all = read(folder_ / "all.csv");
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(lines(all) - 1, 21 * (lines(one) - 1));
  EXPECT_NE(all.find(one.substr(one.find('\n') + 1)), std::string::npos);
  expect_mistake("convert a.rrec b.csv --at 9", "the recording goes from 0 s to 0.2 s");
  expect_mistake("convert a.rrec b.obj --at 9", "the recording goes from 0 s to 0.2 s");
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
