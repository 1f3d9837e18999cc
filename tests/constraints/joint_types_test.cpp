// Joints by name: makers, parameters, and what is said about bad ones.
#include <gtest/gtest.h>

#include "constraints/joint_samples.h"

namespace rigor::test {
namespace {

TEST(JointTypes, DescribingAJointGivesItsParametersBack) {
  for (const std::string& type : pair_joint_types()) {
    Random random(3);
    const JointPair pair(random);
    const JointDef def = sample_joint(pair, type, random, true);
    const JointDescription description = describe_joint(def);
    EXPECT_EQ(description.type, type);
    // "length" is listed although it was not given: it is the initial distance.
    if (type == "distance") {
      EXPECT_TRUE(description.parameters.contains("length"));
    }
    if (type == "hinge") {
      EXPECT_EQ(description.parameters.at("upper"), Value{0.7});
    }
    if (type == "hinge") {
      EXPECT_EQ(description.parameters.size(), 8u);
    }
  }
}

TEST(JointTypes, AnyAxesAreASixDofJoint) {
  Random random(4);
  const JointPair pair(random);
  JointDef def = sample_joint(pair, "hinge", random, false);
  std::get<AxesJoint>(def.kind).axes[1].motion = AxisMotion::free;
  const JointDescription description = describe_joint(def);
  EXPECT_EQ(description.type, "six-dof");
  EXPECT_EQ(description.parameters.at("y"), Value{std::string("free")});
  EXPECT_EQ(description.parameters.at("rx"), Value{std::string("free")});
}

TEST(JointTypes, ParametersChangeInTheWorld) {
  Random random(5);
  JointPair pair(random);
  const JointId id = pair.world.add_joint(sample_joint(pair, "hinge", random, true));
  set_joint_parameters(pair.world, id, {{"motor", std::string("velocity")}, {"motor_target", 4.0}});
  const AxesJoint& kind = std::get<AxesJoint>(pair.world.joint(id).kind);
  EXPECT_EQ(kind.axes[3].motor.kind, AxisMotor::Kind::velocity);
  EXPECT_EQ(kind.axes[3].motor.target, 4);
  EXPECT_EQ(kind.axes[3].upper, 0.7);
  EXPECT_EQ(error_of([&] {
              set_joint_parameters(pair.world, id, {{"motor_targt", 1.0}});
            }),
            "joint '" + pair.world.joint(id).name + "': unknown parameter 'motor_targt'; did you mean motor_target?");
}

TEST(JointTypes, StrengthCanBeChangedLater) {
  Random random(5);
  JointPair pair(random);
  const JointId id = pair.world.add_joint(sample_joint(pair, "hinge", random, true));
  pair.world.set_joint_strength(id, 50, 7);
  EXPECT_EQ(pair.world.joint(id).break_force, 50);
  EXPECT_EQ(pair.world.joint(id).break_torque, 7);
  for (const double wrong : {0.0, -1.0, std::nan("")})
    EXPECT_EQ(error_of([&] { pair.world.set_joint_strength(id, wrong, 7); }),
              "joint '" + pair.world.joint(id).name + "'.break_force: expected a positive number");
  EXPECT_EQ(pair.world.joint(id).break_force, 50);
}

/// What a world says about a joint with one bad number.
template <class Change> std::string refusal(const std::string& type, Change change) {
  Random random(6);
  JointPair pair(random);
  JointDef def = sample_joint(pair, type, random, false);
  def.name = "j";
  change(def);
  const std::string message = error_of([&] { pair.world.add_joint(def); });
  EXPECT_EQ(pair.world.joint_count(), 0u);
  return message;
}

TEST(JointTypes, EveryBadNumberGetsOneSentence) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const auto axis = [](JointDef& d) -> JointAxis& { return std::get<AxesJoint>(d.kind).axes[3]; };
  const auto limited = [&](double lower, double upper) {
    return [=](JointDef& d) { axis(d).motion = AxisMotion::limited, axis(d).lower = lower, axis(d).upper = upper; };
  };
  EXPECT_EQ(refusal("hinge", limited(1, 0)), "joint 'j'.axes[3]: the lower limit must not be above the upper one");
  EXPECT_EQ(refusal("hinge", limited(nan, 0)), "joint 'j'.axes[3]: the lower limit must not be above the upper one");
  EXPECT_EQ(refusal("hinge", limited(-inf, inf)), "joint 'j'.axes[3]: at least one of the limits has to be finite");
  EXPECT_EQ(refusal("hinge", limited(-4, 4)), "joint 'j'.axes[3]: angular limits span at most one turn");
  EXPECT_EQ(refusal("hinge", [&](JointDef& d) { axis(d).friction = -1; }),
            "joint 'j'.axes[3].friction: expected zero or more");
  EXPECT_EQ(refusal("hinge", [&](JointDef& d) { axis(d).motor.target = inf; }),
            "joint 'j'.axes[3].motor: expected a finite target");
  EXPECT_EQ(refusal("hinge", [&](JointDef& d) { axis(d).motor.max_force = nan; }),
            "joint 'j'.axes[3].motor: the largest force must not be negative");
  EXPECT_EQ(refusal("hinge", [&](JointDef& d) { axis(d).motor.kind = AxisMotor::Kind::servo; }),
            "joint 'j'.axes[3].motor: a servo needs a proportional gain");
  EXPECT_EQ(refusal("hinge", [&](JointDef& d) { axis(d).spring.stiffness = inf; }),
            "joint 'j'.axes[3].spring: stiffness and damping must not be negative");
  EXPECT_EQ(refusal("fixed", [&](JointDef& d) { axis(d).friction = 1; }),
            "joint 'j'.axes[3]: a locked axis cannot have a motor, spring or friction");
  EXPECT_EQ(refusal("ball", [](JointDef& d) { std::get<AxesJoint>(d.kind).max_swing = 0; }),
            "joint 'j'.max_swing: expected a positive angle");
  EXPECT_EQ(refusal("ball", [&](JointDef& d) { std::get<AxesJoint>(d.kind).min_twist = nan; }),
            "joint 'j'.min_twist: expected a number that is not above max_twist");
  EXPECT_EQ(refusal("ball", [](JointDef& d) { std::get<AxesJoint>(d.kind).stiffness = 0; }),
            "joint 'j'.stiffness: expected a positive number");
  EXPECT_EQ(refusal("ball", [](JointDef& d) { d.break_force = 0; }),
            "joint 'j'.break_force: expected a positive number");
  EXPECT_EQ(refusal("ball", [&](JointDef& d) { d.break_torque = nan; }),
            "joint 'j'.break_torque: expected a positive number");
  EXPECT_EQ(refusal("ball", [&](JointDef& d) { d.frame_a.translation.y = nan; }),
            "joint 'j'.frame_a: expected finite numbers");
  EXPECT_EQ(refusal("ball",
                    [](JointDef& d) {
                      d.frame_b.rotation = {0, 0, 0, 0};
                    }),
            "joint 'j'.frame_b: expected a rotation, not four zeros");
  EXPECT_EQ(refusal("ball", [](JointDef& d) { d.b = d.a; }), "joint 'j': it connects a body with itself");
  EXPECT_EQ(refusal("ball", [](JointDef& d) { d.a = {}; }), "joint 'j'.a: there is no body with this id");
  EXPECT_EQ(refusal("distance", [](JointDef& d) { d.kind = DistanceJoint{.lower = 2, .upper = 1}; }),
            "joint 'j'.upper: expected a positive number, not below the lower one");
  EXPECT_EQ(refusal("path", [](JointDef& d) { std::get<PathJoint>(d.kind).points.resize(1); }),
            "joint 'j'.points: expected at least two points, three for a closed curve");
  EXPECT_EQ(refusal("path",
                    [](JointDef& d) {
                      auto& p = std::get<PathJoint>(d.kind).points;
                      p[1] = p[0];
                    }),
            "joint 'j'.points[1]: it is equal to the point before");
}

TEST(JointTypes, BadPlacesGetOneSentence) {
  World world = empty_world();
  const BodyId b = world.add_body(body_with_inertia("b", 1, {1, 1, 1}));
  const BodyId a = world.world_body();
  const auto message = [&](const char* type, const JointPlacement& placement) {
    return error_of([&] { make_joint(world, type, a, b, placement); });
  };
  EXPECT_EQ(message("hinge", {}), "hinge joint: it needs an 'axis', or 'axis_a' and 'axis_b'");
  EXPECT_EQ(message("hinge", {{}, Vec3{}, {}}), "hinge joint.axis: expected a direction, not zero");
  EXPECT_EQ(message("hinge", {{}, Vec3{std::nan(""), 0, 0}, {}}), "hinge joint.axis: expected three finite numbers");
  EXPECT_EQ(message("universal", {{}, Vec3{1, 0, 0}, {}}), "universal joint: it needs an 'axis2'");
  EXPECT_EQ(message("universal", {{}, Vec3{1, 0, 0}, Vec3{1, 1, 0}}),
            "universal joint.axis2: expected a direction perpendicular to the axis");
  EXPECT_EQ(message("two-axis-rotation", {{}, Vec3{1, 0, 0}, Vec3{2, 0, 0}}),
            "two-axis-rotation joint.axis2: expected a direction that is not parallel to the axis");
  EXPECT_NE(message("hing", {}).find("did you mean hinge"), std::string::npos);
}

TEST(JointTypes, BadGears) {
  World world = empty_world();
  const BodyId first = world.add_body(body_with_inertia("first", 1, {1, 1, 1}));
  const BodyId second = world.add_body(body_with_inertia("second", 1, {1, 1, 1}));
  const BodyId fixed = world.world_body();
  const JointId h1 = world.add_joint(hinge_joint(world, fixed, first, {}, {0, 0, 1}));
  const JointId h2 = world.add_joint(hinge_joint(world, fixed, second, {}, {0, 0, 1}));
  const JointId free = world.add_joint(hinge_joint(world, first, second, {}, {0, 0, 1}));
  const JointId rod = world.add_joint(distance_joint(world, fixed, second, {0, 1, 0}, {}));
  const auto message = [&](JointDef def) {
    def.name = "g";
    return error_of([&] { world.add_joint(def); });
  };
  EXPECT_EQ(message(gear_joint(world, h1, h2, 0)), "joint 'g'.ratio: expected a finite number other than zero");
  EXPECT_EQ(message(gear_joint(world, h1, h2, 1, 0)), "joint 'g'.first_axis: axis 0 of that joint is locked");
  const BodyId third = world.add_body(body_with_inertia("third", 1, {1, 1, 1}));
  const JointId far = world.add_joint(hinge_joint(world, second, third, {}, {0, 0, 1}));
  EXPECT_EQ(
      message(gear_joint(world, free, far, 1)),
      "joint 'g': a gear acts on two bodies: at most two bodies of its joints may move, or three if both joints have "
      "one free axis, share a body and their axes are apart");
  EXPECT_EQ(message(gear_joint(world, h1, h1, 1)), "joint 'g': it couples a coordinate with itself");
  EXPECT_EQ(message(gear_joint(world, h1, rod, 1)),
            "joint 'g'.second: expected a joint of six axes, such as a hinge or a slider");
  const JointId gear = world.add_joint(gear_joint(world, h1, h2, 2));
  EXPECT_EQ(world.joint_count(), 6u);
  EXPECT_THROW(world.set_joint(h1, DistanceJoint{1, 1}), Error);
  world.remove_joint(h1);  // takes the gear along
  EXPECT_FALSE(world.contains(gear));
}

// A screw between two free bodies: one turn moves the nut by the pitch. The pair keeps its momentum.
TEST(JointTypes, AScrewTurnsAndSlides) {
  for (const char* method : {"soft-step", "garstenauer", "featherstone"}) {
    World world = empty_world();
    world.set_gravity({});
    const BodyId bolt = world.add_body(body_with_inertia("bolt", 1, {0.01, 0.02, 0.02}));
    const BodyId nut = world.add_body(body_with_inertia("nut", 2, {0.03, 0.02, 0.02}));
    const JointId sleeve = world.add_joint(make_joint(world, "cylindrical", bolt, nut, {Vec3{}, Vec3{1, 0, 0}, {}}));
    const double pitch = 0.1, per_radian = pitch / (2 * kPi);
    world.add_joint(gear_joint(world, sleeve, sleeve, -per_radian, 0, 3));  // x − per_radian φ = 0
    world.set_velocity(nut, {}, {6, 0, 0});
    Simulation simulation(world, preset(method));
    for (int i = 0; i < 200; ++i) simulation.step(0.005);
    const World& w = simulation.world();
    const double speed = w.joint_velocity(sleeve, 0), rate = w.joint_velocity(sleeve, 3);
    EXPECT_GT(std::abs(rate), 1) << method;
    EXPECT_NEAR(speed, per_radian * rate, 1e-6) << method;
    EXPECT_LT(length(w.mass_properties(bolt).mass * w.velocity(bolt) + w.mass_properties(nut).mass * w.velocity(nut)),
              1e-9)
        << method;
    // Turns about x: the axis is a principal one of both.
    EXPECT_NEAR(0.01 * w.angular_velocity(bolt).x + 0.03 * w.angular_velocity(nut).x, 0.03 * 6, 1e-9) << method;
  }
}

// A telescope on a fixed base: the second stage comes out as far as the first, which moves.
TEST(JointTypes, AGearCouplesAChainOnAFixedBase) {
  World world = empty_world();
  const BodyId one = world.add_body(body_with_inertia("one", 3, {0.1, 0.1, 0.1}));
  const BodyId two = world.add_body(body_with_inertia("two", 1, {0.1, 0.1, 0.1}));
  const JointId first = world.add_joint(slider_joint(world, world.world_body(), one, {}, {0, 1, 0}));
  const JointId second = world.add_joint(slider_joint(world, one, two, {}, {0, 1, 0}));
  world.add_joint(gear_joint(world, second, first, -1));
  world.set_gravity({0, -10, 0});
  Simulation simulation(world, preset("featherstone"));
  for (int i = 0; i < 100; ++i) simulation.step(0.005);
  const double x = simulation.world().joint_position(first, 0);
  // Lagrange: (m₁ + 4 m₂) ẍ = −(m₁ + 2 m₂) g
  EXPECT_NEAR(simulation.world().joint_velocity(first, 0), -10 * 5.0 / 7 * 0.5, 1e-6);
  EXPECT_NEAR(simulation.world().joint_position(second, 0), x, 1e-5);  // chosen: far below ẍ h² = 2e-4
}

TEST(JointTypes, JointsGoWithTheirBodies) {
  Random random(7);
  JointPair pair(random);
  const JointId id = pair.world.add_joint(sample_joint(pair, "ball", random, false));
  pair.world.remove_body(pair.b);
  EXPECT_FALSE(pair.world.contains(id));
}

}  // namespace
}  // namespace rigor::test
