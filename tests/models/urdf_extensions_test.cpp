// What Drake and Gazebo add to URDF: groups of links that do not collide, rotors, joints that plugins make follow, surfaces, force and touch sensors.
#include <gtest/gtest.h>

#include "lab/sensor_reader.h"
#include "models/model_text.h"
#include "rigor/model.h"
#include "rigor/simulation.h"

namespace rigor {
namespace {

std::string link(const std::string& name, const std::string& more = "") {
  return "<link name=\"" + name +
         R"("><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>)" +
         more + "</link>";
}

std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& xyz) {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/><origin xyz=\"" + xyz + "\"/><axis xyz=\"0 0 1\"/></joint>";
}

/// Two boxes that turn about vertical axes beside a third one, which does not move.
std::string robot(const std::string& more) {
  return "<robot name=\"r\">\n<link name=\"world\"/>" + link("base") + link("left") + link("right") +
         joint("held", "fixed", "world", "base", "0 0 0") + joint("a", "continuous", "base", "left", "-0.5 0 0") +
         joint("b", "continuous", "base", "right", "0.5 0 0") + more + "</robot>";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool collide(const Scene& scene, const char* a, const char* b) {
  return scene.world.may_collide(scene.world.find_body(a), scene.world.find_body(b));
}

std::string group(const std::string& name, const std::string& content, const std::string& more = "") {
  return "<drake:collision_filter_group name=\"" + name + "\"" + more + ">" + content +
         "</drake:collision_filter_group>";
}

TEST(UrdfDrake, GroupsOfLinksDoNotCollide) {
  const std::string left = R"(<drake:member link="left"/>)", right = R"(<drake:member link="right"/>)",
                    with_b = R"(<drake:ignored_collision_filter_group name="B"/>)";
  EXPECT_TRUE(collide(parse_model(robot("")), "left", "right"));
  // Between two groups, within one, and by a group that is a member.
  ModelReport report;
  EXPECT_FALSE(
      collide(parse_model(robot(group("A", left + with_b) + group("B", right)), {}, &report), "left", "right"));
  EXPECT_EQ(report.elements_honoured, report.elements) << notes_of(report);
  EXPECT_FALSE(collide(parse_model(robot(group("B", left + right + with_b))), "left", "right"));
  const std::string nested = R"(<drake:member_group name="C"/><drake:member_group name="B"/>)";
  EXPECT_FALSE(
      collide(parse_model(robot(group("A", left + with_b) + group("B", nested) + group("C", right))), "left", "right"));
  // Without a pair of groups, and in one that is to be ignored.
  EXPECT_TRUE(collide(parse_model(robot(group("A", left + right))), "left", "right"));
  EXPECT_TRUE(collide(parse_model(robot(group("B", left + right + with_b, " ignore=\"true\""))), "left", "right"));
}

TEST(UrdfDrake, GroupsThatNameNothingAreListed) {
  const std::string notes = notes_of(robot(group(
      "A",
      R"(<drake:member link="lefd"/><drake:member_group name="C"/><drake:ignored_collision_filter_group name="A"/>)")));
  EXPECT_TRUE(has(notes, "drake:member: there is no link named 'lefd'")) << notes;
  EXPECT_TRUE(has(notes, "there is no group named 'C'")) << notes;
}

TEST(UrdfDrake, RotorsResistBehindTheirGear) {
  const std::string rotor =
      R"(<transmission><joint name="a"/><actuator name="m"><drake:gear_ratio value="100"/><drake:rotor_inertia value="1e-5"/></actuator></transmission>)";
  ModelReport report;
  const Scene scene = parse_model(robot(rotor), {}, &report);
  EXPECT_EQ(notes_of(report), "");  // a hinge on a body that does not move: exact
  const auto inertia = [&](const char* name) {
    return scene.world.mass_properties(scene.world.find_body(name)).inertia(2, 2);
  };
  EXPECT_NEAR(inertia("left"), 0.01 + 100 * 100 * 1e-5, 1e-15);
  EXPECT_EQ(inertia("right"), 0.01);
  EXPECT_TRUE(
      has(refusal_of(robot(R"(<transmission><actuator><drake:rotor_inertia value="-1"/></actuator></transmission>)")),
          "value: must not be negative"));
}

TEST(UrdfGazebo, PluginsMakeJointsFollow) {
  const auto plugin = [](const std::string& content) {
    return R"(<gazebo><plugin name="p" filename="libroboticsgroup_gazebo_mimic_joint_plugin.so">)" + content +
           "</plugin></gazebo>";
  };
  const std::string follow = "<joint>a</joint><mimicJoint>b</mimicJoint><multiplier>-2</multiplier>";
  ModelReport report;
  const Scene scene = parse_model(robot(plugin(follow)), {}, &report);
  EXPECT_EQ(report.elements_honoured, report.elements) << notes_of(report);
  ASSERT_TRUE(scene.world.find_joint("b_follows"));
  EXPECT_EQ(std::get<GearJoint>(scene.world.joint(scene.world.find_joint("b_follows")).kind).ratio, 2);
  EXPECT_TRUE(has(notes_of(robot(plugin("<joint>a</joint><mimicJoint>c</mimicJoint>"))), "there is no such joint"));
  EXPECT_TRUE(has(notes_of(robot(plugin(follow + "<hasPID/>"))), "hasPID"));
  EXPECT_TRUE(has(notes_of(robot(plugin("<joint>a</joint><mimicJoint>b</mimicJoint><offset>x</offset>"))),
                  "plugin 'p': expected numbers in <multiplier> and <offset>"));
  EXPECT_TRUE(has(refusal_of(robot(plugin("<joint>a</joint><mimicJoint>a</mimicJoint>"))), "follows itself"));
}

TEST(UrdfGazebo, SurfacesOfCollisions) {
  ModelReport report;
  const Scene scene = parse_model(
      robot(
          R"(<gazebo reference="left"><collision><surface><bounce><restitution_coefficient>0.4</restitution_coefficient></bounce><friction><ode><mu>0.3</mu></ode></friction></surface></collision></gazebo>)"),
      {}, &report);
  EXPECT_EQ(report.elements_honoured, report.elements) << notes_of(report);
  const Material& left = scene.world.body_def(scene.world.find_body("left")).material;
  EXPECT_EQ(left.restitution, 0.4);
  EXPECT_EQ(left.friction, 0.3);
  EXPECT_TRUE(has(
      notes_of(robot(
          R"(<gazebo reference="left"><collision><surface><bounce><restitution_coefficient>2</restitution_coefficient></bounce></surface></collision></gazebo>)")),
      "expected a coefficient from 0 to 1"));
}

/// The readings of the sensors after a second.
std::map<std::string, std::vector<double>> readings(const Scene& scene) {
  Simulation simulation = make_simulation(scene);
  SensorReader reader(scene.sensors);
  std::map<std::string, std::vector<double>> result;
  while (simulation.time() < 0.5) {
    simulation.step();
    for (const SensorReading& r : reader.read(simulation)) result[r.sensor->name] = r.values;
  }
  return result;
}

TEST(UrdfSensors, ForcesOfJointsAndContacts) {
  const std::string settings =
      "<force_torque><frame>child</frame><measure_direction>parent_to_child</measure_direction></force_torque>";
  ModelReport report;
  const Scene scene = parse_model(
      robot(
          "<gazebo reference=\"a\"><sensor name=\"ft\" type=\"force_torque\">" + settings +
          "</sensor></gazebo><sensor name=\"own\" type=\"force_torque\"><parent joint=\"b\"/>" + settings +
          R"(</sensor><sensor name="gyro" type="gyroscope"><parent link="left"/><origin xyz="0 0 0.1" rpy="0 0 0"/></sensor>)"),
      {}, &report);
  EXPECT_EQ(notes_of(report), "");
  auto values = readings(scene);
  for (const char* name : {"ft.force", "own.force"}) {
    ASSERT_EQ(values[name].size(), 3u) << name;
    EXPECT_NEAR(values[name][2], 9.81, 1e-6) << name;  // chosen: the weight, at rest
  }
  EXPECT_EQ(values["gyro"].size(), 3u);
  // What is not measured as it is asked for is listed.
  const std::string notes = notes_of(robot(
      R"(<gazebo reference="a"><sensor name="f" type="force_torque"/></gazebo><gazebo reference="left"><sensor name="c" type="contact"><contact><collision>x</collision></contact></sensor></gazebo><sensor name="n" type="imu"><parent link="nothing"/></sensor><gazebo reference="held"><sensor name="h" type="force_torque"/></gazebo>)"));
  EXPECT_TRUE(has(notes, "sum of the normal forces of all contacts")) << notes;
  EXPECT_TRUE(has(notes, "'n': its parent is no link or joint")) << notes;
  EXPECT_TRUE(has(notes, "'h': it is left out: the link has no mass or does not move")) << notes;
}

TEST(UrdfSensors, DirectionsAndRatesAreHonoured) {
  const auto sensor = [](const std::string& name, const std::string& more) {
    return "<gazebo reference=\"a\"><sensor name=\"" + name + "\" type=\"force_torque\">" + more + "</sensor></gazebo>";
  };
  ModelReport report;
  const Scene scene =
      parse_model(robot(sensor("usual", "<update_rate>100</update_rate>") +
                        sensor("down",
                               "<update_rate>0</update_rate><force_torque><measure_direction>parent_to_child</"
                               "measure_direction></force_torque>")),
                  {}, &report);
  EXPECT_EQ(report.elements_honoured, report.elements) << notes_of(report);
  for (const SceneSensor& s : scene.sensors) EXPECT_EQ(s.rate, has(s.name, "usual") ? 100 : 0) << s.name;
  auto values = readings(scene);
  EXPECT_NEAR(values["usual.force"][2], -9.81, 1e-6);  // Gazebo's default: what the child exerts on its parent
  EXPECT_NEAR(values["down.force"][2], 9.81, 1e-6);
  EXPECT_TRUE(has(notes_of(robot(sensor("s", "<update_rate>-1</update_rate>"))), "expected an update_rate"));
  EXPECT_TRUE(has(
      notes_of(robot(
          R"(<gazebo reference="left"><sensor name="eye" type="camera"><update_rate>30</update_rate></sensor></gazebo>)")),
      "pictures are taken when"));
}

TEST(Urdf, ASecondInertialIsListed) {
  const std::string more = R"(<inertial><mass value="5"/></inertial>)";
  ModelReport report;
  const Scene scene = parse_model("<robot name=\"r\">" + link("one", more) + "</robot>", {}, &report);
  EXPECT_EQ(scene.world.mass_properties(scene.world.find_body("one")).mass, 1);
  EXPECT_TRUE(has(notes_of(report), "inertial: the link has an <inertial> already")) << notes_of(report);
}

}  // namespace
}  // namespace rigor
