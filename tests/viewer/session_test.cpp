#include "viewer/session.h"

#include "rigor/error.h"
#include "support.h"
#include "viewer/test_scenes.h"

namespace rigor::viewer {
namespace {

std::vector<std::uint64_t> hashes(const Session& session) {
  std::vector<std::uint64_t> all;
  for (const Simulation& s : session.runs()) all.push_back(s.hash());
  return all;
}

TEST(ViewerSession, StepAdvancesExactlyOneStep) {
  Session session(small_scene());
  session.step();
  EXPECT_EQ(session.steps(), 1u);
  EXPECT_DOUBLE_EQ(session.time(), 0.01);
  EXPECT_EQ(session.samples().size(), 2u);  // the start and the step
}

/// Being watched changes nothing.
TEST(ViewerSession, AgreesWithASimulationThatNobodyWatches) {
  Session session(small_scene());
  const Scene scene = small_scene();
  Simulation alone(scene.world, scene.method, scene.time);
  for (int i = 0; i < 50; ++i) {
    session.step();
    alone.step();
    ASSERT_EQ(session.run(0).hash(), alone.hash()) << "step " << i;
  }
}

TEST(ViewerSession, SeekRestoresTheHashAndContinuesOnTheSamePath) {
  Session session(small_scene());
  session.edit([](World& world) { world.set_velocity(world.find_body("box_2"), {1, 0, 0.3}, {}); });
  for (int i = 0; i < 20; ++i) session.step();
  const auto at_20 = hashes(session);
  for (int i = 0; i < 30; ++i) session.step();
  const auto at_50 = hashes(session);
  session.seek(20);
  EXPECT_EQ(session.steps(), 20u);
  EXPECT_EQ(hashes(session), at_20);
  EXPECT_EQ(session.history().last(), 50u);  // the future stays until something else happens
  for (int i = 0; i < 30; ++i) session.step();
  EXPECT_EQ(hashes(session), at_50);
}

TEST(ViewerSession, GoingOnFromThePastForgetsTheFuture) {
  Session session(small_scene());
  for (int i = 0; i < 20; ++i) session.step();
  session.seek(5);
  session.step();
  EXPECT_EQ(session.history().last(), 6u);
  EXPECT_EQ(session.samples().back().step, 6u);
  EXPECT_EQ(session.samples()[session.samples().size() - 2].step, 5u);
}

TEST(ViewerSession, ResetKeepsWhatWasEditedAtTheBeginning) {
  Session session(small_scene());
  session.edit([](World& world) { world.remove_body(world.find_body("box_2")); });
  const auto start = hashes(session);
  for (int i = 0; i < 5; ++i) session.step();
  session.edit([](World& world) { world.remove_body(world.find_body("box_1")); });
  session.reset();
  EXPECT_EQ(hashes(session), start);
  EXPECT_TRUE(session.run(0).world().find_body("box_1"));
  EXPECT_FALSE(session.run(0).world().find_body("box_2"));
}

/// Undo goes back to the very bits before the change, also after steps; redo to those before the undo.
TEST(ViewerSession, UndoAndRedoRestoreTheBits) {
  Session session(small_scene());
  EXPECT_FALSE(session.undo());
  for (int i = 0; i < 3; ++i) session.step();
  session.edit([](World& world) { world.remove_body(world.find_body("box_1")); });
  for (int i = 0; i < 4; ++i) session.step();
  const auto after = hashes(session);
  EXPECT_EQ(session.undos(), 1u);
  ASSERT_TRUE(session.undo());
  EXPECT_EQ(session.steps(), 3u);
  EXPECT_TRUE(session.run(0).world().find_body("box_1"));
  EXPECT_FALSE(session.undo());
  for (int i = 0; i < 4; ++i) session.step();
  Session untouched(small_scene());
  for (int i = 0; i < 7; ++i) untouched.step();
  EXPECT_EQ(hashes(session), hashes(untouched));
  ASSERT_TRUE(session.redo());
  EXPECT_EQ(hashes(session), after);
  EXPECT_EQ(session.steps(), 7u);
}

/// What a reset goes back to is undone as well; a new change forgets what could be redone; another scene forgets everything.
TEST(ViewerSession, UndoKnowsTheBeginningAndItsEnd) {
  Session session(small_scene());
  session.edit([](World& world) { world.remove_body(world.find_body("box_2")); });
  session.undo();
  session.step();
  session.reset();
  EXPECT_TRUE(session.run(0).world().find_body("box_2"));
  session.redo();
  EXPECT_FALSE(session.run(0).world().find_body("box_2"));
  session.undo();
  session.edit([](World& world) { world.set_gravity({0, -1, 0}); });
  EXPECT_EQ(session.redos(), 0u);
  for (std::size_t i = 0; i < Session::kMaxUndos + 5; ++i)
    session.edit([&](World& world) { world.set_gravity({0, -2 - static_cast<double>(i), 0}); });
  EXPECT_EQ(session.undos(), Session::kMaxUndos);
  session.open(small_scene());
  EXPECT_EQ(session.undos() + session.redos(), 0u);
}

TEST(ViewerSession, AnEditThatFailsChangesNothing) {
  Session session(small_scene());
  const auto before = hashes(session);
  const std::uint64_t version = session.scene_version();
  EXPECT_THROW(session.edit([](World& world) {
    world.set_velocity(world.find_body("box_0"), {5, 0, 0}, {});
    world.add_body(body_of("box_0", sphere(1)));  // the name is taken
  }),
               Error);
  EXPECT_EQ(hashes(session), before);
  EXPECT_EQ(session.scene_version(), version);
}

TEST(ViewerSession, ComparesMethodsInLockStepFromOneState) {
  Session session(small_scene());
  for (int i = 0; i < 3; ++i) session.step();
  session.compare({preset("garstenauer-sequential"), preset("garstenauer"), preset("free-flight")});
  ASSERT_EQ(session.runs().size(), 3u);
  // The worlds agree; free flight looks for no contacts, so its simulation stores fewer.
  for (const Simulation& s : session.runs()) EXPECT_EQ(s.world().hash(), session.run(0).world().hash());
  for (int i = 0; i < 10; ++i) session.step();
  for (const Simulation& s : session.runs()) EXPECT_EQ(s.steps(), 13u);
  EXPECT_NE(session.run(0).world().hash(), session.run(2).world().hash());  // free flight falls through the floor
  EXPECT_THROW(session.compare({}), Error);
  EXPECT_THROW(session.compare(std::vector<Method>(5, default_method())), Error);
  EXPECT_EQ(session.runs().size(), 3u);
}

TEST(ViewerSession, StopsWhenBodiesOverlapDeeply) {
  Session session(small_scene());
  session.rules.penetration = true;
  session.rules.depth = 0.05;
  session.edit([](World& world) {
    const BodyId box = world.find_body("box_2");
    world.set_pose(box, {0, 2.4, 0}, {});  // a tenth of a metre into the box below, which reaches to 2 m
  });
  session.play();
  session.step();
  EXPECT_FALSE(session.playing());
  const auto reports = session.take_reports();
  ASSERT_FALSE(reports.empty());
  EXPECT_NE(reports.back().find("overlap"), std::string::npos) << reports.back();
}

TEST(ViewerSession, MousePullsABodyToItsTarget) {
  Scene scene = small_scene();
  scene.world.set_gravity({});
  Session session(std::move(scene));
  const BodyId box = session.run(0).world().find_body("box_2");
  MouseSpring spring;
  spring.body = box;
  spring.target = {3, 4, 1};
  session.grab(1, spring);
  session.play();
  for (int i = 0; i < 300; ++i) session.step();
  const Vec3 p = session.run(0).world().position(box);
  // Critically damped at 3 Hz, held for 3 s: exp(-2 pi 3 · 3) is below 1e-24; what is left is rounding.
  EXPECT_LT(length(p - Vec3{3, 4, 1}), 1e-6);
}

TEST(ViewerSession, MouseCannotMakeAnythingExplode) {
  Session session(small_scene());
  MouseSpring spring;
  spring.body = session.run(0).world().find_body("box_0");
  spring.frequency = 100;
  session.grab(1, spring);
  session.play();
  for (int i = 0; i < 200; ++i) {
    session.drag(1, i % 2 ? Vec3{1e6, 1e6, 0} : Vec3{-1e6, 0, 1e6});
    session.step();
  }
  EXPECT_TRUE(is_finite(session.run(0).world().position(spring.body)));
  // At most 2000 m/s² for 2 s.
  EXPECT_LT(length(session.run(0).world().velocity(spring.body)), 4000);
}

TEST(ViewerSession, WhilePausedTheBodyFollowsTheMouseAtOnce) {
  Session session(small_scene());
  const BodyId box = session.run(0).world().find_body("box_2");
  MouseSpring spring;
  spring.body = box;
  spring.point = {0.5, 0, 0};
  session.grab(1, spring);
  session.drag(1, {4, 5, 6});
  const Vec3 p = session.run(0).world().to_world(box, {0.5, 0, 0});
  EXPECT_LT(length(p - Vec3{4, 5, 6}), 1e-12);
  EXPECT_EQ(session.steps(), 0u);
}

TEST(ViewerHistory, ThinsOutButKeepsTheBeginning) {
  Scene scene = small_scene();
  Runs runs;
  runs.emplace_back(scene.world, scene.method, scene.time);
  for (int i = 0; i < 5; ++i) runs[0].step();  // the boxes touch from now on, so that snapshots hardly grow
  History history(40 * runs[0].save().size());
  for (std::uint64_t step = 5; step < 500; ++step) {
    history.keep(step, runs);
    runs[0].step();
  }
  EXPECT_EQ(history.first(), 5u);
  EXPECT_LE(history.count(), 41u);
  EXPECT_GE(history.count(), 15u);
  ASSERT_TRUE(history.restore(0, runs));
  EXPECT_EQ(runs[0].steps(), 5u);
  ASSERT_TRUE(history.restore(300, runs));
  EXPECT_LE(runs[0].steps(), 300u);
  EXPECT_GT(runs[0].steps(), 150u);  // 40 states spread evenly over the logarithm of the age are a sixth of it apart
  ASSERT_TRUE(history.restore(490, runs));
  EXPECT_GT(runs[0].steps(), 480u);
}

TEST(ViewerSession, TheEditedSceneLoadsAgain) {
  Session session(small_scene());
  session.edit([](World& world) { world.add_body(body_of("ball", sphere(0.3), {0, 6, 0})); });
  for (int i = 0; i < 7; ++i) session.step();
  const Scene saved = parse_scene(write_scene(session.edited_scene()));
  EXPECT_EQ(saved.world.hash(), session.run(0).world().hash());
  EXPECT_EQ(saved.method, session.run(0).method());
}

}  // namespace
}  // namespace rigor::viewer
