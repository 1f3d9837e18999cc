// URDF: trees of links and joints as bodies and joints, and the account of what is not honoured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "models/model_text.h"
#include "rigor/model.h"

namespace rigor {
namespace {

const char* kInertial =
    R"(<inertial><origin xyz="0 0 0.5"/><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>)";

std::string robot(const std::string& content) { return "<robot name=\"r\">\n" + content + "\n</robot>"; }
std::string link(const std::string& name, const std::string& more = "") {
  return "<link name=\"" + name + "\">" + kInertial + more + "</link>\n";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& more = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/>" + more + "</joint>\n";
}

bool has_note(const ModelReport& report, const std::string& words) {
  for (const ModelNote& note : report.notes)
    if (to_text(note).find(words) != std::string::npos) return true;
  return false;
}

TEST(Urdf, ReadsLinksAndJoints) {
  ModelReport report;
  const Scene scene = parse_model(
      robot(
          link("base") +
          link(
              "arm",
              R"(<visual><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.1" length="1"/></geometry></visual>)"
              R"(<collision><origin xyz="0 0 0.5"/><geometry><capsule radius="0.1" length="0.8"/></geometry></collision>)") +
          joint(
              "j", "revolute", "base", "arm",
              R"(<origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><axis xyz="1 0 0"/><limit lower="-1" upper="2" effort="10" velocity="3"/><dynamics damping="0.3" friction="0.1"/>)")),
      {}, &report);
  const World& w = scene.world;
  const BodyId arm = w.find_body("arm");
  ASSERT_TRUE(arm);
  EXPECT_NEAR(w.position(arm).z, 1, 1e-15);
  EXPECT_NEAR(w.mass_properties(arm).center_of_mass.z, 0.5, 1e-15);
  const JointId id = w.find_joint("j");
  ASSERT_TRUE(id);
  const JointAxis& axis = std::get<AxesJoint>(w.joint(id).kind).axes[3];
  EXPECT_EQ(axis.motion, AxisMotion::limited);
  EXPECT_EQ(axis.lower, -1);
  EXPECT_EQ(axis.upper, 2);
  EXPECT_EQ(axis.spring.damping, 0.3);
  EXPECT_EQ(axis.friction, 0.1);
  EXPECT_EQ(axis.motor.max_force, 10);
  // The axis x of the joint frame, which is turned by 90° about z.
  const Vec3 in_world = rotate(w.orientation(arm) * w.joint(id).frame_b.rotation, {1, 0, 0});
  EXPECT_NEAR(in_world.y, 1, 1e-12);
  EXPECT_TRUE(has_note(report, "model:2: limit @velocity") ||
              has_note(report, "limit @velocity: the limit of the speed is not enforced"))
      << notes_of(report);
  // Parents and children do not collide, and the scene can be written.
  EXPECT_FALSE(w.may_collide(arm, w.find_body("base")));
  EXPECT_EQ(parse_scene(write_scene(scene)).world.hash(), w.hash());
}

TEST(Urdf, KnowsAllJointTypes) {
  std::string text = link("l0");
  const char* kTypes[] = {"fixed", "revolute", "continuous", "prismatic", "planar", "floating"};
  for (int i = 0; i < 6; ++i)
    text += link("l" + std::to_string(i + 1)) + joint("j" + std::to_string(i), kTypes[i], "l" + std::to_string(i),
                                                      "l" + std::to_string(i + 1),
                                                      "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>");
  const Scene scene = parse_model(robot(text));
  EXPECT_EQ(scene.world.joint_count(), 5u);  // a floating link hangs on nothing
  const auto& planar = std::get<AxesJoint>(scene.world.joint(scene.world.find_joint("j4.x+j4.y+j4.angle")).kind);
  int moving = 0;
  for (const JointAxis& a : planar.axes) moving += a.motion != AxisMotion::locked;
  EXPECT_EQ(moving, 3);
}

TEST(Urdf, MasslessLinksMoveOnToTheirNeighbours) {
  // base_link has no mass and no joint to the world: its child takes its place; a tool frame becomes part of the arm.
  const Scene scene = parse_model(
      robot("<link name=\"base\"/>" + link("trunk") + link("arm") + "<link name=\"tool\"/>" + "<link name=\"dummy\"/>" +
            link("wrist") + joint("a", "fixed", "base", "trunk", "<origin xyz=\"0 0 2\"/>") +
            joint("b", "continuous", "trunk", "arm", "<axis xyz=\"0 1 0\"/>") + joint("c", "fixed", "arm", "tool") +
            joint("d", "continuous", "tool", "dummy", "<axis xyz=\"1 0 0\"/>") +
            joint("e", "continuous", "dummy", "wrist", "<axis xyz=\"0 0 1\"/>")));
  const World& w = scene.world;
  EXPECT_FALSE(w.find_body("base"));
  EXPECT_FALSE(w.find_body("dummy"));
  EXPECT_NEAR(w.position(w.find_body("trunk")).z, 2, 1e-15);
  ASSERT_TRUE(w.find_joint("d+e"));  // two hinges across a massless link are one joint
  EXPECT_EQ(w.joint_count(), 2u);
}

/// Robots of planners have no masses at all. Shares of shares gave an arm of seven joints links of 1e-28 kg.
TEST(Urdf, AModelWithoutAnyMassHasThatOfItsShapes) {
  const auto arm = [](const std::string& name, const std::string& what) {
    return "<link name=\"" + name +
           "\"><visual><geometry><box size=\"9 9 9\"/></geometry></visual><collision><origin xyz=\"0 0 0.5\"/>" + what +
           "</collision></link>";
  };
  const std::string box = R"(<geometry><box size="0.1 0.2 1"/></geometry>)";
  const std::string text =
      robot("<link name=\"base\"/>" + arm("one", box) + arm("two", box) + "<link name=\"tool\"/>" +
            joint("a", "continuous", "base", "one", "<axis xyz=\"0 1 0\"/>") +
            joint("b", "continuous", "one", "two", "<origin xyz=\"0 0 1\"/><axis xyz=\"1 0 0\"/>") +
            joint("c", "fixed", "two", "tool"));
  ModelReport report;
  const Scene scene = parse_model(text, {}, &report);
  EXPECT_TRUE(has_note(report, "as heavy as its shapes at 1000 kg/m³"));
  for (const char* name : {"one", "two"}) {
    const MassProperties m = scene.world.mass_properties(scene.world.find_body(name));
    EXPECT_NEAR(m.mass, 20, 1e-12) << name;
    EXPECT_NEAR(m.center_of_mass.z, 0.5, 1e-15) << name;
    EXPECT_NEAR(m.inertia(0, 0), 20 * (1 + 0.04) / 12, 1e-12) << name;
  }
}

TEST(Urdf, MasslessLinksInARowDoNotGetSharesOfShares) {
  const auto shell = [](const std::string& name) {
    return "<link name=\"" + name + "\"><visual><geometry><box size=\"0.1 0.1 0.1\"/></geometry></visual></link>";
  };
  std::string text = link("l0");
  for (int i = 1; i < 6; ++i) text += shell("l" + std::to_string(i));
  text += link("l6");
  for (int i = 0; i < 6; ++i)
    text += joint("j" + std::to_string(i), "continuous", "l" + std::to_string(i), "l" + std::to_string(i + 1),
                  "<origin xyz=\"0 0 0.2\"/><axis xyz=\"0 1 0\"/>");
  const Scene scene = parse_model(robot(text));
  const auto mass = [&](const char* name) { return scene.world.mass_properties(scene.world.find_body(name)).mass; };
  for (const char* name : {"l1", "l2", "l3", "l4", "l5"}) EXPECT_NEAR(mass(name), 1e-4 * mass("l6"), 1e-18) << name;
}

TEST(Urdf, ARootOfMassZeroDoesNotMove) {
  const Scene scene = parse_model(robot(R"(<link name="rail"><inertial><mass value="0"/></inertial></link>)" +
                                        link("cart") + joint("j", "prismatic", "rail", "cart")));
  Simulation simulation = make_simulation(scene);
  for (int i = 0; i < 30; ++i) simulation.step();
  EXPECT_NEAR(simulation.world().position(scene.world.find_body("cart")).z, 0, 1e-6);
}

TEST(Urdf, RepairsInertiasThatNoBodyHas) {
  ModelReport report;
  const Scene scene = parse_model(
      robot(
          R"(<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>)"),
      {}, &report);
  EXPECT_TRUE(has_note(report, "no body has this inertia")) << notes_of(report);
  EXPECT_NEAR(scene.world.mass_properties(scene.world.find_body("a")).inertia(0, 0), 1, 1e-9);
}

TEST(Urdf, ListsWhatItDoesNotKnowWithItsLine) {
  ModelReport report;
  parse_model(
      robot(link("a") + "<wings span=\"3\"/>\n" + link("b") +
            "<drake:joint name=\"j\" type=\"curvilinear\"><parent link=\"a\"/><child link=\"b\"/></drake:joint>"),
      {}, &report);
  EXPECT_TRUE(has_note(report, "model:3: wings: unknown element")) << notes_of(report);
  EXPECT_TRUE(has_note(report, "joints of the type 'curvilinear' do not exist here")) << notes_of(report);
  EXPECT_LT(report.elements_honoured, report.elements);
  EXPECT_NE(refusal_of(robot(link("a") + "<wings/>"), {.strict = true}).find("--strict refuses"), std::string::npos);
}

TEST(Urdf, RefusesTypesOfJointsThatNoFormatHas) {
  const std::string text = refusal_of(robot(link("a") + link("b") + joint("j", "revolut", "a", "b")));
  EXPECT_NE(text.find("there is no joint type 'revolut'; did you mean revolute?"), std::string::npos) << text;
  EXPECT_NE(refusal_of(robot(link("a") + link("b") + joint("j", "hinge", "a", "b"))).find("joint type 'hinge'"),
            std::string::npos);
}

TEST(Urdf, RefusesWhatIsNoTree) {
  const std::pair<std::string, std::string> cases[] = {
      {robot(link("a") + link("a")), "there is already a link named 'a'"},
      {robot(link("a") + joint("j", "fixed", "a", "b")), "there is no link named 'b'"},
      {robot(link("a") + link("b") + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "a")), "cycle"},
      {robot(link("a") + link("b") + link("c") + joint("j", "fixed", "a", "c") + joint("k", "fixed", "b", "c")),
       "hangs on two joints"},
      {robot(""), "has no links"},
      {robot("<link/>"), "its name is missing"},
      {robot("<link name=\"a\"><inertial><mass value=\"-1\"/></inertial></link>"), "must not be negative"},
      {robot("<link name=\"a\"><inertial><mass value=\"1e400\"/></inertial></link>"), "numbers"},
      {robot("<link name=\"a\"><inertial><mass value=\"nan\"/></inertial></link>"), "numbers"},
      {robot(link("a") + link("b") + joint("j", "revolute", "a", "b", "<axis xyz=\"0 0 0\"/>")), "the axis is zero"},
      {"<robot name=\"x\"><link name=\"a\">", "this is not XML"},
      {"<sdf version=\"1.6\"/>", "SDF is not read"},
      {"<html/>", "expected <robot> (URDF) or <mujoco> (MJCF) at the top"},
      {"", "not XML"}};
  for (const auto& [text, words] : cases)
    EXPECT_NE(refusal_of(text).find(words), std::string::npos) << words << " / " << refusal_of(text);
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "<a>";
  for (int i = 0; i < 5000; ++i) deep += "</a>";
  EXPECT_NE(refusal_of("<robot>" + deep + "</robot>").find("nested"), std::string::npos);
}

TEST(Urdf, FindsMeshesOfPackages) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "rigor_urdf_package";
  std::filesystem::create_directories(folder / "model");
  std::filesystem::create_directories(folder / "meshes");
  std::ofstream(folder / "meshes" / "tetra.obj")
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const std::string geometry =
      R"(<geometry><mesh filename="package://parts/meshes/tetra.obj" scale="2 2 2"/></geometry>)";
  std::ofstream(folder / "model" / "r.urdf")
      << robot(link("a", "<visual>" + geometry + "</visual><collision>" + geometry + "</collision>"));
  const std::string path = (folder / "model" / "r.urdf").string();
  ModelReport report;
  const Scene scene = load_model(path, {.packages = {{"parts", folder.string()}}}, &report);
  const BodyDef& def = scene.world.body_def(scene.world.find_body("a"));
  EXPECT_TRUE(def.shape->as<Mesh>());
  ASSERT_TRUE(def.collision_shape);
  EXPECT_TRUE(def.collision_shape->as<Hull>());
  EXPECT_FALSE(has_note(report, "collides as its convex hull"));  // it is convex
  // A tetrahedron with a corner pushed in is not.
  std::ofstream(folder / "meshes" / "dent.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.2 0.2 0.2\n"
                                                   "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 5\nf 3 4 5\nf 4 2 5\n";
  std::ofstream(folder / "model" / "dent.urdf") << robot(
      link("a", R"(<collision><geometry><mesh filename="package://parts/meshes/dent.obj"/></geometry></collision>)"));
  ModelReport dented;
  load_model((folder / "model" / "dent.urdf").string(), {.packages = {{"parts", folder.string()}}}, &dented);
  EXPECT_TRUE(has_note(dented, "collides as its convex hull"));
  try {
    load_model(path);
    ADD_FAILURE() << "the mesh that collides is missing";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("--package parts=FOLDER"), std::string::npos) << error.what();
  }
  std::filesystem::remove_all(folder);
}

TEST(Urdf, AFreeRobotStandsOnTheGround) {
  const Scene scene =
      parse_model(robot(link("a", R"(<collision><geometry><box size="1 1 1"/></geometry></collision>)")));
  const BodyId ground = scene.world.find_body("ground");
  ASSERT_TRUE(ground);
  EXPECT_NEAR(scene.world.position(ground).z, -0.5, 1e-12);
  const Scene held = parse_model(robot("<link name=\"world\"/>" +
                                       link("a", R"(<collision><geometry><box size="1 1 1"/></geometry></collision>)") +
                                       joint("j", "continuous", "world", "a")));
  EXPECT_FALSE(held.world.find_body("ground"));
}

TEST(Urdf, ARootCanBeHeld) {
  const std::string text = robot(link("base") + link("arm") + joint("j", "continuous", "base", "arm"));
  ModelReport report;
  EXPECT_FALSE(parse_model(text, {}, &report).world.is_fixed(parse_model(text).world.find_body("base")));
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(report.warnings[0].find("--fix-base"), std::string::npos);
  ModelReport held;
  const Scene scene = parse_model(text, {.fix_base = true}, &held);
  EXPECT_TRUE(held.warnings.empty());
  EXPECT_FALSE(scene.world.is_fixed(scene.world.find_body("arm")));
  const JointDef& def = scene.world.joint(scene.world.find_joint("j"));
  EXPECT_TRUE(scene.world.is_fixed(def.a));
  EXPECT_NE(refusal_of("<mujoco><worldbody/></mujoco>", {.fix_base = true}).find("URDF"), std::string::npos);
}

TEST(Urdf, JointsWithoutALimitAreNamedInAWarning) {
  ModelReport report;
  const Scene scene = parse_model(robot(link("a") + link("b") + joint("j", "revolute", "a", "b")), {}, &report);
  EXPECT_EQ(std::get<AxesJoint>(scene.world.joint(scene.world.find_joint("j")).kind).axes[3].motion, AxisMotion::free);
  const auto names_it = [](const std::string& warning) { return warning.find("'j'") != std::string::npos; };
  EXPECT_EQ(std::count_if(report.warnings.begin(), report.warnings.end(), names_it), 1);
}

TEST(Urdf, AScrewHasItsPitch) {
  ModelReport report;
  const Scene scene = parse_model(
      robot(
          "<link name=\"world\"/>" + link("nut") +
          R"(<drake:joint name="s" type="screw"><axis xyz="0 0 1"/><parent link="world"/><child link="nut"/><drake:screw_thread_pitch value="0.04"/></drake:joint>)"),
      {}, &report);
  EXPECT_TRUE(report.notes.empty()) << notes_of(report);
  Simulation simulation = make_simulation(scene);
  for (int i = 0; i < 100; ++i) simulation.step(0.01);
  const World& w = simulation.world();
  const JointId id = w.find_joint("s.along+s.about");
  ASSERT_TRUE(id);
  const auto& axes = std::get<AxesJoint>(w.joint(id).kind).axes;
  const int turn = axes[3].motion != AxisMotion::locked ? 3 : axes[4].motion != AxisMotion::locked ? 4 : 5;
  const double along = w.joint_velocity(id, turn - 3), rate = w.joint_velocity(id, turn);
  EXPECT_GT(std::abs(rate), 0.1);
  EXPECT_NEAR(std::abs(along), 0.04 / (2 * kPi) * std::abs(rate), 1e-6);
}

TEST(Urdf, LongChainsOfFollowersStartWhereTheirLeadersPutThem) {
  constexpr int kCount = 120;
  std::string text = "<robot name=\"x\"><link name=\"world\"/>";
  for (int i = 0; i < kCount; ++i) {
    const std::string n = std::to_string(i);
    text += "<link name=\"l" + n + "\"><inertial><mass value=\"1\"/></inertial></link><joint name=\"j" + n +
            "\" type=\"continuous\"><parent link=\"world\"/><child link=\"l" + n + "\"/><axis xyz=\"0 0 1\"/>";
    if (i + 1 < kCount) text += "<mimic joint=\"j" + std::to_string(i + 1) + "\" offset=\"0.01\"/>";
    text += "</joint>";
  }
  const Scene scene = parse_model(text + "</robot>");
  const Quat q = scene.world.orientation(scene.world.find_body("l0"));
  EXPECT_NEAR(2 * std::atan2(q.z, q.w), 0.01 * (kCount - 1), 1e-9);
}

/// The collision shape of the only link.
ShapePtr collision_of(const std::string& geometries, ModelReport* report = nullptr) {
  const Scene scene = parse_model(robot(link("a", geometries)), {}, report);
  const BodyDef& def = scene.world.body_def(scene.world.find_body("a"));
  return def.can_collide ? def.collision_shape ? def.collision_shape : def.shape : nullptr;
}

std::string collision(const std::string& geometry, const std::string& xyz = "0 0 0") {
  return "<collision><origin xyz=\"" + xyz + "\"/><geometry>" + geometry + "</geometry></collision>";
}

TEST(Urdf, OnlySizesThatAShapeHasMakeItVanish) {
  ModelReport report;
  const ShapePtr sphere = collision_of(collision(R"(<sphere radius="0.5" length="0" size="0 0 0"/>)"), &report);
  ASSERT_TRUE(sphere);
  EXPECT_EQ(sphere->as<Sphere>()->radius, 0.5);
  EXPECT_FALSE(has_note(report, "a size of it is zero"));
  EXPECT_FALSE(collision_of(collision(R"(<sphere radius="0"/>)"), &report));
  EXPECT_TRUE(has_note(report, "a size of it is zero"));
  EXPECT_NE(refusal_of(robot(link("a", collision(R"(<box size="0"/>)")))).find("size: expected 3 numbers"),
            std::string::npos);
  EXPECT_NE(refusal_of(robot(link("a", collision(R"(<sphere radius="0 5 7"/>)")))).find("radius: expected one number"),
            std::string::npos);
}

TEST(Urdf, ANegativeEffortBoundsNothing) {
  const auto force = [](const std::string& effort, ModelReport& report) {
    const Scene scene =
        parse_model(robot(link("a") + link("b") +
                          joint("j", "revolute", "a", "b",
                                "<limit lower=\"0\" upper=\"1\" velocity=\"1\" effort=\"" + effort + "\"/>")),
                    {}, &report);
    return std::get<AxesJoint>(scene.world.joint(scene.world.find_joint("j")).kind).axes[3].motor.max_force;
  };
  ModelReport negative, none, some;
  EXPECT_TRUE(std::isinf(force("-1", negative)));
  EXPECT_TRUE(has_note(negative, "a negative effort bounds nothing"));
  EXPECT_TRUE(std::isinf(force("1e10", none)));
  EXPECT_EQ(force("7", some), 7);
  EXPECT_FALSE(has_note(some, "effort"));
}

TEST(Urdf, ACylinderBetweenTwoSpheresIsACapsule) {
  const std::string cylinder = collision(R"(<cylinder radius="0.1" length="0.5"/>)", "1 2 3");
  const auto ball = [](const char* xyz, const char* radius = "0.1") {
    return collision(std::string("<sphere radius=\"") + radius + "\"/>", xyz);
  };
  for (const std::string& text :
       {cylinder + ball("1 2 3.25") + ball("1 2 2.75"), ball("1 2 2.75") + cylinder + ball("1 2 3.25")}) {
    const ShapePtr shape = collision_of(text);
    ASSERT_TRUE(shape->as<Transformed>());
    const ShapePtr& inner = shape->as<Transformed>()->shape;
    const Capsule* capsule = (inner->as<Transformed>() ? *inner->as<Transformed>()->shape : *inner).as<Capsule>();
    ASSERT_TRUE(capsule);
    EXPECT_EQ(capsule->radius, 0.1);
    EXPECT_EQ(capsule->half_length, 0.25);
  }
  for (const std::string& text : {cylinder + ball("1 2 3.25"), cylinder + ball("1 2 3.25") + ball("1 2 2.7"),
                                  cylinder + ball("1 2 3.25") + ball("1 2 2.75", "0.11")}) {
    const ShapePtr shape = collision_of(text);
    ASSERT_TRUE(shape->as<Composite>());
    EXPECT_EQ(shape->as<Composite>()->parts.size(),
              text.find("2.7\"") == std::string::npos && text.find("0.11") == std::string::npos ? 2u : 3u);
  }
}

TEST(Urdf, AMissingLinkIsReportedWithItsJointAndSimilarNames) {
  const std::string message =
      refusal_of(robot(link("upper_arm") + link("hand") + joint("elbow", "continuous", "uper_arm", "hand")));
  EXPECT_NE(message.find("there is no link named 'uper_arm', the parent of the joint 'elbow'; did you mean upper_arm?"),
            std::string::npos)
      << message;
}

/// Found in public robots: differentials of Talos have two actuators, and Iris has limits of ±1e16.
TEST(Urdf, ReadsDifferentialsAndLimitsThatMeanNone) {
  const auto robot = [](const std::string& limit) {
    return R"(<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
      <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
      <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit )" +
           limit + R"(/></joint>
      <transmission name="t"><type>Differential</type><joint name="j"/><actuator name="m1"><mechanicalReduction>1</mechanicalReduction></actuator>
      <actuator name="m2"><mechanicalReduction>50</mechanicalReduction></actuator></transmission></robot>)";
  };
  ModelReport report;
  const Scene scene = parse_model(robot(R"(lower="-1e16" upper="inf" effort="1e308" velocity="1e20")"), {}, &report);
  const JointAxis& axis = std::get<AxesJoint>(scene.world.joint(scene.world.find_joint("j")).kind).axes[3];
  EXPECT_EQ(axis.motion, AxisMotion::free);
  EXPECT_TRUE(std::isinf(axis.motor.max_force));
  EXPECT_NE(notes_of(report).find("motors act on the joint without a gear"), std::string::npos) << notes_of(report);
  EXPECT_NE(refusal_of(robot(R"(lower="nan" upper="1")")).find("<limit>: lower: expected numbers"), std::string::npos);
}

/// A third slash was taken for the end of an empty name.
TEST(Urdf, NamesThePackageBehindThreeSlashes) {
  const std::string robot =
      R"(<robot name="r"><link name="a"><collision><geometry><mesh filename="FILE"/></geometry></collision></link></robot>)";
  const auto refusal = [&](const std::string& file) {
    const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "rigor_package.urdf";
    std::string text = robot;
    std::ofstream(path) << text.replace(text.find("FILE"), 4, file);
    try {
      load_model(path.string());
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal("package:///arm/a.stl").find("--package arm=FOLDER"), std::string::npos)
      << refusal("package:///arm/a.stl");
  EXPECT_NE(refusal("package://").find("names no package"), std::string::npos) << refusal("package://");
}

/// Published robots have visuals with two materials; urdfdom reads the first one.
TEST(Urdf, TakesTheFirstOfTwoMaterials) {
  const std::string text = robot(link(
      "a",
      R"(<visual><geometry><sphere radius="1"/></geometry><material name="first"><color rgba="1 0 0 1"/></material><material name="second"><color rgba="0 1 0 1"/></material></visual>)"));
  ModelReport report;
  const std::string scene = write_scene(parse_model(text, {}, &report));
  EXPECT_NE(scene.find("first #ff0000"), std::string::npos);
  EXPECT_EQ(scene.find("#00ff00"), std::string::npos);
  EXPECT_TRUE(has_note(report, "material 'second': the shape has a material already"));
}

}  // namespace
}  // namespace rigor
