// What <gazebo>, <transmission> and <ros2_control> of URDF files change: friction, weight, collisions, springs, colours and motors.
#include <gtest/gtest.h>

#include "models/model_text.h"
#include "rigor/model.h"
#include "rigor/simulation.h"

namespace rigor {
namespace {

/// Two boxes side by side on a third one; a hinge and a fixed joint.
std::string robot(const std::string& more,
                  const std::string& limit = R"(<limit lower="-1" upper="1" effort="50" velocity="2"/>)") {
  const auto link = [](const std::string& name) {
    return "<link name=\"" + name +
           R"("><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial><visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>)";
  };
  return "<robot name=\"r\">\n" + link("base") + link("left") + link("right") +
         R"(<joint name="hinge" type="revolute"><parent link="base"/><child link="left"/><origin xyz="-0.5 0 0"/><axis xyz="0 1 0"/>)" +
         limit +
         R"(</joint><joint name="turn" type="continuous"><parent link="base"/><child link="right"/><origin xyz="0.5 0 0"/><axis xyz="0 1 0"/></joint>)" +
         more + "</robot>";
}

Scene read(const std::string& more, ModelReport* report = nullptr, const ModelOptions& options = {}) {
  return parse_model(robot(more), options, report);
}

JointAxis hinge(const Scene& scene, const std::string& name = "hinge") {
  return std::get<AxesJoint>(scene.world.joint(scene.world.find_joint(name)).kind).axes[3];
}

TEST(UrdfGazebo, FrictionIsTheSmallerOfTwo) {
  ModelReport report;
  const Scene scene =
      read(R"(<gazebo reference="left"><mu1>0.05</mu1><mu2>0.05</mu2><fdir1>1 0 0</fdir1></gazebo>)", &report);
  const World& w = scene.world;
  EXPECT_EQ(w.body_def(w.find_body("left")).material.friction, 0.05);
  EXPECT_EQ(w.material_rules().friction, Combine::minimum);
  EXPECT_GE(w.body_def(w.find_body("ground")).material.friction, 100);
  // Links without one have that of Gazebo, not that of scenes, which would be the smaller one.
  EXPECT_EQ(w.body_def(w.find_body("right")).material.friction, 1);
  EXPECT_EQ(read("").world.body_def(read("").world.find_body("right")).material.friction, Material().friction);
  EXPECT_EQ(report.elements_honoured, report.elements);
  // Without <gazebo> the rule is that of all scenes.
  EXPECT_EQ(read("").world.material_rules().friction, Combine::maximum);
}

TEST(UrdfGazebo, BodiesSlideAsTheirFrictionSays) {
  // On a slope of 20°, tan 20° = 0.364: 0.2 slides with g (sin α − μ cos α), 0.5 stays.
  const double g = 9.81, alpha = 20 * kPi / 180;
  for (const double mu : {0.2, 0.5}) {
    Scene scene = parse_model(
        R"(<robot name="r"><link name="box"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial><collision><geometry><box size="0.4 0.4 0.2"/></geometry></collision></link><gazebo reference="box"><mu1 value=")" +
        std::to_string(mu) + R"("/></gazebo></robot>)");
    scene.world.set_gravity(Vec3{g * std::sin(alpha), 0, -g * std::cos(alpha)});
    Simulation simulation = make_simulation(scene);
    const BodyId box = simulation.world().find_body("box");
    while (simulation.time() < 1 - 1e-9) simulation.step();
    const double expected = mu < 0.364 ? g * (std::sin(alpha) - mu * std::cos(alpha)) : 0;
    // Chosen: 2 % of g sin α. The box begins with a rocking of its corners, which is no part of the formula.
    EXPECT_NEAR(simulation.world().velocity(box).x, expected, 0.02 * g * std::sin(alpha)) << mu;
  }
}

TEST(UrdfGazebo, FrictionThatDependsOnTheDirectionIsNoted) {
  const std::string notes =
      notes_of(robot(R"(<gazebo reference="left"><mu1>0.9</mu1><mu2>0.1</mu2><fdir1>1 0 0</fdir1></gazebo>)"));
  EXPECT_NE(notes.find("mu2: the friction is the same in all directions"), std::string::npos) << notes;
  EXPECT_NE(notes.find("fdir1: the friction is the same"), std::string::npos) << notes;
  for (const char* wrong : {"-1", "many", "1e9", ""}) {
    const std::string text = std::string("<gazebo reference=\"left\"><mu1>") + wrong + "</mu1></gazebo>";
    EXPECT_NE(notes_of(robot(text)).find("mu1: it is left out"), std::string::npos) << wrong;
    EXPECT_EQ(read(text).world.material_rules().friction, Combine::maximum) << wrong;
  }
}

TEST(UrdfGazebo, WeightCanBeTurnedOff) {
  for (const char* off :
       {"<turnGravityOff>true</turnGravityOff>", "<gravity>0</gravity>", "<turnGravityOff value=\"True\"/>"}) {
    const Scene scene = read(std::string("<gazebo reference=\"left\">") + off + "</gazebo>");
    EXPECT_EQ(scene.world.body_def(scene.world.find_body("left")).gravity_factor, 0) << off;
    EXPECT_EQ(scene.world.body_def(scene.world.find_body("right")).gravity_factor, 1) << off;
  }
  EXPECT_NE(notes_of(robot("<gazebo reference=\"left\"><gravity>maybe</gravity></gazebo>"))
                .find("expected true or false, got 'maybe'"),
            std::string::npos);
}

TEST(UrdfGazebo, LinksOfARobotCollideUnlessBothSayNo) {
  const auto collide = [](const std::string& more) {
    const Scene scene = read(more);
    return scene.world.may_collide(scene.world.find_body("left"), scene.world.find_body("right"));
  };
  const std::string left = R"(<gazebo reference="left"><selfCollide>false</selfCollide></gazebo>)";
  const std::string right = R"(<gazebo reference="right"><self_collide>0</self_collide></gazebo>)";
  EXPECT_TRUE(collide(""));
  EXPECT_TRUE(collide(left));
  EXPECT_FALSE(collide(left + right));
  EXPECT_FALSE(collide("<gazebo><self_collide>false</self_collide></gazebo>"));
  EXPECT_TRUE(collide(
      R"(<gazebo><self_collide>false</self_collide></gazebo><gazebo reference="left"><selfCollide>true</selfCollide></gazebo>)"));
}

TEST(UrdfGazebo, JointsHaveSprings) {
  ModelReport report;
  const JointAxis axis = hinge(read(
      R"(<gazebo reference="hinge"><springStiffness>7</springStiffness><springReference>0.3</springReference><implicitSpringDamper>1</implicitSpringDamper><provideFeedback>true</provideFeedback></gazebo>)",
      &report));
  EXPECT_EQ(axis.spring.stiffness, 7);
  EXPECT_EQ(axis.spring.rest, 0.3);
  EXPECT_EQ(report.elements_honoured, report.elements);
}

TEST(UrdfGazebo, StaticModelsDoNotMove) {
  const Scene scene = read("<gazebo><static>true</static></gazebo>");
  for (const char* name : {"base", "left", "right"})
    EXPECT_TRUE(scene.world.is_fixed(scene.world.find_body(name))) << name;
}

TEST(UrdfGazebo, MaterialsAreColours) {
  const std::string text = write_scene(read(R"(<gazebo reference="left"><material>Gazebo/Blue</material></gazebo>)"));
  EXPECT_NE(text.find("#0000ff"), std::string::npos);
  EXPECT_NE(notes_of(robot(R"(<gazebo reference="left"><material>Gazebo/Wood</material></gazebo>)"))
                .find("'Gazebo/Wood' is no material with a plain colour"),
            std::string::npos);
}

TEST(UrdfGazebo, TheRestIsListedAsMeantForOthers) {
  const std::string notes = notes_of(robot(
      R"(<gazebo><plugin name="p" filename="x.so"><a><b>1</b></a></plugin></gazebo><gazebo reference="left"><kp>1e6</kp><maxVel>1</maxVel><sensor name="s" type="ray"/></gazebo><gazebo reference="nothing"><mu1>1</mu1></gazebo>)"));
  for (const char* words :
       {"plugin 'p': meant for plugins and pictures of another program", "kp: contacts are as stiff as the method",
        "maxVel: a setting of another program's solver", "sensor 's': sensors of this kind are not measured",
        "there is no link or joint named 'nothing'"})
    EXPECT_NE(notes.find(words), std::string::npos) << words << "\n" << notes;
}

TEST(UrdfGazebo, CamerasLookAlongXOfTheirLink) {
  ModelReport report;
  const Scene scene = read(
      R"(<gazebo reference="left"><sensor name="eye" type="camera"><pose>0.1 0 0 0 0 1.5707963267948966</pose><always_on>true</always_on><camera><horizontal_fov>1.5707963267948966</horizontal_fov><image><width>200</width><height>100</height></image></camera></sensor></gazebo>)",
      &report);
  ASSERT_EQ(scene.appearance.cameras.size(), 1u);
  const MountedCamera& camera = scene.appearance.cameras[0];
  EXPECT_EQ(camera.name, "eye");
  EXPECT_EQ(camera.body, "left");
  EXPECT_NEAR(camera.position.x, 0.1, 1e-15);
  // Turned by 90° about z, x of the sensor is y of the link; scenes look along −z with y up.
  EXPECT_NEAR(length(rotate(camera.orientation, {0, 0, -1}) - Vec3{0, 1, 0}), 0, 1e-12);
  EXPECT_NEAR(length(rotate(camera.orientation, {0, 1, 0}) - Vec3{0, 0, 1}), 0, 1e-12);
  EXPECT_NEAR(camera.fov, 2 * std::atan(0.5) * 180 / kPi, 1e-12);
  EXPECT_EQ(report.elements_honoured, report.elements) << notes_of(report);
}

TEST(UrdfGazebo, InertialSensorsAreMeasured) {
  const std::string imu =
      R"(<sensor name="imu" type="imu"><pose>0 0 0.1 0 0 0</pose><imu><noise><type>gaussian</type></noise></imu></sensor>)";
  const Scene scene = read("<gazebo reference=\"left\">" + imu + imu + "</gazebo>");
  ASSERT_EQ(scene.sensors.size(), 6u);
  EXPECT_EQ(scene.sensors[0].name, "imu.accelerometer");
  EXPECT_EQ(scene.sensors[0].type, SceneSensor::Type::accelerometer);
  EXPECT_EQ(scene.sensors[1].type, SceneSensor::Type::gyro);
  EXPECT_EQ(scene.sensors[1].body, "left");
  EXPECT_NEAR(scene.sensors[1].position.z, 0.1, 1e-15);
  EXPECT_EQ(scene.sensors[3].name, "imu.accelerometer 2");
  EXPECT_EQ(parse_scene(write_scene(scene)).sensors.size(), 6u);
  for (const char* wrong : {"<pose>1 2</pose>", "<pose>a b c d e f</pose>"})
    EXPECT_NE(notes_of(robot(std::string("<gazebo reference=\"left\"><sensor name=\"s\" type=\"imu\">") + wrong +
                             "</sensor></gazebo>"))
                  .find("it is left out: expected"),
              std::string::npos)
        << wrong;
}

TEST(UrdfGazebo, ElementsOnTheWrongKindAreNoted) {
  const std::string notes = notes_of(robot(
      R"(<gazebo><mu1>1</mu1></gazebo><gazebo reference="hinge"><mu1>1</mu1></gazebo><gazebo reference="left"><springStiffness>1</springStiffness></gazebo><gazebo reference="turn"><springStiffness>-1</springStiffness></gazebo>)"));
  for (const char* words : {"its <gazebo> refers to no link or joint", "'hinge' is a joint, not a link",
                            "'left' is a link, not a joint", "expected a stiffness that is not negative"})
    EXPECT_NE(notes.find(words), std::string::npos) << words << "\n" << notes;
  std::string painted = robot(R"(<gazebo reference="base"><material>Gazebo/Red</material></gazebo>)");
  painted.insert(painted.find("</visual>"), R"(<material name="own"><color rgba="0 0 1 1"/></material>)");
  EXPECT_NE(notes_of(painted).find("a visual has a material of its own"), std::string::npos) << notes_of(painted);
}

// ---- motors -----------------------------------------------------------------------------------------

std::string transmission(const std::string& interface, const std::string& joint = "hinge",
                         const std::string& reduction = "50") {
  return R"(<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name=")" + joint +
         "\"><hardwareInterface>" + interface +
         "</hardwareInterface></joint><actuator name=\"m\"><mechanicalReduction>" + reduction +
         "</mechanicalReduction></actuator></transmission>";
}

TEST(UrdfTransmission, HoldsJointsThatAreCommandedByPositionOrVelocity) {
  for (const char* interface : {"hardware_interface/PositionJointInterface", "VelocityJointInterface"}) {
    ModelReport report;
    const Scene scene = read(transmission(interface), &report, {.fix_base = true});
    EXPECT_EQ(hinge(scene).motor.kind, AxisMotor::Kind::velocity) << interface;
    EXPECT_EQ(hinge(scene).motor.target, 0);
    EXPECT_EQ(hinge(scene).motor.max_force, 50);
    EXPECT_EQ(hinge(scene, "turn").motor.kind, AxisMotor::Kind::none);
    EXPECT_EQ(report.elements_honoured, report.elements) << notes_of(report);
    ASSERT_EQ(report.warnings.size(), 1u);
    EXPECT_NE(report.warnings[0].find("motors hold 1 joint at rest"), std::string::npos) << report.warnings[0];
  }
  for (const char* interface : {"hardware_interface/EffortJointInterface", "JointStateInterface"})
    EXPECT_EQ(hinge(read(transmission(interface))).motor.kind, AxisMotor::Kind::none) << interface;
  EXPECT_EQ(hinge(parse_model(robot(transmission("PositionJointInterface"),
                                    R"(<limit lower="-1" upper="1" effort="0" velocity="2"/>)")))
                .motor.kind,
            AxisMotor::Kind::none);
}

TEST(UrdfTransmission, SaysThatKeysOfItsMotorsAreVelocities) {
  ModelReport report;
  read(transmission("PositionJointInterface"), &report, {.fix_base = true});
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(report.warnings[0].find("keys of their drives are rad/s or m/s"), std::string::npos) << report.warnings[0];
}

TEST(UrdfTransmission, MisspeltInterfacesAreListed) {
  const std::string notes = notes_of(robot(transmission("hardware_interface/PositonJointInterface")));
  EXPECT_NE(notes.find("there is no interface 'PositonJointInterface'; did you mean PositionJointInterface"),
            std::string::npos)
      << notes;
  const std::string control = notes_of(
      robot(R"(<ros2_control><joint name="hinge"><command_interface name="positon"/></joint></ros2_control>)"));
  EXPECT_NE(control.find("there is no interface 'positon'; did you mean position?"), std::string::npos) << control;
}

TEST(UrdfTransmission, AHeldArmDoesNotSink) {
  const Scene scene = parse_model(
      R"(<robot name="r"><link name="world"/><link name="arm"><inertial><origin xyz="1 0 0"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link><joint name="j" type="continuous"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/><limit effort="20" velocity="1"/></joint>)" +
      transmission("PositionJointInterface", "j") + "</robot>");
  Simulation simulation = make_simulation(scene);
  while (simulation.time() < 2) simulation.step();
  // The weight needs 9.81 N m of the 20. Chosen: 1 mm of 1 m, which is far below the fall of 10 m of a free arm.
  EXPECT_LT(std::abs(simulation.world().position(simulation.world().find_body("arm")).z), 1e-3);
  EXPECT_LT(length(simulation.world().angular_velocity(simulation.world().find_body("arm"))), 1e-3);
}

TEST(UrdfTransmission, ReadsControlOfRos2) {
  ModelReport report;
  const Scene scene = read(
      R"(<ros2_control name="c" type="system"><hardware><plugin>x/y</plugin></hardware><joint name="hinge"><command_interface name="position"/><state_interface name="velocity"/></joint><joint name="turn"><command_interface name="effort"/></joint></ros2_control>)",
      &report);
  EXPECT_EQ(hinge(scene).motor.kind, AxisMotor::Kind::velocity);
  EXPECT_EQ(hinge(scene, "turn").motor.kind, AxisMotor::Kind::none);
  EXPECT_EQ(report.elements - report.elements_honoured, 2u) << notes_of(report);  // <hardware> and its <plugin>
  EXPECT_NE(notes_of(robot(transmission("PositionJointInterface", "nothing"))).find("there is no such joint"),
            std::string::npos);
}

}  // namespace
}  // namespace rigor
