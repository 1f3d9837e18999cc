// Verdicts of the table of scenes: what counts as a report, and what does not excuse energy from nowhere.
#include "lab/scene_verdict.h"

#include <gtest/gtest.h>

#include "rigor/scene.h"
#include "support.h"

namespace rigor::test {
namespace {

/// A ball on an undamped spring of 100 rad/s: explicit Euler multiplies its energy by 1 + (ω h)² = 1.25 in each step. A force ends on the
/// way, which every method reports.
Scene ball_on_a_spring(const char* material, const char* stiffness) {
  return parse_scene(std::string(R"({"rigor":1,"world":{"gravity":[0,0,0],
"bodies":[{"name":"ball","shape":{"sphere":0.1},"mass":1,"position":[0,5,0],"material":)") +
                     material + R"(}],
"forces":[{"type":"spring","a":"world","point_a":[0,6,0],"b":"ball","rest_length":0.9,"stiffness":)" +
                     stiffness + R"(},
{"type":"explosion","name":"bang","center":[0,50,0],"strength":0.001,"radius":1,"end_time":0.1}]},
"run":{"dt":0.005,"duration":1}})");
}

SceneVerdict verdict_on(const Method& method, const char* material, const char* stiffness = "10000") {
  const Scene scene = ball_on_a_spring(material, stiffness);
  return judge_scene(scene, method, measure_scene(scene, 0.5), 0.5);
}

TEST(SceneVerdict, TheEndOfAForceIsNoProblem) {
  const SceneVerdict verdict = verdict_on(default_method(), "{}");
  EXPECT_EQ(verdict.outcome, SceneOutcome::fine) << verdict.sentence;
}

/// A ball of 1 kg hangs on a joint that holds 5 N. A validator slows another one down if it is faster than 1 km/s.
SceneVerdict verdict_on_a_joint_that_breaks(const Vec3& velocity_of_another) {
  Scene scene;
  BodyDef def;
  def.shape = sphere(0.1), def.mass = 1, def.position = {0, 5, 0}, def.name = "ball";
  const BodyId ball = scene.world.add_body(def);
  JointDef joint = fixed_joint(scene.world, scene.world.world_body(), ball);
  joint.name = "thread", joint.break_force = 5;
  scene.world.add_joint(joint);
  def.name = "other", def.position = {20, 5, 0}, def.velocity = velocity_of_another;
  scene.world.add_body(def);
  scene.time.step = 1.0 / 60;
  Method method = default_method();
  method.validators = {{"max-velocity", {{"speed", 1e3}}}};
  return judge_scene(scene, method, measure_scene(scene, 0.2), 0.2);
}

TEST(SceneVerdict, TheBreakingOfAJointIsNoProblem) {
  const SceneVerdict verdict = verdict_on_a_joint_that_breaks({});
  EXPECT_EQ(verdict.outcome, SceneOutcome::fine) << verdict.sentence;
}

/// Both are reported by the first step.
TEST(SceneVerdict, AProblemBesideTheBreakingOfAJointIsReported) {
  const SceneVerdict verdict = verdict_on_a_joint_that_breaks({2e3, 0, 0});
  EXPECT_EQ(verdict.outcome, SceneOutcome::reported);
  EXPECT_NE(verdict.sentence.find("'other'"), std::string::npos) << verdict.sentence;
}

TEST(SceneVerdict, EnergyFromNowhereIsNotExcusedByOtherReports) {
  for (const char* name : {"garstenauer", "moore-wilhelms"}) {
    Method method = preset(name);
    set(method, "integrator", std::string("explicit-euler"));
    set(method, "validators", std::string("finite"));
    // moore-wilhelms reports when it is configured that it does not honour static friction.
    const SceneVerdict verdict = verdict_on(method, R"({"friction":0.1,"static_friction":0.5})");
    EXPECT_EQ(verdict.outcome, SceneOutcome::lost) << name << ": " << verdict.sentence;
  }
}

TEST(SceneVerdict, LimitationsAreReported) {
  const SceneVerdict verdict = verdict_on(preset("moore-wilhelms"), R"({"friction":0.1,"static_friction":0.5})", "10");
  EXPECT_EQ(verdict.outcome, SceneOutcome::reported);
  EXPECT_NE(verdict.sentence.find("static-friction"), std::string::npos) << verdict.sentence;
}

}  // namespace
}  // namespace rigor::test
