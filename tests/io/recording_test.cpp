#include "rigor/recording.h"

#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "io/recording_format.h"
#include "io/recording_frame.h"
#include "io/recording_output.h"
#include "support.h"

namespace rigor {
namespace {

namespace fs = std::filesystem;
using test::error_of;

/// A directory of its own for each test, removed at the end.
class RecordingTest : public ::testing::Test {
 protected:
  RecordingTest() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / ("rigor_recording_" + std::string(info->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~RecordingTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }

  fs::path folder_;
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

Simulation three_bodies() {
  World world;
  for (const char* name : {"first", "second", "with, \"comma\""}) {
    BodyDef def = test::body_with_inertia(name, 2, {1, 2, 3});
    def.position = {1.0 / 3, -0.0, std::numeric_limits<double>::denorm_min()};
    def.velocity = {-0.0, 1e-310, 1e90};
    def.angular_velocity = {1, 0.001, -2};
    world.add_body(def);
  }
  return Simulation(std::move(world));
}

/// Compares bits, so that -0.0 and 0.0 differ.
bool same_bits(const Vec3& a, const Vec3& b) {
  for (int i = 0; i < 3; ++i)
    if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
  return true;
}
bool same_bits(const RecordedStep& a, const RecordedStep& b) {
  if (a != b) return false;
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const RecordedBody &p = a.bodies[i], &q = b.bodies[i];
    if (!same_bits(p.position, q.position) || !same_bits(p.orientation.vector(), q.orientation.vector()) ||
        !same_bits(p.velocity, q.velocity) || !same_bits(p.angular_velocity, q.angular_velocity))
      return false;
  }
  return true;
}

/// Bodies come and go while it is recorded. Returns what was there.
Recording record_changing_world(const std::string& path, const std::string& scene_text) {
  Recording expected{scene_text, {}, {}};
  NameTable names;
  Simulation simulation = three_bodies();
  const auto recorder = open_recorder(path, scene_text);
  for (int i = 0; i < 12; ++i) {
    World& world = simulation.world();
    if (i == 3) world.remove_body(world.find_body("second"));
    if (i == 5) world.add_body(test::body_with_inertia("late", 1, {1, 1, 1}));
    if (i == 7)
      for (const BodyId id : recorded_bodies(world)) world.remove_body(id);
    if (i == 9) world.add_body(test::body_with_inertia("first", 1, {1, 1, 1}));
    recorder->record(simulation);
    capture(simulation, names, expected.steps.emplace_back());
    simulation.step();
  }
  recorder->finish();
  expected.names = names.names();
  return expected;
}

TEST_F(RecordingTest, BinaryKeepsEveryBitWhileBodiesComeAndGo) {
  const Recording expected = record_changing_world(path("a.rrec"), "{\"scene\": 1}");
  const Recording got = read_recording(path("a.rrec"));
  EXPECT_EQ(got.scene_text, expected.scene_text);
  EXPECT_EQ(got.names, expected.names);
  ASSERT_EQ(got.steps.size(), expected.steps.size());
  for (std::size_t i = 0; i < got.steps.size(); ++i) EXPECT_TRUE(same_bits(got.steps[i], expected.steps[i])) << i;
  EXPECT_EQ(got.steps[0].bodies.size(), 3u);
  EXPECT_EQ(got.steps[3].bodies.size(), 2u);
  EXPECT_EQ(got.steps[8].bodies.size(), 0u);
}

TEST_F(RecordingTest, InMemoryItIsTheSameBytes) {
  Simulation simulation = three_bodies();
  std::string bytes;
  const auto file = open_recorder(path("a.rrec"), "scene"), memory = record_into(bytes, "scene");
  for (int i = 0; i < 4; ++i, simulation.step())
    for (Recorder* recorder : {file.get(), memory.get()}) recorder->record(simulation);
  file->finish();
  memory->finish();
  EXPECT_EQ(bytes, read(path("a.rrec")));
}

TEST_F(RecordingTest, BinaryKeepsNegativeZeroAndDenormals) {
  const Simulation simulation = three_bodies();
  const auto recorder = open_recorder(path("a.rrec"), "");
  recorder->record(simulation);
  recorder->finish();
  const RecordedBody body = read_recording(path("a.rrec")).steps.at(0).bodies.at(0);
  EXPECT_TRUE(std::signbit(body.velocity.x));
  EXPECT_EQ(body.velocity.y, 1e-310);
}

TEST_F(RecordingTest, CsvIsTheSameDirectlyAndFromABinaryRecording) {
  record_changing_world(path("a.rrec"), "");
  record_changing_world(path("a.csv"), "");
  std::ostringstream converted;
  write_csv(read_recording(path("a.rrec")), converted);
  EXPECT_EQ(converted.str(), read(path("a.csv")));
}

TEST_F(RecordingTest, CsvHasTheAnnouncedColumnsAndDigits) {
  const auto recorder = open_recorder(path("a.csv"), "");
  recorder->record(three_bodies());
  recorder->finish();
  std::istringstream lines(read(path("a.csv")));
  std::string header, first, second, third;
  std::getline(lines, header), std::getline(lines, first), std::getline(lines, second), std::getline(lines, third);
  EXPECT_EQ(header, "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  EXPECT_TRUE(first.starts_with("0,first,0.33333333333333331,")) << first;
  EXPECT_TRUE(third.starts_with("0,\"with, \"\"comma\"\"\",")) << third;
}

TEST_F(RecordingTest, EmptyRecordingIsReadable) {
  open_recorder(path("a.rrec"), "scene")->finish();
  const Recording got = read_recording(path("a.rrec"));
  EXPECT_EQ(got.scene_text, "scene");
  EXPECT_TRUE(got.steps.empty());
}

TEST_F(RecordingTest, TruncationAnywhereIsAnError) {
  record_changing_world(path("a.rrec"), "some scene");
  for (std::size_t size = fs::file_size(path("a.rrec")); size-- > 0;) {
    fs::resize_file(path("a.rrec"), size);
    EXPECT_THROW(read_recording(path("a.rrec")), Error) << size;
  }
}

TEST_F(RecordingTest, AnyChangedByteIsAnError) {
  record_changing_world(path("a.rrec"), "some scene");
  std::string bytes = read(path("a.rrec"));
  std::fstream file(path("a.rrec"), std::ios::in | std::ios::out | std::ios::binary);
  const auto put = [&](std::size_t i, int byte) {
    file.seekp(static_cast<std::streamoff>(i)).put(static_cast<char>(byte)).flush();
  };
  constexpr int kChanges[] = {0x01, 0x80, 0xff};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    put(i, bytes[i] ^ kChanges[i % 3]);
    EXPECT_THROW(read_recording(path("a.rrec")), Error) << i;
    put(i, bytes[i]);
  }
  EXPECT_NO_THROW(read_recording(path("a.rrec")));
}

/// Wrong content under right checksums, as in a forged file.
TEST_F(RecordingTest, ForgedContentIsAnError) {
  const auto forged = [&](const std::vector<std::pair<std::uint32_t, std::string>>& chunks) {
    std::string bytes(rrec::kMagic);
    rrec::append(bytes, rrec::kVersion);
    std::uint64_t sum = rrec::checksum(rrec::kChecksumStart, bytes);
    for (const auto& [kind, payload] : chunks) {
      std::string chunk;
      rrec::append(chunk, kind);
      rrec::append(chunk, static_cast<std::uint32_t>(payload.size()));
      chunk += payload;
      sum = rrec::checksum(sum, chunk);
      rrec::append(chunk, sum);
      bytes += chunk;
    }
    write(path("forged.rrec"), bytes);
    return error_of([&] { read_recording(path("forged.rrec")); });
  };
  std::string head(24, '\0');  // step, time, hash
  std::string many = head + '\1';
  rrec::append(many, 0xffffffffu);
  std::string nameless = head + '\1';
  rrec::append(nameless, 1u);
  rrec::append(nameless, 7u);
  std::string empty = head + '\1';
  rrec::append(empty, 0u);
  std::string long_name;
  rrec::append(long_name, 0xfffffff0u);

  const std::pair<std::uint32_t, std::string> scene{rrec::kScene, "{}"};
  EXPECT_NE(forged({}).find("ends too early"), std::string::npos);
  EXPECT_NE(forged({{rrec::kEnd, std::string(8, '\0')}}).find("begin with a scene"), std::string::npos);
  EXPECT_NE(forged({scene, {99, ""}}).find("unknown kind"), std::string::npos);
  EXPECT_NE(forged({scene, {rrec::kStep, "short"}}).find("ends too early"), std::string::npos);
  EXPECT_NE(forged({scene, {rrec::kStep, head + '\0'}}).find("lists no bodies"), std::string::npos);
  EXPECT_NE(forged({scene, {rrec::kStep, head + '\2'}}).find("unknown flag"), std::string::npos);
  EXPECT_NE(forged({scene, {rrec::kStep, many}}).find("ends too early"), std::string::npos);
  EXPECT_NE(forged({scene, {rrec::kStep, nameless}}).find("without a name"), std::string::npos);
  EXPECT_NE(forged({scene, {rrec::kStep, empty + "no frame"}}).find("wrong size"), std::string::npos);
  EXPECT_NE(forged({scene, {rrec::kNames, long_name}}).find("ends too early"), std::string::npos);
  EXPECT_NE(forged({scene, {rrec::kEnd, std::string(8, '\7')}}).find("steps are missing"), std::string::npos);
}

TEST_F(RecordingTest, DamageIsReportedWithItsPlace) {
  record_changing_world(path("a.rrec"), "");
  std::string bytes = read(path("a.rrec"));
  write(path("long.rrec"), bytes + "x");
  EXPECT_NE(error_of([&] { read_recording(path("long.rrec")); }).find("after its end"), std::string::npos);
  bytes.resize(bytes.size() - 30);
  write(path("short.rrec"), bytes);
  const std::string message = error_of([&] { read_recording(path("short.rrec")); });
  EXPECT_NE(message.find("short.rrec: the recording is damaged at byte "), std::string::npos) << message;
  EXPECT_NE(message.find("complete steps"), std::string::npos) << message;
}

TEST_F(RecordingTest, OtherFilesAreNotRecordings) {
  write(path("a.rrec"), "time,body\n");
  EXPECT_NE(error_of([&] { read_recording(path("a.rrec")); }).find("not a recording"), std::string::npos);
  EXPECT_THROW(read_recording(path("missing.rrec")), Error);
  EXPECT_THROW(read_recording(folder_.string()), Error);
}

TEST_F(RecordingTest, NothingIsLeftWithoutFinish) {
  for (const char* name : {"a.rrec", "a.csv"}) {
    const auto recorder = open_recorder(path(name), "");
    recorder->record(three_bodies());
    EXPECT_FALSE(fs::exists(path(name)));
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(RecordingTest, AnOlderFileSurvivesAnUnfinishedRecording) {
  write(path("a.rrec"), "older");
  open_recorder(path("a.rrec"), "");
  EXPECT_EQ(read(path("a.rrec")), "older");
  EXPECT_EQ(files(), 1u);
}

TEST_F(RecordingTest, UnwritablePathsAreErrorsAtOnce) {
  EXPECT_THROW(open_recorder(path("no/such/folder.csv"), ""), Error);
  EXPECT_THROW(open_recorder(folder_.string(), ""), Error);
  EXPECT_THROW(open_recorder("", ""), Error);
}

TEST_F(RecordingTest, OutputThroughALinkReplacesWhatItPointsTo) {
  write(path("target"), "older");
  fs::create_symlink(path("target"), path("link"));
  OutputFile file(path("link"));
  file.write("newer");
  file.finish();
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read(path("target")), "newer");
}

TEST_F(RecordingTest, SlowMotionTakesFewBytes) {
  Simulation simulation = three_bodies();
  const auto recorder = open_recorder(path("a.rrec"), "");
  for (int i = 0; i < 200; ++i) recorder->record(simulation);
  recorder->finish();
  // 3 bodies of 104 bytes each would take 62 kB; a step in which nothing moves needs only its head and checksum.
  EXPECT_LT(fs::file_size(path("a.rrec")), 200u * 80u);
}

}  // namespace
}  // namespace rigor
