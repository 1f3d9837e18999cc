#include "rigor/profile.h"

#include "support.h"

#include "rigor/scene.h"

namespace rigor {
namespace {

/// Stages nest: what is spent in an inner one is not the outer one's.
TEST(Profile, ChargesTheInnermostStage) {
  Profile profile;
  const ProfiledThread here(profile);
  const auto wait = [](double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {}
  };
  {
    const StageScope outer(Stage::step);
    const StageScope inner(Stage::solve);
    wait(0.002);
  }
  EXPECT_GE(profile.seconds(Stage::solve), 0.002);
  EXPECT_EQ(profile.visits(Stage::solve), 1u);
  EXPECT_EQ(profile.seconds(Stage::forces), 0);
  EXPECT_DOUBLE_EQ(profile.total(), profile.seconds(Stage::solve) + profile.seconds(Stage::step));
}

TEST(Profile, SpansLieInsideEachOther) {
  Profile profile;
  profile.keep_spans(true);
  {
    const ProfiledThread here(profile);
    const StageScope outer(Stage::step);
    const StageScope inner(Stage::solve);
  }
  { const StageScope nobody_looks(Stage::forces); }
  const std::vector<Profile::Span> spans = profile.take_spans();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].stage, Stage::solve);
  EXPECT_EQ(spans[1].stage, Stage::step);
  EXPECT_GE(spans[0].begin, spans[1].begin);
  EXPECT_LE(spans[0].begin + spans[0].duration, spans[1].begin + spans[1].duration);
  EXPECT_TRUE(profile.take_spans().empty());
}

/// The same bits with and without, and every stage that the method has is visited.
TEST(Profile, ChangesNothingAndSeesTheStages) {
  for (const char* method : {"soft-step", "garstenauer", "guendelman", "baltman-radeztsky"}) {
    const Scene scene = open_scene("seesaw");
    Simulation plain(scene.world, preset(method), scene.time), watched = plain;
    Profile profile;
    for (int i = 0; i < 20; ++i) {
      plain.step();
      const ProfiledThread here(profile);
      watched.step();
    }
    EXPECT_EQ(plain.hash(), watched.hash()) << method;
    EXPECT_EQ(profile.visits(Stage::step), 20u) << method;
    for (const Stage stage : {Stage::forces, Stage::broad_phase, Stage::narrow_phase, Stage::rows, Stage::solve,
                              Stage::integration, Stage::validation, Stage::events})
      EXPECT_GT(profile.visits(stage), 0u) << method << " " << stage_name(stage);
  }
}

}  // namespace
}  // namespace rigor
