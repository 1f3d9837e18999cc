// Tables of a run, compared with statics: forces on a body at rest balance its weight.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lab/figure_series.h"
#include "lab/run_tables.h"
#include "rigor/error.h"
#include "rigor/scene.h"

namespace rigor {
namespace {

constexpr double kG = 9.81;

/// A bar of 2 kg whose center is 0.5 m from a hinge with a stiff servo, and a box of 3 kg on the ground.
Scene arm_and_box(const std::string& method) {
  Scene scene = parse_scene(R"({"rigor":1,"world":{"bodies":[
    {"name":"bar","shape":{"box":[1,0.1,0.1]},"position":[0.5,2,0],"mass":2,"can_collide":false},
    {"name":"box","shape":{"box":[0.4,0.4,0.4]},"position":[5,0.2,0],"mass":3}],
   "joints":[{"type":"hinge","name":"elbow","a":"world","b":"bar","anchor":[0,2,0],"axis":[0,0,1],
     "motor":"servo","motor_target":0,"motor_proportional":3000,"motor_derivative":300}]},"run":{"dt":0.005}})");
  scene.method = preset(method);
  scene.method.sleep = {"never", {}};
  return scene;
}

double figure(const Simulation& simulation, const std::string& table, std::size_t row, const std::string& column) {
  const RunTable& t = run_table(table, "");
  TableRows rows;
  append_rows(t, simulation, rows);
  EXPECT_LT(row, rows.count) << table;
  for (std::size_t c = 0; c < t.columns.size(); ++c)
    if (t.columns[c].name == column) return rows.numbers.at(row * t.columns.size() + c);
  ADD_FAILURE() << "no column " << column;
  return 0;
}

class RunTables : public testing::TestWithParam<const char*> {};

TEST_P(RunTables, MotorsReactionsAndContactsHoldTheWeight) {
  const Scene scene = arm_and_box(GetParam());
  Simulation simulation = make_simulation(scene);
  simulation.record_impulses(true);
  for (int i = 0; i < 600; ++i) simulation.step();
  const double torque = 2 * kG * 0.5;
  // A servo of 3000 N m/rad gives way by 3 mrad, which shortens the lever by a millionth; the motion has died out to 1e-4 after 3 s.
  EXPECT_NEAR(figure(simulation, "coordinates", 0, "force"), torque, 1e-2 * torque);
  EXPECT_NEAR(figure(simulation, "coordinates", 0, "motor"), torque, 1e-2 * torque);
  EXPECT_NEAR(figure(simulation, "coordinates", 0, "position"), -torque / 3000, 1e-4);
  EXPECT_NEAR(figure(simulation, "coordinates", 0, "velocity"), 0, 1e-3);
  EXPECT_NEAR(figure(simulation, "joints", 0, "fy"), 2 * kG, 1e-2 * 2 * kG);
  EXPECT_NEAR(figure(simulation, "joints", 0, "tz"), torque, 1e-2 * torque);
  const RunTable& contacts = run_table("contacts", "");
  TableRows rows;
  append_rows(contacts, simulation, rows);
  double impulse = 0;
  for (std::size_t r = 0; r < rows.count; ++r) impulse += figure(simulation, "contacts", r, "normal");
  EXPECT_NEAR(impulse, 3 * kG * 0.005, 0.02 * 3 * kG * 0.005);
  EXPECT_NEAR(figure(simulation, "figures", 0, "energy"), simulation.energy().total(), 1e-12);
  EXPECT_EQ(figure(simulation, "figures", 0, "contacts"), static_cast<double>(simulation.contacts().size()));
}

// A motor that pushes a bar against a stop: the two nearly cancel, and rounding decided on the motor's share of what remained.
TEST_P(RunTables, MotorsAtAStopStayWithinTheirForce) {
  for (const double limit : {-0.3, 0.3})
    for (const double target : {-1.0, 1.0})
      for (const double gravity : {0.0, 0.4, -9.81, 9.81})
        for (const double most : {0.5, 3.0}) {
          Scene scene = parse_scene(R"({"rigor":1,"world":{"bodies":[
            {"name":"bar","shape":{"box":[1,0.1,0.1]},"position":[0.5,2,0],"mass":1,"can_collide":false}],
           "joints":[{"type":"hinge","name":"elbow","a":"world","b":"bar","anchor":[0,2,0],"axis":[0,0,1],
             "motor":"velocity","motor_target":0,"motor_force":1,"lower":-0.3,"upper":0.3}]},"run":{"dt":0.005}})");
          scene.method = preset(GetParam());
          scene.method.sleep = {"never", {}};
          scene.world.set_gravity({0, gravity, 0});
          const JointId id = scene.world.find_joint("elbow");
          AxesJoint kind = std::get<AxesJoint>(scene.world.joint(id).kind);
          kind.axes[3].motor.target = target;
          kind.axes[3].motor.max_force = most;
          scene.world.set_joint(id, kind);
          scene.world.set_velocity(scene.world.find_body("bar"), {0, 0.5 * limit, 0}, {0, 0, limit});
          Simulation simulation = make_simulation(scene);
          SCOPED_TRACE(std::string(GetParam()) + " limit " + std::to_string(limit) + " target " +
                       std::to_string(target) + " gravity " + std::to_string(gravity) + " most " +
                       std::to_string(most));
          for (int i = 0; i < 400; ++i) {
            simulation.step();
            ASSERT_LE(std::abs(figure(simulation, "coordinates", 0, "motor")), most * (1 + 1e-9)) << i;
          }
          // At rest at the stop the motor pushes with all that it has.
          if (std::abs(figure(simulation, "coordinates", 0, "velocity")) < 1e-6) {
            EXPECT_NEAR(figure(simulation, "coordinates", 0, "motor"), std::copysign(most, target), 0.02 * most);
          }
        }
}

INSTANTIATE_TEST_SUITE_P(Presets, RunTables, testing::Values("soft-step", "featherstone", "tgs", "garstenauer", "sap"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(FigureSeries, AreChosenByName) {
  const Scene scene = arm_and_box("soft-step");
  Simulation simulation = make_simulation(scene);
  SeriesRecorder recorder({"coordinates/elbow/motor", "bodies/*/y", "contacts/*/normal", "figures/energy"}, simulation,
                          20);
  recorder.see(simulation);
  for (int i = 0; i < 20; ++i) {
    simulation.step();
    recorder.see(simulation);
  }
  EXPECT_EQ(recorder.times().size(), 21u);
  std::vector<std::string> names;
  for (const FigureSeries& s : recorder.series()) names.push_back(s.name);
  for (const char* name :
       {"coordinates/elbow/motor", "bodies/bar/y", "bodies/box/y", "contacts/ground/box/normal", "figures/energy"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  EXPECT_EQ(names.size(), 5u);
  const Plot plot = series_plot(recorder, "title", "");
  EXPECT_EQ(plot.panels.size(), 4u);
  EXPECT_NE(render_svg(plot).find("coordinates: motor of elbow"), std::string::npos);
}

TEST(FigureSeries, UnknownNamesAreRefused) {
  const Simulation simulation = make_simulation(arm_and_box("soft-step"));
  try {
    SeriesRecorder recorder({"bodies/bix/y"}, simulation, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("bodies/box/y"), std::string::npos) << error.what();
  }
  EXPECT_THROW(SeriesRecorder({"contacts/bar/nothing/normal"}, simulation, 1), Error);
  EXPECT_NO_THROW(SeriesRecorder({"contacts/bar/box/normal"}, simulation, 1));
  EXPECT_THROW(run_table("nothing", "--table"), Error);
}

}  // namespace
}  // namespace rigor
