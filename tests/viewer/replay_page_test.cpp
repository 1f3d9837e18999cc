#include "viewer/replay_page.h"

#include <nlohmann/json.hpp>

#include "io/json_text.h"
#include "support.h"
#include "viewer/page.h"
#include "viewer/test_scenes.h"

namespace rigor::viewer {
namespace {

std::size_t times(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

class ReplayPages : public ::testing::Test {
 protected:
  void SetUp() override {
    if (page_files().empty()) GTEST_SKIP() << "the program was built without the page";
  }
  /// A run of so many steps, all of them seen.
  static ReplayPage seen(const Scene& scene, int steps) {
    ReplayPage page(scene);
    Simulation simulation(scene.world, scene.method, scene.time);
    page.see(std::span(&simulation, 1));
    for (int i = 0; i < steps; ++i) {
      simulation.step();
      page.see(std::span(&simulation, 1));
    }
    return page;
  }
};

/// Thirty states per simulated second, and the first one; more of a scene that is over in a moment.
TEST_F(ReplayPages, KeepAsManyStatesAsAPictureNeeds) {
  Scene scene = small_scene();  // steps of 0.01 s
  scene.duration = 10;
  EXPECT_EQ(seen(scene, 200).frames(), 61u);
  scene.duration = 0.5;
  EXPECT_EQ(seen(scene, 50).frames(), 51u);
}

/// One file: two scripts that are both closed once, whatever the scene is called.
TEST_F(ReplayPages, AreOneFileThatNoNameBreaks) {
  Scene scene = small_scene();
  scene.name = "</script><!-- boo </SCRIPT><script>alert(1)";
  const std::string html = seen(scene, 10).html();
  EXPECT_EQ(times(html, "</script>"), 2u);
  EXPECT_EQ(times(html, "</SCRIPT"), 0u);  // The names of tags have no case.
  const std::string begin = "window.rigorReplay=";
  const std::size_t at = html.find(begin) + begin.size();
  const std::string data = html.substr(at, html.find("</script>") - at);
  EXPECT_EQ(times(data, "<!--"), 0u);
  EXPECT_EQ(times(data, "boo"), 1u);
  EXPECT_EQ(html.find("src=\"http"), std::string::npos);
}

}  // namespace
}  // namespace rigor::viewer
