// Readings of sensors are compared with values computed by hand.
#include "lab/sensor_reader.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/figure_series.h"
#include "rigor/scene.h"

namespace rigor {
namespace {

SceneSensor at(const std::string& body, SceneSensor::Type type, const Vec3& position = {},
               const Quat& orientation = {}) {
  SceneSensor sensor;
  sensor.name = "s";
  sensor.type = type;
  sensor.body = body;
  sensor.position = position;
  sensor.orientation = orientation;
  return sensor;
}

std::vector<double> reading(const SceneSensor& sensor, const Simulation& simulation) {
  SensorReader reader({sensor});
  const std::vector<SensorReading> readings = reader.read(simulation);
  return readings.empty() ? std::vector<double>{} : readings[0].values;
}

void expect_near(const std::vector<double>& values, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance) << i;
}

using Type = SceneSensor::Type;

TEST(SensorReader, MeasuresTheMotionOfAFrame) {
  // The body turns by 90° about z relative to the world; the frame lies 2 m along its x axis, which is the world's y axis.
  const double half = std::sqrt(0.5);
  BodyDef def;
  def.name = "body";
  def.shape = sphere(0.5);
  def.position = {1, 2, 3};
  def.orientation = {half, 0, 0, half};
  def.velocity = {4, 5, 6};
  def.angular_velocity = {0, 0, 3};
  World world;
  world.add_body(def);
  const Simulation simulation(world);
  const auto read = [&](Type type) { return reading(at("body", type, {2, 0, 0}), simulation); };
  expect_near(read(Type::position), {1, 4, 3}, 1e-12);
  expect_near(read(Type::orientation), {half, 0, 0, half}, 1e-12);
  expect_near(read(Type::x_axis), {0, 1, 0}, 1e-12);
  expect_near(read(Type::y_axis), {-1, 0, 0}, 1e-12);
  expect_near(read(Type::z_axis), {0, 0, 1}, 1e-12);
  expect_near(read(Type::velocity), {4 - 6, 5, 6}, 1e-12);
  expect_near(read(Type::velocimeter), {5, 2, 6}, 1e-12);
  expect_near(read(Type::angular_velocity), {0, 0, 3}, 1e-12);
  expect_near(read(Type::gyro), {0, 0, 3}, 1e-12);
  EXPECT_TRUE(reading(at("nobody", Type::gyro), simulation).empty());
}

TEST(SensorReader, AccelerometersShowTheSupportAndNothingInFreeFall) {
  World world;
  world.remove_body(world.ground());
  BodyDef def;
  def.name = "ball";
  def.shape = sphere(0.5);
  world.add_body(def);
  Simulation simulation(world);
  SensorReader reader({at("ball", Type::accelerometer)});
  expect_near(reader.read(simulation)[0].values, {0, 9.81, 0},
              1e-12);  // The first reading takes the velocity as constant.
  simulation.step(0.01);
  expect_near(reader.read(simulation)[0].values, {0, 0, 0}, 1e-9);
}

TEST(SensorReader, ForceAndTorqueCarryWhatHangsOnThem) {
  // A bar of 2 kg and 1 m is welded to the world at its end.
  Scene scene = parse_scene(R"({"rigor":1,"world":{"ground":false,"bodies":[
    {"name":"bar","shape":{"box":[1,0.1,0.1]},"position":[0.5,2,0],"mass":2}],
    "joints":[{"name":"weld","type":"fixed","a":"world","b":"bar","anchor":[0,2,0]}]},"method":"featherstone"})");
  Simulation simulation = make_simulation(scene);
  for (int i = 0; i < 5; ++i) simulation.step(0.01);
  expect_near(reading(at("bar", Type::force, {-0.5, 0, 0}), simulation), {0, 2 * 9.81, 0}, 1e-6);
  expect_near(reading(at("bar", Type::torque, {-0.5, 0, 0}), simulation), {0, 0, 0.5 * 2 * 9.81}, 1e-6);
  expect_near(reading(at("bar", Type::torque), simulation), {0, 0, 0}, 1e-6);
  SceneSensor opposite = at("bar", Type::force);
  opposite.factor = -1;  // what the bar exerts on the world
  expect_near(reading(opposite, simulation), {0, -2 * 9.81, 0}, 1e-6);
}

TEST(SensorReader, TouchIsTheWeightWithinItsZone) {
  Scene scene = parse_scene(
      R"({"rigor":1,"world":{"bodies":[{"name":"box","shape":{"box":[1,1,1]},"position":[0,0.5,0],"mass":3}]}})");
  Simulation simulation = make_simulation(scene);
  simulation.record_impulses(true);
  for (int i = 0; i < 30; ++i) simulation.step();
  SceneSensor all = at("box", Type::touch), away = at("box", Type::touch, {0, 0.5, 0});
  away.zone = sphere(0.1);
  expect_near(reading(all, simulation), {3 * 9.81}, 0.01 * 3 * 9.81);
  expect_near(reading(away, simulation), {0}, 0);
  SceneSensor half = at("box", Type::touch, {0.5, -0.5, 0});
  half.zone = box(0.5, 0.5, 1.5);
  expect_near(reading(half, simulation), {1.5 * 9.81}, 0.01 * 3 * 9.81);
}

TEST(SensorReader, TouchDividesByTheLengthOfTheLastStep) {
  Scene scene = parse_scene(
      R"({"rigor":1,"world":{"bodies":[{"name":"box","shape":{"box":[1,1,1]},"position":[0,0.5,0],"mass":3}]}})");
  Simulation simulation = make_simulation(scene);
  simulation.record_impulses(true);
  SensorReader reader({at("box", Type::touch)});
  for (int i = 0; i < 30; ++i) simulation.step(0.005);
  expect_near(reader.read(simulation)[0].values, {3 * 9.81}, 0.01 * 3 * 9.81);
  expect_near(reader.read(simulation)[0].values, {3 * 9.81}, 0.01 * 3 * 9.81);  // without a step in between
  for (int i = 0; i < 15; ++i) simulation.step(0.01);                           // It does not sleep yet.
  expect_near(reader.read(simulation)[0].values, {3 * 9.81}, 0.01 * 3 * 9.81);
}

TEST(SensorReader, JointsAreMeasuredInTheUnitsOfTheFile) {
  Scene scene = parse_scene(R"({"rigor":1,"world":{"ground":false,"bodies":[
    {"name":"bar","shape":{"box":[1,0.1,0.1]},"position":[0.5,2,0],"angular_velocity":[0,0,2],"velocity":[0,1,0]}],
    "joints":[{"name":"hinge","type":"hinge","a":"world","b":"bar","anchor":[0,2,0],"axis":[0,0,1]}]}})");
  const Simulation simulation = make_simulation(scene);
  SceneSensor sensor;
  sensor.joint = "hinge";
  sensor.axis = 3;
  sensor.factor = -1;
  sensor.offset = 0.25;
  sensor.type = Type::joint_position;
  expect_near(reading(sensor, simulation), {0.25}, 1e-12);
  sensor.type = Type::joint_velocity;
  expect_near(reading(sensor, simulation), {-2}, 1e-12);
  sensor.type = Type::motor_force;
  expect_near(reading(sensor, simulation), {0}, 0);
}

TEST(SensorReader, ARateHoldsReadingsBetweenItsMultiples) {
  World world;
  world.remove_body(world.ground());
  BodyDef def;
  def.name = "ball";
  def.shape = sphere(0.5);
  world.add_body(def);
  Simulation simulation(world);
  SceneSensor slow = at("ball", Type::velocimeter), acceleration = at("ball", Type::accelerometer);
  slow.rate = acceleration.rate = 100;
  SensorReader reader({slow, acceleration, at("ball", Type::velocimeter)});
  for (int i = 1; i <= 1000; ++i) {  // Sums of 0.001 s lie on both sides of the multiples of 0.01 s.
    simulation.step(0.001);
    const std::vector<SensorReading> readings = reader.read(simulation);
    const int measured = std::max(1, i / 10 * 10);  // the first reading is a measurement, too
    ASSERT_NEAR(readings[0].values[1], -9.81e-3 * measured, 1e-9) << i;
    if (i >= 10) {
      ASSERT_NEAR(readings[1].values[1], 0, 1e-9) << i;
    }
    ASSERT_NEAR(readings[2].values[1], -9.81e-3 * i, 1e-9) << i;
  }
  simulation = Simulation(world);  // The time goes back, so the reading is measured anew.
  expect_near(reader.read(simulation)[0].values, {0, 0, 0}, 0);
}

TEST(SensorReader, FillsATable) {
  const Simulation simulation;
  SceneSensor clock;
  clock.name = "now";
  clock.type = Type::clock;
  SensorReader reader({clock, at("", Type::position, {1, 2, 3})});
  TableRows rows;
  append_rows(run_table("sensors", ""), simulation, rows, &reader);
  EXPECT_EQ(rows.text, (std::vector<std::string>{"now", "value", "s", "x", "s", "y", "s", "z"}));
  EXPECT_EQ(rows.numbers, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(rows.units, (std::vector<std::string>{"s", "m", "m", "m"}));
  SeriesRecorder series({"sensors/s/y/reading"}, simulation, 1, {at("", Type::position, {1, 2, 3})});
  series.see(simulation);
  EXPECT_EQ(series.series()[0].values, std::vector<double>{2});
  EXPECT_EQ(series.series()[0].unit, "m");
}

}  // namespace
}  // namespace rigor
