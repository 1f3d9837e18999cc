// `rigor view FILE.rrec`: a recording as a page.
#include "viewer/recording_page.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "rigor/error.h"
#include "rigor/recording.h"
#include "rigor/scene.h"
#include "viewer/page.h"

namespace rigor::viewer {
namespace {

class RecordingPages : public testing::Test {
 protected:
  void SetUp() override {
    if (page_files().empty()) GTEST_SKIP() << "the program was built without the page";
  }
  /// A run of a scene; with `touch` a body is pushed by hand in the middle.
  std::string record(bool touch) const {
    const Scene scene = parse_scene(write_scene(open_scene("double-pendulum")));
    const std::string path = testing::TempDir() + "run.rrec";
    const auto recorder = open_recorder(path, write_scene(scene));
    Simulation simulation = make_simulation(scene);
    recorder->record(simulation);
    for (int i = 0; i < 40; ++i) {
      if (touch && i == 20)
        for (const BodyId id : simulation.world().bodies())
          if (!simulation.world().is_fixed(id)) simulation.world().apply_impulse(id, {0, 0.5, 0});
      simulation.step();
      recorder->record(simulation);
    }
    recorder->finish();
    return path;
  }
};

TEST_F(RecordingPages, PlayRunsAgain) {
  const RecordingPage page = recording_page(record(false));
  EXPECT_TRUE(page.note.empty()) << page.note;
  EXPECT_NE(page.html.find("window.rigorReplay="), std::string::npos);
}

TEST_F(RecordingPages, ShowPosesWhereARunWasTouched) {
  const RecordingPage page = recording_page(record(true));
  EXPECT_NE(page.note.find("poses are shown"), std::string::npos) << page.note;
  EXPECT_NE(page.html.find("window.rigorReplay="), std::string::npos);
}

TEST_F(RecordingPages, DamagedOnesAreRefused) {
  const std::string path = record(false);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 3);
  EXPECT_THROW(recording_page(path), Error);
}

}  // namespace
}  // namespace rigor::viewer
