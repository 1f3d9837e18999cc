// The models of the batch benchmark mean the same to both engines, and their figures are what they are called.
#include "lab/batch_bench.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rigor/model.h"

namespace rigor {
namespace {

TEST(BatchBench, ModelsHaveTheirBodiesAndJoints) {
  const std::size_t bodies[] = {2, 9, 13};
  const std::vector<BatchModel> models = batch_models();
  ASSERT_EQ(models.size(), 3u);
  for (std::size_t i = 0; i < models.size(); ++i) {
    const Scene scene = parse_model(models[i].xml);
    EXPECT_EQ(moving_bodies(scene.world).size(), bodies[i]) << models[i].name;
    for (const std::string& joint : models[i].driven) EXPECT_TRUE(scene.world.find_joint(joint)) << joint;
  }
}

/// Order four: half the step has a sixteenth of the error. The reference is 16 times finer, so that its own error does not count.
TEST(BatchBench, ErrorsOfFeatherstoneHaveOrderFour) {
  BatchModel model = batch_models()[0];
  model.flight = 0.64;
  model.step = 0.01;
  const BatchEngineKind engine = rigor_batch(preset("featherstone"));
  const double coarse = flight_error(model, engine, 0.04), fine = flight_error(model, engine, 0.02);
  EXPECT_NEAR(std::log2(coarse / fine), 4, 0.5) << coarse << " " << fine;
}

TEST(BatchBench, MujocoFliesAsRigorDoes) {
  for (BatchModel model : batch_models()) {
    try {
      // 1.4e-6 rad: how exact MuJoCo's axes of inertia are; see mujoco_oracle_test.cpp.
      EXPECT_LT(flight_error(model, mujoco_batch("RK4"), model.step), 1e-6) << model.name;
    } catch (const PeerMissing&) {
      GTEST_SKIP() << "built without MuJoCo";
    }
  }
}

TEST(BatchBench, RowsHaveFigures) {
  BatchModel model = batch_models()[1];
  BatchBenchOptions options;
  options.worlds = 2;
  options.rounds = 1;
  options.actions = 1;
  const std::vector<BatchBenchRow> rows = run_batch_bench(model, {rigor_batch(preset("soft-step"))}, options);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].error_text, "");
  EXPECT_EQ(rows[0].worlds, 2u);
  EXPECT_GT(rows[0].error, 0);
  EXPECT_LT(rows[0].error, 0.02);        // m; order one: g h t, for a step of 0.01 s and a flight of 0.3 s, is 0.03
  EXPECT_LT(rows[0].penetration, 5e-3);  // m, the bound of docs/torture.md for thick bodies
  for (const double time : {rows[0].single, rows[0].batch, rows[0].threads_wall, rows[0].threads_cpu, rows[0].scaling})
    EXPECT_GT(time, 0);
}

/// The measure is a method of order four under MuJoCo's name. It needs its own step or a shorter one; order five is as exact with longer ones.
TEST(BatchBench, StepsOfEqualErrorAreExactEnough) {
  BatchModel model = batch_models()[0];
  Method fifth = preset("featherstone");
  fifth.integrator = {"dormand-prince", {}};
  BatchEngineKind measure = rigor_batch(preset("featherstone"));
  measure.engine = "mujoco", measure.method = "RK4";
  BatchBenchOptions options;
  options.worlds = options.threads = options.rounds = options.actions = 1;
  options.equal_error = true;
  const std::vector<BatchBenchRow> rows = run_batch_bench(model, {measure, rigor_batch(fifth, "fifth")}, options);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].error_text + rows[1].error_text, "");
  EXPECT_LE(rows[0].step, model.step);
  EXPECT_EQ(rows[1].method, "fifth");
  EXPECT_GT(rows[1].step, 1.4 * model.step);
  EXPECT_LE(rows[1].error, own_flight_error(model, measure, model.step));
  EXPECT_THROW(run_batch_bench(model, {rigor_batch(fifth)}, options), Error);
}

TEST(BatchBench, ArmatureIsTakenOutOfFiles) {
  const BatchModel model = batch_model("x", R"(<mujoco><default><joint armature="1" damping="2"/></default></mujoco>)");
  EXPECT_EQ(model.xml, R"(<mujoco><default><joint  damping="2"/></default></mujoco>)");
}

}  // namespace
}  // namespace rigor
