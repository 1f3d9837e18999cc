#include "viewer/run_recording.h"

#include <filesystem>
#include <fstream>

#include "io/base64.h"
#include "rigor/error.h"
#include "support.h"
#include "viewer/session.h"
#include "viewer/test_scenes.h"

namespace rigor::viewer {
namespace {

Recording read(const std::string& bytes) {
  const std::string path = ::testing::TempDir() + "rigor_viewer_recording.rrec";
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const Recording recording = read_recording(path);
  std::filesystem::remove(path);
  return recording;
}

/// What `rigor replay --verify` does.
void expect_replays(const Recording& recording) {
  const Scene scene = parse_scene(recording.scene_text);
  Simulation again(scene.world, scene.method, scene.time);
  for (const RecordedStep& step : recording.steps) {
    while (again.steps() < step.step) again.step();
    ASSERT_EQ(again.hash(), step.hash) << "step " << step.step;
  }
}

TEST(ViewerRecording, ReplaysBitForBitFromTheMiddleOfARun) {
  Session session(small_scene());
  session.edit([](World& world) { world.set_velocity(world.find_body("box_2"), {1, 2, 0.5}, {1, 0, 0}); });
  for (int i = 0; i < 10; ++i) session.step();
  session.start_recording();
  EXPECT_EQ(session.steps(), 0u);
  for (int i = 0; i < 40; ++i) session.step();
  const Recording recording = read(session.take_recording());
  EXPECT_EQ(recording.steps.size(), 41u);
  expect_replays(recording);
  EXPECT_EQ(session.recording(), nullptr);
  EXPECT_THROW(session.take_recording(), Error);
}

TEST(ViewerRecording, EndsWithASentenceWhereHandsCannotBeRepeated) {
  const std::vector<std::function<void(Session&)>> hands = {
      [](Session& s) { s.edit([](World& world) { world.set_gravity({}); }); },
      [](Session& s) {
        MouseSpring spring;
        spring.body = s.run(0).world().find_body("box_1");
        s.grab(1, spring);
      },
      [](Session& s) { s.set_method(0, preset("garstenauer")); },
      [](Session& s) { s.set_step(0.001); },
      [](Session& s) { s.seek(1); },
      [](Session& s) { s.reset(); },
      [](Session& s) { s.open(small_scene()); },
      [](Session& s) {
        s.compare({preset("garstenauer"), preset("soft-step")});
      },
  };
  for (std::size_t i = 0; i < hands.size(); ++i) {
    Session session(small_scene());
    session.start_recording();
    session.step();
    session.step();
    hands[i](session);
    ASSERT_TRUE(session.recording() && session.recording()->ended()) << i;
    session.step();
    const Recording recording = read(session.take_recording());
    EXPECT_EQ(recording.steps.size(), 3u) << i;
    expect_replays(recording);
  }
}

TEST(ViewerRecording, HoldsOneSimulation) {
  Session session(small_scene());
  session.compare({preset("garstenauer"), preset("soft-step")});
  EXPECT_THROW(session.start_recording(), Error);
  EXPECT_EQ(session.runs().size(), 2u);
}

/// RFC 4648, 10.
TEST(ViewerRecording, Base64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe"), "//4=");
}

}  // namespace
}  // namespace rigor::viewer
