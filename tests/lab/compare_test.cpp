#include "lab/compare.h"

#include <gtest/gtest.h>

#include "lab/compare_report.h"
#include "lab/compare_verdict.h"
#include "lab/residual_probe.h"
#include "lab/shape_faces.h"
#include "lab/still.h"

namespace rigor {
namespace {

CompareEntry entry(const std::string& preset_name, const Scene& scene) {
  CompareEntry e{preset_name, preset_name, scene, rigor_engine(preset_name, 1), false};
  e.scene.method = preset(preset_name);
  return e;
}

CompareOptions options(std::uint64_t steps, bool precision = true) {
  CompareOptions o;
  o.steps = steps, o.precision = precision, o.threads = 2;
  return o;
}

/// Figures come from poses and velocities alone, and agree with those of the simulation itself.
TEST(Compare, FiguresAreThoseOfTheSimulation) {
  const Scene scene = open_scene("double-pendulum");
  const CompareEntry e = entry("garstenauer", scene);
  const CompareResult result = run_compare({e}, options(25, false));
  Simulation simulation(e.scene.world, e.scene.method, e.scene.time);
  for (int i = 0; i < 25; ++i) simulation.step();
  ASSERT_EQ(result.times.size(), 26u);
  const Sample& last = result.rows[0].run.motion.back();
  const double size = std::abs(simulation.energy().kinetic) + std::abs(simulation.energy().potential);
  EXPECT_NEAR(last.kinetic, simulation.energy().kinetic, 1e-12 * size);  // rounding of turning poses to and fro
  EXPECT_NEAR(last.potential, simulation.energy().potential, 1e-12 * size);
  EXPECT_NEAR(result.rows[0].run.joint_error.back(), joint_errors(simulation.world()).linear, 1e-12);
}

/// A landing lasts one step, in which velocities of a gap over the step count. Every step is measured, so that the figures do not depend on whether it is among them.
TEST(Compare, FiguresOfTruthAreThoseOfEveryStep) {
  Scene scene;
  BodyDef cube;
  cube.shape = box({1, 1, 1}), cube.position = {0, 1, 0};
  scene.world.add_body(cube);
  scene.time.step = 0.002;
  const CompareEntry e = entry("tgs", scene);
  const CompareResult result = run_compare({e}, options(500, false));
  Simulation simulation(e.scene.world, e.scene.method, e.scene.time);
  simulation.record_impulses(true);
  TruthMeter meter;
  for (int i = 0; i < 500; ++i) {
    meter.before(simulation);
    simulation.step();
    meter.after(simulation);
  }
  const std::vector<TruthFigure> all = meter.figures();
  ASSERT_EQ(result.rows[0].run.truth.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(result.rows[0].run.truth[i].figure.max, all[i].figure.max) << all[i].name;
    EXPECT_EQ(result.rows[0].run.truth[i].figure.count, all[i].figure.count) << all[i].name;
  }
  EXPECT_GT(result.rows[0].run.seconds, 0);
}

/// Free fall by the midpoint rule is exact, by Euler's of first order: half the step, half the error.
TEST(Compare, ErrorsFallWithTheOrderOfTheMethod) {
  Scene scene;
  BodyDef ball;
  ball.shape = sphere(0.1), ball.position = {0, 100, 0};
  scene.world.add_body(ball);
  scene.time.step = 0.01;
  CompareEntry exact = entry("free-flight", scene), euler = exact;
  set(exact.scene.method, "integrator", std::string("midpoint"));
  set(euler.scene.method, "integrator", std::string("semi-implicit-euler"));
  const CompareResult result = run_compare({exact, euler}, options(50));
  const std::vector<PrecisionPoint>& p = result.rows[1].precision;
  ASSERT_EQ(p.size(), 5u);
  for (std::size_t k = 0; k + 1 < p.size(); ++k)
    EXPECT_NEAR(p[k].error / p[k + 1].error, 2, 1e-6);  // exactly, but rounding
  EXPECT_LT(result.rows[0].precision[0].error, 1e-12);
  EXPECT_TRUE(std::isnan(result.rows[0].precision[4].error)) << "it is the reference";
}

/// What goes up is gained, what goes down is lost, whatever comes after it.
TEST(Compare, EnergyGainedAndLostAreKeptApart) {
  std::vector<Sample> samples;
  for (const double kinetic : {10.0, 4.0, 7.0, 2.0}) {
    samples.emplace_back();
    samples.back().time = static_cast<double>(samples.size());
    samples.back().kinetic = kinetic;
  }
  const double size = reference_energy(samples);
  EXPECT_DOUBLE_EQ(energy_gained(samples), 3 / size);
  EXPECT_DOUBLE_EQ(energy_lost(samples), 8 / size);
}

/// Three sentences, which name the method that gains energy.
TEST(Compare, TheVerdictNamesWhoGainsEnergy) {
  Scene scene;
  scene.world.set_gravity({});
  BodyDef ball;
  ball.name = "ball";
  ball.shape = sphere(0.1), ball.position = {1, 5, 0}, ball.mass = 1;
  const BodyId id = scene.world.add_body(ball);
  Spring spring;
  spring.point_a = {0, 5, 0}, spring.stiffness = 40;
  scene.world.add_force(spring, Affected::pair(scene.world.world_body(), id));
  scene.time.step = 0.01;
  CompareEntry good = entry("free-flight", scene), bad = good;
  bad.name = "explicit", set(bad.scene.method, "integrator", std::string("explicit-euler"));
  const std::vector<CompareEntry> entries = {good, bad};
  const CompareOptions o = options(300, false);
  const CompareResult result = run_compare(entries, o);
  const auto verdict = compare_verdict({entries, o, result, {}, {}});
  EXPECT_NE(verdict[0].find("explicit gained"), std::string::npos) << verdict[0];
  EXPECT_NE(verdict[0].find("nothing in the scene explains"), std::string::npos) << verdict[0];
  for (const std::string& sentence : verdict) EXPECT_TRUE(sentence.ends_with('.')) << sentence;
  EXPECT_NE(compare_html({entries, o, result, {}, {}}).find("class=\"verdict\""), std::string::npos);
}

/// A method that gains as much as the others, in all digits that are shown, did not gain least.
TEST(Compare, TheVerdictNamesNoWinnerAmongEquals) {
  Scene scene = open_scene("kepler");
  set(scene.method, "integrator", std::string("explicit-euler"));
  CompareEntry one = entry("free-flight", scene), other = one;
  one.name = "one", other.name = "other";
  one.scene = other.scene = scene;
  const std::vector<CompareEntry> entries = {one, other};
  const CompareOptions o = options(200, false);
  const auto verdict = compare_verdict({entries, o, run_compare(entries, o), {}, {}});
  EXPECT_NE(verdict[0].find("; both gained"), std::string::npos) << verdict[0];
  EXPECT_EQ(verdict[0].find("least"), std::string::npos) << verdict[0];
}

/// One thread at a time calls it, so that the callback needs no lock.
TEST(Compare, ProgressGrowsToOneAndCountsRuns) {
  const Scene scene = open_scene("pendulum");
  CompareOptions o = options(8);
  CompareProgress last;
  std::size_t ended = 0;
  o.progress = [&](const CompareProgress& now) {
    EXPECT_GE(now.done, last.done);
    EXPECT_LT(now.entry, 2u);
    ended += now.has_ended;
    EXPECT_EQ(now.runs_ended, ended);
    last = now;
  };
  run_compare({entry("garstenauer", scene), entry("soft-step", scene)}, o);
  EXPECT_NEAR(last.done, 1, 1e-12);  // a sum of shares
  EXPECT_EQ(last.runs, 10u);
  EXPECT_EQ(ended, 10u);
}

TEST(Compare, RunsThatBlowUpEndWithASentence) {
  Scene scene;
  BodyDef ball;
  ball.shape = sphere(0.1), ball.position = {0, 1, 0}, ball.velocity = {1e200, 0, 0};
  scene.world.add_body(ball);
  const CompareResult result = run_compare({entry("free-flight", scene)}, options(5));
  EXPECT_NE(result.rows[0].run.trouble, "");
  const CompareEntry e = entry("free-flight", scene);
  const std::vector<CompareEntry> entries{e};
  const CompareOptions o = options(5);
  EXPECT_NE(compare_html({entries, o, result, {}, {0}}).find("the motion was not finite"), std::string::npos);
}

/// More rounds over the rows of a stack leave less of them unsolved, as the shared residual sees it.
TEST(ResidualProbe, FallsWithTheIterations) {
  const Scene scene = open_scene("c-column-10");
  const std::vector<double> residuals =
      residuals_over_iterations(scene.world, preset("garstenauer-sequential"), 0, scene.time.step, 20);
  ASSERT_EQ(residuals.size(), 20u);
  EXPECT_LT(residuals[19], residuals[4]);
  EXPECT_LT(residuals[4], residuals[0]);
}

TEST(ResidualProbe, NothingToTellWhereTheStepSolvesItself) {
  const Scene scene = open_scene("c-column-10");
  EXPECT_TRUE(residuals_over_iterations(scene.world, preset("soft-step"), 0, scene.time.step, 20).empty());
}

/// The divergence theorem over faces that look outwards.
double enclosed_volume(const Shape& shape) {
  ShapeLook look;
  add_look(shape, {{0.3, -0.2, 0.5}, normalized(Quat{1, 2, 3, 4})}, look);
  double volume = 0;
  for (const Face& face : look.faces)
    for (std::size_t i = 1; i + 1 < face.corners.size(); ++i)
      volume += dot(face.corners[0], cross(face.corners[i], face.corners[i + 1])) / 6;
  return volume;
}

TEST(ShapeFaces, LookOutwardsAndEncloseTheShape) {
  const double polygon = 8 * std::sin(kPi / 8);  // area of the regular polygon of 16 sides in the unit circle
  EXPECT_NEAR(enclosed_volume(*box(1, 2, 3)), 6, 1e-12);
  EXPECT_NEAR(enclosed_volume(*cylinder(0.5, 2)), 0.25 * polygon * 2, 1e-12);
  EXPECT_NEAR(enclosed_volume(*cone(0.5, 3)), 0.25 * polygon, 1e-12);
  EXPECT_NEAR(enclosed_volume(*convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})), 1.0 / 6, 1e-12);
}

/// The camera has all of the scene in the picture.
TEST(Still, CameraSeesTheScene) {
  for (const char* name : {"seesaw", "chain", "c-column-30", "free-cloud"}) {
    const Scene scene = open_scene(name);
    std::vector<BodyPose> poses;
    for (const BodyId id : moving_bodies(scene.world))
      poses.push_back({scene.world.position(id), scene.world.orientation(id)});
    const std::vector<std::vector<BodyPose>> instants{poses};
    const std::string svg = render_still(scene, poses, fitting_camera(scene, instants));
    EXPECT_TRUE(svg.starts_with("<svg") && svg.ends_with("</svg>")) << name;
    EXPECT_GT(std::count(svg.begin(), svg.end(), '#'), static_cast<std::ptrdiff_t>(poses.size())) << name;
    EXPECT_EQ(svg.find("nan"), std::string::npos) << name;
  }
}

TEST(CompareReport, NearestInstants) {
  EXPECT_EQ(nearest_instants({0, 0.5, 1, 1.5}, {0.1, 0.8, 9}), (std::vector<std::size_t>{0, 2, 3}));
}

}  // namespace
}  // namespace rigor
