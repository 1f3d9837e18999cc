// Joints that follow others, on moving bodies: both ways, in chains, grippers and hands.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "models/model_text.h"
#include "rigor/model.h"
#include "rigor/scene.h"
#include "rigor/simulation.h"
#include "support.h"

namespace rigor::test {
namespace {

std::string link(const std::string& name, const std::string& center = "0 0 -0.2") {
  return "<link name=\"" + name + "\"><inertial><origin xyz=\"" + center +
         "\"/><mass value=\"1\"/><inertia ixx=\"0.02\" iyy=\"0.02\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" "
         "iyz=\"0\"/></inertial></link>\n";
}

std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& rest) {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/>" + rest + "</joint>\n";
}

std::string robot(const std::string& inside) {
  return "<robot name=\"r\"><link name=\"world\"/>\n" + inside + "</robot>";
}

std::string mimic(const std::string& leader, double ratio, double offset = 0) {
  return "<mimic joint=\"" + leader + "\" multiplier=\"" + std::to_string(ratio) + "\" offset=\"" +
         std::to_string(offset) + "\"/>";
}

const std::string kHinge = "<axis xyz=\"0 1 0\"/><origin xyz=\"0 0 -0.4\"/>";
const std::string kSameHinge = "<axis xyz=\"0 1 0\"/>";
const std::string kSlide = "<axis xyz=\"0 0 -1\"/><origin xyz=\"0 0 -0.4\"/>";

double rate(const World& w, const std::string& name) {
  const JointId id = w.find_joint(name);
  const auto& axes = std::get<AxesJoint>(w.joint(id).kind).axes;
  for (int k = 0; k < 6; ++k)
    if (axes[static_cast<std::size_t>(k)].motion != AxisMotion::locked) return w.joint_velocity(id, k);
  return 0;
}

double coordinate(const World& w, const std::string& name) {
  const JointId id = w.find_joint(name);
  const auto& axes = std::get<AxesJoint>(w.joint(id).kind).axes;
  for (int k = 0; k < 6; ++k)
    if (axes[static_cast<std::size_t>(k)].motion != AxisMotion::locked) return w.joint_position(id, k);
  return 0;
}

struct Extremes {
  double gain = 0, loss = 0, fastest = 0, error = 0;
};

/// A second without anything that drives.
Extremes run(const Scene& scene, const char* method, double h, const std::string& follower, const std::string& leader,
             double ratio) {
  TimeSettings time;
  time.step = h;
  Simulation simulation(scene.world, preset(method), time);
  const double start = simulation.energy().total();
  Extremes e;
  for (int i = 0; i < static_cast<int>(1 / h); ++i) {
    simulation.step();
    const double change = simulation.energy().total() - start;
    e.gain = std::max(e.gain, change);
    e.loss = std::min(e.loss, change);
    e.fastest = std::max(e.fastest, simulation.world().kinetic_energy());
    const World& w = simulation.world();
    e.error = std::max(e.error, std::abs(rate(w, follower) - ratio * rate(w, leader)) / std::hypot(1, ratio));
  }
  return e;
}

// A pendulum of three links gained 8e11 J within a second when a motor made one joint follow the other.
TEST(Mimics, GiveAPassiveChainNoEnergy) {
  struct Chain {
    const char *first, *second;
    const std::string &at_first, &at_second;
  };
  const Chain chains[] = {{"continuous", "continuous", kHinge, kHinge},
                          {"continuous", "continuous", kHinge, kSameHinge},
                          {"continuous", "prismatic", kHinge, kSlide},
                          {"prismatic", "continuous", kSlide, kHinge},
                          {"prismatic", "prismatic", kSlide, kSlide}};
  for (const char* method : {"soft-step", "featherstone"})
    for (const Chain& chain : chains)
      for (const double ratio : {-10.0, -2.0, -0.5, 0.1, 0.5, 1.0, 2.0, 10.0})
        for (const double h : {1.0 / 60, 1.0 / 120, 1.0 / 240}) {
          SCOPED_TRACE(std::string(method) + " " + chain.first + " " + chain.second + " " + std::to_string(ratio) +
                       " " + std::to_string(h));
          const std::string limit = "<limit effort=\"0\" velocity=\"0\"/>";
          ModelReport report;
          const Scene scene = parse_model(
              robot(link("a") + link("b") + link("c") +
                    joint("base", "continuous", "world", "a", "<axis xyz=\"0 1 0\"/><origin rpy=\"0 0.9 0\"/>") +
                    joint("lead", chain.first, "a", "b", chain.at_first + limit) +
                    joint("follow", chain.second, "b", "c", chain.at_second + limit + mimic("lead", ratio, 0.3))),
              {}, &report);
          EXPECT_EQ(scene.drives.size(), 0u) << notes_of(report);
          const Extremes e = run(scene, method, h, "follow", "lead", ratio);
          // Chosen as for gears (gear_carrier_test.cpp), and ten times that for the implicit Euler steps by which featherstone moves taut loops; they
          // lose more, where a light wheel makes its rows soft.
          const bool is_default = std::string(method) == "soft-step";
          const double bound = (is_default ? 0.02 : 0.2) * 60 * h * e.fastest;
          EXPECT_LT(e.gain, bound);
          EXPECT_GT(e.loss, -(is_default ? 0.05 : 1.0) * e.fastest);
          EXPECT_LT(e.error, 0.01 * 60 * h * std::sqrt(e.fastest));
        }
}

// The fingers of a gripper slide in one direction on the palm, which moves. A hand that carries the leader with a force feels the follower.
TEST(Mimics, FingersOfAGripperPullAtEachOther) {
  const std::string slide = "<axis xyz=\"0 1 0\"/><limit lower=\"0\" upper=\"0.1\" effort=\"20\" velocity=\"1\"/>";
  const std::string text =
      robot(link("palm") + link("left") + link("right") +
            joint("arm", "revolute", "world", "palm",
                  "<axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\" effort=\"5\" velocity=\"1\"/>") +
            joint("l", "prismatic", "palm", "left", slide) +
            joint("r", "prismatic", "palm", "right",
                  "<axis xyz=\"0 -1 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"20\" velocity=\"1\"/>" +
                      mimic("l", 2, 0.05)));
  ModelReport report;
  Scene scene = parse_model(text, {}, &report);
  EXPECT_NE(notes_of(report).find("a wheel of a ten thousandth of the mass"), std::string::npos) << notes_of(report);
  EXPECT_NEAR(coordinate(scene.world, "r"), 0.05, 1e-12);
  double mass = 0;
  for (const BodyId id : scene.world.bodies())
    if (!scene.world.is_fixed(id)) mass += scene.world.mass_properties(id).mass;
  EXPECT_NEAR(mass, 3, 1e-12);
  AxesJoint left = std::get<AxesJoint>(scene.world.joint(scene.world.find_joint("l")).kind);
  left.axes[0].motor = {.kind = AxisMotor::Kind::velocity, .target = 100, .max_force = 1};
  left.axes[0].motion = AxisMotion::free;
  scene.world.set_joint(scene.world.find_joint("l"), left);
  scene.world.set_gravity({});
  scene.world.set_fixed(scene.world.find_body("palm"), true);
  for (const char* method : {"soft-step", "featherstone", "garstenauer"}) {
    Simulation simulation(scene.world, preset(method));
    for (int i = 0; i < 50; ++i) simulation.step(0.01);
    // 1 N moves 1 kg and, twice as fast, 1 kg more: a = F / (m + 4 m), beside the wheel.
    EXPECT_NEAR(rate(simulation.world(), "l"), 0.5 / 5, 2e-4) << method;
    EXPECT_NEAR(rate(simulation.world(), "r"), 2 * 0.5 / 5, 4e-4) << method;
  }
}

// A distal phalanx follows the proximal joint, with the middle one between them that follows it as well.
TEST(Mimics, PhalangesThatFollowOneJointAreCoupledInARow) {
  ModelReport report;
  const Scene scene =
      parse_model(robot(link("palm") + link("one") + link("pad", "0 0 0") + link("two") + link("three") +
                        joint("arm", "continuous", "world", "palm", "<axis xyz=\"0 1 0\"/><origin rpy=\"0 0.9 0\"/>") +
                        joint("proximal", "continuous", "palm", "one", kHinge) +
                        joint("glue", "fixed", "one", "pad", "<origin xyz=\"0 0 -0.1\"/>") +
                        joint("middle", "continuous", "pad", "two", kHinge + mimic("proximal", 0.5)) +
                        joint("distal", "continuous", "two", "three", kHinge + mimic("proximal", 0.25, 0.2))),
                  {}, &report);
  EXPECT_EQ(notes_of(report), "") << notes_of(report);
  EXPECT_TRUE(scene.drives.empty());
  EXPECT_NEAR(coordinate(scene.world, "distal"), 0.2, 1e-12);
  Simulation simulation = make_simulation(scene);
  double largest = 0;
  for (int i = 0; i < 100; ++i) {
    simulation.step(0.01);
    const World& w = simulation.world();
    largest = std::max(largest, std::abs(coordinate(w, "proximal")));
    EXPECT_NEAR(coordinate(w, "distal") - 0.2, 0.25 * coordinate(w, "proximal"), 1e-3);
    EXPECT_NEAR(coordinate(w, "middle"), 0.5 * coordinate(w, "proximal"), 1e-3);
  }
  EXPECT_GT(largest, 0.05);
}

// What no gear expresses moves apart, and is listed; nothing drives it.
TEST(Mimics, JointsWithAFreeOneBetweenThemAreListed) {
  ModelReport report;
  const Scene scene = parse_model(
      robot(link("a") + link("b") + link("c") + link("d") +
            joint("base", "continuous", "world", "a", "<axis xyz=\"0 1 0\"/><origin rpy=\"0 0.9 0\"/>") +
            joint("lead", "continuous", "a", "b", kHinge) + joint("between", "continuous", "b", "c", kHinge) +
            joint("follow", "continuous", "c", "d", kHinge + mimic("lead", 2))),
      {}, &report);
  EXPECT_NE(notes_of(report).find("no gear couples these two joints"), std::string::npos) << notes_of(report);
  const Extremes e = run(scene, "soft-step", 1.0 / 60, "follow", "lead", 2);
  EXPECT_LT(e.gain, 0.05 * e.fastest);  // chosen: four free links that whirl, without any gear
}

TEST(Mimics, ARatioOfZeroHoldsTheJoint) {
  const Scene scene =
      parse_model(robot(link("a") + link("b") + link("c") + joint("base", "continuous", "world", "a", kHinge) +
                        joint("lead", "continuous", "a", "b", kHinge) +
                        joint("follow", "continuous", "b", "c", kHinge + mimic("lead", 0, 0.4))));
  Simulation simulation = make_simulation(scene);
  for (int i = 0; i < 60; ++i) simulation.step(1.0 / 60);
  EXPECT_NEAR(coordinate(simulation.world(), "follow"), 0.4, 1e-6);
}

// Before, the follower began beyond its limit and jumped.
TEST(Mimics, LeadersStartWhereFollowersAreWithinTheirLimits) {
  for (const double offset : {-0.8, -0.3, 0.0, 0.7, 2.5}) {
    const std::string limits = "<limit lower=\"-0.2\" upper=\"0.5\" effort=\"5\" velocity=\"1\"/>";
    ModelReport report;
    const Scene scene =
        parse_model(robot(link("a") + link("b") + link("c") + joint("base", "continuous", "world", "a", kHinge) +
                          joint("lead", "continuous", "a", "b", kHinge) +
                          joint("follow", "revolute", "b", "c", kHinge + limits + mimic("lead", -2, offset))),
                    {}, &report);
    const double q = coordinate(scene.world, "follow"), p = coordinate(scene.world, "lead");
    EXPECT_NEAR(q, std::clamp(offset, -0.2, 0.5), 1e-12);
    EXPECT_NEAR(q, offset - 2 * p, 1e-12);
    EXPECT_EQ(notes_of(report).find("starts at") != std::string::npos, offset < -0.2 || offset > 0.5) << offset;
    Simulation simulation = make_simulation(scene);
    simulation.step(1.0 / 240);
    EXPECT_LT(std::abs(coordinate(simulation.world(), "follow") - q), 0.01) << offset;
  }
}

// Limits that exclude each other are left out, with a note.
TEST(Mimics, LimitsThatNoLeaderMeetsAreLeftOut) {
  ModelReport report;
  parse_model(robot(link("a") + link("b") +
                    joint("lead", "revolute", "world", "a",
                          kHinge + "<limit lower=\"0\" upper=\"0.1\" effort=\"5\" velocity=\"1\"/>") +
                    joint("follow", "revolute", "a", "b",
                          kHinge + "<limit lower=\"1\" upper=\"2\" effort=\"5\" velocity=\"1\"/>" + mimic("lead", 1))),
              {}, &report);
  EXPECT_NE(notes_of(report).find("no position of its leader has it within its limits"), std::string::npos)
      << notes_of(report);
}

// A yoke without mass that pans and carries a camera that tilts: its shape pans and does not tilt.
TEST(Urdf, ShapesOfMasslessLinksMoveWithTheirOwnJoint) {
  ModelReport report;
  const Scene scene =
      parse_model(robot("<link name=\"yoke\"><visual><geometry><box size=\"0.1 0.1 0.1\"/></geometry></visual></link>" +
                        link("camera") + joint("pan", "continuous", "world", "yoke", "<axis xyz=\"0 0 1\"/>") +
                        joint("tilt", "continuous", "yoke", "camera", "<axis xyz=\"0 1 0\"/>")),
                  {}, &report);
  EXPECT_NE(notes_of(report).find("it is given a ten thousandth of the mass of the next link"), std::string::npos)
      << notes_of(report);
  const BodyId yoke = scene.world.find_body("yoke");
  ASSERT_TRUE(yoke);
  Scene moved = scene;
  moved.world.set_velocity(moved.world.find_body("camera"), {}, {0, 3, 0});
  Simulation simulation = make_simulation(moved);
  for (int i = 0; i < 20; ++i) simulation.step(0.01);
  EXPECT_GT(std::abs(coordinate(simulation.world(), "tilt")), 0.1);
  EXPECT_LT(length(simulation.world().angular_velocity(yoke)), 1e-3);
}

}  // namespace
}  // namespace rigor::test
