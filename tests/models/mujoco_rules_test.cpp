// What MuJoCo accepts and what it takes an attribute for: ranges and their switches, collision groups, default sections. Each case is read by both.
#include <gtest/gtest.h>

#if RIGOR_HAVE_MUJOCO_ORACLE

#include <mujoco/mujoco.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "models/model_text.h"
#include "rigor/model.h"

namespace rigor {
namespace {

/// MuJoCo's model of a text; null if it refuses it.
class Theirs {
 public:
  explicit Theirs(const std::string& text) {
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "rigor_mujoco_rules.xml";
    std::ofstream(file) << text;
    char error[1000] = "";
    model = mj_loadXML(file.string().c_str(), nullptr, error, sizeof error);
    message = error;
    std::filesystem::remove(file);
  }
  ~Theirs() {
    if (model) mj_deleteModel(model);
  }
  Theirs(const Theirs&) = delete;
  Theirs& operator=(const Theirs&) = delete;

  mjModel* model = nullptr;
  std::string message;
};

std::string machine(const std::string& joint, const std::string& rest, const char* autolimits = "true") {
  return std::string("<mujoco><compiler autolimits=\"") + autolimits +
         "\"/><worldbody><body name=\"b\"><joint name=\"j\" type=\"slide\" " + joint +
         "/><geom size=\"1\"/></body></worldbody>" + rest + "</mujoco>";
}

const JointAxis& axis_of(const Scene& scene) {
  const auto& axes = std::get<AxesJoint>(scene.world.joint(scene.world.find_joint("j")).kind).axes;
  for (const JointAxis& axis : axes)
    if (axis.motion != AxisMotion::locked) return axis;
  return axes[0];
}

constexpr const char* kRanges[] = {"-1 2", "2 -1", "0 0", "1 1", "0 3", ""};
constexpr const char* kSwitches[] = {"", "auto", "true", "false"};

std::string pair_of(const std::string& range, const std::string& value, const std::string& limited,
                    const std::string& flag) {
  return (value.empty() ? "" : range + "=\"" + value + "\" ") + (flag.empty() ? "" : limited + "=\"" + flag + "\"");
}

/// Calls f(attributes, autolimits) with every pair of a range and its switch.
template <class F> void for_each_pair(const std::string& range, const std::string& limited, F f) {
  for (const char* autolimits : {"true", "false"})
    for (const char* value : kRanges)
      for (const char* flag : kSwitches) f(pair_of(range, value, limited, flag), autolimits);
}

TEST(MujocoRules, LimitsOfJointsAreAccepted) {
  for_each_pair("range", "limited", [](const std::string& pair, const char* autolimits) {
    const std::string text = machine(pair, "", autolimits);
    const Theirs theirs(text);
    EXPECT_NE(is_refused(text), theirs.model != nullptr) << text << "\n" << refusal_of(text) << theirs.message;
    if (!theirs.model || is_refused(text)) return;
    const Scene scene = parse_model(text);
    const JointAxis& axis = axis_of(scene);
    EXPECT_EQ(axis.motion == AxisMotion::limited, theirs.model->jnt_limited[0] != 0) << text;
    if (!theirs.model->jnt_limited[0]) return;
    EXPECT_EQ(axis.lower, theirs.model->jnt_range[0]) << text;
    EXPECT_EQ(axis.upper, theirs.model->jnt_range[1]) << text;
  });
}

TEST(MujocoRules, RangesOfActuatorsAreAccepted) {
  for (const char* kind : {"ctrl", "force"})
    for_each_pair(
        kind + std::string("range"), kind + std::string("limited"),
        [&](const std::string& pair, const char* autolimits) {
          const std::string text = machine("", "<actuator><motor joint=\"j\" " + pair + "/></actuator>", autolimits);
          const Theirs theirs(text);
          EXPECT_NE(is_refused(text), theirs.model != nullptr) << text << "\n" << theirs.message;
          if (!theirs.model || is_refused(text)) return;
          const bool limited = theirs.model->actuator_ctrllimited[0] || theirs.model->actuator_forcelimited[0];
          const Scene scene = parse_model(text);
          EXPECT_EQ(std::isfinite(axis_of(scene).motor.max_force), limited) << text;
        });
}

TEST(MujocoRules, LimitsOfTendonsAreAccepted) {
  for_each_pair("range", "limited", [](const std::string& pair, const char* autolimits) {
    const std::string text = machine(
        "", "<tendon><fixed name=\"t\" " + pair + "><joint joint=\"j\" coef=\"1\"/></fixed></tendon>", autolimits);
    const Theirs theirs(text);
    EXPECT_NE(is_refused(text), theirs.model != nullptr) << text << "\n" << refusal_of(text) << theirs.message;
    if (!theirs.model || is_refused(text)) return;
    const Scene scene = parse_model(text);
    EXPECT_EQ(axis_of(scene).motion == AxisMotion::limited, theirs.model->tendon_limited[0] != 0) << text;
  });
}

/// The bits of −1 are all set, so that it collides with everything that has a bit.
TEST(MujocoRules, CollisionGroupsAre32Bits) {
  for (const char* bits : {"-1", "4294967295", "2147483648", "-3", "0"}) {
    const std::string text = std::string("<mujoco><worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 1\"/>") +
                             "<body name=\"b\"><freejoint/><geom size=\"1\" contype=\"" + bits +
                             "\" conaffinity=\"0\"/></body></worldbody></mujoco>";
    const Theirs theirs(text);
    ASSERT_TRUE(theirs.model) << theirs.message;
    const Scene scene = parse_model(text);
    const bool meet = (theirs.model->geom_contype[1] & theirs.model->geom_conaffinity[0]) != 0;
    const BodyId body = scene.world.find_body("b");
    const bool ours =
        scene.world.body_def(body).can_collide && scene.world.may_collide(body, scene.world.find_body("floor"));
    EXPECT_EQ(ours, meet) << bits;
  }
}

/// Sections at the top are one class, whatever their names, so that an included file can add to it.
TEST(MujocoRules, SectionsOfDefaultsAtTheTopAreOneClass) {
  for (const char* names : {"", "class=\"main\"", "class=\"a\""}) {
    const std::string section = std::string("<default ") + names + ">";
    const std::string text = "<mujoco>" + section + "<geom density=\"300\"/></default>" + section +
                             "<geom size=\"0.5\"/></default><worldbody><body name=\"b\"><freejoint/><geom/></body>" +
                             "</worldbody></mujoco>";
    const Theirs theirs(text);
    ASSERT_TRUE(theirs.model) << theirs.message;
    const Scene scene = parse_model(text);
    EXPECT_NEAR(scene.world.mass_properties(scene.world.find_body("b")).mass, theirs.model->body_mass[1], 1e-9);
  }
  const std::string nested = "<default><default class=\"c\"/></default>";
  const std::string twice = "<mujoco>" + nested + nested + "<worldbody/></mujoco>";
  EXPECT_FALSE(Theirs(twice).model);
  EXPECT_NE(refusal_of(twice).find("there is already a default class named 'c'"), std::string::npos);
}

}  // namespace
}  // namespace rigor

#else

TEST(MujocoRules, AreThere) {
  GTEST_SKIP() << "MuJoCo was not found when the tests were built (Debian: libmujoco-dev)";
}

#endif
