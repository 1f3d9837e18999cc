// urdfdom, the reader of ROS, is an oracle: both read URDF files, and tree, masses, origins, axes, limits, damping and mimics are compared.
//
// The test compares the Robot that our reader makes, before links without mass are joined to others. urdfdom insists on limits of revolute joints and on a
// link called world where one is referred to; its text gets those, ours does not. It does not know Drake's joints, so that it refuses one of the
// shared models.
#include <gtest/gtest.h>

#if RIGOR_HAVE_URDFDOM

#include <urdf_parser/urdf_parser.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>

#include "models/own_robots.h"
#include "models/shared_models.h"
#include "models/urdf.h"
#include "rigor/error.h"
#include "rigor/model.h"

namespace rigor::models {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTolerance = 1e-12;  // both read the same decimal numbers; only products of rotations are rounded

Vec3 vec(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }
Transform pose(const urdf::Pose& p) {
  return {vec(p.position), {p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z}};
}

void expect_near(const Vec3& a, const Vec3& b, const std::string& what) {
  EXPECT_LE(length(a - b), kTolerance * (1 + length(b))) << what;
}
void expect_near(const Transform& a, const Transform& b, const std::string& what) {
  expect_near(a.translation, b.translation, what);
  EXPECT_NEAR(std::abs(dot(a.rotation, b.rotation)), 1, kTolerance) << what;
}

struct OurReading {
  std::unique_ptr<XmlFile> file;
  Robot robot;

  explicit OurReading(const std::string& text) : file(parse_xml(text, "robot.urdf", "")) {
    Ledger ledger(urdf_table());
    const FileAccess none{.forbidden = true};
    robot = read_urdf(Element(file->document.document_element(), file.get()), none, false, ledger);
  }
  const Link* link(const std::string& name) const {
    for (const Link& l : robot.links)
      if (l.name == name) return &l;
    return nullptr;
  }
  std::string parent_of(const Link& l) const {
    return l.parent == kWorld ? "" : robot.links[static_cast<std::size_t>(l.parent)].name;
  }
};

void compare_mass(const Link& ours, const urdf::Link& theirs, const std::string& where) {
  if (!theirs.inertial || theirs.inertial->mass <= 0) {
    EXPECT_EQ(ours.mass.mass, 0) << where;
    return;
  }
  const urdf::Inertial& i = *theirs.inertial;
  EXPECT_NEAR(ours.mass.mass, i.mass, kTolerance * i.mass) << where;
  expect_near(ours.mass.center_of_mass, vec(i.origin.position), where + ": center of mass");
  const Mat3 R = rotation_matrix(pose(i.origin).rotation);
  const Mat3 I = R * Mat3{{{i.ixx, i.ixy, i.ixz}, {i.ixy, i.iyy, i.iyz}, {i.ixz, i.iyz, i.izz}}} * transpose(R);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(ours.mass.inertia(r, c), I(r, c), kTolerance * (1 + std::abs(trace(I)))) << where << ": inertia";
}

void compare_joint(const Link& ours, const urdf::Joint& theirs, const std::string& where) {
  expect_near(ours.pose, pose(theirs.parent_to_joint_origin_transform), where + ": origin");
  const bool turns = theirs.type == urdf::Joint::REVOLUTE || theirs.type == urdf::Joint::CONTINUOUS;
  if (!turns && theirs.type != urdf::Joint::PRISMATIC) {
    if (theirs.type == urdf::Joint::FIXED) {
      EXPECT_TRUE(ours.joints.empty()) << where;
    }
    return;
  }
  ASSERT_EQ(ours.joints.size(), 1u) << where;
  const JointSpec& j = ours.joints[0];
  EXPECT_EQ(j.name, theirs.name) << where;
  EXPECT_EQ(j.type, turns ? JointSpec::Type::hinge : JointSpec::Type::slide) << where;
  expect_near(j.axis, normalized(vec(theirs.axis)), where + ": axis");
  // A limit without bounds is 0 to 0 for urdfdom; here the joint moves without one, and a note reports it.
  const bool has_bounds = theirs.limits && (theirs.limits->lower != 0 || theirs.limits->upper != 0);
  if (theirs.type != urdf::Joint::CONTINUOUS && has_bounds) {
    const double lower = theirs.limits->lower > -kUrdfNoBound ? theirs.limits->lower : -kInfinity;
    const double upper = theirs.limits->upper < kUrdfNoBound ? theirs.limits->upper : kInfinity;
    EXPECT_EQ(j.limited, std::isfinite(lower) || std::isfinite(upper)) << where;
    EXPECT_EQ(j.lower, lower) << where;
    EXPECT_EQ(j.upper, upper) << where;
  }
  if (theirs.dynamics) {
    EXPECT_EQ(j.damping, theirs.dynamics->damping) << where;
    EXPECT_EQ(j.friction, theirs.dynamics->friction) << where;
  }
}

void compare_mimics(const OurReading& ours, const urdf::ModelInterface& theirs, const std::string& file) {
  std::size_t count = 0;
  for (const auto& [name, joint] : theirs.joints_) {
    if (!joint->mimic) continue;
    ++count;
    bool found = false;
    for (const Mimic& m : ours.robot.mimics) {
      if (m.joint != name) continue;
      found = true;
      EXPECT_EQ(m.leader, joint->mimic->joint_name) << file << ": " << name;
      EXPECT_EQ(m.ratio, joint->mimic->multiplier) << file << ": " << name;
      EXPECT_EQ(m.offset, joint->mimic->offset) << file << ": " << name;
    }
    EXPECT_TRUE(found) << file << ": " << name;
  }
  EXPECT_EQ(ours.robot.mimics.size(), count) << file;
}

/// The text, completed by the limits and the link that urdfdom insists on.
std::string prepared(const std::string& text) {
  pugi::xml_document document;
  document.load_string(text.c_str());
  pugi::xml_node robot = document.child("robot");
  bool refers_to_world = false;
  for (pugi::xml_node joint : robot.children("joint")) {
    const std::string type = joint.attribute("type").value();
    refers_to_world |= std::string(joint.child("parent").attribute("link").value()) == "world";
    if ((type != "revolute" && type != "prismatic") || joint.child("limit")) continue;
    pugi::xml_node limit = joint.append_child("limit");
    for (const char* key : {"lower", "upper", "effort", "velocity"}) limit.append_attribute(key) = 0;
  }
  if (refers_to_world && !robot.find_child_by_attribute("link", "name", "world"))
    robot.append_child("link").append_attribute("name") = "world";
  std::ostringstream out;
  document.save(out);
  return out.str();
}

/// Compares both readings of a text. False if urdfdom, which gets `for_urdfdom`, does not read it.
bool compare(const std::string& text, const std::string& for_urdfdom, const std::string& file) {
  const urdf::ModelInterfaceSharedPtr theirs = urdf::parseURDF(for_urdfdom);
  if (!theirs) return false;
  const OurReading ours(text);
  EXPECT_EQ(ours.robot.name, theirs->getName()) << file;
  EXPECT_EQ(ours.robot.links.size(), theirs->links_.size()) << file;
  for (const auto& [name, link] : theirs->links_) {
    const std::string where = file + ": " + name;
    const Link* own = ours.link(name);
    EXPECT_TRUE(own) << where;
    if (!own) continue;
    EXPECT_EQ(ours.parent_of(*own), link->getParent() ? link->getParent()->name : "") << where;
    compare_mass(*own, *link, where);
    if (link->parent_joint) compare_joint(*own, *link->parent_joint, where);
  }
  compare_mimics(ours, *theirs, file);
  return true;
}

bool compare(const std::string& path) {
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return compare(text, prepared(text), std::filesystem::path(path).filename().string());
}

/// urdfdom skips shapes that it does not know, so that those that it has are counted.
void expect_all_shapes(const std::string& text, const std::string& file) {
  const urdf::ModelInterfaceSharedPtr theirs = urdf::parseURDF(text);
  ASSERT_TRUE(theirs) << file;
  pugi::xml_document document;
  document.load_string(text.c_str());
  const auto count = [](const pugi::xml_node& link, const char* kind) {
    const auto list = link.children(kind);
    return static_cast<std::size_t>(std::distance(list.begin(), list.end()));
  };
  for (const pugi::xml_node& link : document.child("robot").children("link")) {
    const urdf::LinkConstSharedPtr their = theirs->getLink(link.attribute("name").value());
    ASSERT_TRUE(their) << file << ": " << link.attribute("name").value();
    EXPECT_EQ(their->collision_array.size(), count(link, "collision")) << file << ": " << their->name;
    EXPECT_EQ(their->visual_array.size(), count(link, "visual")) << file << ": " << their->name;
  }
}

/// Writes a scene as URDF, which urdfdom must read as it is, and compares the trees.
void expect_written_alike(const Scene& scene, const std::string& file) {
  const std::string text = export_scene(scene, "scene.urdf").bytes;
  EXPECT_TRUE(compare(text, text, file)) << file << " is refused by urdfdom";
  expect_all_shapes(text, file);
}

TEST(UrdfdomOracle, ReadsSharedModelsThatWeWrite) {
  std::size_t written = 0;
  for (const std::string& file : test::model_files(test::shared_models())) {
    expect_written_alike(load_model(file), std::filesystem::path(file).filename().string());
    ++written;
  }
  if (written == 0) GTEST_SKIP() << "there are no models at " << test::shared_models();
}

TEST(UrdfdomOracle, ReadsScenesThatWeWrite) {
  constexpr std::size_t kMostBodies = 1000;  // chosen: more bodies of the same kind take longer and show nothing new
  std::size_t written = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(RIGOR_SOURCE_DIR) / "scenes")) {
    if (entry.path().extension() != ".json") continue;
    const Scene scene = open_scene(entry.path().string());
    if (scene.world.bodies().size() > kMostBodies) continue;
    expect_written_alike(scene, entry.path().filename().string());
    ++written;
  }
  std::cout << "wrote " << written << " scenes\n";
  EXPECT_GT(written, 30u);
}

TEST(UrdfdomOracle, ReadsTheSharedModelsAlike) {
  std::size_t compared = 0, refused = 0;
  for (const std::string& file : test::model_files(test::shared_models()))
    if (file.ends_with(".urdf")) ++(compare(file) ? compared : refused);
  if (compared + refused == 0) GTEST_SKIP() << "there are no models at " << test::shared_models();
  std::cout << "compared " << compared << ", refused by urdfdom " << refused << "\n";
  EXPECT_GE(compared, 9u);
}

TEST(UrdfdomOracle, ReadsOurOwnModelsAlike) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "rigor_urdfdom_oracle";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  test::write_own_robots(folder);
  std::size_t compared = 0;
  for (const std::string& file : test::model_files(folder))
    if (file.ends_with(".urdf")) compared += compare(file);
  EXPECT_EQ(compared, 4u);
}

}  // namespace
}  // namespace rigor::models

#else

TEST(UrdfdomOracle, ReadsTheSharedModelsAlike) {
  GTEST_SKIP() << "urdfdom was not found when the tests were built (Debian: liburdfdom-dev)";
}

#endif
